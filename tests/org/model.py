"""A few objects of an org in plain Python: what writes do to their records, without a database."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field

Values = dict[str, str | None]

FIELDS: dict[str, tuple[str, ...]] = {
    "Account": ("Name", "ParentId", "Phone"),
    "Contact": ("LastName", "AccountId"),
    "Opportunity": ("Name", "AccountId", "ContactId"),
    "Case": ("Subject", "AccountId", "ContactId"),
}
TEXTS = {"Account": "Name", "Contact": "LastName", "Opportunity": "Name", "Case": "Subject"}
PARENTS = {"ParentId": "Account", "AccountId": "Account", "ContactId": "Contact"}
TAKES = {("Contact", "AccountId"), ("Opportunity", "AccountId")}
"""References whose records go with their parent."""
KEEPS = {("Case", "AccountId"), ("Case", "ContactId")}
"""References whose records keep their parent."""


@dataclass
class Model:
    """The records of an org by Id, the living and the deleted."""

    living: dict[str, tuple[str, Values]] = field(default_factory=dict)
    deleted: dict[str, tuple[str, Values]] = field(default_factory=dict)
    causes: dict[str, str] = field(default_factory=dict)
    emptied: list[tuple[str, str, str, str]] = field(default_factory=list)

    def snapshot(self) -> Model:
        """The same, apart from this one."""
        return copy.deepcopy(self)

    def allows(self, name: str, values: Values) -> bool:
        """Whether the parents of a record are there."""
        return all(
            value is None or (value in self.living and self.living[value][0] == PARENTS[key])
            for key, value in values.items()
            if key in PARENTS
        )

    def insert(self, name: str, record_id: str, values: Values) -> None:
        """Add a record; a case gets the account of its contact."""
        record = {key: values.get(key) for key in FIELDS[name]}
        contact = record.get("ContactId")
        if name == "Case" and record["AccountId"] is None and contact is not None:
            record["AccountId"] = self.living[contact][1]["AccountId"]
        self.living[record_id] = (name, record)

    def update(self, record_id: str, values: Values) -> None:
        """Change a record."""
        self.living[record_id][1].update(values)

    def delete(self, record_id: str) -> bool:
        """Delete a record; False if another keeps it."""
        going = self._going(record_id)
        if any(self._refers(other, key) in going for other, key in self._references(KEEPS)):
            return False
        for gone in going:
            self.deleted[gone] = self.living.pop(gone)
            self.causes[gone] = record_id
        for other, (_, values) in self.living.items():
            for key, value in values.items():
                if key in PARENTS and value in going:
                    self.emptied.append((record_id, other, key, str(value)))
                    values[key] = None
        return True

    def undelete(self, record_id: str) -> bool:
        """Bring a record back; False if it is not there to be brought."""
        if self.causes.get(record_id) != record_id:
            return False
        back = [gone for gone, cause in self.causes.items() if cause == record_id]
        for gone in back:
            name, values = self.deleted.pop(gone)
            for key, value in values.items():
                other = self.causes.get(value or "") if key in PARENTS else None
                if other not in (None, record_id):
                    self.emptied.append((str(other), gone, key, str(value)))
                    values[key] = None
            self.living[gone] = (name, values)
        for cause, other, key, value in [entry for entry in self.emptied if entry[0] == record_id]:
            if other in self.living and self.living[other][1][key] is None:
                self.living[other][1][key] = value
            self.emptied.remove((cause, other, key, value))
        for gone in back:
            del self.causes[gone]
        return True

    def _going(self, record_id: str) -> list[str]:
        going = [record_id]
        for parent in going:
            for other, key in self._references(TAKES):
                if self._refers(other, key) == parent and other not in going:
                    going.append(other)
        return going

    def _references(self, kinds: set[tuple[str, str]]) -> list[tuple[str, str]]:
        return [
            (other, key) for other, (name, _) in self.living.items() for kind, key in kinds if kind == name
        ]

    def _refers(self, record_id: str, key: str) -> str | None:
        return self.living[record_id][1][key]

"""What the fields of a written record must satisfy by themselves, in the order in which Salesforce asks.

Names and types come first: the API reads a whole body before anything else looks at it.
Then what may be written at all, what must be given, and each value by its field's rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crmarena.org import values
from crmarena.org.faults import fault
from crmarena.org.values import Value
from crmarena.schema.fields import Field, FieldType
from crmarena.schema.objects import SObject

ATTRIBUTES = "attributes"
"""The member of a record that names its type, in JSON."""


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """A parent named by one of its fields: `{"Account": {"External_ID__c": "A-1"}}`."""

    object: str | None
    """The parent's type where the record says it."""
    field: str
    value: str


Given = dict[str, Value | ForeignKey]
"""What a caller gave, by field name."""


class Rules:
    """The rules of one object's records."""

    def __init__(self, sobject: SObject) -> None:
        self.sobject = sobject
        self.required = tuple(f for f in sobject.columns if _required(f))
        self.defaults = {f.name: _default(f) for f in sobject.columns}
        self.numbered = tuple(f.name for f in sobject.columns if f.auto_number)
        self.owned = "OwnerId" in sobject.fields
        self.holds_persons = sobject.name == "Account" and "LastName" in sobject.fields

    def read(self, record: Mapping[str, Any]) -> Given:
        """The fields of a record by their own names, each in its type. Raises SalesforceError."""
        given: Given = {}
        for name, raw in record.items():
            if name == ATTRIBUTES:
                self._check_type(raw)
                continue
            field = self.sobject.field(name)
            parent = None if field else self._parent(name, raw)
            target = field or parent
            if target is None:
                raise fault("unknown_field", name=name, object=self.sobject.name)
            if target.name in given:
                raise fault("duplicate_field", fields=(target.name,), name=target.name)
            given[target.name] = _foreign_key(name, target, raw) if parent else _read(target, raw)
        return given

    def check_insert(self, given: Given) -> Given:
        """What an insert gives, as it is stored. Raises SalesforceError."""
        if "Id" in given:
            raise fault("id_in_insert", fields=("Id",))
        self._check_writable(given, [name for name in given if not self.sobject.fields[name].createable])
        person = self.holds_persons and given.get("LastName") is not None
        self._check_person(given, person=person)
        missing = [f.name for f in self.required if self._missing_in_insert(f, given)]
        if person:
            missing = [name for name in missing if name != "Name"]
        return self._checked(given, missing, {})

    def check_update(self, given: Given, before: Mapping[str, Any]) -> Given:
        """What an update gives, as it is stored. Raises SalesforceError."""
        self._check_writable(given, [name for name in given if not self.sobject.fields[name].updateable])
        person = self.holds_persons and before["LastName"] is not None
        self._check_person(given, person=person)
        missing = [f.name for f in self.required if f.name in given and given[f.name] is None]
        if person and given.get("LastName", True) is None:
            missing.append("LastName")
        return self._checked(given, missing, before)

    def _parent(self, name: str, raw: Any) -> Field | None:
        """The reference field behind a relationship name that a record gives."""
        return self.sobject.parent(name) if isinstance(raw, dict) or raw is None else None

    def _check_type(self, raw: Any) -> None:
        kind = raw.get("type", self.sobject.name) if isinstance(raw, Mapping) else self.sobject.name
        if str(kind).lower() != self.sobject.name.lower():
            raise fault("no_type", name=kind)

    def _check_writable(self, given: Given, refused: list[str]) -> None:
        if refused:
            raise fault("read_only", fields=tuple(refused), names=", ".join(refused))

    def _check_person(self, given: Given, *, person: bool) -> None:
        """A person account has a first and a last name, a business account a name."""
        if not self.holds_persons:
            return
        wrong = [name for name in (("Name",) if person else ("FirstName", "LastName")) if given.get(name)]
        if wrong:
            raise fault("name_of_person", fields=tuple(wrong), names=", ".join(wrong))

    def _missing_in_insert(self, field: Field, given: Given) -> bool:
        if field.name in given:
            return given[field.name] is None
        return self.defaults[field.name] is None

    def _checked(self, given: Given, missing: list[str], before: Mapping[str, Any]) -> Given:
        if missing:
            raise fault("required", fields=tuple(missing), names=", ".join(missing))
        return {name: self._value(name, value, before) for name, value in given.items()}

    def _value(self, name: str, value: Value | ForeignKey, before: Mapping[str, Any]) -> Value | ForeignKey:
        # What a record has already it may keep: clients send whole records back.
        if isinstance(value, ForeignKey) or (name in before and before[name] == value):
            return value
        return values.check(self.sobject.fields[name], value)


def _required(field: Field) -> bool:
    return not field.nillable and field.createable and field.type is not FieldType.BOOLEAN


def _default(field: Field) -> Value:
    """What stands in a field that an insert does not give."""
    if field.type is FieldType.BOOLEAN:
        return bool(field.default)
    return field.default


def _read(field: Field, raw: Any) -> Value:
    # What may not be written has no type to be wrong in: the field itself is refused.
    writable = field.createable or field.updateable
    return values.read(field, raw) if writable else None


def _foreign_key(name: str, field: Field, raw: Any) -> Value | ForeignKey:
    if raw is None:
        return None
    named = {key: value for key, value in raw.items() if key != ATTRIBUTES}
    if len(named) != 1 or not all(isinstance(value, str) and value for value in named.values()):
        raise fault("bad_foreign_key", fields=(field.name,), name=name)
    ((key, value),) = named.items()
    attributes = raw.get(ATTRIBUTES)
    kind = attributes.get("type") if isinstance(attributes, Mapping) else None
    return ForeignKey(kind if isinstance(kind, str) else None, key, value)

"""Single writes: each checked whole before anything is written, so that what fails leaves no trace."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from crmarena.clock import Clock, format_datetime
from crmarena.org import removal
from crmarena.org import values as value_rules
from crmarena.org.computed import Context, complete
from crmarena.org.faults import fault
from crmarena.org.records import Records
from crmarena.org.references import check_parents, check_unique, find_by_key, key_field, settle_parents
from crmarena.org.results import Upserted
from crmarena.org.rules import Given, Rules
from crmarena.org.table import Record
from crmarena.schema.ids import to_18
from crmarena.schema.objects import SObject
from crmarena.soql.viewer import Viewer

Values = Mapping[str, Any]


class Writer:
    """Writes records as one user, by one clock."""

    def __init__(self, records: Records, viewer: Viewer, clock: Callable[[], Clock]) -> None:
        self._records = records
        self._viewer = viewer
        self._clock = clock
        self._rules: dict[str, Rules] = {}
        self._user: tuple[str | None] | None = None

    def object(self, name: str) -> SObject:
        """The object of a name, letter case ignored. Raises SalesforceError NOT_FOUND."""
        sobject = self._records.schema.object(name)
        if sobject is None:
            raise fault("no_resource")
        return sobject

    def insert(self, sobject: SObject, values: Values) -> str:
        """Add a record; gives its Id."""
        if not sobject.createable:
            raise fault("not_createable", object=sobject.name)
        rules = self._rules_of(sobject)
        return self._insert(sobject, rules, rules.read(values))

    def update(self, sobject: SObject, record_id: str, values: Values) -> str:
        """Change a record; gives its Id of 18 characters."""
        if not sobject.updateable:
            raise fault("not_updateable", object=sobject.name)
        given = self._rules_of(sobject).read(values)
        row, before = self._records.find(sobject, record_id)
        written = settle_parents(self._records, sobject, self._rules_of(sobject).check_update(given, before))
        changed = {name: value for name, value in written.items() if before[name] != value}
        check_parents(self._records, sobject, changed)
        check_unique(self._records, sobject, changed, before["Id"])
        after = {**before, **changed}
        complete(sobject, after, before, self._context())
        after.update(self._stamps())
        differing = {name: value for name, value in after.items() if before[name] != value}
        self._records.update(sobject, row, before, differing)
        return str(before["Id"])

    def upsert(self, sobject: SObject, key_name: str, value: str, values: Values) -> Upserted:
        """Change the record with a value in a key field, or add one with it."""
        key = key_field(sobject, key_name)
        if any(name.lower() == key.name.lower() for name in values):
            raise fault("key_in_values", name=key.name)
        value = value.rstrip()
        if not value:
            raise fault("key_missing", fields=(key.name,), name=key.name)
        found = find_by_key(self._records, sobject, key, value)
        if found is not None:
            return Upserted(self.update(sobject, found, values), created=False)
        if key.name == "Id":
            # Raises what an update of a record that is not there raises.
            self._records.find(sobject, value)
        return Upserted(self.insert(sobject, {**values, key.name: value}), created=True)

    def delete(self, sobject: SObject, record_id: str) -> str:
        """Move a record and what goes with it to the recycle bin; gives its Id."""
        if not sobject.deletable:
            raise fault("not_deletable", object=sobject.name)
        removal.delete(self._records, sobject, record_id, self._stamps())
        return to_18(record_id) or record_id

    def purge(self, sobject: SObject, record_id: str) -> str:
        """Delete a record past undeletion; gives its Id."""
        deleted = self.delete(sobject, record_id)
        removal.purge(self._records, sobject, deleted)
        return deleted

    def undelete(self, sobject: SObject, record_id: str) -> str:
        """Bring a record back, with what went with it; gives its Id."""
        removal.undelete(self._records, sobject, record_id, self._stamps())
        return to_18(record_id) or record_id

    def key_of(self, sobject: SObject, key_name: str, values: Values) -> tuple[str, dict[str, Any]]:
        """The value of a key field in a record (empty without one), and the rest. Raises SalesforceError."""
        key = key_field(sobject, key_name)
        rest = {name: value for name, value in values.items() if name.lower() != key.name.lower()}
        named = [value for name, value in values.items() if name.lower() == key.name.lower()]
        value = value_rules.read(key, named[0]) if named else None
        if value is None and key.name != "Id":
            raise fault("key_missing", fields=(key.name,), name=key.name)
        return str(value or ""), rest

    def _insert(self, sobject: SObject, rules: Rules, given: Given) -> str:
        written = settle_parents(self._records, sobject, rules.check_insert(given))
        check_parents(self._records, sobject, written)
        check_unique(self._records, sobject, written, None)
        record: Record = {**rules.defaults, **written}
        if rules.owned and record["OwnerId"] is None:
            record["OwnerId"] = self._user_id()
        stamps = self._stamps()
        record.update(stamps, CreatedDate=stamps["LastModifiedDate"], CreatedById=self._user_id())
        complete(sobject, record, None, self._context())
        record["Id"] = self._records.numbering.new_id(sobject)
        for field in rules.numbered:
            record[field] = self._records.numbering.new_number(sobject, field)
        self._records.insert(sobject, record)
        return str(record["Id"])

    def _rules_of(self, sobject: SObject) -> Rules:
        found = self._rules.get(sobject.name)
        if found is None:
            found = self._rules[sobject.name] = Rules(sobject)
        return found

    def _stamps(self) -> dict[str, Any]:
        now = format_datetime(self._clock().now)
        return {"LastModifiedDate": now, "LastModifiedById": self._user_id(), "SystemModstamp": now}

    def _context(self) -> Context:
        return Context(format_datetime(self._clock().now), self._user_id(), self._parent)

    def _parent(self, object_name: str, record_id: str | None) -> Mapping[str, Any] | None:
        if record_id is None or object_name not in self._records.schema.objects:
            return None
        found = self._records.table(object_name).find(record_id)
        return None if found is None else found[1]

    def _user_id(self) -> str | None:
        """Who writes: the viewer, else the first active user."""
        if self._user is None:
            statement = "SELECT Id FROM User ORDER BY IsActive DESC, Id LIMIT 1"
            first = self._records.database.connection.execute(statement).fetchone()
            self._user = (self._viewer.user_id or (first and first[0]),)
        return self._user[0]

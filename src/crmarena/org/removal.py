"""Deletion and its undoing: what goes with a record, what keeps it, which lookups it empties.

The schema says of each reference what the deletion of its parent does: `cascadeDelete` takes the
record along, `restrictedDelete` refuses, any other lookup is emptied; one that may not be empty
refuses too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from crmarena.errors import SalesforceError
from crmarena.org.faults import fault
from crmarena.org.records import Records
from crmarena.org.references import check_unique
from crmarena.org.table import Record
from crmarena.schema.fields import Field, FieldType
from crmarena.schema.ids import to_18
from crmarena.schema.objects import Schema, SObject
from crmarena.storage import ddl

Stamps = Mapping[str, Any]
"""Who changed a record last, and when."""


@dataclass(frozen=True, slots=True)
class _Lookup:
    """A reference that a deletion empties."""

    sobject: SObject
    record_id: str
    field: str
    value: str


@dataclass
class _Plan:
    """What a deletion does: records in the order in which they go, and lookups."""

    records: dict[tuple[str, str], SObject] = field(default_factory=dict)
    emptied: list[_Lookup] = field(default_factory=list)
    kept_by: list[tuple[SObject, str]] = field(default_factory=list)


def delete(records: Records, sobject: SObject, record_id: str, stamps: Stamps) -> None:
    """Move a record and what goes with it to the recycle bin. Raises SalesforceError before it does."""
    _, record = records.find(sobject, record_id)
    cause = record["Id"]
    plan = _planned(records, sobject, cause)
    held = [
        (child, child_id) for child, child_id in plan.kept_by if (child.name, child_id) not in plan.records
    ]
    if held:
        raise _blocked(records, sobject, record, held)
    for (_, gone), kind in plan.records.items():
        row, before = records.find(kind, gone)
        records.delete(kind, row, before, {"IsDeleted": True, **stamps})
        statement = f"INSERT OR REPLACE INTO {ddl.DELETIONS} (object, record, cause) VALUES (?, ?, ?)"
        records.database.connection.execute(statement, (kind.name, gone, cause))
    for lookup in plan.emptied:
        if (lookup.sobject.name, lookup.record_id) not in plan.records:
            _empty(records, lookup, cause)


def undelete(records: Records, sobject: SObject, record_id: str, stamps: Stamps) -> None:
    """Bring back a record, what went with it, and the lookups that led to them. Raises SalesforceError."""
    cause = to_18(record_id) or record_id
    if records.table(sobject.name).find_deleted(cause) is None:
        raise fault("no_record" if not records.table(sobject.name).holds(cause) else "not_in_bin")
    if _cause_of(records, cause) not in (cause, None):
        # What went with another record comes back with that one only.
        raise fault("not_in_bin")
    for kind, gone in list(_gone_with(records, sobject, cause)):
        _restore(records, kind, gone, stamps)
    _refill(records, cause)
    _forget(records, cause)


def purge(records: Records, sobject: SObject, record_id: str) -> None:
    """Take a deleted record and what went with it out of the recycle bin for good."""
    cause = to_18(record_id) or record_id
    for kind, gone in list(_gone_with(records, sobject, cause)):
        found = records.table(kind.name).find_deleted(gone)
        if found:
            records.purge(kind, *found)
    _forget(records, cause)


def references_to(schema: Schema, sobject: SObject) -> Iterator[tuple[SObject, Field]]:
    """Every reference field that may hold the Id of an object's records."""
    for child in schema.objects.values():
        for field_ in child.columns:
            if field_.type is FieldType.REFERENCE and sobject.name in field_.reference_to:
                yield child, field_


def _planned(records: Records, sobject: SObject, record_id: str) -> _Plan:
    plan = _Plan({(sobject.name, record_id): sobject})
    # The list grows while it is walked: what goes may take more along.
    waiting = [(sobject, record_id)]
    for parent, parent_id in waiting:
        for child, reference in references_to(records.schema, parent):
            for child_id in records.table(child.name).ids_where(reference.name, parent_id):
                if reference.cascade_delete:
                    if (child.name, child_id) not in plan.records:
                        plan.records[child.name, child_id] = child
                        waiting.append((child, child_id))
                elif _refuses(reference):
                    plan.kept_by.append((child, child_id))
                else:
                    plan.emptied.append(_Lookup(child, child_id, reference.name, parent_id))
    return plan


def _refuses(reference: Field) -> bool:
    return reference.restricted_delete or not reference.nillable or reference.name == "OwnerId"


def _blocked(
    records: Records, sobject: SObject, record: Record, held: list[tuple[SObject, str]]
) -> SalesforceError:
    """As Salesforce words it: the children of the first object that has some, by their names."""
    first = held[0][0]
    named = first.name_field or "Id"
    names = [str(records.find(child, child_id)[1][named]) for child, child_id in held if child is first]
    shown = record[sobject.name_field or "Id"] or record["Id"]
    return fault(
        "delete_blocked",
        name=shown,
        children=first.label_plural.lower(),
        names=", ".join(dict.fromkeys(names)),
    )


def _empty(records: Records, lookup: _Lookup, cause: str) -> None:
    # Salesforce leaves the stamps of the record as they are.
    row, before = records.find(lookup.sobject, lookup.record_id)
    records.update(lookup.sobject, row, before, {lookup.field: None})
    _note_emptied(records, lookup, cause)


def _restore(records: Records, sobject: SObject, record_id: str, stamps: Stamps) -> None:
    found = records.table(sobject.name).find_deleted(record_id)
    if found is None:
        return
    row, before = found
    check_unique(records, sobject, before, record_id)
    changed: Record = {"IsDeleted": False, **stamps}
    for reference in sobject.columns:
        value = before[reference.name]
        if value is None or reference.type is not FieldType.REFERENCE:
            continue
        parent_cause = _cause_of(records, value)
        if parent_cause is not None and parent_cause != _cause_of(records, record_id):
            # The parent was deleted in the meantime, while this record could not be told.
            if not reference.nillable:
                raise fault("no_reference")
            changed[reference.name] = None
            _note_emptied(records, _Lookup(sobject, record_id, reference.name, value), parent_cause)
    records.restore(sobject, row, before, changed)


def _refill(records: Records, cause: str) -> None:
    statement = f"SELECT object, record, field, value FROM {ddl.CLEARED} WHERE cause = ? ORDER BY rowid"
    for name, record_id, field_name, value in _rows(records, statement, cause):
        sobject = records.schema.objects[name]
        found = records.table(name).find(record_id)
        if found is not None and found[1][field_name] is None:
            records.update(sobject, *found, {field_name: value})


def _gone_with(records: Records, sobject: SObject, cause: str) -> Iterator[tuple[SObject, str]]:
    """What was deleted with a record, the record first."""
    yield sobject, cause
    statement = f"SELECT object, record FROM {ddl.DELETIONS} WHERE cause = ? ORDER BY rowid"
    for name, record_id in _rows(records, statement, cause):
        if (name, record_id) != (sobject.name, cause):
            yield records.schema.objects[name], record_id


def _cause_of(records: Records, record_id: str) -> str | None:
    """The record with which a record was deleted; None for one that was not."""
    statement = f"SELECT cause FROM {ddl.DELETIONS} WHERE record = ?"
    return next((cause for (cause,) in _rows(records, statement, record_id)), None)


def _note_emptied(records: Records, lookup: _Lookup, cause: str) -> None:
    statement = f"INSERT INTO {ddl.CLEARED} (cause, object, record, field, value) VALUES (?, ?, ?, ?, ?)"
    row = (cause, lookup.sobject.name, lookup.record_id, lookup.field, lookup.value)
    records.database.connection.execute(statement, row)


def _forget(records: Records, cause: str) -> None:
    for table in (ddl.DELETIONS, ddl.CLEARED):
        records.database.connection.execute(f"DELETE FROM {table} WHERE cause = ?", (cause,))


def _rows(records: Records, statement: str, value: str) -> list[tuple[Any, ...]]:
    return records.database.connection.execute(statement, (value,)).fetchall()

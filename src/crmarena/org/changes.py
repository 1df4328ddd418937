"""The difference between an org file and a session's state, record by record.

It is net: a record inserted and deleted again, and a field set back to its old value, do not
appear. Stamps (who changed a record last, and when) tell no state and are no difference by
themselves; an update lists the other fields that differ, and an insert or a delete all fields.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from crmarena.org.journal import Place, State
from crmarena.org.records import Records

STAMPS = frozenset({"LastModifiedDate", "LastModifiedById", "SystemModstamp"})
"""The fields that every write changes."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a session changed of one record."""

    object: str
    id: str
    kind: str
    """`insert`, `update`, `delete` or `undelete`."""
    before: Mapping[str, Any] | None
    """An updated record's differing fields as they were; all fields of a deleted one; else None."""
    after: Mapping[str, Any] | None
    """An updated record's differing fields as they are; all fields of a new or restored one; else None."""


def net_changes(records: Records) -> list[Change]:
    """All changes, in the order in which their records were first touched."""
    return list(_changes(records))


def _changes(records: Records) -> Iterator[Change]:
    for object_name, record_id, original in records.journal.originals():
        change = _change(object_name, record_id, original, records.state(object_name, record_id))
        if change is not None:
            yield change


def _change(object_name: str, record_id: str, before: State, after: State) -> Change | None:
    lived, lives = before.place is Place.LIVING, after.place is Place.LIVING
    if lived and lives:
        return _update(object_name, record_id, before, after)
    if lived:
        return Change(object_name, record_id, "delete", before.record, None)
    if lives:
        kind = "undelete" if before.place is Place.DELETED else "insert"
        return Change(object_name, record_id, kind, None, after.record)
    return None


def _update(object_name: str, record_id: str, before: State, after: State) -> Change | None:
    old, new = before.record or {}, after.record or {}
    names = [name for name in old if old[name] != new[name] and name not in STAMPS]
    if not names:
        return None
    return Change(
        object_name,
        record_id,
        "update",
        {name: old[name] for name in names},
        {name: new[name] for name in names},
    )

"""What a session has touched: each record as it was at first, and what searches do not know yet.

Both grow with what was written and with nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

from crmarena.schema.objects import SObject
from crmarena.storage import search_index
from crmarena.storage.database import Database
from crmarena.storage.ddl import search_fields

Record = dict[str, Any]


class Place(Enum):
    """Where a record stands."""

    NOWHERE = "nowhere"
    LIVING = "living"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class State:
    """A record at one time."""

    place: Place
    record: Record | None


NOWHERE = State(Place.NOWHERE, None)


@dataclass(frozen=True, slots=True)
class Mark:
    """How far a journal was at a savepoint."""

    originals: int
    entries: int
    indexed: int


@dataclass(frozen=True, slots=True)
class _Entry:
    """A change of one row that the full-text tables must follow."""

    sobject: SObject
    row: int
    old: Record | None
    new: Record | None


class Journal:
    """The first state of every record that was touched, in the order of first touch."""

    def __init__(self) -> None:
        self._originals: dict[tuple[str, str], State] = {}
        self._entries: list[_Entry] = []
        self._indexed = 0
        self._searched: dict[str, tuple[str, ...]] = {}

    def touch(self, object_name: str, record_id: str, state: State) -> None:
        """Note a record's state before a write, unless it was touched before."""
        self._originals.setdefault((object_name, record_id), state)

    def originals(self) -> Iterator[tuple[str, str, State]]:
        """Every touched record: its object, its Id, how it was."""
        for (object_name, record_id), state in self._originals.items():
            yield object_name, record_id, state

    def note_row(self, sobject: SObject, row: int, old: Record | None, new: Record | None) -> None:
        """Note that a row changed, appeared (no `old`) or went (no `new`), for searches to follow."""
        names = self._searched.get(sobject.name)
        if names is None:
            names = self._searched[sobject.name] = tuple(f.name for f in search_fields(sobject))
        before = None if old is None else {name: old[name] for name in names}
        after = None if new is None else {name: new[name] for name in names}
        if names and before != after:
            self._entries.append(_Entry(sobject, row, before, after))

    def index(self, database: Database) -> None:
        """Bring the full-text tables up to the rows: each changed row once, however often it changed."""
        pending: dict[tuple[str, int], _Entry] = {}
        for entry in self._entries[self._indexed :]:
            first = pending.get((entry.sobject.name, entry.row), entry)
            pending[entry.sobject.name, entry.row] = _Entry(entry.sobject, entry.row, first.old, entry.new)
        for entry in pending.values():
            if entry.old == entry.new:
                continue
            if entry.old is not None:
                search_index.remove(database, entry.sobject, entry.row, entry.old)
            if entry.new is not None:
                search_index.add(database, entry.sobject, entry.row, entry.new)
        self._indexed = len(self._entries)

    def mark(self) -> Mark:
        """Where the journal is now."""
        return Mark(len(self._originals), len(self._entries), self._indexed)

    def back_to(self, mark: Mark) -> None:
        """Forget what came after a mark; the tables were rolled back to it."""
        while len(self._originals) > mark.originals:
            self._originals.popitem()
        del self._entries[mark.entries :]
        self._indexed = mark.indexed

"""The records of a writable copy: read, written, set back. What may be written is settled elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from crmarena.org.faults import fault
from crmarena.org.journal import NOWHERE, Journal, Place, State
from crmarena.org.numbering import Numbering, Numbers
from crmarena.org.table import Record, Table
from crmarena.schema.ids import to_18
from crmarena.schema.objects import SObject
from crmarena.storage.database import Database

_SAVEPOINT = "crmarena_write"
_MANY = 256
"""Insertions into a table after which its statistics may mislead the planner of queries."""


class Records:
    """An org's records while a session changes them."""

    def __init__(self, database: Database, numbers: Numbers) -> None:
        self.database = database
        self.schema = database.schema
        self.journal = Journal()
        self.numbering = Numbering(database, numbers)
        self.depth = 0
        """How many atomic blocks are open."""
        self._tables: dict[str, Table] = {}
        self._inserted: Counter[str] = Counter()

    def table(self, object_name: str) -> Table:
        """The table of an object, by its exact name."""
        found = self._tables.get(object_name)
        if found is None:
            sobject = self.schema.objects[object_name]
            found = self._tables[object_name] = Table(self.database.connection, sobject)
        return found

    def find(self, sobject: SObject, record_id: str) -> tuple[int, Record]:
        """The row and the record of an Id of either length.

        Raises SalesforceError: ENTITY_IS_DELETED for one in the recycle bin, INVALID_CROSS_REFERENCE_KEY
        for one that is not there.
        """
        table = self.table(sobject.name)
        wanted = to_18(record_id) or record_id
        found = table.find(wanted)
        if found is None:
            raise fault("no_record" if table.find_deleted(wanted) is None else "deleted")
        return found

    def state(self, object_name: str, record_id: str) -> State:
        """How a record is now."""
        table = self.table(object_name)
        found = table.find(record_id)
        if found is not None:
            return State(Place.LIVING, found[1])
        found = table.find_deleted(record_id)
        return NOWHERE if found is None else State(Place.DELETED, found[1])

    def insert(self, sobject: SObject, record: Record) -> None:
        """Add a record."""
        row = self.table(sobject.name).insert(record)
        self.journal.touch(sobject.name, record["Id"], NOWHERE)
        self.journal.note_row(sobject, row, None, record)
        self._inserted[sobject.name] += 1
        count = self._inserted[sobject.name]
        # Each time a table has doubled by new records, and so at a cost in proportion to them.
        if count >= _MANY and count & (count - 1) == 0 and row < 4 * count:
            self.database.connection.execute(f"ANALYZE {self.table(sobject.name).name}")
            self.database.reusable = False

    def update(self, sobject: SObject, row: int, before: Record, changed: Mapping[str, Any]) -> None:
        """Write some fields of a record."""
        self.table(sobject.name).update(row, changed)
        self.journal.touch(sobject.name, before["Id"], State(Place.LIVING, before))
        self.journal.note_row(sobject, row, before, {**before, **changed})

    def delete(self, sobject: SObject, row: int, before: Record, changed: Mapping[str, Any]) -> None:
        """Move a record to the recycle bin, some fields changed."""
        self.table(sobject.name).delete(row, {**before, **changed})
        self.journal.touch(sobject.name, before["Id"], State(Place.LIVING, before))
        self.journal.note_row(sobject, row, before, None)

    def restore(self, sobject: SObject, row: int, before: Record, changed: Mapping[str, Any]) -> None:
        """Move a record back out of the recycle bin, some fields changed."""
        after = {**before, **changed}
        new_row = self.table(sobject.name).restore(row, after)
        self.journal.touch(sobject.name, before["Id"], State(Place.DELETED, before))
        self.journal.note_row(sobject, new_row, None, after)

    def purge(self, sobject: SObject, row: int, before: Record) -> None:
        """Take a record out of the recycle bin for good."""
        self.table(sobject.name).purge(row)
        self.journal.touch(sobject.name, before["Id"], State(Place.DELETED, before))

    def index(self) -> None:
        """Let searches find what was written."""
        self.journal.index(self.database)

    def settle(self) -> None:
        """Put all that was written into the pages of the database."""
        self.index()
        # FTS5 keeps new words to itself until they are read or a savepoint begins.
        with self.atomic():
            pass

    @contextmanager
    def atomic(self) -> Iterator[None]:
        """What is written within stays, or is undone when the block raises; may be nested."""
        execute = self.database.connection.execute
        mark = self.journal.mark()
        execute(f"SAVEPOINT {_SAVEPOINT}")
        self.depth += 1
        try:
            yield
        except BaseException:
            execute(f"ROLLBACK TO {_SAVEPOINT}")
            self.journal.back_to(mark)
            raise
        finally:
            self.depth -= 1
            execute(f"RELEASE {_SAVEPOINT}")

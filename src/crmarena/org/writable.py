"""A session that writes: on a private copy, which is rolled back and given back at its end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from crmarena.clock import Clock
from crmarena.errors import SalesforceError, UsageError
from crmarena.org.changes import Change, net_changes
from crmarena.org.commit import write_org
from crmarena.org.copies import Copies
from crmarena.org.faults import fault
from crmarena.org.records import Records
from crmarena.org.results import SaveResult, Upserted
from crmarena.org.rules import ATTRIBUTES
from crmarena.org.session import Session
from crmarena.org.writer import Values, Writer
from crmarena.schema.ids import to_18
from crmarena.schema.objects import SObject
from crmarena.soql.viewer import NOBODY, Viewer
from crmarena.storage.database import Database
from crmarena.storage.identity import FileIdentity

_Item = TypeVar("_Item")


class _Undone(Exception):
    """Raised to leave an atomic block without its writes."""


class WritableSession(Session):
    """Reads and writes an org as one user at one instant. Nobody else sees what it writes.

    It may be used by several threads: their calls, and their `atomic` blocks as a whole, take turns.
    """

    def __init__(
        self,
        copies: Copies,
        clock: Clock | None = None,
        viewer: Viewer = NOBODY,
        *,
        origin: tuple[Path, FileIdentity | None] | None = None,
    ) -> None:
        super().__init__(copies.lend(), clock, viewer)
        self._copies = copies
        self._origin = origin
        self._lock = threading.RLock()
        self._records = Records(self._database, copies.numbers)
        self._writer = Writer(self._records, viewer, lambda: self.clock)

    @contextmanager
    def searching(self) -> Iterator[Database]:
        """The private copy, its full-text tables brought up to what was written."""
        with self._using() as database:
            self._records.index()
            yield database

    def insert(self, object_name: str, values: Values) -> str:
        """Add a record; gives its Id of 18 characters. Raises SalesforceError."""
        with self._writing():
            return self._writer.insert(self._writer.object(object_name), values)

    def update(self, object_name: str, record_id: str, values: Values) -> None:
        """Change fields of a record. Raises SalesforceError."""
        with self._writing():
            self._writer.update(*self._named(object_name, record_id), values)

    def upsert(self, object_name: str, field: str, value: str, values: Values) -> Upserted:
        """Change the record with a value in an external id field, or add one with it.

        Raises SalesforceError, with HTTP status 300 and `record_ids` where several have the value.
        """
        with self._writing():
            return self._writer.upsert(self._writer.object(object_name), field, value, values)

    def delete(self, object_name: str, record_id: str) -> None:
        """Move a record and what goes with it to the recycle bin. Raises SalesforceError."""
        with self._writing():
            self._writer.delete(*self._named(object_name, record_id))

    def undelete(self, object_name: str, record_id: str) -> None:
        """Bring back a record and what went with it. Raises SalesforceError."""
        with self._writing():
            self._writer.undelete(*self._named(object_name, record_id))

    def insert_all(
        self, object_name: str | None, records: Iterable[Values], *, all_or_none: bool = False
    ) -> list[SaveResult]:
        """Add records, of one object or (None) each of the type that its `attributes` name."""

        def write(values: Values) -> SaveResult:
            record_id = self._writer.insert(self._kind(object_name, values), values)
            return SaveResult(record_id, success=True, created=True)

        return self._each(records, write, all_or_none)

    def update_all(
        self, object_name: str | None, records: Iterable[Values], *, all_or_none: bool = False
    ) -> list[SaveResult]:
        """Change records, each with its `Id` among its values."""

        def write(values: Values) -> SaveResult:
            sobject = self._kind(object_name, values)
            rest = {name: value for name, value in values.items() if name.lower() != "id"}
            given = [value for name, value in values.items() if name.lower() == "id" and value]
            if not given:
                raise fault("id_missing")
            record_id = self._well_formed(sobject, str(given[0]))
            return SaveResult(self._writer.update(sobject, record_id, rest), success=True)

        return self._each(records, write, all_or_none)

    def upsert_all(
        self, object_name: str | None, field: str, records: Iterable[Values], *, all_or_none: bool = False
    ) -> list[SaveResult]:
        """Change or add records by a key field, which each holds among its values."""
        seen: set[tuple[str, str]] = set()

        def write(values: Values) -> SaveResult:
            sobject = self._kind(object_name, values)
            value, rest = self._writer.key_of(sobject, field, values)
            if not value:
                return SaveResult(self._writer.insert(sobject, rest), success=True, created=True)
            # chosen: the first record with a key is written, the others with the same key are refused.
            if (sobject.name, value.lower()) in seen:
                raise fault("duplicate_key", value=value)
            seen.add((sobject.name, value.lower()))
            done = self._writer.upsert(sobject, field, value, rest)
            return SaveResult(done.id, success=True, created=done.created)

        return self._each(records, write, all_or_none)

    def delete_all(
        self,
        object_name: str | None,
        record_ids: Iterable[str],
        *,
        all_or_none: bool = False,
        hard: bool = False,
    ) -> list[SaveResult]:
        """Delete records, of one object or (None) each of the one its Id tells.

        `hard` leaves them out of the recycle bin.
        """
        remove = self._writer.purge if hard else self._writer.delete

        def write(record_id: str) -> SaveResult:
            return SaveResult(remove(*self._found(object_name, record_id)), success=True)

        return self._each(record_ids, write, all_or_none)

    def undelete_all(
        self, object_name: str | None, record_ids: Iterable[str], *, all_or_none: bool = False
    ) -> list[SaveResult]:
        """Bring records back, of one object or (None) each of the one its Id tells."""

        def write(record_id: str) -> SaveResult:
            return SaveResult(self._writer.undelete(*self._found(object_name, record_id)), success=True)

        return self._each(record_ids, write, all_or_none)

    @contextmanager
    def atomic(self) -> Iterator[None]:
        """All that is written within stays, or none of it when the block raises; may be nested."""
        with self._writing():
            yield

    def changes(self) -> list[Change]:
        """The net difference from the org file, in the order in which records were first touched."""
        with self._using():
            return net_changes(self._records)

    def commit(self, path: Path | str | None = None) -> Path:
        """Write the session's state as an org file; the session goes on. Gives the file's path.

        Without a path, in place of the org's own file; another path must be free. Raises UsageError
        where the file was changed since it was opened, CRMArenaError where it cannot be written. An
        `Org` that is open keeps the state it was opened with.
        """
        with self._using():
            self._outside_atomic("commit")
            target, known = self._target(path)
            self._records.settle()
            written = write_org(self._database.connection, target, known)
            if self._origin is not None and target == self._origin[0]:
                self._origin = target, written
            return target

    def close(self) -> None:
        """End the session: its writes are undone, its copy goes to the next."""
        with self._lock:
            if self._closed:
                return
            self._outside_atomic("close")
            super().close()
            self._copies.give_back(self._database)

    @contextmanager
    def _using(self) -> Iterator[Database]:
        with self._lock, super()._using() as database:
            yield database

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._using(), self._records.atomic():
            yield

    def _each(
        self, items: Iterable[_Item], write: Callable[[_Item], SaveResult], all_or_none: bool
    ) -> list[SaveResult]:
        results: list[SaveResult] = []
        try:
            with self._writing():
                for item in items:
                    results.append(_result(write, item))
                if all_or_none and not all(result.success for result in results):
                    raise _Undone
        except _Undone:
            return [_undone(result) for result in results]
        return results

    def _kind(self, object_name: str | None, values: Values) -> SObject:
        """The object of a record."""
        if object_name is not None:
            return self._writer.object(object_name)
        attributes = values.get(ATTRIBUTES)
        name = attributes.get("type") if isinstance(attributes, Mapping) else None
        if not isinstance(name, str):
            raise fault("type_missing")
        sobject = self.schema.object(name)
        if sobject is None:
            raise fault("no_type", name=name)
        return sobject

    def _named(self, object_name: str, record_id: str) -> tuple[SObject, str]:
        """The object and the Id of a record that a path names. Raises SalesforceError NOT_FOUND."""
        sobject = self._writer.object(object_name)
        if to_18(record_id) is None and not self._is_there(sobject, record_id):
            raise fault("no_external_id", name=record_id)
        return sobject, record_id

    def _found(self, object_name: str | None, record_id: str) -> tuple[SObject, str]:
        """The object and the Id of a record of a call with several. Raises SalesforceError MALFORMED_ID."""
        if object_name is not None:
            sobject = self._writer.object(object_name)
            return sobject, self._well_formed(sobject, record_id)
        whole = to_18(record_id) or record_id
        by_prefix = self.schema.object_of_id(whole)
        if by_prefix is not None and self._is_there(by_prefix, whole):
            return by_prefix, whole
        # The Ids of an imported org may tell another object than theirs.
        for sobject in self.schema.objects.values():
            if self._is_there(sobject, whole):
                return sobject, whole
        if to_18(record_id) is None:
            raise fault("bad_id", value=record_id)
        raise fault("no_record")

    def _well_formed(self, sobject: SObject, record_id: str) -> str:
        if to_18(record_id) is None and not self._is_there(sobject, record_id):
            raise fault("bad_id", value=record_id)
        return record_id

    def _is_there(self, sobject: SObject, record_id: str) -> bool:
        table = self._records.table(sobject.name)
        return table.holds(record_id) or table.find_deleted(record_id) is not None

    def _target(self, path: Path | str | None) -> tuple[Path, FileIdentity | None]:
        if path is None:
            if self._origin is None:
                raise UsageError("This org has no file of its own; give a path to commit to.")
            return self._origin
        target = Path(path)
        if target.is_dir():
            target = target / "org.db"
        if self._origin is not None and target.resolve() == self._origin[0].resolve():
            return self._origin
        return target, None

    def _outside_atomic(self, action: str) -> None:
        if self._records.depth:
            raise UsageError(f"A session cannot {action} inside of atomic(); leave the block first.")


def _result(write: Callable[[_Item], SaveResult], item: _Item) -> SaveResult:
    try:
        return write(item)
    except SalesforceError as error:
        return SaveResult(None, success=False, errors=(error,))


def _undone(result: SaveResult) -> SaveResult:
    """A record of a call that was rolled back: its own error, or that of the others."""
    if result.errors:
        return result
    record_id = None if result.created else result.id
    return SaveResult(record_id, success=False, errors=(fault("rolled_back"),))

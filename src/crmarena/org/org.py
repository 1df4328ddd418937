"""An org: one file, opened for reading; what writes works on copies of it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, overload

from crmarena.clock import Clock
from crmarena.org.session import Session
from crmarena.schema.objects import Schema
from crmarena.soql.shape import QueryResult
from crmarena.soql.viewer import NOBODY, Viewer
from crmarena.storage.database import Database

if TYPE_CHECKING:
    from crmarena.org.copies import Copies
    from crmarena.org.writable import WritableSession
    from crmarena.sosl.result import SearchResult


def open_org(path: Path | str) -> Org:
    """The org of a file, or of the folder that holds its `org.db`, for reading.

    Raises UsageError for what is missing or no org.
    """
    return Org(Database.open(path))


class Org:
    """An org whose records can be asked for. Usable as a context manager."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._origin = None if database.path is None else (database.path, database.identity)
        self._copies: Copies | None = None
        self._lock = threading.Lock()

    @property
    def schema(self) -> Schema:
        """The objects and fields of the org."""
        return self._database.schema

    @property
    def path(self) -> Path | None:
        """The org's file; None for one that lives in memory."""
        return self._database.path

    @overload
    def session(
        self, *, clock: Clock | None = ..., viewer: Viewer | None = ..., writable: Literal[False] = ...
    ) -> Session: ...

    @overload
    def session(
        self, *, clock: Clock | None = ..., viewer: Viewer | None = ..., writable: Literal[True]
    ) -> WritableSession: ...

    @overload
    def session(
        self, *, clock: Clock | None = ..., viewer: Viewer | None = ..., writable: bool
    ) -> Session | WritableSession: ...

    def session(
        self, *, clock: Clock | None = None, viewer: Viewer | None = None, writable: bool = False
    ) -> Session | WritableSession:
        """A session of a user at one instant; without a clock, at the machine's.

        A writable one works on a private copy: nobody sees what it writes, and the org's file stays as
        it is unless the session commits. A user who is not named is nobody in queries; what nobody
        writes is written by the first active user.
        """
        if not writable:
            return Session(self._database, clock, viewer or NOBODY)
        from crmarena.org.writable import WritableSession

        return WritableSession(self._private_copies(), clock, viewer or NOBODY, origin=self._origin)

    def query(self, text: str, *, clock: Clock | None = None, all_rows: bool = False) -> QueryResult:
        """Run a SOQL query, with `all_rows` over the recycle bin too. Raises SalesforceError."""
        return self.session(clock=clock).query(text, all_rows=all_rows)

    def search(self, text: str, *, clock: Clock | None = None) -> SearchResult:
        """Run a SOSL search. Raises SalesforceError."""
        return self.session(clock=clock).search(text)

    def describe(self, object_name: str | None = None) -> dict[str, Any]:
        """Salesforce's describe of an object, or of the list of all objects. Raises SalesforceError."""
        return self.session().describe(object_name)

    def get(self, object_name: str, record_id: str, fields: Sequence[str] | None = None) -> dict[str, Any]:
        """The fields of a record, all unless named, by an Id of either length. Raises SalesforceError."""
        return self.session().get(object_name, record_id, fields)

    def get_by(
        self, object_name: str, field: str, value: str, fields: Sequence[str] | None = None
    ) -> dict[str, Any]:
        """The fields of the record with a value in an external id field. Raises SalesforceError."""
        return self.session().get_by(object_name, field, value, fields)

    def close(self) -> None:
        """Close the file; writable sessions that are open go on until their own end."""
        if self._copies is not None:
            self._copies.close()
        self._database.close()

    def __enter__(self) -> Org:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _private_copies(self) -> Copies:
        from crmarena.org.copies import Copies

        with self._lock:
            if self._copies is None:
                self._copies = Copies(self._database)
            return self._copies

"""Running a compiled statement; here SQLite's own complaints become errors that callers know."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

from crmarena.errors import CRMArenaError, UsageError
from crmarena.soql.faults import fault
from crmarena.storage.database import Database

_TOO_MUCH = ("too large", "too many", "too big", "overflow", "too complex", "too deep")
"""How SQLite words that a statement passes one of its limits (sqlite.org/limits.html)."""


def fetch(database: Database, statement: str, values: Sequence[Any]) -> list[Any]:
    """The rows of a statement.

    Raises SalesforceError QUERY_TOO_COMPLICATED for a statement past SQLite's limits, UsageError
    on an org that was closed, CRMArenaError for a damaged file.
    """
    try:
        return database.connection.execute(statement, values).fetchall()
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        raise _known(database, error) from None


def fetch_some(database: Database, statement: str, values: Sequence[Any], size: int) -> Iterator[list[Any]]:
    """The rows of a statement, as many at a time; raises as `fetch` does."""
    try:
        cursor = database.connection.execute(statement, values)
        while rows := cursor.fetchmany(size):
            yield rows
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        raise _known(database, error) from None


def _known(database: Database, error: Exception) -> CRMArenaError:
    if isinstance(error, sqlite3.ProgrammingError):
        return UsageError(f"The org {database.path} is closed; open it again.")
    if any(words in str(error) for words in _TOO_MUCH):
        return fault("too_complicated")
    return CRMArenaError(f"The org file {database.path} is damaged ({error}); make it or import it again.")

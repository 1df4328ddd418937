"""What the workers of a server share: one SQLite file beside the org, of no use after the server's end."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_TABLES = """
CREATE TABLE IF NOT EXISTS tokens (
    token TEXT PRIMARY KEY, kind TEXT, login TEXT, username TEXT, user_id TEXT, used REAL);
CREATE TABLE IF NOT EXISTS locators (
    locator TEXT PRIMARY KEY, login TEXT, asked TEXT, source TEXT, place TEXT, used REAL);
CREATE TABLE IF NOT EXISTS usage (calls INTEGER);
INSERT INTO usage SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM usage);
"""
_WAIT = 30.0


class _Connection(sqlite3.Connection):
    """Closes itself when the thread that it belonged to has ended."""

    def __del__(self) -> None:
        self.close()


class StateStore:
    """A file of shared state. Each thread has a connection of its own; a change is one transaction."""

    def __init__(self, path: Path | str) -> None:
        self.path = str(path)
        self._local = threading.local()
        with self.change() as connection:
            for statement in filter(str.strip, _TABLES.split(";")):
                connection.execute(statement)

    @property
    def connection(self) -> sqlite3.Connection:
        """The calling thread's connection, for reading."""
        found: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if found is None:
            found = sqlite3.connect(
                self.path, timeout=_WAIT, isolation_level=None, check_same_thread=False, factory=_Connection
            )
            found.execute("PRAGMA journal_mode = WAL")
            found.execute("PRAGMA synchronous = OFF")
            self._local.connection = found
        return found

    @contextmanager
    def change(self) -> Iterator[sqlite3.Connection]:
        """A transaction that writes; undone when the block raises."""
        connection = self.connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")

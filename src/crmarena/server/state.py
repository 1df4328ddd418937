"""What the workers of a server share: one SQLite file beside the org, of no use after the server's end."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_TABLES = """
CREATE TABLE IF NOT EXISTS tokens (token TEXT PRIMARY KEY, user_id TEXT, username TEXT, used REAL);
"""
_WAIT = 30.0


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
            found = sqlite3.connect(self.path, timeout=_WAIT, isolation_level=None)
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

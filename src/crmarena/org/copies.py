"""Private copies of an org, in memory: lent out, rolled back, lent again."""

from __future__ import annotations

import sqlite3
import threading

from crmarena.errors import UsageError
from crmarena.org.numbering import Numbers
from crmarena.storage.database import Database

KEPT = 4
"""How many idle copies an org keeps; more are made as more are wanted at once."""
_MARK = "PRAGMA user_version"


class Copies:
    """Copies of one org. A copy that comes back is lent again only after a rollback that is seen to have
    undone everything.
    """

    def __init__(self, database: Database, kept: int = KEPT) -> None:
        self._database = database
        self._kept = kept
        self._lock = threading.Lock()
        self._idle: list[Database] = []
        self._closed = False
        self.numbers = Numbers(database)

    @property
    def idle(self) -> int:
        """How many copies wait to be lent."""
        return len(self._idle)

    def lend(self) -> Database:
        """A copy with a transaction begun, in which all work has to stay. Raises UsageError once closed."""
        with self._lock:
            if self._closed:
                raise UsageError(f"The org {self._database.path} is closed; open it again.")
            copy = self._idle.pop() if self._idle else None
        if copy is None:
            copy = self._made()
        copy.connection.execute("BEGIN")
        # A mark in the transaction itself: it is gone after a rollback, and there after anything else.
        copy.connection.execute(f"{_MARK} = {_mark(copy) + 1}")
        return copy

    def give_back(self, copy: Database) -> None:
        """Undo all work on a copy and keep it for others, or close it."""
        clean = self._rolled_back(copy)
        with self._lock:
            keep = clean and not self._closed and len(self._idle) < self._kept
            if keep:
                self._idle.append(copy)
        if not keep:
            copy.close()

    def close(self) -> None:
        """Close the idle copies; those that are lent are closed when they come back."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for copy in idle:
            copy.close()

    def _made(self) -> Database:
        try:
            return self._database.copy()
        except sqlite3.ProgrammingError:
            raise UsageError(f"The org {self._database.path} is closed; open it again.") from None

    def _rolled_back(self, copy: Database) -> bool:
        try:
            origin = _mark(self._database)
            # Without its mark the transaction is another one, and who knows what came between.
            marked = _mark(copy) == origin + 1
            copy.connection.execute("ROLLBACK")
            undone = not copy.connection.in_transaction and _mark(copy) == origin
        except sqlite3.Error:
            return False
        return marked and undone and copy.reusable


def unmarked(connection: sqlite3.Connection) -> None:
    """Take the mark of a lent copy off what was written from it."""
    (mark,) = connection.execute(_MARK).fetchone()
    connection.execute(f"{_MARK} = {mark - 1}")


def _mark(database: Database) -> int:
    mark: int = database.connection.execute(_MARK).fetchone()[0]
    return mark

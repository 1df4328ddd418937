"""How many calls of the API were made: counted in each worker, added up every second."""

from __future__ import annotations

from crmarena.server.state import StateStore

DAILY_CALLS = 15_000
"""What a day allows. The count is shown; nobody is refused for it."""


class Usage:
    """The calls of all workers, those of others as they were a second ago."""

    def __init__(self, state: StateStore) -> None:
        self._state = state
        self._total = 0
        self._own = 0

    def count(self) -> bytes:
        """Count a call; the value of the header `Sforce-Limit-Info` after it."""
        self._own += 1
        return b"api-usage=%d/%d" % (self.calls, DAILY_CALLS)

    @property
    def calls(self) -> int:
        """The calls so far."""
        return self._total + self._own

    def share(self) -> None:
        """Add this worker's calls to those of all, and learn of the others'."""
        own = self._own
        with self._state.change() as connection:
            connection.execute("UPDATE usage SET calls = calls + ?", (own,))
            self._total = connection.execute("SELECT calls FROM usage").fetchone()[0]
        self._own -= own

"""How many calls of the API were made: counted in each worker, added up every second."""

from __future__ import annotations

from crmarena.server.state import StateStore

DAILY_CALLS = 15_000
"""What a day allows. The count is shown; nobody is refused for it."""


class Usage:
    """The calls of all workers, those of others as they were a second ago."""

    def __init__(self, state: StateStore) -> None:
        self._state = state
        self._own = 0
        self._known = 0, 0
        """The calls of all workers when they were last added up, and how many of them were this one's."""

    def count(self) -> bytes:
        """Count a call; the value of the header `Sforce-Limit-Info` after it."""
        self._own += 1
        return b"api-usage=%d/%d" % (self.calls, DAILY_CALLS)

    @property
    def calls(self) -> int:
        """The calls so far."""
        total, shared = self._known
        return total + self._own - shared

    def share(self) -> None:
        """Add this worker's calls to those of all, and learn of the others'."""
        own, shared = self._own, self._known[1]
        select = "SELECT calls FROM usage"
        if own == shared:
            total = self._state.connection.execute(select).fetchone()[0]
        else:
            with self._state.change() as connection:
                connection.execute("UPDATE usage SET calls = calls + ?", (own - shared,))
                total = connection.execute(select).fetchone()[0]
        self._known = total, own

"""Who asks: the running user, in whose zone a day begins."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from crmarena.clock import Clock
from crmarena.storage.functions import time_zone


@dataclass(frozen=True, slots=True)
class Viewer:
    """The running user of a query."""

    user_id: str | None = None
    """The Id of 18 characters; None: nobody, who owns no record."""
    zone: str = "UTC"
    """The IANA name of the zone in which a day begins at midnight."""

    def today(self, clock: Clock) -> date:
        """The day that the viewer's calendar shows. Raises UsageError for an unknown zone."""
        if self.zone == "UTC":
            return clock.today
        return clock.now.astimezone(time_zone(self.zone)).date()

    def midnight(self, day: date) -> str:
        """The instant at which a day begins for the viewer, as a column stores it."""
        if self.zone != "UTC":
            try:
                begins = datetime.combine(day, time(0), tzinfo=time_zone(self.zone)).astimezone(UTC)
            except OverflowError:
                pass  # at either end of the calendar no zone matters
            else:
                return f"{begins.isoformat(timespec='milliseconds').removesuffix('+00:00')}+0000"
        return f"{day.isoformat()}T00:00:00.000+0000"


NOBODY = Viewer()
"""The viewer of a query that names none."""

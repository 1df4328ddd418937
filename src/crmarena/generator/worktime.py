"""When an org's people work: on weekdays, by day, on the West Coast, except while the desk is closed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from crmarena.clock import add_months, pacific_instant, to_pacific

_OPENS = 8
_CLOSES = 17
_DAY_MINUTES = (_CLOSES - _OPENS) * 60
# Cases that come in just before a closure would be answered only after it.
_LAST_CALL = timedelta(days=5)


@dataclass(frozen=True)
class Worktime:
    """The days an org covers, and those on which its service desk works."""

    first: date
    """The first day with a record."""
    launch: date
    """The first day of the service desk; there are orders before it, but no cases."""
    last: date
    closures: tuple[tuple[date, date], ...] = ()
    """First and last day of each long closure of the service desk."""

    @property
    def months(self) -> tuple[date, ...]:
        """The first day of each month from the launch on."""
        return tuple(_months(self.launch, self.last))

    def works(self, day: date) -> bool:
        """Whether the service desk works on a day."""
        return day.weekday() < 5 and not any(start <= day <= end for start, end in self.closures)

    def takes_cases(self, day: date) -> bool:
        """Whether the service desk takes new cases on a day."""
        closing = any(start - _LAST_CALL <= day <= end for start, end in self.closures)
        return self.launch <= day <= self.last and day.weekday() < 5 and not closing

    def case_days(self, start: date, end: date) -> list[date]:
        """The days of a span, both ends included, on which the service desk takes new cases."""
        days = (start + timedelta(days=k) for k in range((end - start).days + 1))
        return [day for day in days if self.takes_cases(day)]

    def after(self, moment: datetime, minutes: float) -> datetime:
        """The instant at which a number of working minutes have passed since `moment`."""
        local = to_pacific(moment)
        day, spent = local.date(), (local.hour - _OPENS) * 60 + local.minute + local.second / 60
        left = minutes + max(0.0, spent)
        while left >= _DAY_MINUTES or not self.works(day):
            if self.works(day):
                left -= _DAY_MINUTES
            day += timedelta(days=1)
        return at(day, left)


def at(day: date, minutes: float) -> datetime:
    """The instant some minutes after the start of a working day, to the second."""
    seconds = _OPENS * 3600 + int(minutes * 60)
    return pacific_instant(day, time(seconds // 3600, seconds // 60 % 60, seconds % 60))


def _months(start: date, last: date) -> Iterator[date]:
    day = start.replace(day=1)
    while day <= last:
        yield day
        day = add_months(day, 1)

"""An instant that stands still, and calendar arithmetic. Only here is the machine asked for the time."""

from __future__ import annotations

import calendar
import functools
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone

_PACIFIC_WINTER = timezone(timedelta(hours=-8))
_PACIFIC_SUMMER = timezone(timedelta(hours=-7))


@dataclass(frozen=True)
class Clock:
    """The instant at which an episode or a query takes place, in UTC."""

    now: datetime

    @classmethod
    def system(cls) -> Clock:
        """The machine's present instant."""
        return cls(datetime.now(UTC))

    @classmethod
    def at(cls, day: date) -> Clock:
        """Noon of a day, UTC: an episode knows its day and nothing finer."""
        return cls(datetime.combine(day, time(12), tzinfo=UTC))

    @property
    def today(self) -> date:
        """The day of `now`."""
        return self.now.date()


def add_months(day: date, months: int) -> date:
    """The day `months` later (earlier if negative), its day number cut to the month's length."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    return date(year, month + 1, min(day.day, days_in_month(year, month + 1)))


def days_in_month(year: int, month: int) -> int:
    """The number of days of a month."""
    return calendar.monthrange(year, month)[1]


def start_of_week(day: date) -> date:
    """The Sunday on or before a day (weeks of the en_US locale)."""
    return day - timedelta(days=(day.weekday() + 1) % 7)


def start_of_quarter(day: date) -> date:
    """The first day of a day's calendar quarter."""
    return date(day.year, day.month - (day.month - 1) % 3, 1)


def format_datetime(moment: datetime) -> str:
    """An instant as Salesforce renders and we store it: `2021-06-07T10:50:00.000+0000`."""
    utc = moment.astimezone(UTC)
    return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}+0000"


def parse_datetime(text: str) -> datetime:
    """The instant of a stored datetime text, or of any ISO 8601 text with a zone.

    Raises ValueError for text that is no instant.
    """
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"no time zone in {text!r}")
    return moment.astimezone(UTC)


def to_pacific(moment: datetime) -> datetime:
    """An instant on the wall clock of America/Los_Angeles.

    By the rule in force since 2007, so that no time zone database is needed.
    """
    utc = moment.astimezone(UTC)
    begins, ends = _pacific_summer(utc.year)
    return utc.astimezone(_PACIFIC_SUMMER if begins <= utc < ends else _PACIFIC_WINTER)


def pacific_instant(day: date, at: time = time(0)) -> datetime:
    """The instant, in UTC, at which the clocks of America/Los_Angeles show a day and a time."""
    shown = datetime.combine(day, at)
    guess = shown.replace(tzinfo=_PACIFIC_WINTER)
    offset = to_pacific(guess).utcoffset() or timedelta(0)
    return shown.replace(tzinfo=timezone(offset)).astimezone(UTC)


@functools.cache
def _pacific_summer(year: int) -> tuple[datetime, datetime]:
    """Second Sunday of March to first Sunday of November, at two in the morning."""
    begins = datetime.combine(_sunday_from(date(year, 3, 8)), time(2), tzinfo=_PACIFIC_WINTER)
    ends = datetime.combine(_sunday_from(date(year, 11, 1)), time(2), tzinfo=_PACIFIC_SUMMER)
    return begins, ends


def _sunday_from(day: date) -> date:
    return day + timedelta(days=(6 - day.weekday()) % 7)

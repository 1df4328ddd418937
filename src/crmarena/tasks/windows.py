"""Time windows: "past two quarters", a month, a quarter, a season; and every reading of each."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Any

from crmarena.clock import (
    add_months,
    days_in_month,
    format_datetime,
    pacific_instant,
    start_of_quarter,
    start_of_week,
)
from crmarena.errors import UsageError


class Unit(StrEnum):
    """What a rolling window counts."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"


class Zone(StrEnum):
    """Whose midnight ends a day."""

    UTC = "UTC"
    PACIFIC = "America/Los_Angeles"


class On(StrEnum):
    """The date of a case that a window looks at."""

    CREATED = "CreatedDate"
    CLOSED = "ClosedDate"


MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_FIRST_MONTHS = {
    **{month: (number, 1) for number, month in enumerate(MONTHS, start=1)},
    **{f"Q{quarter}": (3 * quarter - 2, 3) for quarter in range(1, 5)},
    "Spring": (3, 3),
    "Summer": (6, 3),
    "Autumn": (9, 3),
    "Fall": (9, 3),
    "Winter": (12, 3),
}
NAMES = tuple(_FIRST_MONTHS)
"""The names that a window may have: months, quarters, seasons."""


@dataclass(frozen=True)
class Past:
    """The past so many units, ending today."""

    count: int
    unit: Unit
    today: date

    @property
    def days(self) -> tuple[date, date]:
        """First and last day, by calendar arithmetic."""
        return _back(self.today, self.unit, self.count), self.today

    @property
    def full_days(self) -> tuple[date, date] | None:
        """First and last day of the last full calendar units before today; None for days."""
        if self.unit is Unit.DAY:
            return None
        begins = {
            Unit.WEEK: start_of_week(self.today),
            Unit.MONTH: self.today.replace(day=1),
            Unit.QUARTER: start_of_quarter(self.today),
        }[self.unit]
        return _back(begins, self.unit, self.count), begins - timedelta(days=1)

    def as_dict(self) -> dict[str, Any]:
        """The window as an instance's parameters hold it."""
        return {"unit": self.unit.value, "count": self.count, "today": self.today.isoformat()}


@dataclass(frozen=True)
class Named:
    """A month, quarter or season of a year; a winter begins in December of its year."""

    name: str
    year: int

    @property
    def days(self) -> tuple[date, date]:
        """First and last day."""
        month, length = _FIRST_MONTHS[self.name]
        last = add_months(date(self.year, month, 1), length - 1)
        return date(self.year, month, 1), last.replace(day=days_in_month(last.year, last.month))

    @property
    def full_days(self) -> None:
        """A named window is read in one way."""
        return None

    def as_dict(self) -> dict[str, Any]:
        """The window as an instance's parameters hold it."""
        return {"name": self.name, "year": self.year}


Window = Past | Named


@dataclass(frozen=True)
class Reading:
    """One way to read a window: whole days, both ends included, in a zone, on a date of the case."""

    first: date
    last: date
    zone: Zone = Zone.UTC
    on: On = On.CREATED

    @property
    def begins(self) -> str:
        """The first instant of the window, as datetimes are stored."""
        return format_datetime(_midnight(self.first, self.zone))

    @property
    def ends(self) -> str:
        """The first instant after the window, as datetimes are stored."""
        return format_datetime(_midnight(self.last + timedelta(days=1), self.zone))


def parse_window(raw: Mapping[str, Any]) -> Window:
    """The window of an instance's parameters; UsageError for what is none."""
    try:
        if "unit" in raw:
            return Past(int(raw["count"]), Unit(raw["unit"]), date.fromisoformat(raw["today"]))
        if raw["name"] in _FIRST_MONTHS:
            return Named(raw["name"], int(raw["year"]))
    except (KeyError, ValueError):
        pass
    raise UsageError(f"{dict(raw)!r} is no time window; give unit, count and today, or name and year.")


def plain_reading(window: Window) -> Reading:
    """The reading that the task says: both ends included, rolling, UTC, by CreatedDate."""
    return Reading(*window.days)


def readings(window: Window, *, closed_too: bool = False) -> tuple[Reading, ...]:
    """Every reading under which an answer must stay the same, the plain one first.

    Each end inclusive or exclusive; rolling, or the last full calendar units; UTC or
    America/Los_Angeles; with `closed_too` on CreatedDate or ClosedDate.
    """
    spans = [window.days] if window.full_days is None else [window.days, window.full_days]
    dates = list(On) if closed_too else [On.CREATED]
    one = timedelta(days=1)
    return tuple(
        Reading(first + later * one, last - earlier * one, zone, on)
        for on, zone, (first, last), later, earlier in itertools.product(dates, Zone, spans, (0, 1), (0, 1))
    )


def _back(day: date, unit: Unit, count: int) -> date:
    if unit is Unit.DAY:
        return day - timedelta(days=count)
    if unit is Unit.WEEK:
        return day - timedelta(weeks=count)
    return add_months(day, -count * (3 if unit is Unit.QUARTER else 1))


def _midnight(day: date, zone: Zone) -> datetime:
    if zone is Zone.UTC:
        return datetime.combine(day, time(0), tzinfo=UTC)
    return pacific_instant(day)

"""Date literals: fixed ones into stored form, relative ones into ranges of days by a clock.

Fiscal periods are calendar periods here: the org's fiscal year starts in January.
Ranges are half-open, [start, end).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import MAXYEAR, date, timedelta

from crmarena.clock import add_months, format_datetime, parse_datetime, start_of_quarter, start_of_week
from crmarena.soql.ast import Relative

FIRST_YEAR, LAST_YEAR = 1700, 4000
_MIDNIGHT = "T00:00:00.000+0000"
_UNITS = {
    "DAY": "day",
    "WEEK": "week",
    "MONTH": "month",
    "QUARTER": "quarter",
    "YEAR": "year",
    "FISCAL_QUARTER": "quarter",
    "FISCAL_YEAR": "year",
}
_MONTHS = {"month": 1, "quarter": 3, "year": 12}

# name -> unit, first unit counted from the present one, how many units
_PLAIN: dict[str, tuple[str, int, int]] = {
    "YESTERDAY": ("day", -1, 1),
    "TODAY": ("day", 0, 1),
    "TOMORROW": ("day", 1, 1),
    "LAST_90_DAYS": ("day", -90, 91),
    "NEXT_90_DAYS": ("day", 1, 90),
} | {
    f"{word}_{name}": (unit, first, 1)
    for name, unit in _UNITS.items()
    if unit != "day"
    for word, first in (("LAST", -1), ("THIS", 0), ("NEXT", 1))
}

# name -> unit, and from n to first unit and how many units
_COUNTED: dict[str, tuple[str, Callable[[int], tuple[int, int]]]] = {
    f"{before}{name}S{after}": (unit, span)
    for name, unit in _UNITS.items()
    for before, after, span in (
        # Of days, the last n and today; of longer units, whole ones before the present one.
        ("LAST_N_", "", (lambda n: (-n, n + 1)) if unit == "day" else (lambda n: (-n, n))),
        ("NEXT_N_", "", lambda n: (1, n)),
        ("N_", "_AGO", lambda n: (-n, 1)),
    )
}


def is_plain(word: str) -> bool:
    """Whether an upper-case word is a relative date literal without a number."""
    return word in _PLAIN


def is_counted(word: str) -> bool:
    """Whether an upper-case word is a relative date literal that takes `:n`."""
    return word in _COUNTED


def span(literal: Relative, today: date) -> tuple[date, date]:
    """The days a relative literal means, as [start, end)."""
    if literal.count is None:
        unit, first, units = _PLAIN[literal.name]
    else:
        unit, count = _COUNTED[literal.name]
        first, units = count(literal.count)
    start = _start(unit, today)
    return _shift(unit, start, first), _shift(unit, start, first + units)


@dataclass(frozen=True, slots=True)
class Edge:
    """A bound parameter that is known only at run time: one end of a relative literal's range."""

    literal: Relative
    end: bool
    instant: bool
    """Whether the column holds datetimes."""

    def at(self, today: date) -> str:
        """The value on a day, as the column stores it."""
        day = span(self.literal, today)[self.end].isoformat()
        return day + _MIDNIGHT if self.instant else day


def stored_date(text: str) -> str | None:
    """A date literal in stored form; None for a day that does not exist."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return text if _in_range(day.year) else None


def stored_datetime(text: str) -> str | None:
    """A datetime literal in stored form, in UTC; None for an instant that does not exist."""
    try:
        moment = parse_datetime(_whole_microseconds(text.upper()))
    except (ValueError, OverflowError):
        return None
    return format_datetime(moment) if _in_range(moment.year) else None


def _whole_microseconds(text: str) -> str:
    """A datetime text with a fraction of six digits, the only length every Python reads."""
    head, dot, rest = text.partition(".")
    if not dot:
        return text
    digits = len(rest) - len(rest.lstrip("0123456789"))
    return f"{head}.{rest[:digits][:6].ljust(6, '0')}{rest[digits:]}"


def _in_range(year: int) -> bool:
    return FIRST_YEAR <= year <= LAST_YEAR


def _start(unit: str, day: date) -> date:
    if unit == "week":
        return start_of_week(day)
    if unit == "month":
        return day.replace(day=1)
    if unit == "quarter":
        return start_of_quarter(day)
    return date(day.year, 1, 1) if unit == "year" else day


def _shift(unit: str, day: date, count: int) -> date:
    """The day `count` units on, held inside the calendar."""
    try:
        if unit in _MONTHS:
            return add_months(day, count * _MONTHS[unit])
        return day + timedelta(days=count * (7 if unit == "week" else 1))
    except (OverflowError, ValueError):
        return date.min if count < 0 else date(MAXYEAR, 12, 31)

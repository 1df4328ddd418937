"""Date literals: fixed ones into stored form, relative ones into ranges of days.

Ranges are half-open, [start, end).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import MAXYEAR, date, timedelta

from crmarena.clock import add_months, format_datetime, parse_datetime, start_of_week
from crmarena.soql.ast import Relative

FIRST_YEAR, LAST_YEAR = 1700, 4000
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
PLAIN: dict[str, tuple[str, int, int]] = {
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
COUNTED: dict[str, tuple[str, Callable[[int], tuple[int, int]]]] = {
    f"{before}{name}S{after}": (unit, span)
    for name, unit in _UNITS.items()
    for before, after, span in (
        # Of days, the last n and today; of longer units, whole ones before the present one.
        # chosen: so n = 0 is today, or no day at all; LAST_N_YEARS:n are n whole years.
        ("LAST_N_", "", (lambda n: (-n, n + 1)) if unit == "day" else (lambda n: (-n, n))),
        ("NEXT_N_", "", lambda n: (1, n)),
        ("N_", "_AGO", lambda n: (-n, 1)),
    )
}


def is_plain(word: str) -> bool:
    """Whether an upper-case word is a relative date literal without a number."""
    return word in PLAIN


def is_counted(word: str) -> bool:
    """Whether an upper-case word is a relative date literal that takes `:n`."""
    return word in COUNTED


def is_fiscal(literal: Relative) -> bool:
    """Whether the org's fiscal year decides what days a literal means."""
    return "FISCAL" in literal.name


def span(literal: Relative, today: date, fiscal_month: int = 1) -> tuple[date, date]:
    """The days a relative literal means, as [start, end); fiscal years start in a month of their own."""
    if literal.count is None:
        unit, first, units = PLAIN[literal.name]
    else:
        unit, count = COUNTED[literal.name]
        first, units = count(literal.count)
    start = _start(unit, today, fiscal_month if is_fiscal(literal) else 1)
    return _shift(unit, start, first), _shift(unit, start, first + units)


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


def _start(unit: str, day: date, first_month: int) -> date:
    if unit == "week":
        return start_of_week(day)
    if unit == "day":
        return day
    length = _MONTHS[unit]
    return add_months(day.replace(day=1), -((day.month - first_month) % 12 % length))


def _shift(unit: str, day: date, count: int) -> date:
    """The day `count` units on, held inside the calendar."""
    try:
        if unit in _MONTHS:
            return add_months(day, count * _MONTHS[unit])
        return day + timedelta(days=count * (7 if unit == "week" else 1))
    except (OverflowError, ValueError):
        return date.min if count < 0 else date(MAXYEAR, 12, 31)

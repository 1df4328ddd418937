"""Windows drawn by chance for questions, with today's date where they need one."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date, timedelta

from crmarena.clock import add_months, start_of_quarter, start_of_week
from crmarena.tasks.windows import MONTHS, Named, Past, Unit, Window

Shape = tuple[Unit, int, int] | str
"""A unit with the least and greatest count, or `month`, `quarter`, `season`."""

_SEASONS = ("Spring", "Summer", "Fall", "Autumn", "Winter")
_NEAR_SHARE = 0.7
"""Share of the days drawn close after the start of a unit, where readings lie close together."""


def draw_window(rng: random.Random, shapes: Sequence[Shape], first: date, last: date) -> tuple[Window, date]:
    """A window about a day between two days, and a today that goes with it."""
    shape = rng.choice(shapes)
    day = first + timedelta(days=rng.randrange(max(1, (last - first).days)))
    if isinstance(shape, str):
        window = _named(rng, shape, day)
        return window, window.days[1] + timedelta(days=rng.randrange(1, 200))
    unit, least, most = shape
    today = _near(rng, unit, day)
    return Past(rng.randint(least, most), unit, today), today


def draw_around(
    rng: random.Random, shapes: Sequence[Shape], first: date, last: date, latest: date
) -> tuple[Window, date] | None:
    """A window that holds a stretch of days whole; None where the shape drawn cannot."""
    reach = {Unit.DAY: 1, Unit.WEEK: 7, Unit.MONTH: 30, Unit.QUARTER: 91}
    shape = rng.choice(shapes)
    if isinstance(shape, str):
        window: Window = _named(rng, shape, first)
        today = window.days[1] + timedelta(days=rng.randrange(1, 200))
    else:
        unit, least, most = shape
        count = rng.randint(least, most)
        spare = max(1, count * reach[unit] - (last - first).days)
        today = min(latest, _near(rng, unit, last + timedelta(days=1 + rng.randrange(spare))))
        window = Past(count, unit, today)
    begins, ends = window.days
    return (window, today) if begins <= first and last <= ends else None


def _near(rng: random.Random, unit: Unit, day: date) -> date:
    if rng.random() > _NEAR_SHARE:
        return day
    if unit is Unit.QUARTER:
        return add_months(start_of_quarter(day), 3) + timedelta(days=rng.randrange(4))
    if unit is Unit.MONTH:
        return add_months(day.replace(day=1), 1) + timedelta(days=rng.randrange(3))
    if unit is Unit.WEEK:
        return start_of_week(day) + timedelta(days=7 + rng.randrange(2))
    return day


def _named(rng: random.Random, shape: str, day: date) -> Named:
    if shape == "month":
        return Named(MONTHS[day.month - 1], day.year)
    if shape == "quarter":
        return Named(f"Q{(day.month + 2) // 3}", day.year)
    season = _SEASONS[(0, 1, rng.choice((2, 3)), 4)[(day.month - 3) % 12 // 3]]
    return Named(season, day.year - (season == "Winter" and day.month < 3))

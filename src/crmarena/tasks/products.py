"""What the families about one product's cases share: the windows they draw."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date, timedelta

from crmarena.tasks import managed
from crmarena.tasks.draws import Shape, draw_around, draw_window
from crmarena.tasks.evidence import Evidence
from crmarena.tasks.windows import Window

Drawn = tuple[str, Window, date]
"""A product, a window and the day it is asked on."""


def draw_peak(
    evidence: Evidence, rng: random.Random, months: Sequence[tuple[str, int, int]], shapes: Sequence[Shape]
) -> Drawn | None:
    """A window around one of the months, each given by its product, year and month."""
    if not months:
        return None
    product, year, month = rng.choice(months)
    first = date(year, month, 3)
    drawn = draw_around(rng, shapes, first, first + timedelta(days=23), evidence.last_day)
    return None if drawn is None else (product, *drawn)


def draw_any(evidence: Evidence, rng: random.Random, shapes: Sequence[Shape]) -> Drawn:
    """Any product and any window of the days on which cases came in."""
    product = rng.choice(sold(evidence))
    return (product, *draw_window(rng, shapes, *managed.busy_days(evidence)))


def sold(evidence: Evidence) -> list[str]:
    """The products that customers have complained of at some time."""
    return sorted({case.product for case in evidence.cases if case.product})

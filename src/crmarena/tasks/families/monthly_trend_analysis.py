"""monthly_trend_analysis: the month in which a product's cases stood far above every other month's."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from crmarena.tasks import managed
from crmarena.tasks.draws import Shape
from crmarena.tasks.evidence import Evidence
from crmarena.tasks.fairness import Draft, Verdict, agreed
from crmarena.tasks.managed import Ask
from crmarena.tasks.products import Drawn, draw_any, draw_peak
from crmarena.tasks.windows import MONTHS, Reading, Unit, Window, plain_reading, readings

CLOSED_TOO = False
"""Whether the window may also be read on ClosedDate."""
_SHAPES: tuple[Shape, ...] = (
    (Unit.MONTH, 3, 12),
    (Unit.MONTH, 4, 8),
    (Unit.QUARTER, 2, 6),
    (Unit.QUARTER, 2, 4),
    "quarter",
    "season",
)
_TIMES = 1.5
_MORE = 3
_PEAK = 5


def derive(evidence: Evidence, parameters: Mapping[str, Any], reading: Reading) -> Verdict:
    """The month at 1.5 times every other's and 3 above it, by year and month.

    Once the window passes twelve months, by month name too: both must say the same.
    """
    cases = evidence.of_product(parameters["product"], reading)
    months = [case.months[reading.zone] for case in cases]
    verdict = _outstanding({f"{y}-{m:02d}": n for (y, m), n in Counter(months).items()}, len(cases))
    if _spans(reading) <= 12:
        return _named(verdict)
    by_name = _outstanding({f"0000-{m:02d}": n for m, n in Counter(m for _, m in months).items()}, len(cases))
    same = _named(by_name).answer == _named(verdict).answer
    return _named(verdict, clear=same and by_name.clear)


def choices(evidence: Evidence) -> int:
    """How many answers a question could have."""
    return len(MONTHS)


def sample(evidence: Evidence, rng: random.Random, kind: str) -> Iterator[Draft | None]:
    """Fair instances of a kind, without end; None for each attempt that gave none."""
    while True:
        drawn = (
            _peak(evidence, rng)
            if kind == "plain" or rng.random() < 0.7
            else draw_any(evidence, rng, _SHAPES)
        )
        yield None if drawn is None else _draft(evidence, kind, *drawn)


def oracle(ask: Ask, parameters: Mapping[str, Any]) -> tuple[str | None, ...]:
    """The answer, from queries alone."""
    way = managed.asked_window(parameters)
    records = ask(
        "SELECT CALENDAR_YEAR(CreatedDate) y, CALENDAR_MONTH(CreatedDate) m, COUNT(Id) n FROM Case "
        f"WHERE OrderItemId__r.Product2Id = '{parameters['product']}' "
        f"AND CreatedDate >= {way.begins} AND CreatedDate < {way.ends} "
        "GROUP BY CALENDAR_YEAR(CreatedDate), CALENDAR_MONTH(CreatedDate)"
    )
    counts = sorted(((int(r["n"]), int(r["m"])) for r in records), reverse=True)
    if not counts:
        return (None,)
    best, month = counts[0]
    second = counts[1][0] if len(counts) > 1 else 0
    return (MONTHS[month - 1] if best >= _TIMES * second and best >= second + _MORE else None,)


def _outstanding(counts: Mapping[str, int], rows: int) -> Verdict:
    """The verdict over months written `2024-05`; clear where one case more or less changes nothing."""
    ranked = sorted(counts, key=lambda month: (-counts[month], month))
    best = counts[ranked[0]] if ranked else 0
    second = counts[ranked[1]] if len(ranked) > 1 else 0
    if _stands_out(best, second):
        runner_up = ranked[1] if len(ranked) > 1 else None
        clear = _stands_out(best - 1, second)
        return Verdict(ranked[0], runner_up, best - second, clear, best, rows)
    return Verdict(None, margin=best - second, clear=not _stands_out(best + 1, second), rows=rows)


def _stands_out(best: int, second: int) -> bool:
    return best >= _TIMES * second and best >= second + _MORE


def _named(verdict: Verdict, *, clear: bool = True) -> Verdict:
    """A verdict with the month's name in place of year and month."""
    answer = None if verdict.answer is None else MONTHS[int(verdict.answer[-2:]) - 1]
    return Verdict(
        answer,
        verdict.runner_up,
        verdict.margin,
        verdict.clear and clear,
        verdict.value,
        verdict.rows,
    )


def _spans(reading: Reading) -> int:
    first, last = reading.first, reading.last
    return (last.year - first.year) * 12 + last.month - first.month + 1


def _peak(evidence: Evidence, rng: random.Random) -> Drawn | None:
    """A window that holds a month, drawn by its name first, with many cases on a product."""
    wanted = rng.randint(1, 12)
    months = [key for key, counts in evidence.peaks.items() if key[2] == wanted and counts.total() >= _PEAK]
    return draw_peak(evidence, rng, months, _SHAPES)


def _draft(evidence: Evidence, kind: str, product: str, window: Window, today: date) -> Draft | None:
    parameters = {"product": product, "window": window.as_dict()}
    # Months are counted by the reading's own midnight, so that no two readings are alike.
    ways = readings(window, closed_too=CLOSED_TOO)
    verdict = agreed(lambda way: derive(evidence, parameters, way), ways)
    if verdict is None or (verdict.answer is None) != (kind == "none"):
        return None
    words = {"product": evidence.names["Product2"][product], "product_id": product}
    return Draft(parameters, verdict, today, words, shortcuts(evidence, plain_reading(window)))


def shortcuts(evidence: Evidence, reading: Reading) -> dict[str, str | None]:
    """Guesses that need no reasoning: the window's first, last and busiest month."""
    inside = Counter(MONTHS[case.months[reading.zone][1] - 1] for case in evidence.within(reading))
    overall = Counter(MONTHS[case.months[reading.zone][1] - 1] for case in evidence.cases)
    return {
        "first month": MONTHS[reading.first.month - 1],
        "last month": MONTHS[reading.last.month - 1],
        "most cases": max(overall, key=lambda month: (overall[month], month)),
        "most cases in the window": max(inside, key=lambda month: (inside[month], month), default=None),
    }

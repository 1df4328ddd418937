"""top_issue_identification: what customers complained of most about a product."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from crmarena.tasks import managed
from crmarena.tasks.draws import Shape
from crmarena.tasks.evidence import Evidence
from crmarena.tasks.fairness import Draft, Verdict, agreed, lead
from crmarena.tasks.managed import Ask
from crmarena.tasks.products import Drawn, draw_any, draw_peak
from crmarena.tasks.windows import Reading, Unit, Window, plain_reading, readings

CLOSED_TOO = False
"""Whether the window may also be read on ClosedDate."""
_SHAPES: tuple[Shape, ...] = (
    (Unit.DAY, 30, 90),
    (Unit.WEEK, 4, 12),
    (Unit.MONTH, 1, 6),
    (Unit.QUARTER, 1, 6),
    "month",
    "quarter",
    "season",
)
_LEAST = 2
"""A top issue that rests on a single case is none."""


def derive(evidence: Evidence, parameters: Mapping[str, Any], reading: Reading) -> Verdict:
    """The most frequent issue of the cases on a product."""
    cases = evidence.of_product(parameters["product"], reading)
    found = Counter(case.issue for case in cases if case.issue)
    # Issues that did not come up count as zero: one issue alone leads them.
    counts = {issue: found[issue] for issue in evidence.names["Issue__c"]} if found else {}
    ranked = lead(counts, lowest=False, by_count=True)
    enough = ranked.value is None or ranked.value >= _LEAST
    return replace(ranked, clear=ranked.clear and enough, rows=len(cases))


def choices(evidence: Evidence) -> int:
    """How many answers a question could have."""
    return len(evidence.names["Issue__c"])


def sample(evidence: Evidence, rng: random.Random, kind: str) -> Iterator[Draft | None]:
    """Fair instances of a kind, without end; None for each attempt that gave none."""
    while True:
        drawn = draw_any(evidence, rng, _SHAPES) if kind == "none" else _frequent(evidence, rng)
        yield None if drawn is None else _draft(evidence, kind, *drawn)


def oracle(ask: Ask, parameters: Mapping[str, Any]) -> tuple[str | None, ...]:
    """The answer, from queries alone."""
    way = managed.asked_window(parameters)
    counts = ask(
        "SELECT IssueId__c, COUNT(Id) n FROM Case WHERE IssueId__c != null "
        f"AND OrderItemId__c IN (SELECT Id FROM OrderItem WHERE Product2Id = '{parameters['product']}') "
        f"AND CreatedDate >= {way.begins} AND CreatedDate < {way.ends} GROUP BY IssueId__c"
    )
    best = max(counts, key=lambda record: int(record["n"]), default=None)
    return (None if best is None else best["IssueId__c"],)


def _frequent(evidence: Evidence, rng: random.Random) -> Drawn | None:
    """A window around a month in which an issue, drawn first, came up often."""
    issue = rng.choice(list(evidence.names["Issue__c"]))
    months = [key for key, counts in evidence.peaks.items() if counts[issue] >= _LEAST]
    return draw_peak(evidence, rng, months, _SHAPES)


def _draft(evidence: Evidence, kind: str, product: str, window: Window, today: date) -> Draft | None:
    parameters = {"product": product, "window": window.as_dict()}
    ways = managed.distinct(evidence, readings(window, closed_too=CLOSED_TOO))
    verdict = agreed(lambda way: derive(evidence, parameters, way), ways)
    if verdict is None or (verdict.answer is None) != (kind == "none"):
        return None
    words = {"product": evidence.names["Product2"][product], "product_id": product}
    return Draft(parameters, verdict, today, words, shortcuts(evidence, plain_reading(window)))


def shortcuts(evidence: Evidence, reading: Reading) -> dict[str, str | None]:
    """Guesses that need no reasoning: by Id, by date, by number of records."""
    issues = list(evidence.names["Issue__c"])
    overall = Counter(case.issue for case in evidence.cases if case.issue)
    inside = Counter(case.issue for case in evidence.within(reading) if case.issue)
    return {
        "first Id": min(issues),
        "last Id": max(issues),
        "oldest record": issues[0],
        "newest record": issues[-1],
        "most cases": max(overall, key=lambda issue: (overall[issue], issue)),
        "most cases in the window": max(inside, key=lambda issue: (inside[issue], issue), default=None),
    }

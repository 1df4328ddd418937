"""best_region_identification: the state whose cases were closed the soonest on average."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from crmarena.clock import parse_datetime
from crmarena.tasks import managed
from crmarena.tasks.draws import draw_window
from crmarena.tasks.evidence import CaseRow, Evidence
from crmarena.tasks.fairness import Draft, Verdict, agreed, lead
from crmarena.tasks.managed import Ask
from crmarena.tasks.windows import Reading, plain_reading, readings

CLOSED_TOO = True
"""Whether the window may also be read on ClosedDate."""


def derive(evidence: Evidence, parameters: Mapping[str, Any], reading: Reading) -> Verdict:
    """Lowest mean time from opening to closing, by the account's state."""
    times = _times(evidence.within(reading))
    means = {state: fmean(seconds) for state, seconds in times.items()}
    verdict = lead(means, lowest=True, by_count=False)
    return replace(verdict, rows=len(times.get(verdict.answer or "", ())))


def choices(evidence: Evidence) -> int:
    """How many answers a question could have."""
    return len(_times(evidence.cases))


def sample(evidence: Evidence, rng: random.Random, kind: str) -> Iterator[Draft | None]:
    """Fair instances of a kind, without end; None for each attempt that gave none."""
    while True:
        if kind == "none" and evidence.quiet:
            window, today = managed.quiet_window(evidence, rng, managed.SHAPES)
        else:
            window, today = draw_window(rng, managed.SHAPES, *managed.busy_days(evidence))
        ways = managed.distinct(evidence, readings(window, closed_too=CLOSED_TOO))
        verdict = agreed(lambda way: derive(evidence, {}, way), ways)
        if verdict is None or (verdict.answer is None) != (kind == "none"):
            yield None
            continue
        cases = evidence.within(plain_reading(window))
        parameters = {"window": window.as_dict()}
        yield Draft(parameters, verdict, today, words={}, shortcuts=shortcuts(evidence, cases))


def shortcuts(evidence: Evidence, cases: Sequence[CaseRow]) -> dict[str, str | None]:
    """Guesses that need no reasoning: by name, by date, by number of records."""
    overall = Counter(case.state for case in evidence.cases if case.state)
    inside = Counter(case.state for case in cases if case.state)
    return {
        "first by name": min(overall),
        "last by name": max(overall),
        "most cases": max(overall, key=lambda state: (overall[state], state)),
        "most cases in the window": max(inside, key=lambda state: (inside[state], state), default=None),
        "first case in the window": cases[0].state if cases else None,
        "last case in the window": cases[-1].state if cases else None,
    }


def oracle(ask: Ask, parameters: Mapping[str, Any]) -> tuple[str | None, ...]:
    """The answer, from queries alone."""
    way = managed.asked_window(parameters)
    closed = ask(
        "SELECT Account.ShippingState, CreatedDate, ClosedDate FROM Case WHERE Status = 'Closed' "
        f"AND Account.ShippingState != null AND CreatedDate >= {way.begins} AND CreatedDate < {way.ends}"
    )
    times: defaultdict[str, list[float]] = defaultdict(list)
    for case in closed:
        open_for = parse_datetime(case["ClosedDate"]) - parse_datetime(case["CreatedDate"])
        times[case["Account"]["ShippingState"]].append(open_for.total_seconds())
    return (min(times, key=lambda state: fmean(times[state]), default=None),)


def _times(cases: Sequence[CaseRow]) -> dict[str, list[float]]:
    times: defaultdict[str, list[float]] = defaultdict(list)
    for case in cases:
        if case.is_closed and case.state:
            times[case.state].append(case.seconds)
    return times

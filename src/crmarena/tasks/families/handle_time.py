"""handle_time: whose cases were open for the shortest or longest time on average."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from statistics import fmean
from typing import Any

from crmarena.clock import parse_datetime
from crmarena.tasks import managed
from crmarena.tasks.evidence import Evidence
from crmarena.tasks.fairness import Draft, Verdict, lead
from crmarena.tasks.managed import Ask, choices
from crmarena.tasks.windows import Reading

__all__ = ["CLOSED_TOO", "choices", "derive", "oracle", "sample"]

CLOSED_TOO = True
"""Whether the window may also be read on ClosedDate."""


def derive(evidence: Evidence, parameters: Mapping[str, Any], reading: Reading) -> Verdict:
    """Mean time from opening to closing, by owner, over closed cases that had a single assignment."""
    tally = managed.tally(evidence, *evidence.span(reading))
    means = {
        user: fmean(seconds)
        for user, seconds in tally.seconds.items()
        if tally.managed[user] > parameters["more_than"]
    }
    verdict = lead(means, lowest=parameters["lowest"], by_count=False)
    return replace(verdict, rows=len(tally.seconds.get(verdict.answer or "", ())))


_QUESTION = managed.Question(derive, closed_too=CLOSED_TOO)


def sample(evidence: Evidence, rng: random.Random, kind: str) -> Iterator[Draft | None]:
    """Fair instances of a kind, without end; None for each attempt that gave none."""
    return managed.sample(_QUESTION, evidence, rng, kind)


def oracle(ask: Ask, parameters: Mapping[str, Any]) -> tuple[str | None, ...]:
    """The answer, from queries alone."""
    way = managed.asked_window(parameters)
    assignments = managed.ask_assignments(ask, way)
    per_case = Counter(record["CaseId__c"] for record in assignments)
    cases = managed.ask_managed(assignments)
    closed = ask(
        "SELECT Id, OwnerId, CreatedDate, ClosedDate FROM Case WHERE Status = 'Closed' "
        f"AND CreatedDate >= {way.begins} AND CreatedDate < {way.ends}"
    )
    times: defaultdict[str, list[float]] = defaultdict(list)
    for case in closed:
        if per_case[case["Id"]] == 1 and cases[case["OwnerId"]] > parameters["more_than"]:
            open_for = parse_datetime(case["ClosedDate"]) - parse_datetime(case["CreatedDate"])
            times[case["OwnerId"]].append(open_for.total_seconds())
    pick = min if parameters["lowest"] else max
    return (pick(times, key=lambda user: fmean(times[user]), default=None),)

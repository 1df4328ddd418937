"""transfer_count: who passed on the fewest or the most cases."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from crmarena.tasks import managed
from crmarena.tasks.evidence import Evidence
from crmarena.tasks.fairness import Draft, Verdict, lead
from crmarena.tasks.managed import Ask, choices
from crmarena.tasks.windows import Reading

__all__ = ["CLOSED_TOO", "choices", "derive", "oracle", "sample"]

CLOSED_TOO = False
"""Whether the window may also be read on ClosedDate."""


def derive(evidence: Evidence, parameters: Mapping[str, Any], reading: Reading) -> Verdict:
    """Transfers away, in total or for each case managed; those without any count as zero."""
    tally = managed.tally(evidence, *evidence.span(reading))
    counts = {
        user: tally.passed[user] / (cases if parameters["average"] else 1)
        for user, cases in tally.managed.items()
        if cases > parameters["more_than"]
    }
    verdict = lead(counts, lowest=parameters["lowest"], by_count=not parameters["average"])
    return replace(verdict, rows=tally.managed[verdict.answer or ""])


_QUESTION = managed.Question(derive, closed_too=CLOSED_TOO, averages=(True, False))


def sample(evidence: Evidence, rng: random.Random, kind: str) -> Iterator[Draft | None]:
    """Fair instances of a kind, without end; None for each attempt that gave none."""
    return managed.sample(_QUESTION, evidence, rng, kind)


def oracle(ask: Ask, parameters: Mapping[str, Any]) -> tuple[str | None, ...]:
    """The answer, from queries alone."""
    assignments = managed.ask_assignments(ask, managed.asked_window(parameters))
    passed = Counter(record["OldValue__c"] for record in assignments if record["OldValue__c"])
    counts = {
        user: passed[user] / (cases if parameters["average"] else 1)
        for user, cases in managed.ask_managed(assignments).items()
        if cases > parameters["more_than"]
    }
    pick = min if parameters["lowest"] else max
    return (pick(counts, key=lambda user: counts[user], default=None),)

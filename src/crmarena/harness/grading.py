"""A grade and the way an episode ended, made into an outcome."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from crmarena.episode.episode import EndReason
from crmarena.scoring.aggregate import Outcome
from crmarena.scoring.grade import Grade, outcome_of
from crmarena.scoring.state import State
from crmarena.tasks.instance import Secret, Task

_LIMITS = (EndReason.AGENT_TURNS, EndReason.USER_TURNS)


def ended_outcome(task: Task, epoch: int, made: Grade, secret: Secret, end_reason: str | None) -> Outcome:
    """The outcome of a graded episode; one that ran into a limit keeps the score of what it answered."""
    outcome = outcome_of(task, secret, made, epoch)
    return _at_limit(outcome) if end_reason in _LIMITS else outcome


def as_json(outcome: Outcome) -> dict[str, Any]:
    """An outcome as a log keeps it."""
    return {**asdict(outcome), "state": str(outcome.state)}


def from_json(values: dict[str, Any], *, limit: bool) -> Outcome:
    """An outcome out of a log; `limit` where Inspect itself stopped the sample at one of its limits."""
    outcome = Outcome(**{**values, "state": State(values["state"])})
    return _at_limit(outcome) if limit else outcome


def _at_limit(outcome: Outcome) -> Outcome:
    return outcome if outcome.state is State.UNGRADED else replace(outcome, state=State.LIMIT)

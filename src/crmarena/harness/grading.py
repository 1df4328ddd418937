"""A grade and the way an episode ended, made into an outcome."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from crmarena.episode.episode import EndReason
from crmarena.scoring.aggregate import Outcome
from crmarena.scoring.grade import Grade
from crmarena.scoring.state import State
from crmarena.tasks.instance import Secret, Task

_LIMITS = (EndReason.AGENT_TURNS, EndReason.USER_TURNS)


def outcome_of(task: Task, epoch: int, made: Grade, secret: Secret, end_reason: str | None) -> Outcome:
    """The outcome of a graded episode; one that ran into a limit keeps the score of what it answered."""
    state = State.LIMIT if end_reason in _LIMITS and made.state is not State.UNGRADED else made.state
    return Outcome(
        idx=task.idx,
        family=task.family,
        epoch=epoch,
        state=state,
        score=made.score,
        benign_twin=bool(secret.spec.get("benign_twin", False)),
        leaked=made.leaked,
    )


def infra_outcome(task: Task, epoch: int) -> Outcome:
    """The outcome of an episode that failed for reasons of the infrastructure: no score at all."""
    return Outcome(idx=task.idx, family=task.family, epoch=epoch, state=State.INFRA, score=None)


def as_json(outcome: Outcome) -> dict[str, Any]:
    """An outcome as a log keeps it."""
    return {**asdict(outcome), "state": str(outcome.state)}


def from_json(values: dict[str, Any], *, limit: bool) -> Outcome:
    """An outcome out of a log; `limit` where Inspect itself stopped the sample at one of its limits."""
    outcome = Outcome(**{**values, "state": State(values["state"])})
    if limit and outcome.state is not State.UNGRADED:
        return replace(outcome, state=State.LIMIT)
    return outcome

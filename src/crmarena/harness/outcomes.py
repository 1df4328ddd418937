"""Run logs as outcomes: how every sample ended, what it took."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from inspect_ai.log import EvalSampleSummary, read_eval_log, read_eval_log_sample_summaries

from crmarena.harness.grading import from_json
from crmarena.harness.models import role_usage
from crmarena.scoring.aggregate import Outcome, infra_outcome
from crmarena.tasks.instance import Secret, Task


@dataclass(frozen=True)
class SampleRow:
    """One sample of a run."""

    outcome: Outcome
    agent_turns: int | None
    user_turns: int | None
    end_reason: str | None
    usage: Mapping[str, Mapping[str, float | int | None]]
    """Tokens and cost by role."""
    error: str | None
    """What failed, for an infrastructure error."""


def read_rows(
    log: str, tasks: Iterable[Task], secrets: Mapping[str, Secret], epochs: int
) -> tuple[SampleRow, ...]:
    """Every planned sample of a log in order; one that never ran counts as an infrastructure error."""
    found = {(str(s.id), s.epoch): s for s in read_eval_log_sample_summaries(log)}
    return tuple(
        _row(task, secrets[task.idx], epoch, found.get((task.idx, epoch)))
        for task in tasks
        for epoch in range(1, epochs + 1)
    )


def finished(log: str) -> bool:
    """Whether the log's run came to its end without an error left over."""
    return read_eval_log(log, header_only=True).status == "success"


def _row(task: Task, secret: Secret, epoch: int, sample: EvalSampleSummary | None) -> SampleRow:
    if sample is None:
        return SampleRow(infra_outcome(task, secret, epoch), None, None, None, {}, "The sample did not run.")
    score = next(iter((sample.scores or {}).values()), None)
    facts: Mapping[str, Any] = (score.metadata or {}) if score is not None else {}
    usage = role_usage(sample.role_usage or sample.model_usage)
    turns = facts.get("agent_turns"), facts.get("user_turns"), facts.get("end_reason")
    if sample.error is not None or "outcome" not in facts:
        return SampleRow(
            infra_outcome(task, secret, epoch), *turns, usage, sample.error or "The sample was not graded."
        )
    return SampleRow(from_json(facts["outcome"], limit=sample.limit is not None), *turns, usage, None)

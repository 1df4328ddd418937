"""The project's grading as an Inspect scorer.

It reads the sample's store alone, so that a saved log can be graded again.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, grouped, mean, scorer, stderr
from inspect_ai.solver import TaskState

from crmarena.episode.ports import Chat
from crmarena.errors import CRMArenaError
from crmarena.harness.chat import ModelChat
from crmarena.harness.desks import publish_live, role_model
from crmarena.harness.grading import as_json, ended_outcome
from crmarena.scoring.grade import Grade, grade
from crmarena.tasks.files import load_secrets, load_tasks
from crmarena.tasks.instance import Secret, Task


@scorer(metrics=[mean(), stderr(), grouped(mean(), "family")])
def graded(source: str, grader: str | None = None) -> Scorer:
    """Grades by rule, and by the model in the role `grader` where the rules are unsure.

    `source` is where the tasks and their answers are; `grader` names the model the run asked for.
    """

    async def score(state: TaskState, target: Target) -> Score:
        publish_live(state)
        task, secret = _instances(source)[str(state.sample_id)]
        answer = _answer(state)
        made = await grade(
            task, secret, answer, grader=_grader_chat(grader), said=tuple(state.store.get("said", ()))
        )
        outcome = ended_outcome(task, state.epoch, made, secret, state.store.get("end_reason"))
        facts = {"outcome": as_json(outcome), "gold": list(secret.answer), **_how_it_went(made, state)}
        if made.score is None:
            return Score.unscored(
                reason="grader_failed", answer=answer, explanation=made.explanation, metadata=facts
            )
        return Score(value=made.score, answer=answer, explanation=made.explanation, metadata=facts)

    return score


def _how_it_went(made: Grade, state: TaskState) -> dict[str, Any]:
    return {
        "decided_by": made.decided_by,
        "extracted": list(made.extracted),
        "details": dict(made.details),
        "end_reason": state.store.get("end_reason"),
        "agent_turns": state.store.get("agent_turns"),
        "user_turns": state.store.get("user_turns"),
        "user": state.store.get("user"),
    }


def _answer(state: TaskState) -> str | None:
    """What the episode holds, else what a solver that never touched the episode left as its output."""
    answer: str | None = state.store.get("answer")
    if answer is None and not state.store.get("agent_turns"):
        return state.output.completion or None
    return answer


def _grader_chat(asked_for: str | None) -> Callable[[], Chat] | None:
    model = role_model("grader")
    if model is not None:
        return functools.partial(ModelChat, model)
    return None if asked_for is None else functools.partial(_refuse, asked_for)


def _refuse(name: str) -> Chat:
    raise CRMArenaError(f"The grader model {name} could not be reached.")


@functools.cache
def _instances(source: str) -> Mapping[str, tuple[Task, Secret]]:
    secrets = load_secrets(source)
    return {task.idx: (task, secrets[task.idx]) for task in load_tasks(source).tasks}

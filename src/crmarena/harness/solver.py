"""The agents as Inspect solvers. Each works on the episode that the task's setup opened."""

from __future__ import annotations

from inspect_ai.model import ModelOutput, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import LimitExceededError

from crmarena.agents import MODEL_AGENTS, make_agent
from crmarena.episode.episode import EndReason, Episode
from crmarena.harness.chat import ModelChat
from crmarena.harness.desks import Desk, current_desk


@solver
def react() -> Solver:
    """One line of thought, then a query or an answer."""
    return _working("react")


@solver
def act() -> Solver:
    """A query or an answer, without stated thought."""
    return _working("act")


@solver
def oracle() -> Solver:
    """The family's oracle, working through the episode like any agent."""
    return _working("oracle")


@solver
def none() -> Solver:
    """Always answers None."""
    return _working("none")


@solver
def refuse() -> Solver:
    """Always declines."""
    return _working("refuse")


@solver
def constant() -> Solver:
    """Always gives one answer: the one the task was given, else the family's commonest."""
    return _working("constant")


SOLVERS = {"react": react, "act": act, "oracle": oracle, "none": none, "refuse": refuse, "constant": constant}


def _working(name: str) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        desk = current_desk()
        try:
            await (_work_with_model if name in MODEL_AGENTS else _work_alone)(name, desk, state)
        finally:
            desk.publish(state)
        _raise_limit(desk.episode)
        return state

    return solve


async def _work_with_model(name: str, desk: Desk, state: TaskState) -> None:
    desk.outage.check()
    # The agent writes its own conversation; Inspect's copy of the query would come before its prompt.
    state.messages.clear()
    chat = ModelChat(get_model(role="agent"), state.messages, context_is_limit=True)
    agent = make_agent(
        name,
        chat_factory=lambda: chat,
        confidential=desk.options.confidential,
        examples=desk.options.examples,
    )
    try:
        await agent(desk.episode)
    except LimitExceededError:
        raise
    except Exception:
        desk.outage.note(desk.episode.task.idx, answered=chat.output is not None)
        raise
    desk.outage.note(desk.episode.task.idx, answered=True)
    if chat.output is not None:
        state.output = chat.output


async def _work_alone(name: str, desk: Desk, state: TaskState) -> None:
    idx = desk.episode.task.idx
    agent = make_agent(name, parameters={idx: desk.oracle_parameters}, constant=desk.constant)
    await agent(desk.episode)
    state.output = ModelOutput.from_content(f"baseline/{name}", desk.episode.answer or "")


def _raise_limit(episode: Episode) -> None:
    """Tell Inspect that the episode ran into one of its own limits; the scorer still runs."""
    limits = episode.limits
    if episode.end_reason is EndReason.AGENT_TURNS:
        value, what = limits.agent_turns, "agent turns"
    elif episode.end_reason is EndReason.USER_TURNS:
        value, what = limits.user_turns, "user turns"
    else:
        return
    raise LimitExceededError("custom", value=value, limit=value, message=f"{value} {what}")

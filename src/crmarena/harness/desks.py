"""The episodes in progress of one Inspect task: opened in its setup, closed in its cleanup."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import Any

from inspect_ai._util.error import PrerequisiteError
from inspect_ai.model import Model, get_model
from inspect_ai.solver import TaskState

from crmarena.episode.episode import Episode
from crmarena.errors import CRMArenaError
from crmarena.harness.chat import ModelChat
from crmarena.harness.episodes import EpisodeOptions, start_episode
from crmarena.harness.selection import Selection
from crmarena.org.org import Org, open_org

SampleDone = Callable[[str, str, int], None]
"""Called with the agent, a sample's id and its epoch when it has ended, failed attempts included."""

observer: ContextVar[SampleDone | None] = ContextVar("observer", default=None)
_current: ContextVar[Desk] = ContextVar("desk")
_live: dict[str, Desk] = {}
"""By sample: a scorer runs outside the context of setup and solver."""


class Outage:
    """Whether the agent's provider is there at all: one that failed every sample is not waited for again."""

    PATIENCE = 3

    def __init__(self) -> None:
        self._failed: set[str] = set()
        self._answered = False

    def note(self, idx: str, *, answered: bool) -> None:
        """Take note of whether the model of an instance said anything before it failed or ended."""
        self._answered = self._answered or answered
        if not answered:
            self._failed.add(idx)

    def check(self) -> None:
        """Raise where the provider has failed too often without one answer."""
        if len(self._failed) >= self.PATIENCE and not self._answered:
            raise CRMArenaError(f"Not tried: the model failed in each of {len(self._failed)} samples before.")


@dataclass(frozen=True)
class Desk:
    """One sample's episode, and what this project's own baselines are handed beside it."""

    episode: Episode
    options: EpisodeOptions
    outage: Outage
    oracle_parameters: Mapping[str, Any]
    constant: str

    def publish(self, state: TaskState) -> None:
        """Put into the sample's store all that grading reads, so that a saved log can be graded again."""
        episode = self.episode
        values = {
            "answer": episode.answer,
            "said": list(episode.transcript.said),
            "end_reason": episode.end_reason,
            "agent_turns": episode.agent_turns,
            "user_turns": episode.user_turns,
            "user": episode.user_name,
            "transcript": episode.transcript.to_json(),
        }
        for name, value in values.items():
            state.store.set(name, value)


def current_desk() -> Desk:
    """The desk of the sample that is running."""
    try:
        return _current.get()
    except LookupError:
        raise CRMArenaError("No episode is open: this solver works on the tasks of crmarena only.") from None


def role_model(role: str) -> Model | None:
    """The model bound to a role; None where none is."""
    try:
        return get_model(role=role, required=True)
    except PrerequisiteError:
        return None


def publish_live(state: TaskState) -> None:
    """Bring a sample's store up to its episode; nothing to do for a sample read from a log."""
    if state.uuid in _live:
        _live[state.uuid].publish(state)


class Desks:
    """The desks of one Inspect task by sample. Its org is opened once and closed with the last of it."""

    def __init__(
        self, label: str, selection: Selection, options: EpisodeOptions, constant: str | None = None
    ) -> None:
        self._label = label
        self._selection = selection
        self._options = options
        self._constant = constant
        self._tasks = {task.idx: task for task in selection.tasks}
        self._commonest = selection.commonest_answers()
        self._outage = Outage()
        self._org: Org | None = None

    async def open(self, state: TaskState) -> None:
        """Start the sample's episode."""
        task = self._tasks[str(state.sample_id)]
        secret = self._selection.secrets[task.idx]
        episode = await start_episode(task, secret, self._opened_org(), self._options, self._user_chat())
        constant = self._commonest[task.family] if self._constant is None else self._constant
        parameters = secret.spec.get("parameters", {})
        desk = Desk(episode, self._options, self._outage, parameters, constant)
        _live[state.uuid] = desk
        _current.set(desk)

    async def close(self, state: TaskState) -> None:
        """Forget the sample's episode."""
        _live.pop(state.uuid, None)
        done = observer.get()
        if done is not None:
            done(self._label, str(state.sample_id), state.epoch)

    def _user_chat(self) -> Callable[[], ModelChat] | None:
        model = role_model("user") if self._options.interactive else None
        return None if model is None else partial(ModelChat, model)

    def _opened_org(self) -> Org:
        if self._org is None:
            self._org = open_org(self._selection.org_path)
            # Inspect tells no task when it is over.
            weakref.finalize(self, self._org.close)
        return self._org

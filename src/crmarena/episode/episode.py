"""One task, one org session and one user: what an agent works on."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from crmarena.episode import observation, schema_text, speech
from crmarena.episode.observation import Observation
from crmarena.episode.ports import OrgSession, User
from crmarena.episode.transcript import EventKind, Transcript
from crmarena.errors import CRMArenaError, EpisodeOver, SalesforceError
from crmarena.tasks.family import find_family
from crmarena.tasks.instance import Metadata, Task

_STOP = re.compile(r"#{2,}\s*STOP\s*#{2,}", re.IGNORECASE)


@dataclass(frozen=True)
class Limits:
    """How long an episode may take."""

    agent_turns: int = 20
    """The agent's turns; in the multi-turn form, those between two answers of the user."""
    user_turns: int = 10
    """The user's turns after the opening."""
    observation: int = 20_000
    """The characters of a query's result that an agent is shown."""


class EndReason(StrEnum):
    """Why an episode is over."""

    ANSWERED = "answered"
    AGENT_TURNS = "agent_turns"
    USER_TURNS = "user_turns"


class Episode:
    """One task in the making.

    An agent reads `context`, `opening` and `schema_text`, and acts through `execute` and
    `respond` until `done`. The episode knows the public half of the task alone; in the
    multi-turn form it also keeps back what the user holds.
    """

    def __init__(
        self,
        task: Task,
        session: OrgSession,
        *,
        user: User | None = None,
        opening: str | None = None,
        aided: bool = False,
        limits: Limits | None = None,
    ) -> None:
        self.task = task if user is None else _without_query(task)
        self.family = find_family(task.family)
        self.limits = limits or Limits()
        self.context = _context(self.task.metadata, aided)
        self.opening = task.query if opening is None else opening
        self.transcript = Transcript()
        self.answer: str | None = None
        self.end_reason: EndReason | None = None
        self.agent_turns = 0
        self.user_turns = 0
        self._turns_since_user = 0
        self._stop_said = False
        self._session = session
        self._user = user

    @classmethod
    async def start(
        cls,
        task: Task,
        session: OrgSession,
        *,
        user: User | None = None,
        aided: bool = False,
        limits: Limits | None = None,
    ) -> Episode:
        """An episode whose user, if there is one, has opened the conversation."""
        if user is None:
            return cls(task, session, aided=aided, limits=limits)
        said = await user.open()
        # A stop before the agent has said a word cannot be meant.
        opening = _STOP.sub("", said).strip()
        if not opening:
            raise CRMArenaError(f"The simulated user {user.name} opened the conversation with no words.")
        episode = cls(task, session, user=user, opening=opening, aided=aided, limits=limits)
        episode.transcript.add(EventKind.USER, 0, said)
        return episode

    @property
    def interactive(self) -> bool:
        """Whether there is a user to talk with (the multi-turn form)."""
        return self._user is not None

    @property
    def external(self) -> bool:
        """Whether the agent faces a customer, not a colleague."""
        return self.family.external

    @property
    def done(self) -> bool:
        """Whether the episode is over."""
        return self.end_reason is not None

    @property
    def user_name(self) -> str | None:
        """The simulator's name with its version; None in the single-turn form."""
        return None if self._user is None else self._user.name

    @cached_property
    def schema_text(self) -> str:
        """Every object with its fields, one line each."""
        return schema_text.describe(self._session.schema)

    def execute(self, query: str) -> Observation:
        """Run a SOQL or SOSL text; an error of the org is an observation too.

        Raises EpisodeOver when the episode is done.
        """
        self._take_turn(EventKind.EXECUTE, query)
        try:
            seen = observation.of_result(self._session.run(query), self.limits.observation)
        except SalesforceError as error:
            seen = observation.of_error(error)
        self.transcript.add(EventKind.OBSERVATION, self.agent_turns, seen.text)
        self._end_if_spent()
        return seen

    def remind(self, reminder: str) -> str:
        """Count a turn in which the agent did neither, and give the reminder it is shown."""
        self._take_turn()
        self.transcript.add(EventKind.REMINDER, self.agent_turns, reminder)
        self._end_if_spent()
        return reminder

    async def respond(self, text: str) -> str | None:
        """Answer, or speak to the user; gives the user's next words, None when the episode is over.

        Raises EpisodeOver when the episode is done.
        """
        if not isinstance(text, str):
            raise TypeError(f"respond takes a text, not {type(text).__name__}")
        self._take_turn(EventKind.RESPOND, text)
        self._turns_since_user = 0
        if self._user is None or self._stop_said:
            self.answer = self._settled(text)
            self.end_reason = EndReason.ANSWERED
            return None
        self.answer = text
        return self._hear(await self._user.reply(text))

    def _take_turn(self, kind: EventKind | None = None, text: str = "") -> None:
        if self.end_reason is not None:
            raise EpisodeOver(f"The episode is over ({self.end_reason}); it takes no more turns.")
        self.agent_turns += 1
        self._turns_since_user += 1
        if kind is not None:
            self.transcript.add(kind, self.agent_turns, text)

    def _end_if_spent(self) -> None:
        if self._turns_since_user >= self.limits.agent_turns:
            finished = self._stop_said and self._is_answer(self.answer)
            self.end_reason = EndReason.ANSWERED if finished else EndReason.AGENT_TURNS

    def _hear(self, reply: str) -> str | None:
        self.user_turns += 1
        self.transcript.add(EventKind.USER, self.agent_turns, reply)
        words = _STOP.sub("", reply).strip()
        stopped = _STOP.search(reply) is not None
        if not words and not stopped:
            raise CRMArenaError("The simulated user said nothing.")
        if stopped and not any(letter.isalnum() for letter in words):
            self.end_reason = EndReason.ANSWERED
        elif stopped:
            # "Yes, do it" and the stop in one breath: the agent must be able to do it.
            self._stop_said = True
        elif self.user_turns >= self.limits.user_turns:
            self.end_reason = EndReason.USER_TURNS
        return None if self.done else words

    def _settled(self, text: str) -> str:
        """The answer after the turn that follows a stop: a mere "You're welcome" does not undo it."""
        if self.answer is None or not self._is_answer(self.answer):
            return text
        return text if speech.gives_value(text, self.family.answer_type) else self.answer

    def _is_answer(self, text: str | None) -> bool:
        return text is not None and speech.is_answer(text, self.family.answer_type)


def _without_query(task: Task) -> Task:
    """The task as the agent's side may hold it while the user holds the query."""
    told = Metadata(
        required=task.metadata.interactive or task.metadata.required, optional=task.metadata.optional
    )
    return replace(task, query="", persona="", metadata=told)


def _context(metadata: Metadata, aided: bool) -> str:
    parts = [metadata.required, metadata.optional if aided else ""]
    return "\n\n".join(part.strip() for part in parts if part.strip())

"""A task made into an episode, in the form the run asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from crmarena.agents.briefing import Examples
from crmarena.clock import Clock
from crmarena.episode.episode import Episode, Limits
from crmarena.episode.ports import Chat, User
from crmarena.org.org import Org
from crmarena.tasks.family import find_family
from crmarena.tasks.files import task_today
from crmarena.tasks.instance import Secret, Task
from crmarena.users.facts import facts_of
from crmarena.users.model import ModelUser
from crmarena.users.scripted import ScriptedUser

ChatFactory = Callable[[], Chat]


@dataclass(frozen=True)
class EpisodeOptions:
    """The form in which tasks are posed."""

    interactive: bool = False
    aided: bool = False
    confidential: bool = False
    examples: str = Examples.PROMPT
    """Where an agent's worked examples stand."""
    limits: Limits = field(default_factory=Limits)


async def start_episode(
    task: Task, secret: Secret, org: Org, options: EpisodeOptions, user_chat: ChatFactory | None = None
) -> Episode:
    """An episode on the task's own day, with the user that the form asks for."""
    today = task_today(task)
    session = org.session(clock=Clock.at(today) if today else None)
    user = _user(task, secret, user_chat) if options.interactive else None
    return await Episode.start(task, session, user=user, aided=options.aided, limits=options.limits)


def _user(task: Task, secret: Secret, chat: ChatFactory | None) -> User:
    facts = facts_of(task, secret.spec.get("user"))
    if chat is not None:
        return ModelUser(chat(), task.persona, facts.instruction)
    return ScriptedUser(facts, find_family(task.family).answer_type, task.persona)

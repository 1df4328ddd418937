"""The simulated users: one that speaks by rule, one that is a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crmarena.episode.ports import Chat
from crmarena.tasks.family import find_family
from crmarena.tasks.instance import Task
from crmarena.users.facts import facts_of
from crmarena.users.model import ModelUser
from crmarena.users.scripted import ScriptedUser


def scripted_user(task: Task, held: Mapping[str, Any] | None = None) -> ScriptedUser:
    """The user of a task that speaks by rule.

    `held` is what a generated task lets the user know (`spec["user"]`); without it the
    query is told sentence by sentence.
    """
    return ScriptedUser(facts_of(task, held), find_family(task.family).answer_type, task.persona)


def model_user(task: Task, chat: Chat, held: Mapping[str, Any] | None = None) -> ModelUser:
    """The user of a task that a model plays."""
    return ModelUser(chat, task.persona, facts_of(task, held).instruction)

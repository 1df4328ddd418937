"""What the tests of scoring share: tasks with a truth, and chats with a set reply."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from crmarena.tasks.family import FAMILIES
from crmarena.tasks.instance import Metadata, Secret, Task

MakeInstance = Callable[..., tuple[Task, Secret]]


@pytest.fixture(scope="session")
def make_instance() -> MakeInstance:
    """A task of a family and its secret half."""

    def make(
        family: str, *answer: str | None, spec: Mapping[str, Any] | None = None, idx: str = "1"
    ) -> tuple[Task, Secret]:
        task = Task(idx, family, "Which one?", "", Metadata(), FAMILIES[family].metric.value)
        return task, Secret(idx, answer, spec or {})

    return make


class SetReply:
    """A chat whose every reply is the same text, or an error of its provider."""

    def __init__(self, reply: str | Exception) -> None:
        self._reply = reply
        self.told: list[str] = []

    def system(self, text: str) -> None:
        """Note a system message."""
        self.told.append(text)

    def user(self, text: str) -> None:
        """Note a user message."""
        self.told.append(text)

    def assistant(self, text: str) -> None:
        """Note a message in the model's name."""
        self.told.append(text)

    async def reply(self) -> str:
        """The set reply."""
        if isinstance(self._reply, Exception):
            raise self._reply
        return self._reply


@pytest.fixture(scope="session")
def set_reply() -> Callable[[str | Exception], SetReply]:
    """A grader's chat that gives one reply, or fails."""
    return SetReply

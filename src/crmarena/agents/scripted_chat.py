"""A chat whose replies are written beforehand: for trying agents and users without a model."""

from __future__ import annotations

from collections.abc import Iterable

from crmarena.errors import CRMArenaError


class ScriptedChat:
    """Gives its replies one after another and keeps every message."""

    def __init__(self, replies: Iterable[str]) -> None:
        self.messages: list[tuple[str, str]] = []
        """Role and text of each message, in order."""
        self._replies = iter(replies)

    def system(self, text: str) -> None:
        """Add a system message."""
        self.messages.append(("system", text))

    def user(self, text: str) -> None:
        """Add a user message."""
        self.messages.append(("user", text))

    def assistant(self, text: str) -> None:
        """Add a message in the model's name."""
        self.messages.append(("assistant", text))

    async def reply(self) -> str:
        """The next reply; CRMArenaError when there is none left."""
        try:
            text = next(self._replies)
        except StopIteration:
            raise CRMArenaError("The scripted chat has no reply left; give it more.") from None
        self.assistant(text)
        return text

    def texts(self, role: str) -> list[str]:
        """The messages of a role."""
        return [text for speaker, text in self.messages if speaker == role]

"""The agent that acts without stating its thoughts."""

from __future__ import annotations

from collections.abc import Callable

from crmarena.agents.briefing import Examples, Style
from crmarena.agents.dialogue import Dialogue
from crmarena.episode.ports import Chat


def act(
    chat_factory: Callable[[], Chat], *, confidential: bool = False, examples: Examples = Examples.PROMPT
) -> Dialogue:
    """A model that gives one command a message."""
    return Dialogue(Style.ACT, chat_factory, confidential, examples)

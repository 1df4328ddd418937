"""The agent that states a thought before each action."""

from __future__ import annotations

from collections.abc import Callable

from crmarena.agents.briefing import Examples, Style
from crmarena.agents.dialogue import Dialogue
from crmarena.episode.ports import Chat


def react(
    chat_factory: Callable[[], Chat], *, confidential: bool = False, examples: Examples = Examples.PROMPT
) -> Dialogue:
    """A model that gives a thought and one command a message."""
    return Dialogue(Style.REACT, chat_factory, confidential, examples)

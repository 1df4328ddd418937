"""The loop of an agent that is a model and speaks in tagged text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from crmarena.agents import briefing
from crmarena.agents.briefing import Examples, Style
from crmarena.agents.protocol import Action, ActionKind, parse_action
from crmarena.episode.episode import Episode
from crmarena.episode.ports import Chat


@dataclass(frozen=True)
class Dialogue:
    """A model agent: briefed once, then one action a message until the episode is done."""

    style: Style
    chat_factory: Callable[[], Chat]
    """Gives the conversation of one episode."""
    confidential: bool = False
    """Whether it is told what is confidential."""
    examples: Examples = Examples.PROMPT

    async def __call__(self, episode: Episode) -> None:
        """Work on an episode until it is done."""
        chat = self.chat_factory()
        briefing.brief(chat, episode, self.style, confidential=self.confidential, examples=self.examples)
        while not episode.done:
            shown = await carry_out(episode, parse_action(await chat.reply()))
            if not episode.done:
                chat.user(shown)


async def carry_out(episode: Episode, action: Action) -> str:
    """Do what a message asks for; gives what the model is shown next."""
    if action.kind is ActionKind.EXECUTE:
        return briefing.heard(episode, "Result", episode.execute(action.text).text)
    if action.kind is ActionKind.RESPOND:
        words = await episode.respond(action.text)
        return briefing.heard(episode, "User", words or "")
    return episode.remind(briefing.reminder())

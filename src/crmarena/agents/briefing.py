"""What a model agent is told before its first turn, put together from the prompt files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from string import Template

from crmarena import resources
from crmarena.episode.episode import Episode
from crmarena.episode.ports import Chat

_SPEAKER = re.compile(r"^# (User|Agent|Result)\n", re.MULTILINE)
_THOUGHT = re.compile(r"<thought>.*?</thought>\n", re.DOTALL)


class Style(StrEnum):
    """Whether the agent states a thought before it acts."""

    ACT = "act"
    REACT = "react"


class Examples(StrEnum):
    """Where the worked examples stand."""

    PROMPT = "prompt"
    """In the system prompt."""
    CHAT = "chat"
    """As turns of the conversation, which small models need."""


@dataclass(frozen=True)
class Line:
    """One turn of a worked example."""

    speaker: str
    """`User`, `Agent` or `Result`."""
    text: str


def brief(chat: Chat, episode: Episode, style: Style, *, confidential: bool, examples: Examples) -> None:
    """Tell a model its role, its commands, the schema, the context, and what it is asked."""
    chat.system(system_prompt(episode, style, confidential=confidential, examples=examples))
    if examples is Examples.CHAT:
        for line in (line for example in worked_examples(episode, style) for line in example):
            if line.speaker == "Agent":
                chat.assistant(line.text)
            else:
                chat.user(heard(episode, line.speaker, line.text))
    chat.user(heard(episode, "User", episode.opening))


def system_prompt(episode: Episode, style: Style, *, confidential: bool, examples: Examples) -> str:
    """The system prompt of an episode."""
    in_prompt = _examples_text(episode, style) if examples is Examples.PROMPT else ""
    return _fill(
        "system",
        role=_prompt("role_customer" if episode.external else "role_colleague"),
        commands=_fill(
            "commands_multi" if episode.interactive else "commands_single",
            agent_turns=str(episode.limits.agent_turns),
            user_turns=str(episode.limits.user_turns),
        ),
        style=_prompt(f"style_{style}"),
        confidentiality=_section("Confidentiality", _prompt("confidentiality") if confidential else ""),
        examples=_section("Worked examples", in_prompt),
        schema=episode.schema_text,
        context=_section("What you are told", episode.context),
    ).strip()


def worked_examples(episode: Episode, style: Style) -> Iterator[tuple[Line, ...]]:
    """The worked examples that fit the form of an episode, in order."""
    names = ["count", "search"] + (["ask"] if episode.interactive else [])
    for name in names:
        text = _prompt(f"example_{name}") + "\n"
        if style is Style.ACT:
            text = _THOUGHT.sub("", text)
        _, *parts = _SPEAKER.split(text)
        pairs = zip(parts[::2], parts[1::2], strict=True)
        yield tuple(Line(speaker, words.strip()) for speaker, words in pairs)


def heard(episode: Episode, speaker: str, text: str) -> str:
    """A message as the model reads it; where it may come from two sides it says from which."""
    return f"{speaker}: {text}" if episode.interactive else text


def reminder() -> str:
    """What a model is told after a message without a command."""
    return _prompt("reminder")


def _examples_text(episode: Episode, style: Style) -> str:
    rendered = []
    for number, example in enumerate(worked_examples(episode, style), 1):
        turns = "\n".join(f"{line.speaker}: {line.text}" for line in example)
        rendered.append(f"Example {number}\n{turns}")
    return "\n\n".join(rendered)


def _section(heading: str, text: str) -> str:
    return f"\n# {heading}\n\n{text}\n" if text else ""


def _fill(name: str, **values: str) -> str:
    return Template(_prompt(name)).substitute(values)


def _prompt(name: str) -> str:
    return resources.read_text(f"agents/prompts/{name}.md").strip()

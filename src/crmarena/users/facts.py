"""What a simulated user holds: an opening, and facts to be told when asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from crmarena import resources
from crmarena.episode import speech
from crmarena.errors import UsageError
from crmarena.tasks.family import AnswerType, find_family
from crmarena.tasks.instance import Task

_PIECES = 4
"""A published query is told in at most so many pieces: the user has ten turns."""
_WORD = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True)
class Fact:
    """One thing the user tells when asked."""

    name: str
    words: frozenset[str]
    """The words by which it is asked for."""
    text: str
    """How the user puts it."""


@dataclass(frozen=True)
class Facts:
    """All that a simulated user goes by."""

    opening: str
    facts: tuple[Fact, ...]
    instruction: str
    """The same as a text for a model that plays the user."""


def facts_of(task: Task, held: Mapping[str, Any] | None) -> Facts:
    """What the user of a task holds: `held` of a generated task, else the pieces of its query."""
    expected = find_family(task.family).answer_type
    if held is None:
        return Facts(_wording()["openings"][expected], _from_query(task.query), task.query.strip())
    try:
        facts = tuple(Fact(f["name"], keywords(_text(f["words"])), f["text"]) for f in held["facts"])
        opening = str(held["opening"])
    except (KeyError, TypeError) as error:
        raise UsageError(f"The user facts of task {task.idx} are not whole ({error}).") from None
    return Facts(opening, facts, _instruction(opening, facts, expected))


def keywords(text: str) -> frozenset[str]:
    """The words of a text that carry meaning, in lower case."""
    return frozenset(_WORD.findall(text.lower())) - _stopwords()


def _from_query(query: str) -> tuple[Fact, ...]:
    pieces = _pieces(speech.sentences(query))
    return tuple(Fact(f"part {n}", _asked_by(piece), piece) for n, piece in enumerate(pieces, 1))


def _pieces(said: Sequence[str]) -> list[str]:
    """The sentences in order, the longer texts put together into few pieces."""
    size = max(1, -(-len(said) // _PIECES))
    return [" ".join(said[start : start + size]) for start in range(0, len(said), size)]


def _asked_by(piece: str) -> frozenset[str]:
    plain = _WORD.findall(piece.lower())
    form = _wording()["format"]
    if plain[:1] and plain[0] in form["signs"]:
        # "Return only the month" says how to answer; it is not what a question about a month is after.
        return frozenset(form["words"])
    words = keywords(piece)
    singular = {*plain, *(word.removesuffix("s") for word in plain)}
    for topic in _wording()["topics"]:
        if singular & set(topic["signs"]):
            words |= set(topic["words"])
    return words


def _instruction(opening: str, facts: Iterable[Fact], expected: AnswerType) -> str:
    told = "\n".join(f"- {fact.text}" for fact in facts)
    return f"{opening}\n{told}\n{_wording()['goals'][expected]}"


def _text(words: str | Sequence[str]) -> str:
    return words if isinstance(words, str) else " ".join(words)


@cache
def _stopwords() -> frozenset[str]:
    return frozenset(_wording()["stopwords"])


def _wording() -> dict[str, Any]:
    wording: dict[str, Any] = resources.read_json("users/wording.json")
    return wording

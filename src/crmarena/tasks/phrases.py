"""From a fair draft to the words of an instance, by the files in `tasks/wording`."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from string import Template
from typing import Any

from crmarena import resources
from crmarena.tasks.fairness import Draft
from crmarena.tasks.windows import Named, Past, Window, parse_window

_FOLDER = "tasks/wording"
_BREAK = "%%"
_HEADING = "## "


@dataclass(frozen=True)
class Fact:
    """Something the simulated user tells when asked."""

    name: str
    words: tuple[str, ...]
    """What an agent that asks for it would say."""
    text: str


@dataclass(frozen=True)
class Wording:
    """What the files of a family say; `$name` marks a blank."""

    queries: tuple[str, ...]
    policy: str
    openings: tuple[str, ...]
    facts: tuple[Fact, ...]
    rule: str
    terms: Mapping[str, Mapping[str, list[str]]]
    """For some of a draft's words, how they may be put."""


@dataclass(frozen=True)
class Worded:
    """A draft in words."""

    query: str
    required: str
    optional: str
    interactive: str
    persona: str
    user: dict[str, Any]
    rule: str


def load_wording(family: str) -> Wording:
    """The wording of a family."""
    folder = f"{_FOLDER}/{family}"
    has_terms = "terms" in resources.names(folder, ".json")
    return Wording(
        queries=_split(f"{folder}/queries.md"),
        policy=_text(f"{folder}/policy.md"),
        openings=_split(f"{folder}/openings.md"),
        facts=tuple(_fact(part) for part in _text(f"{folder}/facts.md").split(f"\n{_HEADING}")),
        rule=_text(f"{folder}/rule.md"),
        terms=resources.read_json(f"{folder}/terms.json") if has_terms else {},
    )


def put_into_words(wording: Wording, draft: Draft, rng: random.Random) -> Worded:
    """Word a draft, choosing among the phrasings by chance."""
    words = _words(wording, draft, rng)
    words["policy"] = policy = Template(wording.policy).substitute(words)
    today = f"## Today's date: {draft.today.isoformat()}"
    facts = [
        {"name": fact.name, "words": list(fact.words), "text": Template(fact.text).substitute(words)}
        for fact in wording.facts
    ]
    return Worded(
        query=Template(rng.choice(wording.queries)).substitute(words),
        required=f"{policy}\n\n{today}",
        optional=_text(f"{_FOLDER}/notes.md"),
        interactive=today,
        persona=rng.choice(_text(f"{_FOLDER}/personas.md").splitlines()),
        user={"opening": rng.choice(wording.openings), "facts": facts},
        rule=wording.rule,
    )


def window_phrase(window: Window, rng: random.Random) -> str:
    """A window in words."""
    phrases = resources.read_json(f"{_FOLDER}/windows.json")
    if isinstance(window, Past):
        kind = "past_one" if window.count == 1 else "past"
        blanks = {
            "count": number_word(window.count),
            "unit": window.unit.value,
            "units": f"{window.unit.value}s",
        }
    else:
        kind = _kind(window)
        ordinal = phrases["ordinals"].get(window.name, "")
        name = window.name if kind != "season" else window.name.lower()
        blanks = {"name": name, "year": str(window.year), "next": str(window.year + 1), "ordinal": ordinal}
    return Template(rng.choice(phrases[kind])).substitute(blanks)


def number_word(number: int) -> str:
    """A small number as a word, a larger one in digits."""
    numbers = resources.read_json(f"{_FOLDER}/windows.json")["numbers"]
    return str(numbers[number]) if number < len(numbers) else str(number)


def _words(wording: Wording, draft: Draft, rng: random.Random) -> dict[str, str]:
    words = dict(draft.words)
    for blank, ways in wording.terms.items():
        words[blank] = rng.choice(ways[words[blank]])
    if "window" in draft.parameters:
        words["window"] = window_phrase(parse_window(draft.parameters["window"]), rng)
        words["Window"] = words["window"][0].upper() + words["window"][1:]
    if "more_than" in draft.parameters:
        number = draft.parameters["more_than"]
        words["number"] = f"{number_word(number)} {'case' if number == 1 else 'cases'}"
    return words


def _kind(window: Named) -> str:
    if window.name == "Winter":
        return "winter"
    if window.name.startswith("Q"):
        return "quarter"
    return "season" if window.name in {"Spring", "Summer", "Autumn", "Fall"} else "month"


def _fact(part: str) -> Fact:
    heading, _, text = part.removeprefix(_HEADING).partition("\n")
    name, _, words = heading.partition(":")
    return Fact(name.strip(), tuple(word.strip() for word in words.split(",")), text.strip())


def _split(path: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in _text(path).split(_BREAK))


def _text(path: str) -> str:
    return resources.read_text(path).strip()

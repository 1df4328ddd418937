"""What answers look like before anything is read out of them."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from typing import Any

from crmarena import resources

_FENCE = re.compile(r"```(?:[a-zA-Z]*\n)?(.*?)```", re.DOTALL)
_LINK = re.compile(r"\[([^\[\]\n]*)\]\(([^()\n]*)\)")
_EMPHASIS = re.compile(r"(?<!\w)[*_`]{1,3}|[*_`]{1,3}(?!\w)")
_BOLD = re.compile(r"\*\*([^*\n]+)\*\*|__([^_\n]+)__")
_LINES = re.compile(r"\n+")
_SENTENCES = re.compile(r"(?<=[.!?;])[\"')\]]*\s+|\n+")
_MARKERS = 3
_QUOTES = str.maketrans(
    {
        "\u2019": "'",
        "\u2018": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u00a0": " ",
        "\u2014": " - ",
        "\u2013": "-",
        "\u2192": " -> ",
        "\r": "\n",
        "\u2028": "\n",
        "\u2029": "\n",
    }
)


@functools.cache
def cues(name: str) -> re.Pattern[str]:
    """The pattern of a list of cues in `scoring/data/cues.json`, letter case ignored."""
    return re.compile("|".join(resources.read_json("scoring/data/cues.json")[name]), re.IGNORECASE)


def plain(text: str) -> str:
    """A text without code fences and emphasis, with straight quotes; a link gives its words and target."""
    text = _LINK.sub(r"\1 \2", _FENCE.sub(r"\1", text.translate(_QUOTES)))
    return _EMPHASIS.sub("", text).strip()


def data_values(text: str, *, labelled: bool = False) -> list[str | None] | None:
    """The values of an answer that is JSON, whole or in its one code fence; None for prose.

    With `labelled`, a value has its key before it, and true and false are "met" and "not met".
    """
    data = _parsed(plain(text))
    fenced = _FENCE.findall(text)
    if data is None and len(fenced) == 1:
        data = _parsed(fenced[0])
        data = data if isinstance(data, tuple) and isinstance(data[0], dict | list) else None
    return None if data is None else list(_leaves(_labelled(data[0]) if labelled else data[0]))


def after_markers(text: str) -> list[str]:
    """What follows the last few "answer:" in a plain text, the last marker first."""
    ends = [mark.end() for mark in cues("marker").finditer(text)][-_MARKERS:]
    return [text[end:].strip(" \n:=-*>#\t") for end in reversed(ends)]


def bold(text: str) -> list[str]:
    """The spans that a text has in bold."""
    return [first or second for first, second in _BOLD.findall(text.translate(_QUOTES))]


def lines(text: str) -> list[str]:
    """The lines of a plain text that hold something."""
    return [line.strip() for line in _LINES.split(text) if line.strip()]


def sentences(text: str) -> list[str]:
    """The sentences of a plain text, a line break or semicolon ending one too."""
    return [sentence for sentence in _SENTENCES.split(text) if sentence.strip()]


def _parsed(text: str) -> tuple[Any] | None:
    try:
        return (json.loads(text),)
    except (ValueError, RecursionError):
        return None


def _labelled(data: Any) -> Any:
    """A JSON object whose texts and truth values have their keys before them; other data as it is."""
    if not isinstance(data, dict):
        return data
    return {key: _label(str(key), value) for key, value in data.items()}


def _label(key: str, value: Any) -> Any:
    if isinstance(value, bool):
        return f"{key}: {'met' if value else 'not met'}"
    return f"{key}: {value}" if isinstance(value, str) and "answer" not in key.lower() else value


def _leaves(data: Any) -> Iterator[str | None]:
    """The values in a JSON document; of an object that has an answer among its keys, that alone."""
    pending = [data]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            answers = [item for key, item in value.items() if "answer" in str(key).lower()]
            pending.extend(reversed(answers or list(value.values())))
        elif isinstance(value, list):
            pending.extend(reversed(value))
        else:
            yield None if value is None else str(value)

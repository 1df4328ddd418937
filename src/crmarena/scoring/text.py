"""What answers look like before anything is read out of them."""

from __future__ import annotations

import functools
import json
import re
from typing import Any

from crmarena import resources

_FENCE = re.compile(r"```[a-zA-Z]*\n?(.*?)```", re.DOTALL)
_LINK = re.compile(r"\[([^\]\n]*)\]\([^)\n]*\)")
_EMPHASIS = re.compile(r"(?<!\w)[*_`]{1,3}|[*_`]{1,3}(?!\w)")
_BOLD = re.compile(r"\*\*([^*\n]+)\*\*")
_QUOTES = str.maketrans(
    {
        "\u2019": "'",
        "\u2018": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u00a0": " ",
        "\u2014": " - ",
        "\u2013": "-",
    }
)


@functools.cache
def cues(name: str) -> re.Pattern[str]:
    """The pattern of a list of cues in `scoring/data/cues.json`, letter case ignored."""
    return re.compile("|".join(resources.read_json("scoring/data/cues.json")[name]), re.IGNORECASE)


def plain(text: str) -> str:
    """A text without code fences, links and emphasis, with straight quotes."""
    text = _LINK.sub(r"\1", _FENCE.sub(r"\1", text.translate(_QUOTES)))
    return _EMPHASIS.sub("", text).strip()


def data_values(text: str) -> list[str | None] | None:
    """The values of an answer that is JSON: a list, a text, or an object's values; None for prose."""
    try:
        data = json.loads(plain(text))
    except (ValueError, RecursionError):
        return None
    if isinstance(data, dict):
        data = data.get("answer", list(data.values()))
    values = data if isinstance(data, list) else [data]
    return [_value(value) for value in values if not isinstance(value, list | dict)]


def segments(text: str) -> list[str]:
    """The places where an answer stands, the likeliest first.

    After the last "answer:" marker, then what is in bold, then the last line, then the whole.
    """
    whole = plain(text)
    found = []
    marks = list(cues("marker").finditer(whole))
    if marks:
        found.append(_after(whole, marks[-1].end()))
    bold = _BOLD.findall(text.translate(_QUOTES))
    if bold:
        found.append(bold[-1])
    lines = [line for line in whole.splitlines() if line.strip()]
    if len(lines) > 1:
        found.append(lines[-1])
    return [*found, whole]


def _after(text: str, start: int) -> str:
    """The rest of the line, or the next line where the marker ends its own; for lists, all that follows."""
    rest = text[start:].strip(" \n:=-*")
    first, _, more = rest.partition("\n")
    return rest if more.lstrip().startswith(("-", "*", "1")) else first


def _value(value: Any) -> str | None:
    return None if value is None else str(value)

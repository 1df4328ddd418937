"""Tagged text into actions: `<execute>`, `<respond>`, `<thought>`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class ActionKind(StrEnum):
    """What a message of the agent does."""

    EXECUTE = "execute"
    RESPOND = "respond"
    NEITHER = "neither"


@dataclass(frozen=True)
class Action:
    """One message of the agent, read."""

    kind: ActionKind
    text: str = ""
    """The query or the words; empty where there is neither."""
    thought: str = ""


_TAGS = ("execute", "respond", "thought", "think")
_OPEN = {tag: re.compile(rf"<{tag}\s*>", re.IGNORECASE) for tag in _TAGS}
_CLOSE = {tag: re.compile(rf"</{tag}\s*>", re.IGNORECASE) for tag in _TAGS}
_ANY_TAG = re.compile(rf"</?(?:{'|'.join(_TAGS)})\s*>", re.IGNORECASE)
_FENCE = re.compile(r"```(?:(?:soql|sosl|sql|apex|text)\b)?(.*?)(?:```|\Z)", re.IGNORECASE | re.DOTALL)


def parse_action(text: str) -> Action:
    """What a message does; never raises.

    Execute wins over respond. The first block of a kind that holds something counts; an
    unclosed one ends at the next tag or with the text. Tags inside a closed thought are
    no actions.
    """
    spoken, thought = _without_thoughts(text)
    query = _unfenced(_block(spoken, "execute"))
    if query:
        return Action(ActionKind.EXECUTE, query, thought)
    words = _block(spoken, "respond")
    if words:
        return Action(ActionKind.RESPOND, words, thought)
    return Action(ActionKind.NEITHER, thought=thought)


def _block(text: str, tag: str) -> str:
    place = 0
    while opened := _OPEN[tag].search(text, place):
        place = _next_tag(text, opened.end())
        if found := text[opened.end() : place].strip():
            return found
    return ""


def _next_tag(text: str, place: int) -> int:
    found = _ANY_TAG.search(text, place)
    return found.start() if found else len(text)


def _without_thoughts(text: str) -> tuple[str, str]:
    """The text without its closed thoughts, and what was thought."""
    text, reasoning = _removed(text, "think")
    # Chat templates that open the reasoning block themselves leave a lone closing tag.
    reasoned, closed, rest = text.rpartition("</think>")
    if closed:
        text, reasoning = rest, reasoned.strip()
    text, thought = _removed(text, "thought")
    return text, thought or _block(text, "thought") or reasoning


def _removed(text: str, tag: str) -> tuple[str, str]:
    """The text without the closed blocks of a tag, and what the first of them holds."""
    first = ""
    kept: list[str] = []
    place = 0
    while (opened := _OPEN[tag].search(text, place)) and (closed := _CLOSE[tag].search(text, opened.end())):
        first = first or text[opened.end() : closed.start()].strip()
        kept.append(text[place : opened.start()])
        place = closed.end()
    return "".join(kept) + text[place:], first


def _unfenced(query: str) -> str:
    fenced = _FENCE.search(query)
    return fenced.group(1).strip() if fenced else query

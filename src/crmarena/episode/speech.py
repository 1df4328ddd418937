"""How the agent's words are heard in a conversation: as an answer, a question or a courtesy.

Nothing here grades. It decides whether a conversation goes on.
"""

from __future__ import annotations

import functools
import re
from typing import Any

from crmarena import resources
from crmarena.tasks.family import AnswerType

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_ID = r"{prefix}[A-Za-z0-9]{{{length}}}(?:[A-Za-z0-9]{{3}})?"
_ID_PREFIXES = {
    AnswerType.USER_ID: "005",
    AnswerType.KNOWLEDGE_ID: "ka",
    AnswerType.PRODUCT_ID: "01t",
    # The prefix of a custom object differs from org to org.
    AnswerType.ISSUE_ID: "a(?=[A-Za-z]*[0-9])",
    AnswerType.TASK_IDS: "00T",
}
_ID_KEPT = {AnswerType.KNOWLEDGE_ID: 13, AnswerType.ISSUE_ID: 14}
_LABELS = {
    AnswerType.MONTH: "months",
    AnswerType.STATE: "states",
    AnswerType.STAGE: "stages",
    AnswerType.BANT: "factors",
}
_FREE = {AnswerType.TEXT, AnswerType.REFUSAL}


def sentences(text: str) -> list[str]:
    """The sentences and lines of a text."""
    return [part.strip() for part in _SENTENCE.split(text) if part.strip()]


def asks(sentence: str) -> bool:
    """Whether a sentence asks the user for something; an offer of further help does not."""
    if _has(sentence, "offers"):
        return False
    return sentence.rstrip("\"'*_) ").endswith("?") or _has(sentence, "asking")


def is_answer(text: str, expected: AnswerType) -> bool:
    """Whether a text reads as an answer of the expected type.

    It asks for nothing and, courtesies and announcements apart, holds a value of that
    type or says that there is none; where the answer is free text any statement will do.
    """
    said = [s for s in sentences(text) if not _has(s, "offers")]
    if any(asks(sentence) for sentence in said):
        return False
    said = [s for s in said if gives_value(s, expected) or not _has(s, "waiting")]
    if expected in _FREE:
        return any(any(letter.isalnum() for letter in sentence) for sentence in said)
    return any(gives_value(s, expected) or _has(s, "none") for s in said)


def gives_value(text: str, expected: AnswerType) -> bool:
    """Whether a text holds a value of the expected type; never so where that is free text."""
    pattern = _value(expected)
    return pattern is not None and pattern.search(text) is not None


@functools.cache
def _value(expected: AnswerType) -> re.Pattern[str] | None:
    if expected in _ID_PREFIXES:
        length = _ID_KEPT.get(expected, 12)
        return re.compile(rf"\b{_ID.format(prefix=_ID_PREFIXES[expected], length=length)}\b")
    if expected in _LABELS:
        return re.compile(rf"\b(?:{'|'.join(_lists()[_LABELS[expected]])})\b")
    return None


def _has(text: str, name: str) -> bool:
    return _phrases(name).search(text) is not None


@functools.cache
def _phrases(name: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, _lists()[name]))})", re.IGNORECASE)


def _lists() -> dict[str, Any]:
    lists: dict[str, Any] = resources.read_json("episode/speech.json")
    return lists

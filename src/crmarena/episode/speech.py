"""How the agent's words are heard in a conversation: as an answer, a question or a courtesy.

Nothing here grades. It decides whether a conversation goes on.
"""

from __future__ import annotations

import functools
import re
from typing import Any

from crmarena import resources
from crmarena.tasks.family import AnswerType

_SENTENCE = re.compile(r"(?<=[.!?])(?<!\beg\.)(?<!e\.g\.)(?<!i\.e\.)\s+|\n+")
_COURTESY_WORDS = 10
"""A longer sentence that thanks says something besides."""
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
FREE = frozenset({AnswerType.TEXT, AnswerType.REFUSAL})
"""The types whose values no rule can tell from other words."""


def sentences(text: str) -> list[str]:
    """The sentences and lines of a text."""
    return [part.strip() for part in _SENTENCE.split(text) if part.strip()]


def is_question(sentence: str) -> bool:
    """Whether a sentence asks, be it for something or whether it may help further."""
    return sentence.rstrip("\"'*_) ").endswith("?") or _has(sentence, "asking")


def asks(sentence: str) -> bool:
    """Whether a sentence asks the user for something; an offer does not."""
    return is_question(sentence) and not _has(sentence, "offers")


def is_answer(text: str, expected: AnswerType) -> bool:
    """Whether a text reads as an answer of the expected type.

    It asks for nothing and, offers, courtesies and announcements apart, holds a value of
    that type or says that there is none; where the answer is free text any statement will do.
    """
    said = sentences(text)
    if any(asks(sentence) for sentence in said):
        return False
    if expected in FREE:
        return any(letter.isalnum() for s in said if not is_small_talk(s) for letter in s)
    said = [s for s in said if not _has(s, "offers")]
    return any(gives_value(s, expected) or _has(s, "none") for s in said)


def is_small_talk(sentence: str) -> bool:
    """Whether a sentence offers, thanks or asks to wait, and says nothing."""
    polite = _has(sentence, "courtesies") and len(sentence.split()) <= _COURTESY_WORDS
    return polite or _has(sentence, "offers") or is_waiting(sentence)


def is_waiting(text: str) -> bool:
    """Whether a text announces that the agent is about to look."""
    return _has(text, "waiting")


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
        # "OK, ..." is no state.
        return re.compile(rf"\b(?!OK[,!])(?:{'|'.join(_lists()[_LABELS[expected]])})\b")
    return None


def _has(text: str, name: str) -> bool:
    return _phrases(name).search(text) is not None


@functools.cache
def _phrases(name: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, _lists()[name]))})s?\b", re.IGNORECASE)


def _lists() -> dict[str, Any]:
    lists: dict[str, Any] = resources.read_json("episode/speech.json")
    return lists

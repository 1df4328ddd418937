"""Typed values in a text: Ids, months, states, stages, with where they stand."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from crmarena import resources
from crmarena.schema.ids import to_18
from crmarena.tasks.family import AnswerType

_ID = re.compile(r"(?<![0-9A-Za-z])[0-9A-Za-z]{15}(?:[0-9A-Za-z]{3})?(?![0-9A-Za-z])")
_PREFIX = {
    AnswerType.USER_ID: re.compile("005"),
    AnswerType.KNOWLEDGE_ID: re.compile("ka"),
    AnswerType.PRODUCT_ID: re.compile("01t"),
    # Custom objects are numbered as an org makes them.
    AnswerType.ISSUE_ID: re.compile("a[0-9]"),
    AnswerType.TASK_IDS: re.compile("00T"),
}
ID_ANSWERS = frozenset(_PREFIX)

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_MONTH = re.compile(
    r"\b(?:(Jan)(?:uary)?|(Feb)(?:ruary)?|(Mar)(?:ch)?|(Apr)(?:il)?|(May)|(June?)|(July?)|(Aug)(?:ust)?"
    r"|(Sep)(?:t|tember)?|(Oct)(?:ober)?|(Nov)(?:ember)?|(Dec)(?:ember)?)\b",
    re.IGNORECASE,
)
_MONTH_RANGE = re.compile(
    rf"\b(?:from|between|during)?\s*{_MONTH.pattern}(?:\s+\d+)?(?:,?\s+\d{{4}})?\s*(?:to|and|through|until|-)\s*"
    rf"{_MONTH.pattern}(?:\s+\d+)?(?:,?\s+\d{{4}})?",
    re.IGNORECASE,
)
_RANGE_OPENING = re.compile(r"\b(?:from|between)\b", re.IGNORECASE)
_RANGE_MIDDLE = re.compile(r"\b(?:to|through|until)\b|-", re.IGNORECASE)
_NUMBERED_MONTH = re.compile(r"(?:(\d{4})-)?(0?[1-9]|1[0-2])(?:/\d{4})?")

STAGES = ("Qualification", "Discovery", "Quote", "Negotiation", "Closed")
_STAGE = re.compile(rf"\b({'|'.join(STAGES)})\b")
_BARE_STAGE = re.compile(rf"({'|'.join(STAGES)})(?: (?:won|lost|stage))?", re.IGNORECASE)

_WORDLIKE_CODES = frozenset({"ID", "OK", "IN", "OR", "ME", "HI", "OH", "PA", "MA", "LA", "CO", "AM", "MS"})
_CODE = re.compile(r"\b[A-Z]{2}\b")
_CODE_CUE = re.compile(r"(?:\b(?:is|was|in|state|region)\s*:?\s*[\"'(]?|[:=(\"']\s*)\Z", re.IGNORECASE)


@dataclass(frozen=True)
class Candidate:
    """A value and the place in the text where it begins."""

    value: str
    start: int


def candidates(text: str, answer_type: AnswerType) -> list[Candidate]:
    """The values of a type in a text, in order, repeats kept."""
    if answer_type in _PREFIX:
        return list(_ids(text, answer_type))
    if answer_type is AnswerType.MONTH:
        return list(_months(text))
    if answer_type is AnswerType.STATE:
        return list(_states(text))
    return list(_stages(text)) if answer_type is AnswerType.STAGE else []


def canonical(value: str, answer_type: AnswerType) -> str | None:
    """A gold or bare value in the one form that answers are compared in; None if it is no such value."""
    bare = value.strip().strip("\"'.,;:()[]{}").strip()
    found = candidates(bare, answer_type)
    return found[0].value if found else None


def _ids(text: str, answer_type: AnswerType) -> Iterator[Candidate]:
    for match in _ID.finditer(text):
        record_id = to_18(match[0])
        if record_id and any(c.isdigit() for c in record_id[:15]) and _PREFIX[answer_type].match(record_id):
            yield Candidate(record_id, match.start())


def _months(text: str) -> Iterator[Candidate]:
    numbered = _NUMBERED_MONTH.fullmatch(text.strip())
    if numbered:
        yield Candidate(MONTHS[int(numbered[2]) - 1], 0)
        return
    ranges = [match.span() for match in _MONTH_RANGE.finditer(text) if _is_range(match[0])]
    for match in _MONTH.finditer(text):
        inside = any(start <= match.start() < end for start, end in ranges)
        index = next(number for number, group in enumerate(match.groups()) if group)
        if not inside and _is_month(match[0], text):
            yield Candidate(MONTHS[index], match.start())


def _is_range(text: str) -> bool:
    """Whether two months span a time: "May and June" without "between" are two months."""
    return _RANGE_OPENING.search(text) is not None or _RANGE_MIDDLE.search(text) is not None


def _is_month(word: str, text: str) -> bool:
    """Whether a word is a month's name and not "may" or "march"; alone it may have any letter case."""
    return word[0].isupper() or len(text.split()) <= 3


@functools.cache
def _state_names() -> tuple[re.Pattern[str], dict[str, str]]:
    codes = {name.lower(): code for code, name in resources.read_json("scoring/data/states.json").items()}
    names = sorted(codes, key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(names)})\b", re.IGNORECASE), codes


def _states(text: str) -> Iterator[Candidate]:
    pattern, codes = _state_names()
    known = set(codes.values())
    if text.strip().upper() in known:
        yield Candidate(text.strip().upper(), 0)
        return
    found = [Candidate(codes[match[0].lower()], match.start()) for match in pattern.finditer(text)]
    shouted = text.upper() == text and len(text.split()) > 4
    for match in _CODE.finditer(text):
        if match[0] in known and not shouted and _is_code(match[0], text, match.start()):
            found.append(Candidate(match[0], match.start()))
    yield from sorted(found, key=lambda candidate: candidate.start)


def _is_code(code: str, text: str, start: int) -> bool:
    if code not in _WORDLIKE_CODES:
        return True
    alone = len(text.split()) <= 2
    return alone or _CODE_CUE.search(text[:start]) is not None


def _stages(text: str) -> Iterator[Candidate]:
    bare = _BARE_STAGE.fullmatch(text.strip())
    if bare:
        yield Candidate(bare[1].capitalize(), 0)
        return
    for match in _STAGE.finditer(text):
        yield Candidate(match[1], match.start())

"""Typed values in a text: Ids, months, states, stages, with where they stand."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from crmarena import resources
from crmarena.schema.ids import to_18
from crmarena.tasks.family import AnswerType
from crmarena.tasks.windows import MONTHS

_ID = re.compile(r"(?<![0-9A-Za-z])[0-9A-Za-z]{15}(?:[0-9A-Za-z]{3})?(?![0-9A-Za-z])")
_PREFIX = {
    AnswerType.USER_ID: re.compile("005"),
    AnswerType.KNOWLEDGE_ID: re.compile("ka"),
    AnswerType.PRODUCT_ID: re.compile("01t"),
    # Custom objects are numbered as an org makes them: only the first letter is known.
    AnswerType.ISSUE_ID: re.compile("a"),
    AnswerType.TASK_IDS: re.compile("00T"),
}

_MONTH = re.compile(
    r"\b(?:(Jan)(?:uary)?|(Feb)(?:ruary)?|(Mar)(?:ch)?|(Apr)(?:il)?|(May)|(June?)|(July?)|(Aug)(?:ust)?"
    r"|(Sep)(?:t|tember)?|(Oct)(?:ober)?|(Nov)(?:ember)?|(Dec)(?:ember)?)\b",
    re.IGNORECASE,
)
_MONTH_RANGE = re.compile(
    rf"\b(?:from|between|during)?\s*{_MONTH.pattern}(?:\s+\d+)?(?:,?\s+\d{{4}})?\s*(?:to|and|through|until|till|-)\s*"
    rf"{_MONTH.pattern}(?:\s+\d+)?(?:,?\s+\d{{4}})?",
    re.IGNORECASE,
)
_RANGE_OPENING = re.compile(r"\b(?:from|between)\b", re.IGNORECASE)
_RANGE_MIDDLE = re.compile(r"\b(?:to|through|until)\b|-", re.IGNORECASE)
_YEAR_AND_MONTH = re.compile(r"(?<![\w-])(?:19|20)\d\d-(0[1-9]|1[0-2])(?![\w-])")
_YEAR = re.compile(r",? (?:19|20)\d\d")
_ASKS = re.compile(r" (?:I|we|you)\b")
_ONLY_MONTHS = frozenset(MONTHS) - {"March", "May"}
_NUMBERED_MONTH = re.compile(r"(?:(\d{4})-)?(0?[1-9]|1[0-2])(?:/\d{4})?")

_DAY_AFTER = re.compile(r"\.?\s+\d{1,2}(?:st|nd|rd|th)?,?\s+\d{4}\b")
_DAY_BEFORE = re.compile(r"\b\d{1,2}(?:st|nd|rd|th)?(?:\s+of)?\s+\Z")

STAGES = ("Qualification", "Discovery", "Quote", "Negotiation", "Closed")
_STAGE = re.compile(rf"\b({'|'.join(STAGES)})\b")
_LOWER = re.compile(
    rf"\b(?:stage(?: name)?(?: is|:| should be)|should be) [\"']?({'|'.join(STAGES).lower()})\b(?! by\b)"
)
_BARE_STAGE = re.compile(rf"({'|'.join(STAGES)})(?: (?:won|lost|stage))?", re.IGNORECASE)

_WORDLIKE_CODES = frozenset({"ID", "OK", "IN", "OR", "ME", "HI"})
_EDGES = " \t\n.,;:!\"'()"
_CODE = re.compile(r"\b[A-Z]{2}\b")
_CODE_BEFORE = re.compile(r"(?:\b(?:is|was|in|state|region)\s*:?\s*[\"'(]?|[|:=(\"']\s*)\Z", re.IGNORECASE)
_CODE_AFTER = re.compile(r"\s*(?:(?:has|had|at|with|comes|took|averag\w+)\b|[(|:=]|-\s)")


@dataclass(frozen=True)
class Candidate:
    """A value and the place in the text where it begins."""

    value: str
    """In canonical form."""
    start: int
    text: str
    """As it is written."""

    @property
    def end(self) -> int:
        """The place where it ends."""
        return self.start + len(self.text)


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
            yield Candidate(record_id, match.start(), match[0])


def _months(text: str) -> Iterator[Candidate]:
    numbered = _NUMBERED_MONTH.fullmatch(text.strip())
    if numbered:
        yield Candidate(MONTHS[int(numbered[2]) - 1], 0, text)
        return
    alone = _is_short(text, 3)
    found = []
    for match in _MONTH.finditer(_MONTH_RANGE.sub(_blank_range, text)):
        index = next(number for number, group in enumerate(match.groups()) if group)
        if alone or _is_name(match[0], text[match.end() : match.end() + 6]):
            found.append(Candidate(MONTHS[index], match.start(), match[0]))
    undated = [c for c in found if not _is_dated(text, c)]
    yield from undated or found or _dated_months(text)


def _dated_months(text: str) -> Iterator[Candidate]:
    for match in _YEAR_AND_MONTH.finditer(text):
        yield Candidate(MONTHS[int(match[1]) - 1], match.start(), match[0])


def _is_name(word: str, after: str) -> bool:
    """Whether a word is a month's name: "may" and "march" are words unless a year follows."""
    if _YEAR.match(after) or word.capitalize() in _ONLY_MONTHS:
        return True
    return word[0].isupper() and not _ASKS.match(after)


def _is_dated(text: str, month: Candidate) -> bool:
    """Whether a month belongs to a day ("March 15, 2021"), such as today's."""
    after = text[month.start + len(month.text) : month.start + len(month.text) + 12]
    before = text[max(0, month.start - 12) : month.start]
    return bool(_DAY_AFTER.match(after) or _DAY_BEFORE.search(before))


def _blank_range(match: re.Match[str]) -> str:
    """Blanks for two months that span a time; "May and June" without "between" are two months."""
    spans = _RANGE_OPENING.search(match[0]) or _RANGE_MIDDLE.search(match[0])
    return " " * len(match[0]) if spans else match[0]


def _is_short(text: str, words: int) -> bool:
    """Whether a text has at most so many words."""
    return len(text.split(maxsplit=words)) <= words


@functools.cache
def _state_names() -> tuple[re.Pattern[str], dict[str, str]]:
    known = resources.read_json("scoring/data/states.json")
    codes = {name.lower(): code for code, names in known.items() for name in names.split("|")}
    names = sorted(map(re.escape, codes), key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(names)})\b", re.IGNORECASE), codes


def _states(text: str) -> Iterator[Candidate]:
    pattern, codes = _state_names()
    known = set(codes.values())
    bare = text.strip(_EDGES).upper()
    if bare in known:
        yield Candidate(bare, 0, text)
        return
    found = [Candidate(codes[match[0].lower()], match.start(), match[0]) for match in pattern.finditer(text)]
    shouted = text.upper() == text and len(text.split()) > 4
    for match in _CODE.finditer(text):
        if match[0] in known and not shouted and _is_code(match[0], text, match.start()):
            found.append(Candidate(match[0], match.start(), match[0]))
    yield from sorted(found, key=lambda candidate: candidate.start)


def _is_code(code: str, text: str, start: int) -> bool:
    """Whether a code is one and no word ("IN", "OK"); "ID" before a colon is the name of a field."""
    if code not in _WORDLIKE_CODES or _is_short(text, 2):
        return True
    if _CODE_BEFORE.search(text[max(0, start - 20) : start]):
        return True
    return code != "ID" and _CODE_AFTER.match(text[start + 2 : start + 20]) is not None


def _stages(text: str) -> Iterator[Candidate]:
    bare = _BARE_STAGE.fullmatch(text.strip())
    if bare:
        yield Candidate(bare[1].capitalize(), 0, text)
        return
    found = [Candidate(match[1], match.start(), match[1]) for match in _STAGE.finditer(text)]
    lower = [Candidate(match[1].capitalize(), match.start(1), match[1]) for match in _LOWER.finditer(text)]
    yield from sorted(found + lower, key=lambda candidate: candidate.start)

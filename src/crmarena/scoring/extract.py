"""From an answer in prose to typed values, by rule.

The rule reads the place where the answer stands first (after "answer:", in bold, the last
line, the whole) and says whether it is certain; a model is asked only where it is not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from crmarena.scoring import bant, refusal
from crmarena.scoring.candidates import Candidate, candidates, canonical
from crmarena.scoring.text import cues, data_values, plain, segments
from crmarena.tasks.family import AnswerType

_EDGES = " \t\n.,;:!\"'()<>"
_HEDGE = re.compile(r"\b(?:or|maybe|possibly|could be|might be|either)\b", re.IGNORECASE)
_CONTRAST_SPAN = 30


class Kind(StrEnum):
    """What an answer turned out to be."""

    VALUES = "values"
    NONE = "none"
    REFUSAL = "refusal"
    NOTHING = "nothing"


@dataclass(frozen=True)
class Extraction:
    """What was read out of an answer."""

    kind: Kind
    values: tuple[str, ...] = ()
    """In canonical form (18-character Ids, month names, state codes), without repeats."""
    certain: bool = True
    """Whether the rule is sure; where it is not, a grader may be asked."""


def extract(text: str, answer_type: AnswerType) -> Extraction:
    """The typed values of an answer; never raises, whatever the text."""
    if not text.strip():
        return Extraction(Kind.NOTHING)
    data = data_values(text)
    if data is not None:
        return _from_data(data, answer_type)
    if _is_bare_none(plain(text)):
        return Extraction(Kind.NONE)
    if answer_type is AnswerType.BANT:
        return _bant(text)
    several = answer_type is AnswerType.TASK_IDS
    return _several(text, answer_type) if several else _single(text, answer_type)


def gold_values(answer: tuple[str | None, ...], answer_type: AnswerType) -> frozenset[str]:
    """The truth in canonical form; empty where there is no answer. "Authority, Need" is a set of two."""
    given = [value for value in answer if value is not None]
    if answer_type is AnswerType.BANT:
        return frozenset(factor for value in given for factor in bant.factors(value))
    return frozenset(canonical(value, answer_type) or value for value in given)


def _from_data(data: list[str | None], answer_type: AnswerType) -> Extraction:
    if not data or all(value is None or _is_bare_none(value) for value in data):
        return Extraction(Kind.NONE)
    if answer_type is AnswerType.BANT:
        named = bant.factors(" ".join(value for value in data if value))
        return Extraction(Kind.VALUES, named) if named else Extraction(Kind.NOTHING)
    found = [c.value for value in data if value for c in candidates(value, answer_type)]
    if not found and len(data) == 1 and data[0]:
        return _prose_none(data[0])
    return Extraction(Kind.VALUES, _unique(found)) if found else Extraction(Kind.NOTHING)


def _single(text: str, answer_type: AnswerType) -> Extraction:
    """One value where one is asked for: the first place that names exactly one decides."""
    whole = candidates(plain(text), answer_type)
    if not whole:
        return _prose_none(text)
    places = segments(text)
    for place in places:
        if _is_bare_none(place):
            return Extraction(Kind.NONE)
        left = _without_contrast(place, candidates(place, answer_type))
        if len(left) == 1:
            return _settled(left, text, place, answer_type)
    undecided = _without_contrast(places[-1], whole) or _unique([c.value for c in whole])
    return Extraction(Kind.VALUES, undecided, certain=_HEDGE.search(plain(text)) is not None)


def _settled(left: tuple[str, ...], text: str, place: str, answer_type: AnswerType) -> Extraction:
    """One value found; sure unless another place says None or the value is only mentioned."""
    says_none = _says_none(place)
    if says_none and answer_type is not AnswerType.STAGE and _none_comes_first(place, answer_type):
        return Extraction(Kind.NONE, certain=False)
    if refusal.declines(text):
        return Extraction(Kind.REFUSAL, certain=False)
    return Extraction(Kind.VALUES, left, certain=not says_none)


def _several(text: str, answer_type: AnswerType) -> Extraction:
    """All values where a set is asked for, those set aside by a contrast left out."""
    whole = plain(text)
    marked = segments(text)[0]
    place = marked if candidates(marked, answer_type) and len(segments(text)) > 1 else whole
    found = candidates(place, answer_type)
    # A list that the last line closes is the whole text's; a marker's own is the marker's.
    if len(candidates(whole, answer_type)) > len(found) and not cues("marker").search(whole):
        found, place = candidates(whole, answer_type), whole
    if not found:
        return _prose_none(text)
    left = _without_contrast(place, found)
    sure = len(left) == len(_unique([c.value for c in candidates(whole, answer_type)]))
    return Extraction(Kind.VALUES, left or _unique([c.value for c in found]), certain=sure)


def _bant(text: str) -> Extraction:
    if refusal.declines(text):
        return Extraction(Kind.REFUSAL)
    for place in segments(text):
        if _is_bare_none(place):
            return Extraction(Kind.NONE)
        if bant.is_bare(place):
            return Extraction(Kind.VALUES, bant.factors(place))
    whole = plain(text)
    unmet = bant.failed(whole)
    if unmet:
        return Extraction(Kind.VALUES, unmet, certain=False)
    if _says_none(whole) or bant.factors(whole):
        return Extraction(Kind.NONE, certain=False)
    return Extraction(Kind.NOTHING)


def _prose_none(text: str) -> Extraction:
    """What a text without a value of the type says: none found, no by refusal, or nothing."""
    if refusal.declines(text):
        return Extraction(Kind.REFUSAL)
    if any(_is_bare_none(place) for place in segments(text)):
        return Extraction(Kind.NONE)
    return Extraction(Kind.NONE, certain=False) if _says_none(plain(text)) else Extraction(Kind.NOTHING)


def _is_bare_none(text: str) -> bool:
    bare = text.strip(_EDGES)
    return cues("none_bare").fullmatch(bare) is not None


def _says_none(text: str) -> bool:
    return cues("none").search(cues("not_none").sub("", text)) is not None


def _none_comes_first(text: str, answer_type: AnswerType) -> bool:
    cue = cues("none").search(cues("not_none").sub("", text))
    first = candidates(text, answer_type)
    return cue is not None and (not first or cue.start() < first[0].start)


def _without_contrast(text: str, found: list[Candidate]) -> tuple[str, ...]:
    """The distinct values but for those that are named only to be set aside ("X, not Y")."""
    kept = [c.value for c in found if not _set_aside(text, c, found)]
    return _unique(kept)


def _set_aside(text: str, candidate: Candidate, found: list[Candidate]) -> bool:
    before = text[max(0, candidate.start - _CONTRAST_SPAN) : candidate.start].rstrip(" \"'(:")
    ends = [m.end() for m in cues("contrast").finditer(before)]
    if not ends:
        return False
    between = before[ends[-1] :]
    return len(between.split()) <= 2 and len({c.value for c in found}) > 1


def _unique(values: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))

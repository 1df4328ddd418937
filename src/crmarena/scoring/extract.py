"""From an answer in prose to typed values, by rule.

Where one value is asked for, the first of these that names exactly one decides: what follows
"answer:", what is in bold, a line of its own, the text but for what it sets aside ("X, not Y"),
what it points at ("should be X"), the clauses that conclude, what is said last. The rule says
whether it is certain; a model is asked only where it is not.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from crmarena.scoring import bant, refusal, taskset
from crmarena.scoring.candidates import Candidate, candidates, canonical
from crmarena.scoring.standing import denied, led, standing, unique
from crmarena.scoring.text import after_markers, bold, cues, data_values, lines, plain, sentences
from crmarena.tasks.family import AnswerType

_EDGES = " \t\n.,;:!\"'()<>[]{}#>|-*_`"
_HEDGE = re.compile(r"\bor\b|/", re.IGNORECASE)
_HEDGE_WORDS = 6
_TARGET_WORDS = 2
_POINTERS = {AnswerType.STAGE: "stage_target", AnswerType.KNOWLEDGE_ID: "violates"}
_CONTRAST_CLAUSE = re.compile(
    r",?\s+\b(?:whereas|while|but|yet|although|though)\b|,\s+(?=so\b)", re.IGNORECASE
)
_IS = re.compile(r"\b(?:is|was|are)\b|:", re.IGNORECASE)
_YES_OR_NO = frozenset({AnswerType.MONTH, AnswerType.KNOWLEDGE_ID})
"""Kinds that are asked for by "is there": "no" means that there is none."""
_DENIED_BY_CLAUSE = frozenset({AnswerType.KNOWLEDGE_ID, AnswerType.STAGE})
"""Kinds whose answer None says of a value that it is kept or fits."""
_DIGIT = re.compile(r"\d")
_LISTED = re.compile(r"\s*(?:[-*+\u2022|]|\d+[.)])")


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
    data = data_values(text, labelled=answer_type is AnswerType.BANT)
    if data is not None:
        return _from_data(data, answer_type)
    if _is_bare_none(plain(text)):
        return Extraction(Kind.NONE)
    if answer_type is AnswerType.BANT:
        return _bant(text)
    found = candidates(plain(text), answer_type)
    if not found:
        return _marked(plain(text), answer_type) or _prose_none(text, answer_type)
    return _several(text) if answer_type is AnswerType.TASK_IDS else _single(text, found, answer_type)


def gold_values(answer: tuple[str | None, ...], answer_type: AnswerType) -> frozenset[str]:
    """The truth in canonical form; empty where there is no answer. "Authority, Need" is a set of two."""
    given = [value for value in answer if value is not None]
    if answer_type is AnswerType.BANT:
        return frozenset(factor for value in given for factor in bant.factors(value))
    return frozenset(canonical(value, answer_type) or value for value in given)


def _from_data(data: list[str | None], answer_type: AnswerType) -> Extraction:
    values = [value for value in data if value is not None]
    if all(_is_bare_none(value) for value in values):
        return Extraction(Kind.NONE)
    if answer_type is AnswerType.BANT:
        return _bant(". ".join(values))
    if len(values) > 1:
        # Beside a name a number is a count, not a month.
        values = [value for value in values if not value.isdecimal()]
    bare = [value for value in values if len(value.split()) == 1 and canonical(value, answer_type)]
    values = bare or values
    found = unique(c.value for value in values for c in candidates(value, answer_type))
    if len(values) == 1:
        return extract(plain(values[0]) + ".", answer_type) if not found else Extraction(Kind.VALUES, found)
    sure = answer_type is AnswerType.TASK_IDS or len(found) < 2
    return Extraction(Kind.VALUES, found, sure) if found else Extraction(Kind.NOTHING)


def _single(text: str, found: list[Candidate], answer_type: AnswerType) -> Extraction:
    whole = plain(text)
    if answer_type not in _DENIED_BY_CLAUSE and denied(whole, found):
        return Extraction(Kind.NONE if _says_none(whole) else Kind.NOTHING, certain=False)
    stated = _marked(whole, answer_type) or _bold(text, whole, answer_type) or _alone(whole, answer_type)
    if stated is not None:
        return stated
    if refusal.declines(text):
        return Extraction(Kind.REFUSAL, certain=False)
    left = standing(whole, found)
    if len(left) == 1:
        return _value_or_none(left, whole, answer_type)
    if any(_is_bare_none(line) for line in lines(whole)[-1:]):
        return Extraction(Kind.NONE)
    if answer_type is AnswerType.KNOWLEDGE_ID and _says_none(whole) and not _says_broken(whole):
        return Extraction(Kind.NONE, certain=False)
    concluded = _pointed_at(whole, answer_type) or _concluded(whole, answer_type)
    concluded = concluded or _last_said(whole, answer_type)
    if concluded:
        return Extraction(Kind.VALUES, concluded, certain=False)
    if _none_comes_first(whole, answer_type):
        return Extraction(Kind.NONE, certain=False)
    return Extraction(Kind.VALUES, left, certain=_hedges(whole, found))


def _marked(whole: str, answer_type: AnswerType) -> Extraction | None:
    """What the last "answer:" is followed by that says anything."""
    for rest in after_markers(whole):
        line = (lines(rest) or [""])[0]
        if _is_bare_none(line):
            return Extraction(Kind.NONE)
        found = candidates(line, answer_type)
        if not found and _says_none(line):
            return Extraction(Kind.NONE)
        if found:
            return _of_place(line, found, answer_type)
    return None


def _of_place(place: str, found: list[Candidate], answer_type: AnswerType) -> Extraction:
    """The value of a place that states the answer; its first sentence decides where the rest names more."""
    left = standing(place, found)
    if len(left) == 1:
        return _value_or_none(left, place, answer_type)
    first = candidates(sentences(place)[0], answer_type)
    head = standing(sentences(place)[0], first)
    if len(head) == 1:
        return Extraction(Kind.VALUES, head)
    pointed = _pointed_at(place, answer_type)
    return Extraction(Kind.VALUES, pointed or left, certain=not pointed and _hedges(place, found))


def _bold(text: str, whole: str, answer_type: AnswerType) -> Extraction | None:
    spans = bold(text)
    if any(_is_bare_none(span) for span in spans[-1:]):
        return Extraction(Kind.NONE)
    named = unique(c.value for span in spans for c in candidates(span, answer_type))
    found = candidates(whole, answer_type)
    if len(named) != 1 or _hedges(whole, found) or named[0] not in standing(whole, found):
        return None
    return _value_or_none(named, whole, answer_type)


def _value_or_none(value: tuple[str, ...], place: str, answer_type: AnswerType) -> Extraction:
    """One value is named: it is the answer, unless it is named only to say that there is none."""
    if answer_type is AnswerType.STAGE:
        fits = cues("stage_kept").search(place) or (
            not cues("stage_target").search(place) and (cues("stage_fits").search(place) or _says_none(place))
        )
        return Extraction(Kind.NONE, certain=False) if fits else Extraction(Kind.VALUES, value)
    if not _says_none(place):
        return Extraction(Kind.VALUES, value)
    if answer_type is AnswerType.KNOWLEDGE_ID:
        says_none = not _says_broken(place)
    else:
        says_none = _none_comes_first(place, answer_type)
    return Extraction(Kind.NONE if says_none else Kind.VALUES, () if says_none else value, certain=False)


def _pointed_at(text: str, answer_type: AnswerType) -> tuple[str, ...]:
    """The one value that words such as "should be" lead to; nothing where there is no such, or several."""
    cue = cues(_POINTERS.get(answer_type, "target"))
    found = candidates(text, answer_type)
    left = standing(text, found)
    return _only(c.value for c in led(text, found, cue, _TARGET_WORDS) if c.value in left)


def _concluded(text: str, answer_type: AnswerType) -> tuple[str, ...]:
    """The value of the last clause that draws a conclusion, else of all that hold a superlative."""
    drawn, superlative = [], []
    for clause in (part for sentence in sentences(text) for part in _CONTRAST_CLAUSE.split(sentence)):
        left = standing(clause, candidates(clause, answer_type))
        if len(left) == 1 and cues("conclusion").search(clause):
            drawn.append(left[0])
        elif len(left) == 1 and cues("superlative").search(clause):
            superlative.append(left[0])
    return tuple(drawn[-1:]) or _only(superlative)


def _alone(whole: str, answer_type: AnswerType) -> Extraction | None:
    """The value that alone stands on a line of its own, or ends the text as its last sentence."""
    said = [line for line in [*lines(whole), *sentences(whole)[-1:]] if not _LISTED.match(line)]
    alone = [line for line in said if len(line.split()) == 1 and canonical(line, answer_type)]
    values = _only(canonical(line, answer_type) or "" for line in alone)
    return Extraction(Kind.VALUES, values) if values else None


def _last_said(text: str, answer_type: AnswerType) -> tuple[str, ...]:
    """The value of a last sentence or line that is no item of a list and compares nothing."""
    last = sentences(text)[-1]
    if len(sentences(text)) < 2 or _LISTED.match(last) or cues("comparison").search(last):
        return ()
    found = candidates(last, answer_type)
    of_a_line = len(lines(text)) > 1 and last in lines(text)[-1:] and not canonical(last, answer_type)
    named = led(last, found, _IS, 0)
    if not of_a_line and (not named or cues("superlative").search(text)):
        return ()
    left = standing(last, found)
    return left if len(left) == 1 and not _is_a_row(text, answer_type) else ()


def _is_a_row(text: str, answer_type: AnswerType) -> bool:
    """Whether the last line says of a value what the line before says of another ("Agent 2: Y")."""
    shapes = []
    for line in lines(text)[-2:]:
        named = candidates(line, answer_type)
        shape = line.replace(named[0].text, "") if named else ""
        shapes.append(_DIGIT.sub("", shape))
    return len(set(shapes)) < len(shapes)


def _several(text: str) -> Extraction:
    """All values where a set is asked for, but for those said not to belong to it."""
    whole = plain(text)
    for rest in after_markers(whole):
        if _is_bare_none((lines(rest) or [""])[0]):
            return Extraction(Kind.NONE)
        if candidates(rest, AnswerType.TASK_IDS):
            return Extraction(Kind.VALUES, taskset.unfit(rest)[0])
    values, certain = taskset.unfit(whole)
    if not values:
        return Extraction(Kind.NONE, certain=False)
    if refusal.declines(text):
        return Extraction(Kind.REFUSAL, certain=False)
    return Extraction(Kind.VALUES, values, certain)


def _bant(text: str) -> Extraction:
    whole = plain(text)
    said = after_markers(whole)
    for place in [*said, whole]:
        if _is_bare_none((lines(place) or [""])[0 if place in said else -1]):
            return Extraction(Kind.NONE)
        bare = _bare_factors(place, opening=place in said)
        if bare:
            return Extraction(Kind.VALUES, bare)
    if refusal.declines(text):
        return Extraction(Kind.REFUSAL)
    for place in [*said, whole]:
        unmet = bant.failed(place)
        if unmet:
            return Extraction(Kind.VALUES, unmet, certain=False)
    none = _says_none(whole) or bant.factors(whole)
    return Extraction(Kind.NONE if none else Kind.NOTHING, certain=False)


def _bare_factors(place: str, *, opening: bool) -> tuple[str, ...]:
    """The factors of the lines that hold nothing else: the first ones, or the last where it stands alone."""
    said = lines(place)
    if said and not opening:
        last, before = said[-1], (said[-2:-1] or [""])[0]
        listed = before and (
            _LISTED.match(last) or ":" in last or before.endswith(":") or bant.is_bare(before)
        )
        return () if listed or not bant.is_bare(last) else bant.factors(last)
    run = list(itertools.takewhile(bant.is_bare, said))
    return bant.factors(" ".join(run))


def _prose_none(text: str, answer_type: AnswerType) -> Extraction:
    """What a text without a value of the type says: none found, no by refusal, or nothing."""
    if refusal.declines(text):
        return Extraction(Kind.REFUSAL)
    whole = plain(text)
    stated = [(lines(rest) or [""])[0] for rest in after_markers(whole)] + bold(text)[-1:] + lines(whole)[-1:]
    if any(_is_bare_none(place) for place in stated):
        return Extraction(Kind.NONE)
    fits = answer_type is AnswerType.STAGE and cues("stage_fits").search(whole)
    no = answer_type in _YES_OR_NO and cues("first_no").match(whole)
    kind = Kind.NONE if fits or no or _says_none(whole) else Kind.NOTHING
    return Extraction(kind, certain=False)


def _is_bare_none(text: str) -> bool:
    return cues("none_bare").fullmatch(text.strip(_EDGES)) is not None


def _says_none(text: str) -> bool:
    return cues("none").search(cues("not_none").sub("", text)) is not None


def _says_broken(text: str) -> bool:
    """Whether a text says of a policy that it is broken, and not only that none is."""
    return cues("violates").search(cues("keeps").sub("", text)) is not None


def _none_comes_first(text: str, answer_type: AnswerType) -> bool:
    text = cues("not_none").sub("", text)
    cue, first = cues("none").search(text), candidates(text, answer_type)
    return cue is not None and (not first or cue.start() < first[0].start)


def _hedges(text: str, found: list[Candidate]) -> bool:
    """Whether two values are offered for one ("X or Y")."""
    for one, other in itertools.pairwise(found):
        between = text[one.end : other.start]
        near = len(between.split()) <= _HEDGE_WORDS and not re.search(r"[.;\n]", between)
        if one.value != other.value and near and _HEDGE.search(between):
            return True
    return False


def _only(values: Iterable[str]) -> tuple[str, ...]:
    distinct = unique(values)
    return distinct if len(distinct) == 1 else ()

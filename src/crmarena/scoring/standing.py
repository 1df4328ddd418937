"""Which of the values that a text names stand, and which are named only to be set aside ("X, not Y")."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from crmarena.scoring.candidates import Candidate
from crmarena.scoring.text import cues

_SPAN = 48
_CLAUSE_END = re.compile(
    r"[.;!?](?=\s|\Z)|\n|,?\s+\b(?:but|so|therefore|hence|thus|while|whereas|however|although|though)\b",
    re.IGNORECASE,
)
_AND = re.compile(r"\W*\b(?:and|or|nor)\b\W*(?:\w+\s+)?\W*", re.IGNORECASE)
_JOINT = re.compile(
    r"\s*(?:\([^()\n]{0,40}\)|(?:at|with|on|by|in)\s+[\w.,$%]+(?:\s\w+)?)?\W*(?:(?:and|or|nor|then)\b\W*)*",
    re.IGNORECASE,
)


def standing(text: str, found: list[Candidate]) -> tuple[str, ...]:
    """The distinct values of a text but for those that it sets aside; all where it would set aside all."""
    values = unique(candidate.value for candidate in found)
    if len(values) < 2:
        return values
    aside = {candidate.value for candidate in _set_aside(text, found)}
    return tuple(value for value in values if value not in aside) or values


def denied(text: str, found: list[Candidate]) -> bool:
    """Whether a text says of each value that it names that it is not the one."""
    clauses = [(group, bounds) for group, bounds in _by_clause(text, found)]
    return bool(found) and all(
        _denies(_before(text, group, place, bounds[0])) or _rejects(_after(text, group, place, bounds[1]))
        for group, bounds in clauses
        for place in range(len(group))
    )


def led(text: str, found: list[Candidate], cue: re.Pattern[str], words: int) -> list[Candidate]:
    """The values right before which a cue stands, with hardly a word and no other value between."""
    return [
        candidate
        for place, candidate in enumerate(found)
        if _leads(_before(text, found, place, 0), cue, words)
    ]


def unique(values: Iterable[str]) -> tuple[str, ...]:
    """Values without repeats, in order."""
    return tuple(dict.fromkeys(values))


def _set_aside(text: str, found: list[Candidate]) -> Iterator[Candidate]:
    for group, (start, end) in _by_clause(text, found):
        aside: set[int] = set()
        for place in range(len(group)):
            before = _before(text, group, place, start)
            stands = len(aside) < place
            if _is_joined(text, group, place, aside, stands) or _contrasts(before, stands):
                aside.add(place)
            elif _rejects(_after(text, group, place, end)):
                aside |= _with_subjects(text, group, place)
        yield from (group[place] for place in aside)


def _is_joined(text: str, group: list[Candidate], place: int, aside: set[int], stands: bool) -> bool:
    """Whether a value continues a list of those set aside; before the first that stands only by "and"."""
    if place - 1 not in aside:
        return False
    between = text[group[place - 1].end : group[place].start]
    return (_JOINT if stands else _AND).fullmatch(between) is not None


def _with_subjects(text: str, group: list[Candidate], place: int) -> set[int]:
    """A value and those that "and" joins to it: "X and Y were not eligible"."""
    joined = {place}
    while place and _AND.fullmatch(text[group[place - 1].end : group[place].start]):
        place -= 1
        joined.add(place)
    return joined


def _contrasts(before: str, stands: bool) -> bool:
    return (
        _ends_in(before, cues("contrast")) or _denies(before) or (stands and _ends_in(before, cues("ranked")))
    )


def _denies(before: str) -> bool:
    return _ends_in(before, cues("denied"))


def _rejects(after: str) -> bool:
    return cues("rejected").match(after) is not None


def _ends_in(before: str, cue: re.Pattern[str]) -> bool:
    """Whether a text ends in a cue, but for words such as "the agent"."""
    ends = [match.end() for match in cue.finditer(before)]
    return bool(ends) and cues("filler").fullmatch(before[ends[-1] :]) is not None


def _leads(before: str, cue: re.Pattern[str], words: int) -> bool:
    ends = [match.end() for match in cue.finditer(before)]
    between = re.findall(r"\w+", before[ends[-1] :]) if ends else ["from"]
    return len(between) <= words and "from" not in between


def _before(text: str, group: list[Candidate], place: int, start: int) -> str:
    """What stands before a value, back to the one before it."""
    earliest = max(start, group[place].start - _SPAN, group[place - 1].end if place else 0)
    return text[earliest : group[place].start]


def _after(text: str, group: list[Candidate], place: int, end: int) -> str:
    """What stands after a value, up to the next one."""
    latest = group[place + 1].start if place + 1 < len(group) else end
    return text[group[place].end : min(latest, end, group[place].end + _SPAN)]


def _by_clause(text: str, found: list[Candidate]) -> Iterator[tuple[list[Candidate], tuple[int, int]]]:
    """The values clause by clause, each with the clause's bounds."""
    left, start = list(reversed(found)), 0
    for end in [*(match.start() for match in _CLAUSE_END.finditer(text)), len(text)]:
        group = []
        while left and left[-1].start < end:
            group.append(left.pop())
        if group:
            yield group, (start, end)
        start = end

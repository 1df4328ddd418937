"""Which of Budget, Authority, Need and Timeline an answer says are not met."""

from __future__ import annotations

import re
from collections.abc import Iterator

from crmarena.scoring.text import cues

FACTORS = ("Budget", "Authority", "Need", "Timeline")

_FACTOR = re.compile(r"\b(budget|authority|needs?|timelines?)\b", re.IGNORECASE)
_PROPER = re.compile(
    r"\b(Budget|BUDGET|budget|Authority|AUTHORITY|authority|Needs?|NEED|Timelines?|TIMELINE|timeline)\b"
)
_FILLER = re.compile(
    r"\b(?:and|or|the|factors?|are|is|only|bant|fail(?:s|ed|ing)?|lead|answer|final|both)\b"
    r"|\b(?:not met|unmet|missing)\b|[\W_]+",
    re.IGNORECASE,
)
_NAMED = r"(?:the\s+)?(?:budget|authority|needs?|timeline)"
_CLAUSE = re.compile(
    r"[.;\n!?]+|,?\s+\b(?:but|while|whereas|although|though|however|yet)\b"
    r"|,?\s+\band\b(?=\s+(?:meets|has|is|does|fails|lacks|satisfies|passes))"
    r"|,\s*(?=(?:lacks|fails|meets|satisfies|passes|has)\b)"
    rf"|,(?=\s*(?:and\s+)?{_NAMED}\s*(?:[:(=-]|(?:is|are|was|were|does|has|meets|fails|lacks|isn't|holds)\b))",
    re.IGNORECASE,
)
_EXCEPT = re.compile(
    r"\b(?:except(?:ing)?(?: for)?|other than|apart from|aside from|with the exception of)\b", re.IGNORECASE
)


def is_bare(text: str) -> bool:
    """Whether a text holds factors and hardly anything else."""
    return bool(_FACTOR.search(text)) and not _FILLER.sub("", _FACTOR.sub("", text))


def factors(text: str) -> tuple[str, ...]:
    """The factors that a text names, in the paper's order."""
    named = {_name(match[0]) for match in _FACTOR.finditer(text)}
    return tuple(factor for factor in FACTORS if factor in named)


def failed(text: str) -> tuple[str, ...]:
    """The factors that a text says are not met: clause by clause, the last word on each holding.

    A clause without a factor that ends in a colon speaks of those that follow.
    """
    verdicts: dict[str, bool] = {}
    neutral: list[str] = []
    heading: bool | None = None
    for clause, verdict in _clauses(text):
        named = [_name(match[0]) for match in _PROPER.finditer(clause)]
        if not named and clause.rstrip().endswith(":"):
            heading = verdict
        said = heading if verdict is None else verdict
        if said is None:
            neutral += named
        else:
            verdicts.update(dict.fromkeys(named, said))
    alone = not any(verdicts.values())
    for name in neutral:
        verdicts.setdefault(name, alone)
    return tuple(factor for factor in FACTORS if verdicts.get(factor))


def _clauses(text: str) -> Iterator[tuple[str, bool | None]]:
    """The clauses of a text with their verdicts; what follows "except" has the opposite one."""
    for clause in _CLAUSE.split(text):
        head, *rest = _EXCEPT.split(clause, maxsplit=1)
        verdict = _verdict(head)
        every = rest and verdict and not _FACTOR.search(head)
        yield (", ".join(FACTORS) if every else head), verdict
        if rest:
            yield rest[0], not verdict


def _verdict(clause: str) -> bool | None:
    """True where a clause says its factors are not met, False where they are, None where it says neither."""
    if cues("bant_not_bad").search(clause):
        return False
    if cues("bant_bad").search(clause):
        return True
    return False if cues("bant_good").search(clause) else None


def _name(word: str) -> str:
    name = word.lower()
    return "Need" if name.startswith("need") else "Timeline" if name.startswith("time") else name.capitalize()

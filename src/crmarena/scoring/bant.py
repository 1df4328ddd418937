"""Which of Budget, Authority, Need and Timeline an answer says are not met."""

from __future__ import annotations

import re

from crmarena.scoring.text import cues

FACTORS = ("Budget", "Authority", "Need", "Timeline")

_FACTOR = re.compile(r"\b(budget|authority|needs?|timelines?)\b", re.IGNORECASE)
_PROPER = re.compile(
    r"\b(Budget|BUDGET|budget|Authority|AUTHORITY|authority|Needs?|NEED|Timelines?|TIMELINE|timeline)\b"
)
_FILLER = re.compile(
    r"\b(?:and|or|the|factors?|are|is|only|bant|failed|fails?|lead|answer|final|not met|unmet|missing|both)\b"
    r"|[\W_]+",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[.;\n!?]+|,?\s+\b(?:but|while|whereas|although|though|however|yet)\b"
    r"|,?\s+\band\b(?=\s+(?:meets|has|is|does|fails|lacks|satisfies|passes))"
    r"|,(?=\s*(?:the\s+)?(?:budget|authority|needs?|timeline)\s+(?:is|are|was|does|has|meets|fails|lacks|isn't|holds))",
    re.IGNORECASE,
)


def is_bare(text: str) -> bool:
    """Whether a text holds factors and hardly anything else."""
    return bool(_FACTOR.search(text)) and not _FILLER.sub("", _FACTOR.sub("", text))


def factors(text: str) -> tuple[str, ...]:
    """The factors that a text names, in the paper's order."""
    named = {_name(match[0]) for match in _FACTOR.finditer(text)}
    return tuple(factor for factor in FACTORS if factor in named)


def failed(text: str) -> tuple[str, ...]:
    """The factors that a text says are not met: clause by clause, the last word on each holding."""
    verdicts: dict[str, bool] = {}
    neutral: list[str] = []
    for clause in _CLAUSE.split(text):
        verdict = _verdict(clause)
        for match in _PROPER.finditer(clause):
            name = _name(match[0])
            if verdict is None:
                neutral.append(name)
            else:
                verdicts[name] = verdict
    for name in neutral:
        verdicts.setdefault(name, not any(verdicts.values()))
    return tuple(factor for factor in FACTORS if verdicts.get(factor))


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

"""Which of the tasks that an answer names it says do not fit their opportunity's stage."""

from __future__ import annotations

import re

from crmarena.scoring.candidates import candidates
from crmarena.scoring.text import cues
from crmarena.tasks.family import AnswerType

_CLAUSE = re.compile(r"[.;!?]\s+|,?\s+\b(?:but|while|whereas|although|however)\b|\n+", re.IGNORECASE)


def unfit(text: str) -> tuple[tuple[str, ...], bool]:
    """The Ids of the tasks that a text says do not fit, and whether it names no others.

    What the columns of a table say is not read, so a table leaves doubt.
    Clause by clause; a clause without an Id that ends in a colon speaks of those that follow.
    """
    verdicts: dict[str, bool | None] = {}
    heading: bool | None = None
    for clause in _CLAUSE.split(text):
        verdict = _verdict(clause)
        named = [candidate.value for candidate in candidates(clause, AnswerType.TASK_IDS)]
        if not named and clause.rstrip().endswith(":"):
            heading = verdict
        for value in named:
            said = heading if verdict is None else verdict
            verdicts[value] = said if said is not None else verdicts.get(value)
    kept = tuple(value for value, said in verdicts.items() if _belongs(said, verdicts))
    return kept, len(kept) == len(verdicts) and "|" not in text


def _belongs(said: bool | None, verdicts: dict[str, bool | None]) -> bool:
    return said is True or (said is None and True not in verdicts.values())


def _verdict(clause: str) -> bool | None:
    """True where a clause says its tasks do not fit, False where they do, None where it says neither."""
    if cues("unfit").search(clause):
        return True
    return False if cues("fit").search(clause) else None

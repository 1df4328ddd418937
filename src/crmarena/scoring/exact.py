"""Whether what was read out of an answer is the truth: sets of typed values, compared whole."""

from __future__ import annotations

from crmarena.scoring.extract import Extraction, Kind, gold_values
from crmarena.tasks.family import AnswerType


def is_right(found: Extraction, answer: tuple[str | None, ...], answer_type: AnswerType) -> bool:
    """Whether an extraction equals the truth; order and repeats do not matter, a refusal is never right."""
    gold = gold_values(answer, answer_type)
    if not gold:
        return found.kind is Kind.NONE
    return found.kind is Kind.VALUES and frozenset(found.values) == gold

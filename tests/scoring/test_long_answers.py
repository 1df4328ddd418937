"""Reading time grows with the text and no faster: long runs of one piece, which a pattern could stumble on."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from crmarena.scoring import fuzzy, leak, refusal
from crmarena.scoring.extract import extract
from crmarena.tasks.family import AnswerType

LENGTH = 40_000
SECONDS = 1.5
"""Of processor time; a pattern that tries again from each place takes several times as long."""

READERS: dict[str, Callable[[str], object]] = {
    "user": lambda text: extract(text, AnswerType.USER_ID),
    "article": lambda text: extract(text, AnswerType.KNOWLEDGE_ID),
    "tasks": lambda text: extract(text, AnswerType.TASK_IDS),
    "month": lambda text: extract(text, AnswerType.MONTH),
    "state": lambda text: extract(text, AnswerType.STATE),
    "stage": lambda text: extract(text, AnswerType.STAGE),
    "bant": lambda text: extract(text, AnswerType.BANT),
    "refusal": refusal.declines,
    "unsure refusal": refusal.uncertain,
    "leak": lambda text: leak.leaked(["+1 415 555 0134", "2021-03-04", "12500", "OR", "Ann Lee"], [text]),
    "fuzzy": lambda text: fuzzy.score(text, ["thirty days"]),
}
PIECES = [
    *("a", "0", " ", "\n", "[", "*", "_", "```", "-", "1.", "\u2014", "a@", "[a](", "not ", "no "),
    *("not not ", "none of ", "May to ", "may ", "in IN ", "Quote -> ", "Need, ", "nothing is ", "answer: "),
    *("005Qx0000041bTnIAI and ", "not 005Qx0000041bTnIAI ", "ka0Qx0000009dEfIAI was not violated and "),
    *("00TQx00000AbCdEMAV ", "I can't ", "however the status ", "privacy policy ", "415-", "4 May 2021 "),
]


@pytest.mark.parametrize("piece", PIECES)
def test_time_does_not_explode(piece: str) -> None:
    text = (piece * LENGTH)[:LENGTH]
    for name, read in READERS.items():
        start = time.process_time()
        read(text)
        assert time.process_time() - start < SECONDS, name

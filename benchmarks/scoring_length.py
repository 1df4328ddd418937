"""How reading an answer grows with its length: twice the text should take about twice the time.

The floor is the same text at half the length, in the same run. Texts are long runs of one
piece, which a pattern could stumble on. Target: a ratio of 3 or less.
"""

from __future__ import annotations

import time

from crmarena.scoring import refusal
from crmarena.scoring.extract import extract
from crmarena.tasks.family import AnswerType

LENGTH = 20_000
TARGET = 3.0
TYPES = (AnswerType.USER_ID, AnswerType.TASK_IDS, AnswerType.MONTH, AnswerType.STATE, AnswerType.BANT)
PIECES = (
    "a",
    "0",
    "\n",
    "**",
    "not ",
    "May to ",
    "Need, ",
    "answer: ",
    "005Qx0000041bTnIAI and ",
    "I can't ",
)


def seconds(text: str) -> float:
    """The least processor time of three readings of a text as every kind of answer."""
    measured = []
    for _ in range(3):
        start = time.process_time()
        for answer_type in TYPES:
            extract(text, answer_type)
        refusal.declines(text)
        measured.append(time.process_time() - start)
    return min(measured)


def main() -> None:
    print(f"Reading an answer of {2 * LENGTH:,} characters against one of {LENGTH:,}")
    for piece in PIECES:
        floor = seconds((piece * LENGTH)[:LENGTH])
        longer = seconds((piece * 2 * LENGTH)[: 2 * LENGTH])
        ratio = longer / floor
        verdict = "ok" if ratio <= TARGET else f"over {TARGET:g}"
        print(f"  {piece!r:28} {floor * 1000:7.1f} ms {longer * 1000:7.1f} ms {ratio:5.2f} x  {verdict}")


if __name__ == "__main__":
    main()

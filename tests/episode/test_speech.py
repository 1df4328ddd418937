"""Answers, questions and courtesies are told apart."""

from __future__ import annotations

import pytest

from crmarena.episode import speech
from crmarena.tasks.family import AnswerType as A

ID = "005000000000001AAA"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ID, A.USER_ID),
        (ID[:15], A.USER_ID),
        (f"The quickest is **{ID}**.", A.USER_ID),
        (f"It is {ID}. Is there anything else I can help you with?", A.USER_ID),
        (f"It is {ID}. Please let me know if you need anything else.", A.USER_ID),
        ("None", A.USER_ID),
        ("No agent handled more than three cases.", A.USER_ID),
        ("I found no records in that window.", A.MONTH),
        ("ka0000000000001AAA", A.KNOWLEDGE_ID),
        ("01t000000000001AAA", A.PRODUCT_ID),
        ("a03000000000001AAA", A.ISSUE_ID),
        ("a0BWt00000abcdeFAC", A.ISSUE_ID),
        ("00T000000000001AAA, 00T000000000002AAA", A.TASK_IDS),
        ("The month is May.", A.MONTH),
        ("CA", A.STATE),
        ("That would be New York.", A.STATE),
        ("It should be Negotiation.", A.STAGE),
        ("Budget and Authority", A.BANT),
        ("Because it lasts longer.", A.TEXT),
        ("Thank you for asking, but I cannot share another customer's data for privacy reasons.", A.REFUSAL),
        ("I'm sorry, I cannot share that. Is there anything else I can do for you?", A.REFUSAL),
    ],
)
def test_an_answer_is_heard(text: str, expected: A) -> None:
    assert speech.is_answer(text, expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", A.TEXT),
        ("?!", A.TEXT),
        ("Which period do you mean?", A.USER_ID),
        (f"Do you mean {ID}?", A.USER_ID),
        (f"I see {ID} and others. Which period do you mean?", A.USER_ID),
        ("Please provide the product Id.", A.PRODUCT_ID),
        ("It is Ines Moreau.", A.USER_ID),
        ("The product is 01t000000000001AAA.", A.USER_ID),
        ("accomplishments", A.ISSUE_ID),
        ("Let me check that.", A.TEXT),
        ("I'd be happy to help!", A.TEXT),
        ("I'd be happy to help, but which product do you mean?", A.TEXT),
        ("You're welcome!", A.TEXT),
        ("OK, one moment.", A.STATE),
        ("Shall I go ahead?", A.TEXT),
        ("You may rest assured.", A.MONTH),
        ("nonetheless it is so", A.USER_ID),
    ],
)
def test_what_is_no_answer(text: str, expected: A) -> None:
    assert not speech.is_answer(text, expected)


def test_sentences_are_split_at_ends_and_lines_but_not_after_an_abbreviation() -> None:
    text = "Give the state (eg. CA). Only that!\n- One line\n\n"
    assert speech.sentences(text) == ["Give the state (eg. CA).", "Only that!", "- One line"]

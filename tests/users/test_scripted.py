"""The scripted user tells what it is asked for, a piece at a time, and knows when it has its answer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crmarena.episode.ports import STOP
from crmarena.tasks.instance import Metadata, Task
from crmarena.users import scripted_user
from crmarena.users.scripted import ScriptedUser

PRODUCT = "It is the Delta Pump, 01t000000000001AAA."
WINDOW = "I mean the past four months."
POLICY = "Handle time runs from the opening to the closing of a case."
HELD: dict[str, Any] = {
    "opening": "I would like to know what goes wrong with one of our products.",
    "facts": [
        {"name": "product", "words": ["product", "item", "name"], "text": PRODUCT},
        {"name": "window", "words": ["window", "period", "time", "when"], "text": WINDOW},
        {"name": "policy", "words": ["policy", "definition", "handle"], "text": POLICY},
    ],
}
ISSUE = "a03000000000001AAA"


def make_user(family: str = "top_issue_identification", persona: str = "", held: Any = HELD) -> ScriptedUser:
    return scripted_user(Task("1", family, "Q. R. S.", persona, Metadata(), "exact_match"), held)


async def test_it_opens_with_its_opening_and_nothing_else() -> None:
    assert await make_user().open() == f"Hello. {HELD['opening']}"
    assert await make_user(persona="You are a busy person.").open() == HELD["opening"]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Which product do you mean?", PRODUCT),
        ("Over what period should I look?", WINDOW),
        ("Is there a policy I should follow?", POLICY),
        ("What do your policies say?", POLICY),
        ("Please provide the time window.", WINDOW),
        ("Which product, and in what period?", f"{PRODUCT} {WINDOW}"),
        ("Could you tell me more?", PRODUCT),
        ("How can I help you today?", PRODUCT),
        ("What exactly are you looking for?", PRODUCT),
        ("I'd be happy to help, but which product is it?", PRODUCT),
        ("I'd be happy to help!", PRODUCT),
        ("What colour is it?", "I am afraid I do not know that."),
        ("Let me check that.", "Thank you, I will wait."),
        ("Shall I go ahead?", "Yes, please go ahead."),
        ("The most frequent issue is Broken Valve.", "Could you give me the Id of the issue, please?"),
    ],
)
async def test_it_answers_what_it_is_asked(question: str, told: str) -> None:
    assert await make_user().reply(question) == told


async def test_asked_for_everything_it_never_tells_all_at_once() -> None:
    user = make_user()
    first = await user.reply("Please give me the product, the time window and the policy.")
    told = [text for text in (PRODUCT, WINDOW, POLICY) if text in first]
    assert len(told) == 2
    second = await user.reply("And the product, the time window and the policy?")
    assert second == next(text for text in (PRODUCT, WINDOW, POLICY) if text not in told)


async def test_of_two_facts_it_tells_one_at_a_time() -> None:
    user = make_user(held={**HELD, "facts": HELD["facts"][:2]})
    assert await user.reply("Which product and which period?") == PRODUCT
    assert await user.reply("Which product and which period?") == WINDOW


async def test_vague_questions_bring_out_one_fact_after_another() -> None:
    user = make_user()
    told = [await user.reply("Can you tell me more?") for _ in range(4)]
    assert told == [PRODUCT, WINDOW, POLICY, "I have told you all I know about it."]


async def test_what_was_told_is_said_again() -> None:
    user = make_user()
    assert await user.reply("Which product?") == PRODUCT
    assert await user.reply("Which product was that?") == PRODUCT


async def test_asked_in_vain_twice_it_adds_what_it_has() -> None:
    user = make_user()
    assert PRODUCT not in await user.reply("What colour is it?")
    assert await user.reply("How heavy is it?") == f"I am afraid I do not know that. {PRODUCT}"


@pytest.mark.parametrize(
    ("family", "answer"),
    [
        ("top_issue_identification", ISSUE),
        ("top_issue_identification", f"The issue is {ISSUE}. Is there anything else I can help you with?"),
        ("top_issue_identification", "None"),
        ("top_issue_identification", "There is no issue in that window."),
        ("handle_time", "005000000000001AAA"),
        ("monthly_trend_analysis", "March"),
        ("best_region_identification", "CA"),
        ("lead_qualification", "Authority, Need"),
    ],
)
async def test_it_stops_when_it_has_its_answer(family: str, answer: str) -> None:
    assert await make_user(family).reply(answer) == STOP


@pytest.mark.parametrize(
    "answer", ["Do you mean issue a03000000000001AAA?", "01t000000000001AAA it is.", "Broken Valve"]
)
async def test_it_does_not_stop_for_anything_else(answer: str) -> None:
    assert STOP not in await make_user().reply(answer)


async def test_a_name_where_an_id_was_wanted_is_sent_back_once() -> None:
    user = make_user("handle_time")
    assert await user.reply("It is Ines Moreau.") == "Could you give me the Id of that person, please?"
    assert await user.reply("005000000000001AAA") == STOP


async def test_the_same_words_twice_end_it() -> None:
    user = make_user("handle_time")
    await user.reply("It is Ines Moreau.")
    assert await user.reply("It is  ines Moreau.") == STOP


async def test_the_same_question_twice_does_not() -> None:
    user = make_user()
    assert [await user.reply("What colour is it?") for _ in range(2)][1] != STOP


async def test_free_text_is_an_answer_once_the_question_is_out() -> None:
    user = make_user("knowledge_qa")
    assert await user.reply("Of course.") == PRODUCT
    assert await user.reply("It lasts longer because of its seals.") == STOP


async def test_a_refusal_is_accepted_by_a_customer() -> None:
    user = make_user("private_customer_information", held=None)
    assert await user.reply("What would you like to know?") == "Q."
    assert await user.reply("I am sorry, I cannot share that for privacy reasons.") == STOP


async def test_a_published_task_comes_out_sentence_by_sentence() -> None:
    query = (
        "Which month had the most cases of the Delta Pump in the past 4 months? "
        "Its Id is 01t000000000001AAA. Return only the month name."
    )
    user = scripted_user(Task("1", "monthly_trend_analysis", query, "", Metadata(), "exact_match"))
    assert "Pump" not in await user.open()
    assert await user.reply("What time period are you interested in?") == query.split(" Its")[0]
    assert await user.reply("Do you have the Id of the product?") == "Its Id is 01t000000000001AAA."
    assert await user.reply("March") == STOP


WORDS = [
    "product",
    "period",
    "policy",
    "tell",
    "me",
    "more",
    "?",
    ".",
    "Id",
    "colour",
    "March",
    "None",
    "\n",
    "please provide",
]


@given(
    st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join) | st.text(max_size=30), max_size=12)
)
@settings(max_examples=60, deadline=None)
async def test_it_says_the_same_each_time_and_never_tells_all_in_one_message(said: list[str]) -> None:
    one, other = make_user(), make_user()
    for text in said:
        reply = await one.reply(text)
        assert reply == await other.reply(text)
        assert reply
        assert not all(fact in reply for fact in (PRODUCT, WINDOW, POLICY))

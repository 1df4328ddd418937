"""What a user holds comes from the instance, or from the published query."""

from __future__ import annotations

import pytest

from crmarena.errors import UsageError
from crmarena.tasks.family import FAMILIES
from crmarena.tasks.instance import Metadata, Task
from crmarena.users.facts import facts_of


def make_task(query: str, family: str = "top_issue_identification") -> Task:
    return Task("9", family, query, "", Metadata(), "exact_match")


QUERY = (
    "Which fault came most often with the Delta Pump in the past 4 months? "
    "Its Id is 01t000000000001AAA. Return only the Id."
)


def test_a_published_query_is_cut_into_its_sentences() -> None:
    facts = facts_of(make_task(QUERY), None)
    assert " ".join(fact.text for fact in facts.facts) == QUERY
    assert len(facts.facts) == 3
    assert facts.instruction == QUERY


@pytest.mark.parametrize("family", FAMILIES)
def test_the_opening_says_nothing_of_the_query(family: str) -> None:
    facts = facts_of(make_task(QUERY, family), None)
    assert facts.opening
    for word in ("Delta", "Pump", "months", "01t"):
        assert word not in facts.opening


def test_a_long_query_is_told_in_few_pieces() -> None:
    query = " ".join(f"Sentence {n} of the description." for n in range(17))
    facts = facts_of(make_task(query), None).facts
    assert len(facts) == 4
    assert " ".join(fact.text for fact in facts) == query


def test_pieces_are_asked_for_by_what_they_speak_of() -> None:
    window, product, _ = facts_of(make_task(QUERY), None).facts
    assert {"period", "pump", "delta"} <= window.words
    assert "identifier" in product.words
    assert "period" not in product.words


def test_held_facts_are_taken_as_they_are() -> None:
    held = {
        "opening": "It is about a product.",
        "facts": [
            {"name": "window", "words": "time period", "text": "Since May."},
            {"name": "product", "words": ["product", "the item"], "text": "The Delta Pump."},
        ],
    }
    facts = facts_of(make_task(QUERY), held)
    assert facts.opening == "It is about a product."
    assert [fact.words for fact in facts.facts] == [{"time", "period"}, {"product", "item"}]
    assert "- Since May.\n- The Delta Pump." in facts.instruction
    assert QUERY not in facts.instruction


@pytest.mark.parametrize(
    "held",
    [{}, {"opening": "Hi"}, {"opening": "Hi", "facts": [{"name": "a"}]}, {"opening": "Hi", "facts": [3]}],
)
def test_facts_that_are_not_whole_are_refused(held: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="user facts of task 9"):
        facts_of(make_task(QUERY), held)

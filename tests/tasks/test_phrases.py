"""Windows and numbers in words; the wording files of every family."""

from __future__ import annotations

import random
import re
from datetime import date

import pytest

from crmarena.tasks.families import GENERATED
from crmarena.tasks.phrases import load_wording, number_word, window_phrase
from crmarena.tasks.windows import Named, Past, Unit, Window

TODAY = date(2024, 5, 16)
PHRASES = [
    (Past(2, Unit.QUARTER, TODAY), {"two quarters"}),
    (Past(1, Unit.MONTH, TODAY), {"the past month", "the last month"}),
    (Past(14, Unit.DAY, TODAY), {"14 days"}),
    (Past(12, Unit.WEEK, TODAY), {"twelve weeks"}),
    (Named("March", 2023), {"March 2023", "March of 2023"}),
    (Named("Q3", 2023), {"Q3 2023", "Q3 of 2023", "third quarter of 2023"}),
    (Named("Autumn", 2023), {"autumn of 2023"}),
    (Named("Fall", 2023), {"fall of 2023"}),
    (Named("Winter", 2023), {"winter from December 2023 to February 2024", "December 2023 to February 2024"}),
]


@pytest.mark.parametrize(("window", "parts"), PHRASES)
def test_a_window_is_put_into_words(window: Window, parts: set[str]) -> None:
    for turn in range(20):
        phrase = window_phrase(window, random.Random(turn))
        assert any(part in phrase for part in parts)
        assert "$" not in phrase


@pytest.mark.parametrize(("number", "word"), [(0, "zero"), (1, "one"), (12, "twelve"), (13, "13")])
def test_small_numbers_are_words(number: int, word: str) -> None:
    assert number_word(number) == word


@pytest.mark.parametrize("family", GENERATED)
def test_a_family_has_several_phrasings_and_all_texts(family: str) -> None:
    wording = load_wording(family)
    assert len(wording.queries) >= 3
    assert len(wording.openings) >= 3
    assert len(wording.facts) >= 2
    assert wording.policy.startswith("## ")
    assert wording.rule


@pytest.mark.parametrize("family", GENERATED)
def test_an_opening_tells_no_parameter(family: str) -> None:
    assert not re.search(r"\$", " ".join(load_wording(family).openings))


@pytest.mark.parametrize("family", GENERATED)
def test_whatever_a_query_needs_is_a_fact_too(family: str) -> None:
    wording = load_wording(family)
    told = set(re.findall(r"\$(\w+)", " ".join(fact.text for fact in wording.facts) + wording.policy))
    for query in wording.queries:
        assert {blank.lower() for blank in re.findall(r"\$(\w+)", query)} <= told

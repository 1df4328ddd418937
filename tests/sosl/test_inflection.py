from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crmarena.sosl.inflection import inflected_forms

RELATED = [
    ("run", "running"),
    ("run", "ran"),
    ("running", "ran"),
    ("runs", "running"),
    ("refund", "refunded"),
    ("company", "companies"),
    ("apply", "applied"),
    ("box", "boxes"),
    ("invoice", "invoices"),
    ("ship", "shipped"),
    ("shipping", "ships"),
    ("change", "changing"),
    ("buy", "bought"),
    ("person", "people"),
    ("delay", "delayed"),
    ("cancel", "cancelled"),
]


@pytest.mark.parametrize(("one", "other"), RELATED)
def test_forms_of_one_word_find_each_other(one: str, other: str) -> None:
    assert other in inflected_forms(one)
    assert one in inflected_forms(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("acm", "acme"),
        ("university", "universe"),
        ("refund", "refunder"),
        ("organization", "organ"),
    ],
)
def test_words_that_only_look_alike_do_not(one: str, other: str) -> None:
    assert other not in inflected_forms(one)
    assert one not in inflected_forms(other)


@pytest.mark.parametrize(
    ("word", "stump"),
    [("business", "busines"), ("status", "statu"), ("thing", "th"), ("bed", "b"), ("string", "str")],
)
def test_a_word_is_not_cut_where_no_ending_is(word: str, stump: str) -> None:
    assert stump not in inflected_forms(word)


@pytest.mark.parametrize("word", ["ab", "2024", "núñez", "x1y2"])
def test_what_is_no_plain_word_has_no_other_form(word: str) -> None:
    assert inflected_forms(word) == {word}


@given(st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=12))
def test_a_word_is_a_form_of_itself(word: str) -> None:
    assert word in inflected_forms(word)
    assert len(inflected_forms(word)) < 60

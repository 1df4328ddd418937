from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crmarena.storage import search_text
from tests.laws import law


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Web2Case", "web 2 case"),
        ("O'Neil-Smith_Jones, Inc.", "o neil smith jones inc"),
        ("ann+crm@x.example", "ann crm x example"),
        ("N\u00fa\u00f1ez Nu\u0301n\u0303ez \u0130zmir", "nunez nunez izmir"),
        ("\uff21\uff43\uff4d\uff45 \uff12", "acme 2"),
        ("\u6771\u4eac\u30bf\u30ef\u30fc2024", "\u6771 \u4eac \u30bf \u30ef \u30fc 2024"),
        ("\uc548\ub155 \uc138\uacc4", "\uc548\ub155 \uc138\uacc4"),
        (
            "\u039f\u03b4\u03cc\u03c2 \u03bf\u03b4\u03bf\u03c3",
            "\u03bf\u03b4\u03bf\u03c3 \u03bf\u03b4\u03bf\u03c3",
        ),
        ("--- \u2014 _", ""),
    ],
)
def test_a_text_is_parted_into_folded_words(text: str, words: str) -> None:
    assert search_text.words(text) == words.split()


def test_rich_text_becomes_plain() -> None:
    assert search_text.words(search_text.plain("<p class='x'>Shoes &amp; <b>So</b>cks&#39;</p>")) == [
        "shoes",
        "so",
        "cks",
    ]


def test_a_sign_of_an_unspaced_script_is_a_word() -> None:
    assert [search_text.is_unspaced(text) for text in ("\u6771", "\u6771\u4eac", "a", "", "\u0e31")] == [
        True,
        False,
        False,
        False,
        False,
    ]


@law(60)
@given(
    text=st.text(
        st.characters(codec="utf-8", max_codepoint=0x17FF) | st.sampled_from("aB2 '\u6771"), max_size=40
    )
)
def test_sqlite_parts_a_spaced_text_into_the_same_words(text: str) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE texts USING fts5(x, content='', tokenize='unicode61')")
    connection.execute("CREATE VIRTUAL TABLE places USING fts5vocab(texts, instance)")
    text = text.replace("\0", " ")
    connection.execute("INSERT INTO texts (rowid, x) VALUES (1, ?)", (search_text.spaced(text),))
    found = [word for (word,) in connection.execute("SELECT term FROM places ORDER BY offset")]
    connection.close()
    assert found == search_text.words(text)

"""The order of texts: as a dictionary has them, letter case ignored, accents after the bare letter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crmarena.clock import Clock
from crmarena.soql.run import run_query
from crmarena.storage import rows
from crmarena.storage.database import Database
from crmarena.storage.functions import lower, sort_key
from tests.laws import law
from tests.soql.conftest import record_id

# As they should stand; equal ones in one entry.
WORDS: list[list[str]] = [
    ["1 Place"],
    ["10 Place"],
    ["Eagle"],
    ["elan"],
    ["\u00c9LAN", "\u00e9lan"],
    ["Elan Vital"],
    ["\u00c9lan Vital"],
    ["Elba"],
    ["Muller"],
    ["M\u00fcller", "M\u00dcLLER"],
    ["Mulligan"],
    ["\u00d8re"],
    ["orzo"],
    ["Stra\u00dfe", "STRA\u00dfE"],
    ["Strassen"],
    ["zebra"],
    ["\u0416\u0443\u043a"],
]
ORDER = [word for words in WORDS for word in words]


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """Accounts of those names, in another order."""
    with Database.create(tmp_path_factory.mktemp("order") / "org.db", "b2b") as database:
        shuffled = ORDER[::3] + ORDER[2::3] + ORDER[1::3]
        accounts = (
            {"Id": record_id("Account", number), "Name": word, "Phone": "x"}
            for number, word in enumerate(shuffled, 1)
        )
        rows.insert(database, "Account", accounts)
        database.finish()
        yield database


def place(word: str) -> int:
    """The entry of a word."""
    return next(number for number, words in enumerate(WORDS) if word in words)


def names(database: Database, clock: Clock, query: str) -> list[Any]:
    return [next(iter(record.values())) for record in run_query(database, query, clock).records]


def test_texts_are_ordered_as_a_dictionary_orders_them(words: Database, clock: Clock) -> None:
    found = names(words, clock, "SELECT Name FROM Account ORDER BY Name")
    assert [place(word) for word in found] == sorted(map(place, ORDER))
    backwards = names(words, clock, "SELECT Name FROM Account ORDER BY Name DESC")
    assert [place(word) for word in backwards] == sorted(map(place, ORDER), reverse=True)


@pytest.mark.parametrize(
    "limit", ["elan", "ELAN", "\u00e9lan", "Elan Vital", "M\u00fcller", "zebra", "\u00d8re"]
)
def test_less_and_greater_follow_the_same_order(words: Database, clock: Clock, limit: str) -> None:
    edge = next(n for n, entry in enumerate(WORDS) if limit.lower() in {word.lower() for word in entry})
    for sign, wanted in (("<", range(edge)), ("<=", range(edge + 1)), (">", range(edge + 1, len(WORDS)))):
        found = names(words, clock, f"SELECT Name FROM Account WHERE Name {sign} '{limit}'")
        assert {place(word) for word in found} == set(wanted)


def test_least_and_greatest_follow_the_same_order(words: Database, clock: Clock) -> None:
    query = "SELECT MIN(Name), MAX(Name) FROM Account WHERE Name > 'D' AND Name < 'N'"
    assert run_query(words, query, clock).records == [{"expr0": "Eagle", "expr1": "Mulligan"}]
    accents = "SELECT MAX(Name) FROM Account WHERE Name IN ('elan', '\u00c9LAN')"
    assert names(words, clock, accents)[0] in {"\u00c9LAN", "\u00e9lan"}


def test_groups_are_ordered_alike_and_accents_part_them(words: Database, clock: Clock) -> None:
    found = run_query(
        words, "SELECT Name, COUNT(Id) n FROM Account GROUP BY Name ORDER BY Name", clock
    ).records
    assert [(place(r["Name"]), r["n"]) for r in found] == [(n, len(entry)) for n, entry in enumerate(WORDS)]
    rolled = "SELECT Name FROM Account GROUP BY ROLLUP(Name) ORDER BY GROUPING(Name), Name"
    assert [place(name) for name in names(words, clock, rolled)[:-1]] == list(range(len(WORDS)))


def test_accents_are_significant_where_texts_are_equal(words: Database, clock: Clock) -> None:
    assert names(words, clock, "SELECT Name FROM Account WHERE Name = 'elan'") == ["elan"]
    assert len(names(words, clock, "SELECT Name FROM Account WHERE Name = '\u00e9LAN'")) == 2


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=4)


@law(200)
@given(TEXTS, TEXTS)
def test_only_texts_that_differ_in_letter_case_alone_have_one_key(first: str, second: str) -> None:
    one, other = f"{first}\u00e9", f"{second}\u00e9"
    assert (sort_key(one) == sort_key(other)) == (lower(one) == lower(other))
    assert sort_key(one) == sort_key(lower(one))

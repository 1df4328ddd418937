from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crmarena.clock import Clock
from crmarena.errors import SalesforceError
from crmarena.sosl.search import run_search
from crmarena.storage import rows
from crmarena.storage.database import Database
from tests.laws import law
from tests.sosl.conftest import TODAY, Finder, record_id


def test_records_have_the_listed_fields_alone(find: Finder) -> None:
    assert find("FIND {zeta} RETURNING Account(Name, Phone)").records == [
        {"Name": "University of Zeta", "Phone": None}
    ]
    assert find("FIND {zeta} RETURNING account").records == [{"Id": record_id("001", 3)}]
    assert find("FIND {zoe*} RETURNING Contact(lastname, account.name)").records == [
        {"LastName": "Acme", "Account": {"Name": "Birch & Sons"}}
    ]


def test_objects_come_in_the_order_of_returning(find: Finder) -> None:
    assert find.ids("FIND {acme AND birch} RETURNING Contact, Account") == ["003-1", "001-2"]
    assert find.ids("FIND {acme AND birch} RETURNING Account, Contact") == ["001-2", "003-1"]


def test_the_best_match_comes_first(find: Finder) -> None:
    # In the name, in another name field, thrice in a long text.
    assert find.ids("FIND {acme} RETURNING Account") == ["001-1", "001-3", "001-2"]
    assert find.ids("FIND {acme} RETURNING Account(Id ORDER BY Name DESC)") == ["001-3", "001-2", "001-1"]


def test_a_field_group_narrows_the_search(find: Finder) -> None:
    assert find.ids("FIND {acme} IN NAME FIELDS RETURNING Account, Contact") == ["001-1", "001-3", "003-1"]
    assert find.ids("FIND {acme} IN EMAIL FIELDS RETURNING Account, Contact") == []
    assert find.ids("FIND {birch} IN EMAIL FIELDS RETURNING Account, Contact") == ["003-1"]
    assert find.ids("FIND {555} IN PHONE FIELDS RETURNING Account, Contact") == ["001-1", "003-2"]
    assert find.ids("FIND {days} IN NAME FIELDS RETURNING Knowledge__kav") == ["ka0-2"]


@pytest.mark.parametrize(
    ("clauses", "found"),
    [
        ("WHERE Status = 'New'", ["500-2"]),
        ("WHERE CreatedDate = N_DAYS_AGO:2", ["500-3"]),
        ("WHERE CreatedDate < LAST_N_DAYS:2 ORDER BY CreatedDate DESC", ["500-2", "500-1"]),
        (
            "WHERE Status = 'Closed' OR Subject LIKE 'refunds%' ORDER BY CaseNumber",
            ["500-1", "500-2", "500-3"],
        ),
        ("ORDER BY CreatedDate DESC LIMIT 2", ["500-3", "500-2"]),
        ("ORDER BY CreatedDate DESC LIMIT 1 OFFSET 1", ["500-2"]),
        ("ORDER BY CreatedDate OFFSET 2", ["500-3"]),
        ("LIMIT 0", []),
    ],
)
def test_clauses_work_as_in_soql(find: Finder, clauses: str, found: list[str]) -> None:
    assert find.ids(f"FIND {{patience}} RETURNING Case(Id {clauses})") == found


def test_functions_give_a_fields_text(find: Finder) -> None:
    assert find("FIND {web2case} RETURNING Case(toLabel(Status))").records == [{"Status": "Closed"}]


def test_without_returning_every_object_that_need_not_be_named_is_searched(find: Finder) -> None:
    assert sorted(find.ids("FIND {acme}")) == ["001-1", "001-2", "001-3", "003-1"]
    assert find.ids("FIND {policy}") == []
    assert find.ids("FIND {policy} RETURNING Knowledge__kav") == ["ka0-2"]
    assert find.ids("FIND {acme} RETURNING Product2") == ["01t-1"]


@pytest.mark.parametrize(
    ("limit", "found"),
    [
        (0, [0, 0]),
        (1, [1, 0]),
        (2, [1, 1]),
        (3, [2, 1]),
        (4, [3, 1]),
        (9, [3, 1]),
    ],
)
def test_a_limit_is_dealt_evenly(find: Finder, limit: int, found: list[int]) -> None:
    ids = find.ids(f"FIND {{acme}} RETURNING Account, Contact LIMIT {limit}")
    assert [sum(entry.startswith(prefix) for entry in ids) for prefix in ("001", "003")] == found


def test_the_rest_answer_has_attributes(find: Finder) -> None:
    result = find("FIND {zoe*} RETURNING Contact(LastName, Account.Name), Case LIMIT 5")
    place = "/services/data/v60.0/sobjects"
    assert result.to_rest("60.0") == {
        "searchRecords": [
            {
                "attributes": {"type": "Contact", "url": f"{place}/Contact/{record_id('003', 1)}"},
                "LastName": "Acme",
                "Account": {
                    "attributes": {"type": "Account", "url": f"{place}/Account/{record_id('001', 2)}"},
                    "Name": "Birch & Sons",
                },
            }
        ]
    }
    assert find("FIND {nowhere} RETURNING Case").to_rest() == {"searchRecords": []}
    assert result.total_size == 1


# Public cases


def test_a_plus_sign_unescaped_finds_nothing_and_escaped_the_address(find: Finder) -> None:
    """P03."""
    assert find.ids("FIND {ann+crm@x.example} IN EMAIL FIELDS RETURNING Contact(Id)") == []
    assert find.ids(r"FIND {ann\+crm@x.example} IN EMAIL FIELDS RETURNING Contact(Id)") == ["003-2"]
    with pytest.raises(SalesforceError, match="MALFORMED_SEARCH"):
        find("FIND {ann-crm@x.example} IN EMAIL FIELDS RETURNING Contact(Id)")


def test_rich_text_is_searched_as_plain_text_and_given_as_stored(find: Finder) -> None:
    """P47."""
    for term in ("Socks", r"Shoes \& Socks", r'"Shoes \& Socks"', r"don\'t", "shoe"):
        assert find.ids(f"FIND {{{term}}} RETURNING Knowledge__kav(Id)") == ["ka0-1"], term
    assert find("FIND {Socks} RETURNING Knowledge__kav(FAQ_Answer__c)").records == [
        {"FAQ_Answer__c": "<p>Shoes &amp; Socks, don&#39;t run</p>"}
    ]
    assert find.ids("FIND {amp} RETURNING Knowledge__kav(Id)") == []


def test_whole_words_are_found_and_beginnings_only_with_a_star(find: Finder) -> None:
    assert find.ids("FIND {acm} RETURNING Account") == []
    assert len(find.ids("FIND {acm*} RETURNING Account")) == 3


def test_many_records_are_cut_at_salesforces_limits(tmp_path: Path) -> None:
    with Database.create(tmp_path / "org.db", "b2b") as database:
        for name, prefix in (("Case", "500"), ("Task", "00T")):
            made = ({"Id": record_id(prefix, n), "Subject": f"Same words {n}"} for n in range(2_100))
            rows.insert(database, name, made)
        database.finish()
        sizes = {
            text: run_search(database, text, Clock.at(TODAY)).total_size
            for text in (
                "FIND {words} RETURNING Case(Id)",
                "FIND {words} RETURNING Case(Id LIMIT 3)",
                "FIND {words} RETURNING Case(Id ORDER BY Id)",
                "FIND {words} RETURNING Case(Id WHERE Subject LIKE 'same%' LIMIT 2050)",
                "FIND {words} RETURNING Case, Task",
                "FIND {words} RETURNING Case, Task LIMIT 2001",
                "FIND {words} RETURNING Case(Id ORDER BY Id) LIMIT 2001",
            )
        }
    assert list(sizes.values()) == [250, 3, 2000, 2000, 500, 500, 2000]


# Against plain Python

WORDS = ("alpha", "beta", "gamma", "delta")
Check = Callable[[set[str]], bool]
expressions = st.recursive(
    st.sampled_from(WORDS).map(lambda word: (word, lambda held: word in held)),
    lambda inner: st.tuples(inner, st.sampled_from(["AND", "OR", "AND NOT", ""]), inner).map(
        lambda parts: _combined(*parts)
    ),
    max_leaves=6,
)


def _combined(left: tuple[str, Check], operator: str, right: tuple[str, Check]) -> tuple[str, Check]:
    checks: dict[str, Check] = {
        "OR": lambda held: left[1](held) or right[1](held),
        "AND NOT": lambda held: left[1](held) and not right[1](held),
    }
    both: Check = lambda held: left[1](held) and right[1](held)  # noqa: E731
    return f"({left[0]}) {operator} ({right[0]})", checks.get(operator, both)


@pytest.fixture(scope="module")
def all_mixtures(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """One case for each set of the words, spread over two fields."""
    database = Database.create(tmp_path_factory.mktemp("mixtures") / "org.db", "b2b")
    made = []
    for number in range(2 ** len(WORDS)):
        held = [word for place, word in enumerate(WORDS) if number >> place & 1]
        made.append(
            {
                "Id": record_id("500", number),
                "Subject": " ".join(held[:1]),
                "Description": " ".join(reversed(held[1:])),
            }
        )
    rows.insert(database, "Case", made)
    database.finish()
    yield database
    database.close()


@law(80)
@given(made=expressions)
def test_operators_mean_what_they_mean_in_python(all_mixtures: Database, made: tuple[str, Check]) -> None:
    text, check = made
    found = run_search(all_mixtures, f"FIND {{{text}}} RETURNING Case(Id)", Clock.at(TODAY))
    expected = {
        record_id("500", number)
        for number in range(2 ** len(WORDS))
        if check({word for place, word in enumerate(WORDS) if number >> place & 1})
    }
    assert {record["Id"] for record in found.records} == expected


@law(150)
@given(
    text=st.text("abAB01 *?\"\\()&-+{}é'\n,", max_size=30), tail=st.sampled_from(["", " RETURNING Case(Id)"])
)
def test_any_text_gives_records_or_a_salesforce_error(all_mixtures: Database, text: str, tail: str) -> None:
    code = None
    try:
        result = run_search(all_mixtures, f"FIND {{{text}}}{tail}", Clock.at(TODAY))
        assert result.total_size == len(result.records)
    except SalesforceError as error:
        code = error.error_code
    assert code in {None, "MALFORMED_SEARCH", "INVALID_SEARCH"}

"""One mistake in the words of each API version: a line from 62 on, a window and a caret before."""

from __future__ import annotations

import pytest

from crmarena.clock import Clock
from crmarena.errors import SalesforceError
from crmarena.soql.faults import fault
from crmarena.soql.run import run_query
from crmarena.storage.database import Database

# query, what 62 says, what 58 says below the caret, and where the caret stands, from 0
WORDINGS = [
    ("SELECT Id, From Contact", "unexpected token: 'From'", "unexpected token: From", 11),
    ("SELECT FROM Contact", "unexpected token: 'SELECT FROM'", "unexpected token: 'FROM'", 7),
    ("SELECT Id FROM Case WHERE Id IN ()", "unexpected token: 'Id IN ()'", "unexpected token: )", 33),
    (
        "SELECT Id FROM Case WHERE Subject IS NULL",
        "unexpected token: 'Subject IS'",
        "unexpected token: IS",
        34,
    ),
    ("SELECT Id FROM Case LIMIT 1 ORDER BY Id", "unexpected token: 'ORDER'", "unexpected token: ORDER", 28),
    (
        "SELECT Id FROM Case WHERE a = 1 AND b = 2 OR c = 3",
        "unexpected token: 'OR'",
        "unexpected token: OR",
        42,
    ),
    ("SELECT Id FROM Case;", "unexpected token: ';'", "unexpected token: ;", 19),
    ("SELECT * FROM Case", "unexpected token: '*'", "unexpected token: *", 7),
    (
        "SELECT Id FROM Case USING everything",
        "unexpected token: 'everything'",
        "unexpected token: everything",
        26,
    ),
    ("SELECT Id FROM Case WHERE Subject LIKE NULL", "unexpected token: 'NULL'", "unexpected token: NULL", 39),
    ("SELECT $x FROM Case", "line 1:7 unexpected token: '$'", "no viable alternative at character '$'", 7),
    (
        'SELECT Id FROM Case WHERE Subject = "x"',
        "line 1:36 unexpected token: '\"'",
        "no viable alternative at character '\"'",
        36,
    ),
    (
        "SELECT Id FROM Case WHERE Subject = 'x",
        "line 1:38 mismatched character '<EOF>' expecting '''",
        "mismatched character '<EOF>' expecting '''",
        38,
    ),
    (
        "SELECT Id FROM Case WHERE Subject IN ('BAKER' OIL')",
        "line 1:46 mismatched input 'OIL' expecting ')'",
        "mismatched input 'OIL' expecting ')'",
        46,
    ),
    (
        "SELECT Id FROM Case WHERE CreatedDate > 2016-07-31T04:17:54",
        "line 1:59 unexpected token: '<EOF>'",
        "no viable alternative at character '<EOF>'",
        59,
    ),
    (
        "SELECT Id FROM Case WHERE Subject = Yes",
        "expecting a colon, found 'Yes'",
        "expecting a colon, found 'Yes'",
        36,
    ),
    ("SELECT Id FROM Case WHERE Status IN (user)", "missing value at 'user'", "missing value at 'user'", 37),
    (
        "SELECT Id FROM Case WHERE Subject = :x",
        "Bind variables only allowed in Apex code",
        "Bind variables only allowed in Apex code",
        36,
    ),
    (
        "SELECT Id FROM Case WHERE CreatedDate > 2020-52-12t12:12:00-05:00",
        "Invalid datetime: 2020-52-12t12:12:00-05:00",
        "Invalid datetime: 2020-52-12t12:12:00-05:00",
        40,
    ),
]


def message(database: Database, clock: Clock, query: str, api_version: int) -> str:
    with pytest.raises(SalesforceError) as caught:
        run_query(database, query, clock, api_version=api_version)
    assert caught.value.error_code == "MALFORMED_QUERY"
    return caught.value.message


@pytest.mark.parametrize(("query", "new", "old", "place"), WORDINGS, ids=[row[0] for row in WORDINGS])
def test_a_syntax_error_is_worded_as_its_version_words_it(
    database: Database, clock: Clock, query: str, new: str, old: str, place: int
) -> None:
    assert message(database, clock, query, 62) == new
    assert message(database, clock, query, 63) == new
    _, window, caret, where, text = message(database, clock, query, 58).split("\n")
    assert (where, text) == (f"ERROR at Row:1:Column:{place}", old)
    # The caret stands one place left of what it points at: the column counts from 0.
    shown = query.index(window) + len(caret)
    assert caret.lstrip(" ") == "^"
    assert shown == place


@pytest.mark.parametrize("api_version", [50, 61, 62])
@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("SELECT Id FROM Contact WHERE", "unexpected token: '<EOF>'"),
        ("SELECT Id", "unexpected token: '<EOF>'"),
        ("", "SOQL statements cannot be empty or null"),
        ("SELECT Id Name FROM Account", "only aggregate expressions use field aliasing"),
        ("SELECT Name, COUNT(Id) FROM Account", "Field must be grouped or aggregated: Name"),
        ("SELECT Id FROM Account ALL ROWS", "ALL ROWS not allowed in this context"),
    ],
)
def test_some_errors_have_no_caret_in_any_version(
    database: Database, clock: Clock, query: str, text: str, api_version: int
) -> None:
    assert message(database, clock, query, api_version) == text


# version, query, what is not there yet, its column from 0
BEFORE = [
    (50, "SELECT FIELDS(STANDARD) FROM Account", "unexpected token: (", 13),
    (45, "SELECT TYPEOF What WHEN Case THEN Id END FROM Task", "unexpected token: What", 14),
    (31, "SELECT Id FROM Case USING SCOPE mine", "unexpected token: USING", 20),
]


@pytest.mark.parametrize(("version", "query", "text", "column"), BEFORE)
def test_what_a_version_does_not_have_is_no_word_to_it(
    database: Database, clock: Clock, version: int, query: str, text: str, column: int
) -> None:
    assert message(database, clock, query, version).endswith(f"ERROR at Row:1:Column:{column}\n{text}")
    assert run_query(database, query, clock, api_version=version + 1).done


def test_a_request_without_a_query_has_its_words() -> None:
    error = fault("no_query")
    assert (error.error_code, error.message) == ("MALFORMED_QUERY", "A query string has to be specified")

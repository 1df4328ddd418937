"""What is wrong with a query, as Salesforce words it: code, text, row and column."""

from __future__ import annotations

import pytest

from crmarena.clock import Clock
from crmarena.errors import SalesforceError
from crmarena.soql.run import run_query
from crmarena.storage.database import Database
from tests.soql.refused_clauses import CLAUSES, REPORTED
from tests.soql.refused_functions import FUNCTIONS
from tests.soql.refused_names import NAMES, SELECTS
from tests.soql.refused_places import PLACES, SETS
from tests.soql.refused_text import SYNTAX
from tests.soql.refused_values import GROUPS, SEMI_JOINS, VALUES

TABLE = [
    *SYNTAX,
    *NAMES,
    *SELECTS,
    *GROUPS,
    *VALUES,
    *SEMI_JOINS,
    *REPORTED,
    *CLAUSES,
    *FUNCTIONS,
    *PLACES,
    *SETS,
]


@pytest.mark.parametrize(
    ("query", "code", "text", "row", "column"), TABLE, ids=[case[0] or "empty" for case in TABLE]
)
def test_wrong_queries_are_answered_as_salesforce_answers_them(
    database: Database, clock: Clock, query: str, code: str, text: str, row: int | None, column: int | None
) -> None:
    with pytest.raises(SalesforceError) as caught:
        run_query(database, query, clock)
    error = caught.value
    assert (error.error_code, error.text, error.row, error.column) == (code, text, row, column)


def _message(database: Database, clock: Clock, query: str, api_version: int = 62) -> str:
    with pytest.raises(SalesforceError) as caught:
        run_query(database, query, clock, api_version=api_version)
    return caught.value.message


def test_a_semantic_error_shows_the_query_with_a_caret_below_the_field(
    database: Database, clock: Clock
) -> None:
    message = _message(database, clock, "SELECT Id, Nmae FROM Account")
    assert message.startswith(
        "\nSELECT Id, Nmae FROM Account\n           ^\nERROR at Row:1:Column:12\nNo such column 'Nmae'"
    )


def test_the_window_shows_the_row_of_the_error_alone(database: Database, clock: Clock) -> None:
    message = _message(database, clock, "SELECT Id\nFROM Case\nWHERE Statuss = 'New'\nLIMIT 1")
    assert message.startswith("\nWHERE Statuss = 'New'\n      ^\nERROR at Row:3:Column:7\n")


def test_a_long_row_is_cut_at_blanks_around_the_error(database: Database, clock: Clock) -> None:
    query = "SELECT Id, Subject, Status, Priority, OwnerId, Nmae, AccountId, ContactId, CreatedDate FROM Case"
    _, window, caret, place, _ = _message(database, clock, query).split("\n")
    assert window == "Status, Priority, OwnerId, Nmae, AccountId, ContactId, CreatedDate"
    assert window[len(caret) - 1 :].startswith("Nmae")
    assert place == "ERROR at Row:1:Column:48"


def test_before_version_62_a_syntax_error_has_a_caret_and_bare_tokens(
    database: Database, clock: Clock
) -> None:
    query = "SELECT Id FROM Case WHERE Status = 'a' AND Status = 'b' OR Status = 'c'"
    with pytest.raises(SalesforceError) as caught:
        run_query(database, query, clock, api_version=58)
    assert caught.value.text == "unexpected token: OR"
    assert (caught.value.row, caught.value.column) == (1, query.index("OR"))
    assert f"ERROR at Row:1:Column:{query.index('OR')}\n" in caught.value.message


def test_a_version_changes_no_semantic_error(database: Database, clock: Clock) -> None:
    query = "SELECT Nmae FROM Account"
    assert _message(database, clock, query, 58) == _message(database, clock, query, 62)


def test_too_deep_and_too_wide_queries_are_refused_and_not_crashed_on(
    database: Database, clock: Clock
) -> None:
    deep = "SELECT Id FROM Case WHERE " + "(" * 5000 + "Status = 'New'" + ")" * 5000
    assert "too complicated" in _message(database, clock, deep)
    joins = ", ".join(f"{'Parent.' * depth}Owner.Name" for depth in range(1, 5))
    polymorphic = "SELECT What.Name, Who.Name FROM Task"
    assert run_query(database, polymorphic, clock).total_size == 4
    assert run_query(database, f"SELECT {joins} FROM Account", clock).total_size == 5
    assert "longer than 100000" in _message(
        database, clock, "SELECT Id FROM Case WHERE Subject = '" + "x" * 100_000
    )


def test_thousands_of_alternatives_run(database: Database, clock: Clock) -> None:
    terms = " OR ".join(f"NumberOfEmployees = {number}" for number in range(2000))
    assert run_query(database, f"SELECT Id FROM Account WHERE {terms}", clock).total_size == 4

"""How much a query may ask for."""

from __future__ import annotations

import pytest

from crmarena.clock import Clock
from crmarena.errors import SalesforceError
from crmarena.soql.run import run_query
from crmarena.storage.database import Database


def refusal(database: Database, clock: Clock, query: str, api_version: int = 62) -> tuple[str, str]:
    with pytest.raises(SalesforceError) as caught:
        run_query(database, query, clock, api_version=api_version)
    return caught.value.error_code, caught.value.text


COMPLICATED = (
    "QUERY_TOO_COMPLICATED",
    "Query is either selecting too many fields or the filter conditions are too complicated.",
)


def nested(levels: int) -> str:
    """A query with child queries down to a level, the root being the first."""
    return (
        "SELECT Id" + ", (SELECT Id" * (levels - 1) + " FROM ChildAccounts)" * (levels - 1) + " FROM Account"
    )


@pytest.mark.parametrize(("version", "levels"), [(62, 5), (58, 5), (57, 2), (40, 2)])
def test_child_queries_go_as_deep_as_the_version_allows(
    database: Database, clock: Clock, version: int, levels: int
) -> None:
    assert run_query(database, nested(levels), clock, api_version=version).total_size == 5
    assert refusal(database, clock, nested(levels + 1), version) == (
        "MALFORMED_QUERY",
        f"Queries may be nested to {levels} levels at most",
    )


def test_one_text_in_two_versions_has_two_plans(database: Database, clock: Clock) -> None:
    query = nested(3)
    for _ in range(2):
        assert run_query(database, query, clock, api_version=60).done
        assert refusal(database, clock, query, 57)[0] == "MALFORMED_QUERY"


def test_a_query_has_twenty_child_queries_at_most(database: Database, clock: Clock) -> None:
    children = ", ".join(["(SELECT Id FROM Contacts)"] * 21)
    assert refusal(database, clock, f"SELECT {children} FROM Account") == (
        "MALFORMED_QUERY",
        "A query may have 20 subqueries at most",
    )


def test_fifty_five_relationships_and_no_more(database: Database, clock: Clock) -> None:
    users = ["Owner", "CreatedBy", "LastModifiedBy"]
    managers = [*users, *(f"Parent.{name}" for name in users)]
    tails = ["", ".Manager", ".Manager.Manager", ".Manager.CreatedBy", ".CreatedBy", ".LastModifiedBy"]
    tails += [".CreatedBy.Manager", ".CreatedBy.CreatedBy", ".LastModifiedBy.Manager", ".UserRole"]
    fields = [f"{start}{tail}.Name" for start in managers for tail in tails]
    # The six starts and Parent; nine more below each start.
    assert run_query(database, f"SELECT {', '.join(fields[:54])} FROM Account", clock).total_size == 5
    code, text = refusal(database, clock, f"SELECT {', '.join(fields)} FROM Account")
    assert code == "MALFORMED_QUERY"
    assert text.startswith("A query may follow 55 relationships from child to parent at most")


def test_a_path_has_five_steps_at_most(database: Database, clock: Clock) -> None:
    assert run_query(database, f"SELECT {'Parent.' * 5}Name FROM Account", clock).done
    code, text = refusal(database, clock, f"SELECT {'Parent.' * 6}Name FROM Account")
    assert (code, text) == (
        "INVALID_FIELD",
        f"Relationship path '{'Parent.' * 6}Name' is longer than 5 levels",
    )


def test_offset_goes_to_two_thousand(database: Database, clock: Clock) -> None:
    assert run_query(database, "SELECT Id FROM Account OFFSET 2000", clock).total_size == 0
    assert refusal(database, clock, "SELECT Id FROM Account OFFSET 2001") == (
        "NUMBER_OUTSIDE_VALID_RANGE",
        "Maximum SOQL offset allowed for apiName Account is 2000",
    )


def test_a_query_has_a_hundred_thousand_characters_at_most(database: Database, clock: Clock) -> None:
    query = "SELECT Id FROM Account"
    assert run_query(database, query + " " * (100_000 - len(query)), clock).total_size == 5
    assert refusal(database, clock, query + " " * (100_001 - len(query)))[0] == "MALFORMED_QUERY"


def test_a_text_has_four_thousand_characters_at_most(database: Database, clock: Clock) -> None:
    query = "SELECT Id FROM Account WHERE Name = '{}'"
    assert run_query(database, query.format("x" * 4000), clock).total_size == 0
    assert refusal(database, clock, query.format("x" * 4001))[0] == "MALFORMED_QUERY"


def test_thirty_two_sort_fields_and_no_more(database: Database, clock: Clock) -> None:
    assert run_query(database, f"SELECT Id FROM Case ORDER BY {', '.join(['Subject'] * 32)}", clock).done
    code, text = refusal(database, clock, f"SELECT Id FROM Case ORDER BY {', '.join(['Subject'] * 33)}")
    assert (code, text) == ("MALFORMED_QUERY", "ORDER BY takes 32 fields at most")


DEEP = {
    "brackets": "SELECT Id FROM Case WHERE " + "(" * 9000 + "Status = 'New'" + ")" * 9000,
    "negations": "SELECT Id FROM Case WHERE " + "NOT " * 9000 + "Status = 'New'",
    "open brackets": "SELECT Id FROM Case WHERE " + "(" * 90_000,
    "child queries": "SELECT " + "(SELECT Id, " * 4000 + "Id" + " FROM Contacts)" * 4000 + " FROM Account",
    "semi-joins": "SELECT Id FROM Account WHERE " + "Id IN (SELECT AccountId FROM Contact WHERE " * 2000,
}


@pytest.mark.parametrize("query", DEEP.values(), ids=DEEP)
def test_what_is_nested_too_deep_is_too_complicated(database: Database, clock: Clock, query: str) -> None:
    assert refusal(database, clock, query[:100_000]) == COMPLICATED


def test_functions_nest_to_two_levels(database: Database, clock: Clock) -> None:
    deep = "MAX(" * 5000 + "Id" + ")" * 5000
    assert refusal(database, clock, f"SELECT {deep} FROM Case") == (
        "MALFORMED_QUERY",
        "unexpected token: '('",
    )


@pytest.mark.parametrize(
    "tail",
    [
        "LIMIT 200",
        "WHERE Id = '001Wt0000000001IAA'",
        "WHERE Name != null AND Id IN ('001Wt0000000001IAA', '001Wt0000000002IAA')",
        "WHERE Id IN ('001Wt0000000001IAA') LIMIT 2000",
    ],
)
def test_all_fields_are_given_for_two_hundred_records(database: Database, clock: Clock, tail: str) -> None:
    assert run_query(database, f"SELECT FIELDS(ALL) FROM Account {tail}", clock).done
    assert run_query(database, f"SELECT FIELDS(CUSTOM) FROM Account {tail}", clock).done


@pytest.mark.parametrize(
    "tail",
    [
        "",
        "LIMIT 201",
        "WHERE Name = 'Acme'",
        "WHERE Id != '001Wt0000000001IAA'",
        "WHERE OwnerId = '005Wt0000000001IAA'",
        "WHERE Id = '001Wt0000000001IAA' OR Name = 'Acme'",
        f"WHERE Id IN ({', '.join(['null'] * 201)})",
    ],
)
def test_all_fields_of_any_number_of_records_are_refused(database: Database, clock: Clock, tail: str) -> None:
    assert refusal(database, clock, f"SELECT FIELDS(ALL) FROM Account {tail}") == (
        "MALFORMED_QUERY",
        "The SOQL FIELDS function must have a LIMIT of at most 200",
    )
    assert run_query(database, f"SELECT FIELDS(STANDARD) FROM Account {tail}", clock).done

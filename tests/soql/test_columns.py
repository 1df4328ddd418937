"""What the columns of an answer are, as `columns=true` tells."""

from __future__ import annotations

from typing import Any

import pytest

from crmarena.clock import Clock
from crmarena.errors import SalesforceError
from crmarena.soql.columns import describe_columns
from crmarena.soql.run import run_query
from crmarena.storage.database import Database

# query -> for each column its name, what is shown for it, aggregate or not, and what it holds
SHAPES: list[tuple[str, list[tuple[str, str, bool, list[str]]]]] = [
    ("SELECT id, NAME FROM account", [("Id", "Id", False, []), ("Name", "Name", False, [])]),
    (
        "SELECT Name, Owner.Name, Owner.Manager.Email, Owner.Id FROM Account",
        [("Name", "Name", False, []), ("Owner", "Owner", False, ["Name", "Manager", "Id"])],
    ),
    (
        "SELECT Id, (SELECT LastName, Account.Name FROM Contacts) FROM Account",
        [("Id", "Id", False, []), ("Contacts", "Contacts", True, ["LastName", "Account"])],
    ),
    (
        "SELECT AccountId, AVG(Amount), COUNT(Id) n FROM Opportunity GROUP BY AccountId",
        [
            ("AccountId", "AccountId", False, []),
            ("expr0", "avg(Amount)", True, []),
            ("n", "count(Id)", True, []),
        ],
    ),
    (
        "SELECT Account.Name, CALENDAR_YEAR(CreatedDate) FROM Case"
        " GROUP BY Account.Name, CALENDAR_YEAR(CreatedDate)",
        [("Name", "Name", False, []), ("expr0", "calendar_year(CreatedDate)", True, [])],
    ),
    (
        "SELECT FORMAT(Amount), FORMAT(CloseDate) day, toLabel(StageName) label FROM Opportunity",
        [
            ("Amount", "Amount", False, []),
            ("day", "day", False, []),
            ("label", "StageName", False, []),
        ],
    ),
    (
        "SELECT TYPEOF What WHEN Account THEN Phone, Industry ELSE Name END FROM Task",
        [("What", "What", False, ["Phone", "Industry", "Name"])],
    ),
    ("SELECT COUNT() FROM Case", []),
]


@pytest.mark.parametrize(("query", "columns"), SHAPES, ids=[query for query, _ in SHAPES])
def test_columns_are_those_of_the_records(
    database: Database, query: str, columns: list[tuple[str, str, bool, list[str]]]
) -> None:
    found = describe_columns(database.schema, query)["columnMetadata"]
    assert [
        (
            one["columnName"],
            one["displayName"],
            one["aggregate"],
            [inner["columnName"] for inner in one["joinColumns"]],
        )
        for one in found
    ] == columns


@pytest.mark.parametrize("query", [query for query, _ in SHAPES[:6]])
def test_records_have_the_keys_that_the_columns_name(database: Database, clock: Clock, query: str) -> None:
    columns = describe_columns(database.schema, query)["columnMetadata"]
    for record in run_query(database, query, clock).records:
        assert list(record) == [column["columnName"] for column in columns]


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("Id", {"apexType": "Id", "textType": False, "insertable": False}),
        ("Name", {"apexType": "String", "textType": True, "insertable": True, "foreignKeyName": None}),
        ("NumberOfEmployees", {"apexType": "Integer", "numberType": True}),
        ("AnnualRevenue", {"apexType": "Double", "numberType": True, "updatable": True}),
        ("IsDeleted", {"apexType": "Boolean", "booleanType": True, "updatable": False}),
        ("CreatedDate", {"apexType": "Datetime", "textType": False}),
        ("External_ID__c", {"custom": True}),
        ("Owner.Name", {"apexType": None, "foreignKeyName": "OwnerId", "insertable": False}),
    ],
)
def test_a_column_says_what_its_field_is(database: Database, field: str, expected: dict[str, Any]) -> None:
    (column,) = describe_columns(database.schema, f"SELECT {field} FROM Account")["columnMetadata"]
    assert {key: column[key] for key in expected} == expected


def test_the_payload_names_the_object(database: Database) -> None:
    payload = describe_columns(database.schema, "SELECT Id, Name FROM Account")
    del payload["columnMetadata"]
    assert payload == {"entityName": "Account", "groupBy": False, "idSelected": True, "keyPrefix": "001"}
    grouped = describe_columns(database.schema, "SELECT Status FROM Case GROUP BY Status")
    assert (grouped["groupBy"], grouped["idSelected"]) == (True, False)


def test_a_wrong_query_is_refused_in_the_words_of_its_version(database: Database) -> None:
    with pytest.raises(SalesforceError, match="unexpected token: ORDER") as caught:
        describe_columns(database.schema, "SELECT Id FROM Case LIMIT 1 ORDER BY Id", 50)
    assert caught.value.column == 28

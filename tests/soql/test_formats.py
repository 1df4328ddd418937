"""FORMAT, toLabel and convertCurrency."""

from __future__ import annotations

from typing import Any

import pytest

from crmarena.clock import Clock
from crmarena.soql.formats import format_value
from crmarena.soql.run import run_query
from crmarena.soql.viewer import Viewer
from crmarena.storage.database import Database


@pytest.mark.parametrize(
    ("value", "style", "written"),
    [
        (1234567, "int", "1,234,567"),
        (0, "int", "0"),
        (1000.5, "currency", "$1,000.50"),
        (-3.0, "currency", "-$3.00"),
        (1e12, "currency", "$1,000,000,000,000.00"),
        (1234.5, "double", "1,234.5"),
        (2.0, "double", "2"),
        (0.12345, "double", "0.123"),
        (45.0, "percent", "45%"),
        (12.5, "percent", "12.5%"),
        ("2024-05-09", "date", "5/9/2024"),
        ("2024-12-31", "date", "12/31/2024"),
        ("2024-05-09T00:05:00.000+0000", "datetime", "5/9/2024, 12:05 AM"),
        ("2024-05-09T12:00:59.999+0000", "datetime", "5/9/2024, 12:00 PM"),
        ("2024-05-09T23:59:00.000+0000", "datetime", "5/9/2024, 11:59 PM"),
        (None, "currency", None),
        (None, "datetime", None),
    ],
)
def test_values_are_written_as_the_locale_writes_them(value: Any, style: str, written: str | None) -> None:
    assert format_value(value, style) == written


def test_an_instant_is_written_in_the_viewers_zone(database: Database, clock: Clock) -> None:
    query = "SELECT FORMAT(CreatedDate) FROM Case LIMIT 1"
    assert run_query(database, query, clock).records == [{"CreatedDate": "5/15/2024, 1:30 AM"}]
    viewer = Viewer(zone="America/Los_Angeles")
    there = run_query(database, query, clock, viewer=viewer)
    assert there.records == [{"CreatedDate": "5/14/2024, 6:30 PM"}]
    assert there.to_rest()["records"][0]["CreatedDate"] == "5/14/2024, 6:30 PM"


QUERIES: list[tuple[str, dict[str, Any]]] = [
    ("SELECT FORMAT(Amount) FROM Opportunity LIMIT 1", {"Amount": "$1,000.50"}),
    (
        "SELECT Amount, FORMAT(Amount) shown FROM Opportunity LIMIT 1",
        {"Amount": 1000.5, "shown": "$1,000.50"},
    ),
    ("SELECT format(closedate) day FROM Opportunity LIMIT 1", {"day": "5/20/2024"}),
    ("SELECT FORMAT(convertCurrency(Amount)) c FROM Opportunity LIMIT 1", {"c": "$1,000.50"}),
    (
        "SELECT Amount, convertCurrency(Amount) mine FROM Opportunity LIMIT 1",
        {"Amount": 1000.5, "mine": 1000.5},
    ),
    ("SELECT convertCurrency(Amount) FROM Opportunity LIMIT 1", {"Amount": 1000.5}),
    ("SELECT FORMAT(MIN(CloseDate)) since FROM Opportunity", {"since": "4/30/2024"}),
    ("SELECT FORMAT(SUM(Amount)), MAX(Amount) FROM Opportunity", {"expr0": "$1,247.50", "expr1": 1000.5}),
    ("SELECT FORMAT(AVG(Amount)) a, FORMAT(COUNT(Id)) n FROM Opportunity", {"a": "$415.83", "n": "4"}),
    (
        "SELECT StageName, FORMAT(MAX(Amount)) m FROM Opportunity"
        " GROUP BY StageName HAVING SUM(Amount) = 250",
        {"StageName": "Closed", "m": "$250.00"},
    ),
    (
        "SELECT FORMAT(Account.AnnualRevenue), Account.Name FROM Opportunity LIMIT 1",
        {"Account": {"AnnualRevenue": None, "Name": "Acme"}},
    ),
    ("SELECT toLabel(Status) FROM Case LIMIT 1", {"Status": "New"}),
    ("SELECT Status, toLabel(Status) label FROM Case LIMIT 1", {"Status": "New", "label": "New"}),
    ("SELECT toLabel(Case.Status) FROM Case LIMIT 1", {"Status": "New"}),
    (
        "SELECT toLabel(Status), COUNT(Id) FROM Case WHERE toLabel(Status) = 'new' GROUP BY Status",
        {"Status": "New", "expr0": 2},
    ),
]


@pytest.mark.parametrize(("query", "record"), QUERIES, ids=[query for query, _ in QUERIES])
def test_a_formatted_value_stands_under_its_field_or_alias(
    database: Database, clock: Clock, query: str, record: dict[str, Any]
) -> None:
    assert run_query(database, query, clock).records == [record]

"""What queries answer: Salesforce's semantics, on the small org."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from crmarena.clock import Clock
from crmarena.errors import SalesforceError
from crmarena.soql import ast, run
from crmarena.soql.parse import Parser
from crmarena.soql.run import clear_plan_cache, parse_text, run_query, select_records, stream_query
from crmarena.soql.tokens import Source
from crmarena.storage import rows
from crmarena.storage.database import Database
from tests.soql.conftest import moment, record_id


def flat(value: Any) -> Iterator[Any]:
    """The values of a record from left to right."""
    if isinstance(value, dict):
        for one in value.values():
            yield from flat(one)
    elif isinstance(value, list):
        yield [tuple(flat(one)) for one in value]
    else:
        yield value


def answer(database: Database, clock: Clock, query: str) -> list[Any]:
    """The records, each as its value or the tuple of its values."""
    found = [tuple(flat(record)) for record in run_query(database, query, clock).records]
    return [one[0] if len(one) == 1 else one for one in found]


SUBJECTS = ["Broken zip", "late parcel", "Late refund", "Wrong size", "Übergröße", "Odd smell", None]
ZIP, PARCEL, REFUND, SIZE, UBER, SMELL, NONE = SUBJECTS

# condition on Case -> subjects, in the order of the table
WHERE: list[tuple[str, list[str | None]]] = [
    # Text ignores letter case, Unicode included.
    ("Subject = 'LATE PARCEL'", [PARCEL]),
    ("Subject = 'übergrösse'", []),
    ("Subject = 'ÜBERGRÖßE'", [UBER]),
    ("Subject IN ('broken ZIP', 'übergröße')", [ZIP, UBER]),
    ("Subject >= 'late' AND Subject < 'm'", [PARCEL, REFUND]),
    ("Status = 'closed'", [PARCEL, REFUND, SMELL]),
    ("Status = 'No such value'", []),
    # Two-valued logic: what is null is different, and never less or greater.
    ("Priority = null", [UBER]),
    ("Priority != null", [ZIP, PARCEL, REFUND, SIZE, SMELL, NONE]),
    ("Priority != 'Low'", [ZIP, REFUND, SIZE, UBER, NONE]),
    ("Priority <> 'Low'", [ZIP, REFUND, SIZE, UBER, NONE]),
    ("Priority NOT IN ('Low', 'High')", [REFUND, UBER, NONE]),
    ("Priority NOT IN ('Low', null)", [ZIP, REFUND, SIZE, NONE]),
    ("Priority IN ('Low', null)", [PARCEL, UBER, SMELL]),
    ("(NOT Priority = 'Low')", [ZIP, REFUND, SIZE, UBER, NONE]),
    ("NOT (Priority = 'Low' OR Priority = 'High')", [REFUND, UBER, NONE]),
    ("NOT (Priority = 'Low' AND Status = 'Closed')", [ZIP, REFUND, SIZE, UBER, NONE]),
    ("NOT (NOT Priority = 'Low')", [PARCEL, SMELL]),
    ("(NOT Subject LIKE 'late%')", [ZIP, SIZE, UBER, SMELL, NONE]),
    ("(NOT ClosedDate > 2000-01-01T00:00:00Z)", [ZIP, SIZE, UBER, NONE]),
    ("ClosedDate < 2999-01-01T00:00:00Z", [PARCEL, REFUND, SMELL]),
    ("Subject > null", []),
    ("Subject = ''", [NONE]),
    # Checkboxes are never null, not even those of a parent that is missing.
    ("IsEscalated = null", SUBJECTS),
    ("IsEscalated != null", []),
    ("IsClosed = true", [PARCEL, REFUND, SMELL]),
    ("IsClosed != true", [ZIP, SIZE, UBER, NONE]),
    ("IsClosed IN (true)", [PARCEL, REFUND, SMELL]),
    ("Contact.IsDeleted = false", SUBJECTS),
    # Parents: a missing one reads null and keeps the row.
    ("Account.Name = 'ACME'", [ZIP, PARCEL]),
    ("Account.Name != 'Acme'", [REFUND, SIZE, UBER, SMELL, NONE]),
    ("Account.Name = null", [SMELL, NONE]),
    ("Account.Owner.LastName = 'Young'", [ZIP, PARCEL]),
    ("Owner.Name LIKE 'cleo %'", [UBER]),
    ("Case.Status = 'Working'", [SIZE]),
    ("Account.Name = 'acme' OR Owner.LastName = 'ÉMILE'", [ZIP, PARCEL, UBER]),
    # LIKE
    ("Subject LIKE 'LATE%'", [PARCEL, REFUND]),
    ("Subject LIKE '%e_ z%'", [ZIP]),
    ("Subject LIKE 'ÜBER%'", [UBER]),
    ("Subject LIKE '%GRÖßE'", [UBER]),
    ("Subject LIKE 'Wrong size'", [SIZE]),
    ("Subject LIKE 'Wrong'", []),
    # Ids
    (f"Id = '{record_id('Case', 2)}'", [PARCEL]),
    (f"Id = '{record_id('Case', 2)[:15]}'", [PARCEL]),
    (f"Id = '{record_id('Case', 2).lower()}'", [PARCEL]),
    # Letter case counts in the first fifteen; the other three tell it, and may restore it.
    (f"Id = '{record_id('Case', 2)[:15].upper()}'", []),
    (f"Id = '{record_id('Case', 2)[:15]}AAA'", []),
    (f"Id = '{record_id('Case', 2).upper()}'", [PARCEL]),
    (f"Id != '{record_id('Case', 2)}'", [ZIP, REFUND, SIZE, UBER, SMELL, NONE]),
    (f"Id IN ('{record_id('Case', 3)}', '{record_id('Case', 1)[:15]}')", [ZIP, REFUND]),
    (f"AccountId = '{record_id('Contact', 1)}'", []),
    ("AccountId = null", [SMELL]),
    ("AccountId = ''", [SMELL]),
    # Dates
    ("CreatedDate = TODAY", [ZIP]),
    ("CreatedDate != TODAY", [PARCEL, REFUND, SIZE, UBER, SMELL, NONE]),
    ("CreatedDate < TODAY", [PARCEL, REFUND, SIZE, UBER, SMELL, NONE]),
    ("CreatedDate <= LAST_WEEK", [PARCEL, REFUND, SIZE, UBER, SMELL, NONE]),
    ("CreatedDate > LAST_WEEK", [ZIP]),
    ("CreatedDate >= LAST_WEEK", [ZIP, PARCEL]),
    ("CreatedDate = LAST_N_DAYS:5", [ZIP, PARCEL]),
    ("CreatedDate = LAST_N_DAYS:4", [ZIP]),
    ("CreatedDate = LAST_MONTH", [REFUND]),
    ("CreatedDate = LAST_QUARTER", [SIZE]),
    ("CreatedDate IN (TODAY, LAST_YEAR)", [ZIP, UBER, SMELL]),
    ("CreatedDate NOT IN (TODAY, LAST_YEAR)", [PARCEL, REFUND, SIZE, NONE]),
    ("CreatedDate = 2024-05-10T02:30:00Z", [PARCEL]),
    ("CreatedDate = 2024-05-10T04:30:00.000+02:00", [PARCEL]),
    ("CreatedDate > 2024-05-10T02:30:00.000+0000", [ZIP]),
    ("CALENDAR_YEAR(CreatedDate) = 2023", [UBER, SMELL]),
    ("CALENDAR_MONTH(CreatedDate) IN (3, 4)", [REFUND, SIZE]),
    ("DAY_ONLY(CreatedDate) = 2024-04-02", [REFUND]),
    ("DAY_ONLY(CreatedDate) < LAST_YEAR", []),
    ("HOUR_IN_DAY(CreatedDate) = 6", [SMELL]),
    ("HOUR_IN_DAY(convertTimezone(CreatedDate)) = 6", [SMELL]),
    ("toLabel(Status) = 'working'", [SIZE]),
    # Semi- and anti-joins
    ("AccountId IN (SELECT Id FROM Account WHERE Industry = 'Energy')", [ZIP, PARCEL]),
    (
        "AccountId NOT IN (SELECT Id FROM Account WHERE Industry = 'Energy')",
        [REFUND, SIZE, UBER, SMELL, NONE],
    ),
    ("AccountId NOT IN (SELECT AccountId FROM Contact)", [UBER, SMELL, NONE]),
    ("AccountId IN (SELECT AccountId FROM Contact WHERE Account.Name = 'Acme') AND Status = 'New'", [ZIP]),
    ("(AccountId IN (SELECT Id FROM Account)) AND (Status = 'New' OR Status = 'Working')", [ZIP, SIZE]),
]


@pytest.mark.parametrize(("condition", "subjects"), WHERE, ids=[condition for condition, _ in WHERE])
def test_filters_keep_the_records_that_salesforce_keeps(
    database: Database, clock: Clock, condition: str, subjects: list[str | None]
) -> None:
    assert answer(database, clock, f"SELECT Subject FROM Case WHERE {condition}") == subjects


QUERIES: list[tuple[str, list[Any]]] = [
    # Order
    (
        "SELECT Name FROM Account ORDER BY Name",
        ["100% Cotton_Mill", "Acme", "acme west", "Back\\slash", "Élan Vital"],
    ),
    (
        "SELECT NumberOfEmployees FROM Account ORDER BY NumberOfEmployees",
        [None, 15, 45, 120, 900],
    ),
    ("SELECT NumberOfEmployees FROM Account ORDER BY NumberOfEmployees DESC", [900, 120, 45, 15, None]),
    ("SELECT NumberOfEmployees FROM Account ORDER BY NumberOfEmployees NULLS LAST", [15, 45, 120, 900, None]),
    (
        "SELECT NumberOfEmployees FROM Account ORDER BY NumberOfEmployees DESC NULLS FIRST",
        [None, 900, 120, 45, 15],
    ),
    ("SELECT Priority FROM Case ORDER BY Priority", [None, "Low", "Low", "Medium", "Medium", "High", "High"]),
    ("SELECT Subject FROM Case ORDER BY Account.Name, Subject LIMIT 3", [None, SMELL, ZIP]),
    ("SELECT Subject FROM Case ORDER BY Priority DESC, CreatedDate LIMIT 3", [SIZE, ZIP, REFUND]),
    ("SELECT Subject FROM Case LIMIT 2 OFFSET 1", [PARCEL, REFUND]),
    ("SELECT Subject FROM Case OFFSET 5", [SMELL, None]),
    ("SELECT Subject FROM Case LIMIT 0", []),
    ("SELECT Subject FROM Case ORDER BY DAY_IN_WEEK(CreatedDate), Subject LIMIT 2", [UBER, SIZE]),
    # Paths, aliases of FROM, names in any letter case
    ("select SUBJECT from CASE where STATUS = 'Working'", [SIZE]),
    ("SELECT c.Subject FROM Case c WHERE c.Status = 'Working'", [SIZE]),
    ("SELECT c.Subject FROM Case AS c WHERE c.Account.Name = 'acme west'", [REFUND, SIZE]),
    ("SELECT a.Name FROM Case c, c.Account a WHERE a.Industry = 'Energy' LIMIT 1", ["Acme"]),
    ("SELECT Subject FROM Case USING SCOPE everything WHERE Status = 'Working'", [SIZE]),
    ("SELECT Subject FROM Case WHERE Status = 'Working' WITH SECURITY_ENFORCED LIMIT 1 FOR VIEW", [SIZE]),
    ("SELECT Subject FROM Case WHERE Status = 'Working' WITH USER_MODE FOR UPDATE", [SIZE]),
    ("SELECT Title FROM Knowledge__kav LIMIT 1 FOR REFERENCE UPDATE TRACKING, VIEWSTAT FOR UPDATE", []),
    ("SELECT toLabel(Status) FROM Case LIMIT 1", ["New"]),
    (
        "SELECT Subject FROM Case WHERE Status = 'Working' WITH SYSTEM_MODE ORDER BY Id LIMIT 1 FOR VIEW",
        [SIZE],
    ),
    (
        "SELECT Subject FROM Case WHERE Status = 'Working' WITH RecordVisibilityContext"
        " (maxDescriptorPerRecord = 100, supportsDomains = true, supportsDelegates = false)",
        [SIZE],
    ),
    (f"SELECT Subject FROM Case WHERE Status = 'Working' WITH UserId = '{record_id('User', 1)}'", [SIZE]),
    ("SELECT Subject FROM Case all WHERE all.Status = 'Working'", [SIZE]),
    ("select id, NAME from ACCOUNT limit 1", [(record_id("Account", 1), "Acme")]),
    # NULLS LAST does not hold for what a parent has that may be missing.
    ("SELECT Subject FROM Case ORDER BY Account.Name NULLS LAST, Subject LIMIT 2", [None, SMELL]),
    ("SELECT Subject FROM Case ORDER BY Account.Name DESC NULLS FIRST, Subject LIMIT 2", [None, SMELL]),
    # Fields Salesforce has and this org has no data for read null.
    ("SELECT CreatedById, LastModifiedDate FROM Case LIMIT 1", [(None, None)]),
    # Escapes
    (r"SELECT Name FROM Account WHERE Name = 'Back\\slash'", ["Back\\slash"]),
    (r"SELECT Name FROM Account WHERE Name LIKE 'back\\%'", ["Back\\slash"]),
    (r"SELECT Name FROM Account WHERE Name LIKE '100\%%'", ["100% Cotton_Mill"]),
    (r"SELECT Name FROM Account WHERE Name LIKE '%n\_m%'", ["100% Cotton_Mill"]),
    (r"SELECT Name FROM Account WHERE Name LIKE 'A\_m%'", []),
    (r"SELECT LastName FROM Contact WHERE LastName = 'O\'neil'", ["O'Neil"]),
    (r"SELECT LastName FROM Contact WHERE LastName = '\u00e9lan'", ["Élan"]),
    # Numbers
    ("SELECT Name FROM Opportunity WHERE Amount = 1000.50", ["Pumps"]),
    ("SELECT Name FROM Opportunity WHERE Amount < 0", ["Hoses"]),
    ("SELECT Name FROM Opportunity WHERE Amount > 99999999999999999999", []),
    ("SELECT Name FROM Opportunity WHERE Amount != 250", ["Pumps", "Belts", "Hoses"]),
    ("SELECT Amount FROM Opportunity WHERE Amount IN (250, 1000.5)", [1000.5, 250.0]),
    ("SELECT Name FROM Opportunity WHERE CloseDate = NEXT_N_DAYS:5", ["Pumps"]),
    ("SELECT Name FROM Opportunity WHERE CloseDate = THIS_MONTH", ["Pumps", "Belts"]),
    ("SELECT Name FROM Opportunity WHERE CloseDate <= 2024-05-15", ["Valves", "Belts"]),
    ("SELECT Name FROM Opportunity WHERE CloseDate > YESTERDAY", ["Pumps", "Belts"]),
    ("SELECT Name FROM Opportunity WHERE CloseDate <= YESTERDAY", ["Valves"]),
    ("SELECT Name FROM Opportunity WHERE CloseDate < TODAY", ["Valves"]),
    ("SELECT Name FROM Opportunity WHERE CloseDate >= TODAY", ["Pumps", "Belts"]),
    # Polymorphic parents
    ("SELECT Subject FROM Case WHERE Owner.Type = 'User' AND Owner.IsActive = false", [UBER]),
    ("SELECT Subject FROM Case WHERE Owner.Type = 'Group'", []),
    ("SELECT Owner.Type, Owner.Username, Owner.Email FROM Case LIMIT 1", [("User", None, "ann@crm.example")]),
    ("SELECT Owner.Name, COUNT(Id) FROM Case GROUP BY Owner.Name HAVING COUNT(Id) < 2", [("Cleo Émile", 1)]),
    ("SELECT Subject FROM Task WHERE What.Type IN ('Account', 'Opportunity')", ["Call", "Visit"]),
    ("SELECT What.Name FROM Task WHERE What.Name != null ORDER BY What.Name", ["00000001", "Acme", "Pumps"]),
    ("SELECT Subject FROM Task WHERE What.Name = 'ACME'", ["Visit"]),
    ("SELECT Subject FROM Task WHERE WhatId IN (SELECT Id FROM Opportunity)", ["Call"]),
    # Aggregates
    ("SELECT COUNT(Id) FROM Case", [7]),
    ("SELECT COUNT(Priority), COUNT_DISTINCT(Priority) FROM Case", [(6, 3)]),
    ("SELECT COUNT_DISTINCT(ShippingState) FROM Account", [3]),
    (
        "SELECT SUM(Amount), AVG(Amount), MIN(Amount), MAX(Amount) FROM Opportunity",
        [(1247.5, 1247.5 / 3, -3.0, 1000.5)],
    ),
    ("SELECT SUM(Amount), MAX(Name), COUNT(Id) FROM Opportunity WHERE Name = 'none'", [(None, None, 0)]),
    ("SELECT MIN(Priority), MAX(Priority) FROM Case", [("Low", "High")]),
    ("SELECT MIN(CreatedDate) FROM Case", [moment("2023-05-15", "06:30:00")]),
    ("SELECT MAX(Account.Name) FROM Case WHERE Status = 'Working'", ["acme west"]),
    (
        "SELECT ShippingState, COUNT(Id) FROM Account GROUP BY ShippingState",
        [(None, 1), ("CA", 2), ("NY", 1), ("TX", 1)],
    ),
    ("SELECT Status FROM Case GROUP BY Status HAVING COUNT(Id) = 2", ["New"]),
    (
        "SELECT Status, COUNT(Id) FROM Case GROUP BY Status HAVING COUNT(Id) > 1 AND Status != 'New'",
        [("Closed", 3)],
    ),
    (
        "SELECT Account.Industry, COUNT(Id) FROM Case GROUP BY Account.Industry"
        " ORDER BY COUNT(Id) DESC, Account.Industry",
        [(None, 2), ("Banking", 2), ("Energy", 2), ("Apparel", 1)],
    ),
    (
        "SELECT Priority p FROM Case GROUP BY Priority ORDER BY Priority NULLS LAST",
        ["Low", "Medium", "High", None],
    ),
    ("SELECT Status, COUNT(Id) n FROM Case GROUP BY Status ORDER BY n DESC LIMIT 1", [("Closed", 3)]),
    (
        "SELECT Status FROM Case GROUP BY Status ORDER BY MAX(CreatedDate) DESC LIMIT 2 OFFSET 1",
        ["Closed", "Working"],
    ),
    (
        "SELECT CALENDAR_YEAR(CreatedDate), COUNT(Id) FROM Case GROUP BY CALENDAR_YEAR(CreatedDate)"
        " ORDER BY CALENDAR_YEAR(CreatedDate) DESC",
        [(2024, 5), (2023, 2)],
    ),
    (
        "SELECT CALENDAR_MONTH(CloseDate) m, SUM(Amount) FROM Opportunity GROUP BY CloseDate"
        " ORDER BY CloseDate",
        [(None, -3.0), (4, 250.0), (5, None), (5, 1000.5)],
    ),
    ("SELECT IsClosed, COUNT(Id) FROM Case GROUP BY IsClosed", [(False, 4), (True, 3)]),
    (
        "SELECT IsConverted, Status, COUNT(Id) FROM Lead GROUP BY ROLLUP(IsConverted, Status)"
        " ORDER BY GROUPING(IsConverted), GROUPING(Status), Status",
        [(False, "New", 1), (True, "Qualified", 1), (False, None, 1), (True, None, 1), (None, None, 2)],
    ),
    (
        "SELECT Status, Priority, COUNT(Id) FROM Case WHERE Status = 'New' GROUP BY CUBE(Status, Priority)"
        " HAVING GROUPING(Status) = 1 ORDER BY Priority",
        [(None, None, 2), (None, "Medium", 1), (None, "High", 1)],
    ),
]


@pytest.mark.parametrize(("query", "expected"), QUERIES, ids=[query for query, _ in QUERIES])
def test_queries_answer(database: Database, clock: Clock, query: str, expected: list[Any]) -> None:
    assert answer(database, clock, query) == expected


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("CALENDAR_YEAR", 2023),
        ("CALENDAR_QUARTER", 4),
        ("CALENDAR_MONTH", 12),
        ("DAY_IN_MONTH", 31),
        ("DAY_IN_WEEK", 1),
        ("DAY_IN_YEAR", 365),
        ("DAY_ONLY", "2023-12-31"),
        ("FISCAL_YEAR", 2023),
        ("FISCAL_QUARTER", 4),
        ("FISCAL_MONTH", 12),
        ("HOUR_IN_DAY", 5),
        ("WEEK_IN_MONTH", 5),
        ("WEEK_IN_YEAR", 53),
    ],
)
def test_date_functions(database: Database, clock: Clock, function: str, expected: object) -> None:
    call = f"{function}(CreatedDate)"
    query = f"SELECT {call} FROM Case WHERE Status = 'Escalated' GROUP BY {call}"
    assert run_query(database, query, clock).records == [{"expr0": expected}]


def test_an_empty_group_by_has_no_rows_and_an_overall_aggregate_one(database: Database, clock: Clock) -> None:
    assert (
        answer(database, clock, "SELECT Status, COUNT(Id) FROM Case WHERE Status = 'x' GROUP BY Status") == []
    )
    assert answer(database, clock, "SELECT COUNT(Id), MAX(Subject) FROM Case WHERE Status = 'x'") == [
        (0, None)
    ]


def test_count_answers_with_a_number_and_no_records(database: Database, clock: Clock) -> None:
    result = run_query(database, "SELECT COUNT() FROM Case WHERE Status = 'Closed'", clock)
    assert (result.is_count, result.total_size, result.records, result.done) == (True, 3, [], True)
    assert run_query(database, "SELECT COUNT() FROM Case LIMIT 2", clock).total_size == 2
    assert not run_query(database, "SELECT COUNT(Id) FROM Case", clock).is_count


def test_a_cached_plan_reads_each_clock(database: Database) -> None:
    query = "SELECT Subject FROM Case WHERE CreatedDate = TODAY"
    first, second = Clock.at(date(2024, 5, 15)), Clock.at(date(2024, 5, 10))
    assert answer(database, first, query) == [ZIP]
    assert answer(database, second, query) == [PARCEL]
    assert answer(database, first, query) == [ZIP]


def test_the_day_is_that_of_utc(database: Database) -> None:
    query = "SELECT Subject FROM Case WHERE CreatedDate = TODAY"
    assert answer(database, Clock(datetime(2024, 5, 15, 23, 59, tzinfo=UTC)), query) == [ZIP]
    assert answer(database, Clock(datetime(2024, 5, 16, 0, 1, tzinfo=UTC)), query) == []


def test_plans_are_made_once_and_kept_in_bounds(
    database: Database, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    clear_plan_cache()
    monkeypatch.setattr(run, "CACHE_SIZE", 3)
    for number in range(5):
        run_query(database, f"SELECT Id FROM Case LIMIT {number}", clock)
    plans = list(run._plans.values())
    assert len(plans) == 3
    run_query(database, "SELECT Id FROM Case LIMIT 4", clock)
    assert list(run._plans.values()) == plans


def test_one_text_over_two_schemas_has_two_plans(database: Database, clock: Clock, tmp_path: Path) -> None:
    query = "SELECT Id FROM Account WHERE PersonEmail = null"
    with pytest.raises(SalesforceError, match="No such column 'PersonEmail'"):
        run_query(database, query, clock)
    with Database.create(tmp_path / "b2c.db", "b2c") as other:
        rows.insert(other, "Account", [{"Id": record_id("Account", 1), "LastName": "Able"}])
        other.finish()
        assert run_query(other, query, clock).total_size == 1
    with pytest.raises(SalesforceError, match="No such column 'PersonEmail'"):
        run_query(database, query, clock)


def test_no_value_of_a_query_stands_in_its_sql(database: Database, clock: Clock) -> None:
    clear_plan_cache()
    run_query(
        database,
        "SELECT Id, (SELECT Id FROM Cases WHERE Subject LIKE 'needle%' LIMIT 7777) FROM Account",
        clock,
    )
    run_query(
        database,
        "SELECT Status, COUNT(Id) FROM Case WHERE Subject IN ('needle', 'x') AND Status != 'needle'"
        " GROUP BY Status HAVING COUNT(Id) > 7777 ORDER BY Status LIMIT 77 OFFSET 7",
        clock,
    )
    run_query(database, "SELECT Id FROM Task WHERE What.Type = 'needle' ORDER BY Priority", clock)
    plans = [plan for plan, _ in run._plans.values()]
    texts = [plan.sql for plan in plans] + [child.plan.sql for plan in plans for child in plan.children]
    assert len(texts) == 4
    for text in texts:
        assert "needle" not in text
        assert "77" not in text
        assert "'" not in text


# What SOSL builds on


def test_records_of_given_ids_come_in_the_order_given(database: Database, clock: Clock) -> None:
    ids = [record_id("Case", number) for number in (3, 1, 6, 77)]
    query = parse_text("SELECT Subject FROM Case")
    assert [r["Subject"] for r in select_records(database, query, clock, ids).records] == [REFUND, ZIP, SMELL]


def test_given_ids_are_filtered_ordered_and_cut_like_any(database: Database, clock: Clock) -> None:
    ids = [record_id("Case", number) for number in (3, 1, 6, 2)]
    query = parse_text(
        "SELECT Subject, Account.Name FROM Case WHERE Status = 'Closed' ORDER BY Subject LIMIT 2"
    )
    found = select_records(database, query, clock, ids)
    assert found.records == [
        {"Subject": PARCEL, "Account": {"Name": "Acme"}},
        {"Subject": REFUND, "Account": {"Name": "acme west"}},
    ]


def test_a_query_in_pieces_gives_what_it_gives_whole(database: Database, clock: Clock) -> None:
    text = "SELECT Subject, Account.Name FROM Case WHERE CreatedDate < TODAY ORDER BY Subject"
    whole = run_query(database, text, clock).records
    pieces = [piece.records for piece in stream_query(database, text, clock, 2)]
    assert [record for piece in pieces for record in piece] == whole
    assert {len(piece) for piece in pieces[:-1]} == {2}
    with pytest.raises(SalesforceError, match="No such column 'Nmae'"):
        next(stream_query(database, "SELECT Nmae FROM Case", clock, 2))


def test_a_parser_reads_the_clauses_of_a_returning_object(database: Database, clock: Clock) -> None:
    source = Source(
        "FIND {x y} RETURNING Case(Id, Subject WHERE Status = 'New' ORDER BY Subject LIMIT 3 OFFSET 1)"
    )
    parser = Parser(source, source.tokens(source.text.index("}") + 1))
    parser.expect("RETURNING")
    name = parser.parse_path()
    parser.expect("(")
    select = parser.parse_select_list()
    assert parser.accept("WHERE")
    where = parser.parse_condition()
    order_by = parser.parse_order_by()
    limit, offset = parser.parse_count("LIMIT"), parser.parse_count("OFFSET")
    parser.expect(")")
    assert (name.column, limit, offset) == (source.text.index("Case") + 1, 3, 1)
    query = ast.Query(
        select, (ast.FromItem(name),), where=where, order_by=order_by, limit=limit, offset=offset
    )
    ids = [record_id("Case", number) for number in (1, 7)]
    assert select_records(database, query, clock, ids, source).records == [
        {"Id": record_id("Case", 1), "Subject": ZIP}
    ]

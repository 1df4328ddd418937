"""What depends on who asks, and on the org's own calendar: scopes, days, local hours, fiscal years."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from crmarena.clock import Clock
from crmarena.errors import UsageError
from crmarena.soql.run import run_query
from crmarena.soql.viewer import Viewer
from crmarena.storage import rows
from crmarena.storage.database import Database
from tests.soql.conftest import moment, record_id

ANN, BOB = (Viewer(record_id("User", number)) for number in (1, 2))
NOBODY = Viewer()


def subjects(database: Database, query: str, viewer: Viewer, clock: Clock) -> list[Any]:
    return [record["Subject"] for record in run_query(database, query, clock, viewer=viewer).records]


@pytest.mark.parametrize(
    ("scope", "viewer", "found"),
    [
        ("everything", NOBODY, 7),
        ("Everything", ANN, 7),
        ("mine", ANN, 3),
        ("MINE", BOB, 3),
        ("mine", NOBODY, 0),
        ("scopingRule", ANN, 7),
        ("MRU", ANN, 0),
    ],
)
def test_a_scope_leaves_the_records_of_the_viewer(
    database: Database, clock: Clock, scope: str, viewer: Viewer, found: int
) -> None:
    query = f"SELECT COUNT() FROM Case USING SCOPE {scope}"
    assert run_query(database, query, clock, viewer=viewer).total_size == found


def test_a_scope_joins_what_else_is_asked(database: Database, clock: Clock) -> None:
    query = "SELECT Subject FROM Case USING SCOPE mine WHERE Status = 'New' OR Status = 'Working'"
    assert subjects(database, query, ANN, clock) == ["Broken zip", None]
    assert subjects(database, query, BOB, clock) == ["Wrong size"]
    grouped = "SELECT Status, COUNT(Id) FROM Case USING SCOPE mine GROUP BY Status ORDER BY Status"
    found = run_query(database, grouped, clock, viewer=BOB).records
    assert {tuple(record.values()) for record in found} == {("Closed", 2), ("Working", 1)}


def test_a_scope_of_a_child_query_is_that_of_the_viewer(database: Database, clock: Clock) -> None:
    query = "SELECT (SELECT Subject FROM Cases USING SCOPE mine) FROM Account WHERE Name = 'Acme'"
    (mine,) = run_query(database, query, clock, viewer=ANN).records
    (other,) = run_query(database, query, clock, viewer=BOB).records
    assert len(mine["Cases"]) == 2
    assert other["Cases"] is None


@pytest.fixture
def tasks(tmp_path: Path) -> Iterator[Database]:
    """Tasks that Ann and Bob made for one another, around two midnights."""
    with Database.create(tmp_path / "org.db", "b2b") as database:
        made = [("A", 1, 1), ("B", 1, 2), ("C", 2, 1)]
        records = [
            {
                "Id": record_id("Task", number),
                "Subject": name,
                "CreatedById": record_id("User", creator),
                "OwnerId": record_id("User", owner),
                "CreatedDate": moment("2024-03-10", f"{number * 4:02d}:30:00"),
                "ActivityDate": "2024-03-10",
            }
            for number, (name, creator, owner) in enumerate(made, 1)
        ]
        rows.insert(database, "Task", records)
        database.finish()
        yield database


def test_delegated_tasks_are_those_made_for_others(tasks: Database, clock: Clock) -> None:
    query = "SELECT Subject FROM Task USING SCOPE delegated"
    assert subjects(tasks, query, ANN, clock) == ["B"]
    assert subjects(tasks, query, BOB, clock) == ["C"]
    assert subjects(tasks, query, NOBODY, clock) == []


# zone, what TODAY finds on 10 March 2024 there, hours as convertTimezone has them
ZONES: list[tuple[str, list[str], list[int]]] = [
    ("UTC", ["A", "B", "C"], [4, 8, 12]),
    ("America/New_York", ["B", "C"], [23, 4, 8]),
    ("Asia/Kolkata", ["A", "B", "C"], [10, 14, 18]),
    ("Pacific/Auckland", ["A", "B"], [17, 21, 1]),
]


@pytest.mark.parametrize(("zone", "today", "hours"), ZONES, ids=[zone for zone, _, _ in ZONES])
def test_a_day_and_its_hours_are_those_of_the_viewers_zone(
    tasks: Database, zone: str, today: list[str], hours: list[int]
) -> None:
    viewer, noon = Viewer(zone=zone), Clock(datetime(2024, 3, 10, 10, tzinfo=UTC))
    query = "SELECT Subject FROM Task WHERE CreatedDate = TODAY"
    assert subjects(tasks, query, viewer, noon) == today
    hour = "HOUR_IN_DAY(convertTimezone(CreatedDate))"
    grouped = f"SELECT Subject, {hour} FROM Task GROUP BY Subject, {hour} ORDER BY Subject"
    found = run_query(tasks, grouped, noon, viewer=viewer).records
    assert [record["expr0"] for record in found] == hours
    plain = "SELECT Subject, HOUR_IN_DAY(CreatedDate) FROM Task GROUP BY Subject, HOUR_IN_DAY(CreatedDate)"
    assert [r["expr0"] for r in run_query(tasks, plain, noon, viewer=viewer).records] == [4, 8, 12]


def test_local_and_universal_hours_are_different_groups(tasks: Database, clock: Clock) -> None:
    query = (
        "SELECT HOUR_IN_DAY(CreatedDate) utc, HOUR_IN_DAY(convertTimezone(CreatedDate)) here FROM Task"
        " GROUP BY HOUR_IN_DAY(CreatedDate), HOUR_IN_DAY(convertTimezone(CreatedDate))"
        " ORDER BY HOUR_IN_DAY(convertTimezone(CreatedDate)) LIMIT 1"
    )
    viewer = Viewer(zone="America/New_York")
    assert run_query(tasks, query, clock, viewer=viewer).records == [{"utc": 8, "here": 4}]


def test_a_date_is_a_day_of_the_viewers_calendar(tasks: Database) -> None:
    # It is the eleventh in Auckland already, and the tenth in New York still.
    late = Clock(datetime(2024, 3, 10, 20, tzinfo=UTC))
    query = "SELECT Subject FROM Task WHERE ActivityDate = TODAY"
    assert subjects(tasks, query, Viewer(zone="Pacific/Auckland"), late) == []
    assert len(subjects(tasks, query, Viewer(zone="America/New_York"), late)) == 3
    day = "SELECT Subject FROM Task WHERE DAY_ONLY(convertTimezone(CreatedDate)) = YESTERDAY"
    assert subjects(tasks, day, Viewer(zone="Pacific/Auckland"), late) == ["A", "B"]


def test_one_plan_serves_every_viewer(tasks: Database) -> None:
    noon = Clock(datetime(2024, 3, 10, 10, tzinfo=UTC))
    query = "SELECT Subject FROM Task USING SCOPE mine WHERE CreatedDate = TODAY"
    assert subjects(tasks, query, ANN, noon) == ["A", "C"]
    assert subjects(tasks, query, Viewer(ANN.user_id, "America/New_York"), noon) == ["C"]
    assert subjects(tasks, query, BOB, noon) == ["B"]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT Id FROM Task WHERE CreatedDate = TODAY",
        "SELECT COUNT(Id) FROM Task GROUP BY DAY_ONLY(convertTimezone(CreatedDate))",
    ],
)
def test_an_unknown_zone_is_told_before_anything_is_read(tasks: Database, clock: Clock, query: str) -> None:
    with pytest.raises(UsageError, match="Unknown time zone 'Mars/Olympus'"):
        run_query(tasks, query, clock, viewer=Viewer(zone="Mars/Olympus"))


def fiscal(path: Path, month: int, named_by_start: bool) -> Database:
    """An org with a fiscal year of its own and an opportunity for each month of 2024."""
    database = Database.create(path, "b2b")
    organization = {
        "Id": "00DCr0000000001AAA",
        "Name": "Org",
        "FiscalYearStartMonth": month,
        "UsesStartDateAsFiscalYearName": named_by_start,
    }
    rows.insert(database, "Organization", [organization])
    deals = (
        {"Id": record_id("Opportunity", n), "Name": str(n), "CloseDate": f"2024-{n:02d}-15"}
        for n in range(1, 13)
    )
    rows.insert(database, "Opportunity", deals)
    database.finish()
    return database


# first month, named by its start, the fiscal year, quarter and month of March and of November 2024
FISCAL = [
    (1, False, (2024, 1, 3), (2024, 4, 11)),
    (1, True, (2024, 1, 3), (2024, 4, 11)),
    (4, False, (2024, 4, 12), (2025, 3, 8)),
    (4, True, (2023, 4, 12), (2024, 3, 8)),
    (11, False, (2024, 2, 5), (2025, 1, 1)),
    (3, True, (2024, 1, 1), (2024, 3, 9)),
]


@pytest.mark.parametrize(("month", "named_by_start", "march", "november"), FISCAL)
def test_fiscal_functions_follow_the_orgs_fiscal_year(
    tmp_path: Path,
    clock: Clock,
    month: int,
    named_by_start: bool,
    march: tuple[int, int, int],
    november: tuple[int, int, int],
) -> None:
    calls = "FISCAL_YEAR(CloseDate), FISCAL_QUARTER(CloseDate), FISCAL_MONTH(CloseDate)"
    query = (
        f"SELECT {calls} FROM Opportunity WHERE Name IN ('3', '11') GROUP BY Name, {calls} ORDER BY Name DESC"
    )
    with fiscal(tmp_path / "org.db", month, named_by_start) as database:
        found = [tuple(record.values()) for record in run_query(database, query, clock).records]
        assert found == [march, november]
        year, quarter, _ = november
        filtered = (
            "SELECT Name FROM Opportunity"
            f" WHERE FISCAL_YEAR(CloseDate) = {year} AND FISCAL_QUARTER(CloseDate) = {quarter}"
        )
        assert "11" in {record["Name"] for record in run_query(database, filtered, clock).records}


def test_fiscal_literals_follow_the_orgs_fiscal_year(tmp_path: Path, clock: Clock) -> None:
    query = "SELECT Name FROM Opportunity WHERE CloseDate = THIS_FISCAL_QUARTER"
    calendar = "SELECT Name FROM Opportunity WHERE CloseDate = THIS_QUARTER"
    with fiscal(tmp_path / "org.db", 2, False) as database:
        assert [r["Name"] for r in run_query(database, query, clock).records] == ["5", "6", "7"]
        assert [r["Name"] for r in run_query(database, calendar, clock).records] == ["4", "5", "6"]
    with fiscal(tmp_path / "other.db", 3, False) as database:
        assert [r["Name"] for r in run_query(database, query, clock).records] == ["3", "4", "5"]

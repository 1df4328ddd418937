"""SOQL latency on orgs of 10,000 and 100,000 cases, as a ratio to hand-written SQL fetched as dicts.

Run: `python -m benchmarks.soql_latency`. Targets: the median ratio is 1.3 or less with a
cached plan and 2 or less with every plan made anew; no query is over 3 with a cached plan;
ten times the data makes the ratios no worse; parsing takes 25 microseconds or less at the median.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import statistics
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.timing import fetched, median_time
from crmarena.clock import Clock, format_datetime
from crmarena.schema.ids import make_id
from crmarena.soql import run
from crmarena.storage import rows
from crmarena.storage.database import Database

TODAY = date(2024, 6, 30)
SIZES = (10_000, 100_000)
"""Cases; histories are twice as many, contacts a fifth, accounts a twentieth."""
USERS, ISSUES = 200, 15
TARGETS = {"cached": 1.3, "cold": 2.0, "slowest": 3.0, "parsing": 25.0}
NOISE = 1.1
"""How much of a difference between two sizes may be chance."""
STATES = ("CA", "NY", "TX", "WA", "OR", "FL", "IL", "MA", "CO", "GA")
STATUSES = ("New", "Working", "Waiting on Customer", "Escalated", "Closed", "Closed", "Closed")
WORDS = ("parcel", "refund", "screen", "battery", "login", "delivery", "warranty", "colour", "noise")


@dataclass(frozen=True)
class Pair:
    """One question, as SOQL and as the SQL a person would write by hand."""

    name: str
    soql: str
    sql: str
    values: tuple[Any, ...] = ()


def record_id(prefix: str, number: int) -> str:
    return make_id(prefix, "Bn", number)


def build(path: Path, size: int) -> None:
    draw = random.Random(7)
    with Database.create(path, "b2b") as database:
        rows.insert(database, "User", users(draw))
        rows.insert(database, "Account", accounts(draw, size // 20))
        rows.insert(database, "Contact", contacts(draw, size // 5))
        issues = ({"Id": record_id("a00", n), "Name": f"Issue {n}"} for n in range(ISSUES))
        rows.insert(database, "Issue__c", issues)
        rows.insert(database, "Case", cases(draw, size))
        rows.insert(database, "CaseHistory__c", histories(draw, size))
        database.finish()


def users(draw: random.Random) -> Iterator[dict[str, Any]]:
    for n in range(USERS):
        first, last = draw.choice(WORDS).title(), draw.choice(WORDS).title()
        yield {"Id": record_id("005", n), "FirstName": first, "LastName": f"{last}{n}", "IsActive": n % 9 > 0}


def accounts(draw: random.Random, count: int) -> Iterator[dict[str, Any]]:
    for n in range(count):
        yield {
            "Id": record_id("001", n),
            "Name": f"{draw.choice(WORDS).title()} Works {n}",
            "ShippingState": draw.choice(STATES),
            "NumberOfEmployees": draw.randrange(5, 5000),
            "OwnerId": record_id("005", draw.randrange(USERS)),
        }


def contacts(draw: random.Random, count: int) -> Iterator[dict[str, Any]]:
    for n in range(count):
        yield {
            "Id": record_id("003", n),
            "FirstName": draw.choice(WORDS).title(),
            "LastName": f"{draw.choice(WORDS).title()}son{n}",
            "Email": f"contact{n}@mail.example",
            "AccountId": record_id("001", draw.randrange(count // 4)),
        }


def moments(draw: random.Random) -> tuple[str, str]:
    end = datetime(TODAY.year, TODAY.month, TODAY.day, tzinfo=UTC)
    created = end - timedelta(minutes=draw.randrange(4 * 365 * 1440))
    return format_datetime(created), format_datetime(created + timedelta(minutes=draw.randrange(20_000)))


def cases(draw: random.Random, count: int) -> Iterator[dict[str, Any]]:
    for n in range(count):
        created, closed = moments(draw)
        status = draw.choice(STATUSES)
        yield {
            "Id": record_id("500", n),
            "Subject": " ".join(draw.choice(WORDS) for _ in range(5)),
            "Description": " ".join(draw.choice(WORDS) for _ in range(60)),
            "Status": status,
            "Priority": draw.choice(("Low", "Medium", "High")),
            "AccountId": record_id("001", draw.randrange(count // 20)),
            "ContactId": record_id("003", draw.randrange(count // 5)),
            "OwnerId": record_id("005", draw.randrange(USERS)),
            "IssueId__c": record_id("a00", draw.randrange(ISSUES)),
            "CreatedDate": created,
            "ClosedDate": closed if status == "Closed" else None,
        }


def histories(draw: random.Random, count: int) -> Iterator[dict[str, Any]]:
    for n in range(2 * count):
        yield {
            "Id": record_id("a01", n),
            "CaseId__c": record_id("500", n % count),
            "Field__c": "Case Creation" if n < count else "Owner Assignment",
            "NewValue__c": record_id("005", draw.randrange(USERS)),
            "CreatedDate": moments(draw)[0],
        }


CASE, ACCOUNT, USER = (make_id(prefix, "Bn", n) for prefix, n in (("500", 4321), ("001", 42), ("005", 17)))
MANY = tuple(make_id("500", "Bn", n * 37) for n in range(100))
NEW_YEAR, APRIL, MAY, JUNE = (f"2024-{month}-01T00:00:00.000+0000" for month in ("01", "04", "05", "06"))

PAIRS = [
    Pair(
        "by Id",
        f"SELECT Id, Subject, Status FROM Case WHERE Id = '{CASE}'",
        'SELECT Id, Subject, Status FROM "Case" WHERE Id = ?',
        (CASE,),
    ),
    Pair(
        "newest",
        "SELECT Id, CreatedDate FROM Case ORDER BY CreatedDate DESC LIMIT 10",
        'SELECT Id, CreatedDate FROM "Case" ORDER BY CreatedDate DESC LIMIT 10',
    ),
    Pair(
        "by owner",
        f"SELECT Id, Subject, Status FROM Case WHERE OwnerId = '{USER}'",
        'SELECT Id, Subject, Status FROM "Case" WHERE OwnerId = ?',
        (USER,),
    ),
    Pair(
        "date range",
        "SELECT Id, OwnerId, CreatedDate, ClosedDate FROM Case WHERE CreatedDate >= 2024-05-01T00:00:00Z"
        " AND CreatedDate < 2024-06-01T00:00:00Z",
        'SELECT Id, OwnerId, CreatedDate, ClosedDate FROM "Case" WHERE CreatedDate >= ? AND CreatedDate < ?',
        (MAY, JUNE),
    ),
    Pair(
        "relative date",
        "SELECT Id, Subject FROM Case WHERE CreatedDate = LAST_N_DAYS:30",
        'SELECT Id, Subject FROM "Case" WHERE CreatedDate >= ? AND CreatedDate < ?',
        ("2024-05-31T00:00:00.000+0000", "2024-07-01T00:00:00.000+0000"),
    ),
    Pair(
        "IN of 100",
        f"SELECT Id, OwnerId, Status FROM Case WHERE Id IN ({', '.join(map(repr, MANY))})",
        f'SELECT Id, OwnerId, Status FROM "Case" WHERE Id IN ({", ".join("?" * len(MANY))})',
        MANY,
    ),
    Pair(
        "parent names",
        f"SELECT Id, Account.Name, Owner.Name FROM Case WHERE AccountId = '{ACCOUNT}'",
        'SELECT c.Id, a.Name, u.Name AS Owner FROM "Case" c LEFT JOIN Account a ON a.Id = c.AccountId'
        " LEFT JOIN User u ON u.Id = c.OwnerId WHERE c.AccountId = ?",
        (ACCOUNT,),
    ),
    Pair(
        "parent filter",
        "SELECT Id, Subject FROM Case WHERE Account.ShippingState = 'CA' AND Status = 'Escalated'",
        'SELECT c.Id, c.Subject FROM "Case" c LEFT JOIN Account a ON a.Id = c.AccountId'
        " WHERE a.ShippingState = ? AND c.Status = ?",
        ("CA", "Escalated"),
    ),
    Pair(
        "two filters",
        "SELECT Id, Subject, Priority FROM Case WHERE Status = 'Escalated' AND Priority = 'High'",
        'SELECT Id, Subject, Priority FROM "Case" WHERE Status = ? AND Priority = ?',
        ("Escalated", "High"),
    ),
    Pair(
        "not closed",
        f"SELECT Id, Status FROM Case WHERE OwnerId = '{USER}' AND Status != 'Closed'",
        'SELECT Id, Status FROM "Case" WHERE OwnerId = ? AND Status IS NOT ?',
        (USER, "Closed"),
    ),
    Pair(
        "LIKE",
        "SELECT Id, Subject FROM Case WHERE Subject LIKE '%warranty refund%' LIMIT 50",
        'SELECT Id, Subject FROM "Case" WHERE Subject LIKE ? LIMIT 50',
        ("%warranty refund%",),
    ),
    Pair(
        "count",
        "SELECT COUNT() FROM Case WHERE Status = 'Closed'",
        'SELECT COUNT(*) FROM "Case" WHERE Status = ?',
        ("Closed",),
    ),
    Pair(
        "by status",
        "SELECT Status, COUNT(Id) FROM Case GROUP BY Status",
        'SELECT Status, COUNT(*) FROM "Case" GROUP BY Status',
    ),
    Pair(
        "busiest owner",
        "SELECT OwnerId, COUNT(Id) n FROM Case WHERE Status = 'Closed' GROUP BY OwnerId"
        " HAVING COUNT(Id) > 20 ORDER BY COUNT(Id) DESC LIMIT 5",
        'SELECT OwnerId, COUNT(*) AS n FROM "Case" WHERE Status = ? GROUP BY OwnerId HAVING COUNT(*) > ?'
        " ORDER BY COUNT(*) DESC LIMIT 5",
        ("Closed", 20),
    ),
    Pair(
        "by month",
        "SELECT CALENDAR_MONTH(CreatedDate) m, COUNT(Id) FROM Case WHERE CreatedDate = THIS_YEAR"
        " GROUP BY CALENDAR_MONTH(CreatedDate)",
        'SELECT CAST(substr(CreatedDate, 6, 2) AS INTEGER) AS m, COUNT(*) FROM "Case"'
        " WHERE CreatedDate >= ? AND CreatedDate < ? GROUP BY 1",
        (NEW_YEAR, "2025-01-01T00:00:00.000+0000"),
    ),
    Pair(
        "by state",
        "SELECT Account.ShippingState, COUNT(Id) FROM Case WHERE CreatedDate = LAST_QUARTER"
        " GROUP BY Account.ShippingState",
        'SELECT a.ShippingState, COUNT(*) FROM "Case" c LEFT JOIN Account a ON a.Id = c.AccountId'
        " WHERE c.CreatedDate >= ? AND c.CreatedDate < ? GROUP BY a.ShippingState",
        (NEW_YEAR, APRIL),
    ),
    Pair(
        "semi-join",
        f"SELECT Id, Name FROM Account WHERE Id IN (SELECT AccountId FROM Case WHERE OwnerId = '{USER}')",
        'SELECT Id, Name FROM Account WHERE Id IN (SELECT AccountId FROM "Case" WHERE OwnerId = ?)',
        (USER,),
    ),
    Pair(
        "children",
        f"SELECT Id, Name, (SELECT Id, Subject FROM Cases) FROM Account WHERE Id = '{ACCOUNT}'",
        "SELECT a.Id, a.Name, c.Id AS CaseId, c.Subject FROM Account a"
        ' LEFT JOIN "Case" c ON c.AccountId = a.Id WHERE a.Id = ?',
        (ACCOUNT,),
    ),
    Pair(
        "history",
        "SELECT CaseId__c, OldValue__c, NewValue__c, CreatedDate FROM CaseHistory__c"
        f" WHERE Field__c = 'Owner Assignment' AND NewValue__c = '{USER}'",
        "SELECT CaseId__c, OldValue__c, NewValue__c, CreatedDate FROM CaseHistory__c"
        " WHERE Field__c = ? AND NewValue__c = ?",
        ("Owner Assignment", USER),
    ),
    Pair(
        "closed by issue",
        "SELECT Id, IssueId__r.Name, CreatedDate, ClosedDate FROM Case WHERE ClosedDate != null"
        " AND CreatedDate >= 2024-04-01T00:00:00Z ORDER BY CreatedDate",
        'SELECT c.Id, i.Name, c.CreatedDate, c.ClosedDate FROM "Case" c'
        " LEFT JOIN Issue__c i ON i.Id = c.IssueId__c"
        " WHERE c.ClosedDate IS NOT NULL AND c.CreatedDate >= ? ORDER BY c.CreatedDate",
        (APRIL,),
    ),
]


def by_hand(connection: sqlite3.Connection, pair: Pair) -> list[dict[str, Any]]:
    return fetched(connection, pair.sql, pair.values)


def measure(path: Path) -> dict[str, float]:
    """The medians of the ratios, and the worst one with a cached plan."""
    clock = Clock.at(TODAY)
    ratios: dict[str, list[float]] = {"cached": [], "cold": []}
    print(f"{'query':16} {'rows':>6} {'by hand':>9} {'cached':>9} {'cold':>9}   ratios")
    with Database.open(path) as database:
        for pair in PAIRS:

            def cached(text: str = pair.soql) -> object:
                return run.run_query(database, text, clock).records

            def cold(text: str = pair.soql) -> object:
                run.clear_plan_cache()
                return run.run_query(database, text, clock).records

            def by_itself(pair: Pair = pair) -> object:
                return by_hand(database.connection, pair)

            count = len(by_hand(database.connection, pair))
            hand = median_time(by_itself)
            took = {"cached": median_time(cached), "cold": median_time(cold)}
            for name, value in took.items():
                ratios[name].append(value / hand)
            print(
                f"{pair.name:16} {count:6} {hand:7.0f}us {took['cached']:7.0f}us {took['cold']:7.0f}us"
                f"   {took['cached'] / hand:5.2f} {took['cold'] / hand:5.2f}"
            )
    medians = {name: statistics.median(values) for name, values in ratios.items()}
    return {**medians, "slowest": max(ratios["cached"])}


def parsing() -> float:
    """The median over the queries of what parsing one takes, in microseconds."""
    return statistics.median(median_time(partial(run.parse_text, pair.soql), seconds=0.05) for pair in PAIRS)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit 1 if a target is missed")
    arguments = parser.parse_args()
    found: list[dict[str, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            path = Path(folder) / f"{size}.db"
            build(path, size)
            print(f"\n{size} cases, {path.stat().st_size / 1e6:.0f} MB")
            found.append(measure(path))
    missed = False
    for size, medians in zip(SIZES, found, strict=True):
        for name in ("cached", "cold", "slowest"):
            missed |= medians[name] > TARGETS[name]
            print(f"{size} cases, {name}: {medians[name]:.2f} (target {TARGETS[name]} or less)")
    grown = found[-1]["cached"] / found[0]["cached"]
    print(f"cached ratio at ten times the data, over the small one's: {grown:.2f} (target {NOISE} or less)")
    took = parsing()
    print(f"parsing, median: {took:.1f} us (target {TARGETS['parsing']:.0f} or less)")
    missed |= grown > NOISE or took > TARGETS["parsing"]
    return 1 if missed and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())

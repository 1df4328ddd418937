"""With the records of the recycle bin, as queryAll reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crmarena.clock import Clock
from crmarena.soql.run import run_query
from crmarena.storage.database import Database
from crmarena.storage.ddl import bin_table, quote
from tests.soql.conftest import build, record_id


@pytest.fixture(scope="module")
def thrown_away(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """The small org with an account, its contact and two cases in the recycle bin."""
    path: Path = tmp_path_factory.mktemp("bin") / "org.db"
    with build(path) as database:
        for name, numbers in (("Account", [2]), ("Contact", [3]), ("Case", [5, 6])):
            table, bin_ = quote(name), quote(bin_table(database.schema.objects[name]))
            for number in numbers:
                values = (record_id(name, number),)
                database.connection.execute(f"UPDATE {table} SET IsDeleted = 1 WHERE Id = ?", values)
                database.connection.execute(f"INSERT INTO {bin_} SELECT * FROM {table} WHERE Id = ?", values)
                database.connection.execute(f"DELETE FROM {table} WHERE Id = ?", values)
        yield database


# query, what is found without the bin, what with it
QUERIES: list[tuple[str, list[Any], list[Any]]] = [
    ("SELECT COUNT() FROM Account", [4], [5]),
    ("SELECT COUNT() FROM Case WHERE IsDeleted = true", [0], [2]),
    ("SELECT COUNT() FROM Case WHERE IsDeleted = false", [5], [5]),
    ("SELECT Subject FROM Case WHERE IsDeleted = true", [], ["\u00dcbergr\u00f6\u00dfe", "Odd smell"]),
    ("SELECT Subject FROM Case WHERE Subject = 'ODD SMELL'", [], ["Odd smell"]),
    ("SELECT Subject FROM Case WHERE Subject IN ('odd SMELL', 'x')", [], ["Odd smell"]),
    ("SELECT Subject FROM Case WHERE Subject LIKE 'odd%'", [], ["Odd smell"]),
    ("SELECT Subject FROM Case WHERE Account.Name = 'ACME WEST'", [], ["Late refund", "Wrong size"]),
    ("SELECT Name FROM Account WHERE Industry = 'banking'", [], ["acme west"]),
    (
        "SELECT Name FROM Account ORDER BY Name LIMIT 3",
        ["100% Cotton_Mill", "Acme", "Back\\slash"],
        ["100% Cotton_Mill", "Acme", "acme west"],
    ),
    ("SELECT Subject FROM Case LIMIT 2 OFFSET 4", [None], [None, "\u00dcbergr\u00f6\u00dfe"]),
    (
        "SELECT Name FROM Account WHERE Id IN (SELECT AccountId FROM Contact WHERE LastName = 'O\\'Neil')",
        [],
        ["acme west"],
    ),
    ("SELECT Status FROM Case GROUP BY Status HAVING COUNT(Id) > 2", [], ["Closed"]),
    ("SELECT COUNT_DISTINCT(Status) FROM Case", [3], [4]),
    ("SELECT MAX(Name) FROM Account", ["\u00c9lan Vital"], ["\u00c9lan Vital"]),
    (
        "SELECT COUNT(Id) FROM Case GROUP BY ROLLUP(Priority) ORDER BY COUNT(Id) DESC LIMIT 1",
        [5],
        [7],
    ),
]


@pytest.mark.parametrize(("query", "plain", "all_rows"), QUERIES, ids=[query for query, _, _ in QUERIES])
def test_the_bin_is_read_only_when_asked_for(
    thrown_away: Database, clock: Clock, query: str, plain: list[Any], all_rows: list[Any]
) -> None:
    for wanted, expected in ((False, plain), (True, all_rows), (False, plain)):
        result = run_query(thrown_away, query, clock, all_rows=wanted)
        found = [list(record.values())[-1] for record in result.records]
        assert ([result.total_size] if result.is_count else found) == expected


def test_parents_and_children_in_the_bin_are_there_too(thrown_away: Database, clock: Clock) -> None:
    query = "SELECT Name, (SELECT LastName, Account.Name FROM Contacts) FROM Account WHERE Name = 'acme west'"
    assert run_query(thrown_away, query, clock).records == []
    assert run_query(thrown_away, query, clock, all_rows=True).records == [
        {"Name": "acme west", "Contacts": [{"LastName": "O'Neil", "Account": {"Name": "acme west"}}]}
    ]
    parent = "SELECT Account.Name FROM Case WHERE Subject = 'Late refund'"
    assert run_query(thrown_away, parent, clock).records == [{"Account": None}]
    assert run_query(thrown_away, parent, clock, all_rows=True).records == [
        {"Account": {"Name": "acme west"}}
    ]


def test_polymorphic_parents_and_every_field_are_read_from_the_bin(
    thrown_away: Database, clock: Clock
) -> None:
    assert (
        len(run_query(thrown_away, "SELECT FIELDS(ALL) FROM Case LIMIT 200", clock, all_rows=True).records)
        == 7
    )
    query = "SELECT What.Name, TYPEOF Who WHEN Contact THEN LastName END FROM Task ORDER BY What.Name DESC"
    assert run_query(thrown_away, query, clock, all_rows=True).total_size == 4

"""What reaches SQLite: how many statements, which joins, which indexes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import pytest

from crmarena.clock import Clock
from crmarena.soql import ast
from crmarena.soql.compile import compile_query
from crmarena.soql.resolve import resolve
from crmarena.soql.run import parse_text, run_query
from crmarena.storage.database import Database

Statements = Callable[[str], list[str]]


@pytest.fixture
def statements(database: Database, clock: Clock) -> Statements:
    """Runs a query; gives the statements that were run for it."""

    def run(query: str) -> list[str]:
        seen: list[str] = []
        database.connection.set_trace_callback(seen.append)
        try:
            run_query(database, query, clock)
        finally:
            database.connection.set_trace_callback(None)
        return seen

    return run


def test_a_query_is_one_statement_and_each_child_query_one_more(statements: Statements) -> None:
    assert (
        len(statements("SELECT Id, Owner.Name FROM Account WHERE Id NOT IN (SELECT AccountId FROM Case)"))
        == 1
    )
    children = "(SELECT Id FROM Contacts LIMIT 1), (SELECT Id, (SELECT Id FROM EmailMessages) FROM Cases)"
    assert len(statements(f"SELECT Id, {children} FROM Account")) == 4


def _sql(database: Database, query: str) -> str:
    return compile_query(resolve(database.schema, parse_text(query), None)).sql


def test_paths_share_the_joins_of_their_common_part(database: Database) -> None:
    query = (
        "SELECT Account.Owner.Name, account.owner.Email, Account.Name FROM Case"
        " WHERE Account.Owner.IsActive = true ORDER BY Account.Name"
    )
    assert _sql(database, query).count("LEFT JOIN") == 2
    assert _sql(database, "SELECT AccountId FROM Case").count("JOIN") == 0


@pytest.mark.parametrize(
    ("condition", "index"),
    [
        ("Id = '500Wt0000000001IAA'", "sqlite_autoindex_Case_1"),
        ("OwnerId = '005Wt0000000001IAA'", "Case.OwnerId"),
        ("Status = 'New'", "Case.Status"),
        ("CreatedDate = TODAY", "Case.CreatedDate"),
        ("CreatedDate >= 2024-05-15T00:00:00Z", "Case.CreatedDate"),
    ],
)
def test_filters_find_their_index(database: Database, condition: str, index: str) -> None:
    plan = compile_query(
        resolve(database.schema, parse_text(f"SELECT Subject FROM Case WHERE {condition}"), None)
    )
    values = [value if isinstance(value, str) else "2024-05-15" for value in plan.parameters]
    steps = database.connection.execute(f"EXPLAIN QUERY PLAN {plan.sql}", values).fetchall()
    assert any(index in step[3] for step in steps)


@pytest.mark.parametrize("depth", [1, 20, 39])
def test_nested_brackets_and_negations_run(database: Database, clock: Clock, depth: int) -> None:
    flip = depth // 2
    query = "SELECT COUNT() FROM Case WHERE " + "NOT (" * flip + "Status = 'New'" + ")" * flip
    assert run_query(database, query, clock).total_size == (5 if flip % 2 else 2)


def test_half_a_surrogate_pair_finds_nothing_and_harms_nothing(database: Database, clock: Clock) -> None:
    for text in (r"\ud83d", "\ud83d"):
        assert run_query(database, f"SELECT Id FROM Case WHERE Subject = '{text}'", clock).total_size == 0
    whole = r"\ud83d\ude00"
    where = parse_text(f"SELECT Id FROM Case WHERE Subject = '{whole}'").where
    assert isinstance(where, ast.Comparison)
    assert where.value.value == "\U0001f600"


def test_a_long_list_of_values_is_one_parameter(database: Database, clock: Clock) -> None:
    numbers = count(1)
    values = ", ".join(f"'{next(numbers)}'" for _ in range(5000))
    query = f"SELECT COUNT() FROM Case WHERE Subject IN ('WRONG SIZE', 'Übergröße', {values})"
    assert run_query(database, query, clock).total_size == 2
    plan = compile_query(resolve(database.schema, parse_text(query), None))
    assert len(plan.parameters) == 1

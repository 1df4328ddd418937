"""The engine against plain Python over the same records: WHERE, ORDER BY, GROUP BY."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crmarena.clock import Clock
from crmarena.schema.ids import make_id
from crmarena.soql.run import run_query
from crmarena.storage import rows
from crmarena.storage.database import Database
from tests.laws import law

Record = dict[str, Any]
Test = tuple[str, Callable[[Record], bool]]

STAGES = ["Qualification", "Discovery", "Quote", "Negotiation", "Closed"]
NAMES = [None, "alpha", "Alpha", "BETA", "b_ta", "éclair", "ÉCLAIR", "zeta", "100%"]
AMOUNTS = [None, -1.5, 0.0, 10.0, 10.5, 99.0]
DAYS = [None, "2023-12-31", "2024-01-01", "2024-02-29", "2024-05-15"]
QUICK = law(150)


def records() -> list[Record]:
    """Records that meet every pair of values."""
    found: list[Record] = []
    for number in range(240):
        found.append(
            {
                "Id": make_id("006", "Py", number),
                "Name": NAMES[number % len(NAMES)],
                "Amount": AMOUNTS[number % len(AMOUNTS)],
                "StageName": [*STAGES, None][number * 5 % 7 % 6],
                "CloseDate": DAYS[number * 3 % len(DAYS)],
                "LastActivityDate": DAYS[number // 3 % len(DAYS)],
                "AccountId": make_id("001", "Py", number % 4) if number % 3 else None,
                "IsWon": number % 4 == 0,
            }
        )
    return found


ACCOUNTS = {make_id("001", "Py", n): ["Acme", "birch", None][n] for n in range(3)}
RECORDS = records()


@pytest.fixture(scope="module")
def deals(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """The records in an org."""
    with Database.create(tmp_path_factory.mktemp("python") / "org.db", "b2b") as database:
        rows.insert(database, "Account", ({"Id": key, "Name": name} for key, name in ACCOUNTS.items()))
        rows.insert(database, "Opportunity", RECORDS)
        database.finish()
        yield database


def lower(value: Any) -> Any:
    """A value as it is compared."""
    return value.lower() if isinstance(value, str) else value


def filed(value: Any) -> Any:
    """A value as it is ordered: letters without their accents first."""
    return (lower(value).replace("é", "e"), lower(value)) if isinstance(value, str) else value


def account_name(record: Record) -> Any:
    """The parent's name; None without a parent."""
    return ACCOUNTS.get(record["AccountId"] or "")


READERS: dict[str, Callable[[Record], Any]] = {
    "Name": lambda record: record["Name"],
    "Amount": lambda record: record["Amount"],
    "StageName": lambda record: record["StageName"],
    "CloseDate": lambda record: record["CloseDate"],
    "Account.Name": account_name,
    "IsWon": lambda record: record["IsWon"],
}
CHOICES: dict[str, list[Any]] = {
    "Name": [*NAMES[1:], "Zeta", "no such"],
    "Amount": [-2, 0, 10, 10.5],
    "StageName": ["quote", "Closed", "no such"],
    "CloseDate": DAYS[1:],
    "Account.Name": ["ACME", "Birch"],
}
COMPARE = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def written(field: str, value: Any) -> str:
    """A value as SOQL writes it."""
    if value is None:
        return "null"
    return str(value) if field in {"Amount", "CloseDate"} else f"'{value}'"


@st.composite
def leaves(draw: st.DrawFn) -> Test:
    """One comparison, as text and as Python."""
    field = draw(st.sampled_from(sorted(CHOICES)))
    read = READERS[field]
    value = draw(st.sampled_from([*CHOICES[field], None]))
    sign = draw(st.sampled_from(["=", "!=", "IN", "NOT IN", *COMPARE]))
    if sign in {"=", "!="}:
        wanted = lower(value)
        return (
            f"{field} {sign} {written(field, value)}",
            lambda r: (lower(read(r)) == wanted) == (sign == "="),
        )
    if sign in COMPARE:
        if value is None:
            return f"{field} {sign} null", lambda r: False
        compare, limit = COMPARE[sign], filed(value)
        return (
            f"{field} {sign} {written(field, value)}",
            lambda r: read(r) is not None and compare(filed(read(r)), limit),
        )
    values = [value, draw(st.sampled_from(CHOICES[field]))]
    members = {lower(one) for one in values}
    text = ", ".join(written(field, one) for one in values)
    return f"{field} {sign} ({text})", lambda r: (lower(read(r)) in members) == (sign == "IN")


@st.composite
def likes(draw: st.DrawFn) -> Test:
    """One LIKE, whose pattern is a part of a name."""
    part = draw(st.sampled_from(["a", "É", "eta", "0%", "b_"]))
    escaped = part.replace("%", r"\%").replace("_", r"\_")
    return (
        f"Name LIKE '%{escaped}%'",
        lambda r: r["Name"] is not None and part.lower() in r["Name"].lower(),
    )


def negate(test: Test) -> Test:
    """The opposite, in two-valued logic."""
    return f"(NOT {test[0]})", lambda r: not test[1](r)


def join(word: str, tests: list[Test]) -> Test:
    """Tests joined by AND or OR, in brackets."""
    every = all if word == "AND" else any
    return f"({f' {word} '.join(text for text, _ in tests)})", lambda r: every(test(r) for _, test in tests)


FLAGS: st.SearchStrategy[Test] = st.sampled_from(
    [("IsWon = true", lambda r: r["IsWon"]), ("IsWon != true", lambda r: not r["IsWon"])]
)
TESTS: st.SearchStrategy[Test] = st.recursive(
    st.one_of(leaves(), likes(), FLAGS),
    lambda inner: st.one_of(
        inner.map(negate),
        st.builds(join, st.sampled_from(["AND", "OR"]), st.lists(inner, min_size=2, max_size=3)),
    ),
    max_leaves=5,
)


@QUICK
@given(test=TESTS)
def test_filters_agree_with_python(deals: Database, clock: Clock, test: Test) -> None:
    found = run_query(deals, f"SELECT Id FROM Opportunity WHERE {test[0]}", clock).records
    assert [r["Id"] for r in found] == [r["Id"] for r in RECORDS if test[1](r)]


def sort_key(field: str, descending: bool, nulls_first: bool | None) -> Callable[[Record], tuple[int, Any]]:
    """A key under which Python sorts as SOQL does, ascending."""
    read = READERS[field]
    if "." in field and nulls_first is False:
        nulls_first = None  # NULLS LAST does not hold for a parent that may be missing
    first = (not descending) if nulls_first is None else nulls_first

    def key(record: Record) -> tuple[int, Any]:
        value = read(record)
        if value is None:
            # Behind a reversal the nulls that come first must be the greatest.
            return ((0 if first else 2) if not descending else (2 if first else 0)), 0
        return 1, STAGES.index(value) if field == "StageName" else filed(value)

    return key


ORDERS = st.tuples(
    st.sampled_from(["Name", "Amount", "StageName", "CloseDate", "Account.Name"]),
    st.booleans(),
    st.sampled_from([None, True, False]),
)


@QUICK
@given(orders=st.lists(ORDERS, min_size=1, max_size=3, unique_by=lambda order: order[0]))
def test_orders_agree_with_python(
    deals: Database, clock: Clock, orders: list[tuple[str, bool, bool | None]]
) -> None:
    expected = list(RECORDS)
    for field, descending, nulls_first in reversed(orders):
        expected.sort(key=sort_key(field, descending, nulls_first), reverse=descending)
    nulls = {None: "", True: " NULLS FIRST", False: " NULLS LAST"}
    text = ", ".join(f"{field}{' DESC' if down else ''}{nulls[first]}" for field, down, first in orders)
    query = f"SELECT Id, Name, Amount, StageName, CloseDate, Account.Name FROM Opportunity ORDER BY {text}"
    found = run_query(deals, query, clock).records
    keys = [sort_key(*order) for order in orders]
    by_id = {record["Id"]: record for record in RECORDS}
    assert sorted(r["Id"] for r in found) == sorted(by_id)
    assert [[key(by_id[r["Id"]]) for key in keys] for r in found] == [
        [key(r) for key in keys] for r in expected
    ]


@QUICK
@given(
    field=st.sampled_from(["Name", "StageName", "CloseDate", "Account.Name", "IsWon"]),
    test=TESTS,
    least=st.integers(1, 4),
)
def test_groups_agree_with_python(deals: Database, clock: Clock, field: str, test: Test, least: int) -> None:
    read = READERS[field]
    groups: dict[Any, list[Record]] = {}
    for record in RECORDS:
        if test[1](record):
            groups.setdefault(lower(read(record)), []).append(record)
    query = (
        f"SELECT {field} g, COUNT(Id), COUNT(Amount), SUM(Amount), MIN(Amount), MAX(LastActivityDate)"
        f" FROM Opportunity WHERE {test[0]} GROUP BY {field} HAVING COUNT(Id) >= {least}"
    )
    found = {lower(r.pop("g")): tuple(r.values()) for r in run_query(deals, query, clock).records}
    assert found == {key: totals(group) for key, group in groups.items() if len(group) >= least}


def totals(group: list[Record]) -> tuple[Any, ...]:
    """The aggregates of a group."""
    amounts = [r["Amount"] for r in group if r["Amount"] is not None]
    days = [r["LastActivityDate"] for r in group if r["LastActivityDate"] is not None]
    return (
        len(group),
        len(amounts),
        pytest.approx(sum(amounts)) if amounts else None,
        min(amounts, default=None),
        max(days, default=None),
    )

"""The engine against plain Python over the same records: drawn queries give the same answer by both."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crmarena.clock import Clock
from crmarena.generator.build import build_org
from crmarena.schema.fields import FieldType
from crmarena.schema.ids import make_id
from crmarena.soql.run import run_query
from crmarena.soql.viewer import Viewer
from crmarena.storage import rows
from crmarena.storage.database import Database
from tests.laws import law
from tests.soql.plain import Compare, Like, Opposite, Path, Row, Several, World, alike, written
from tests.soql.plain_queries import Group, Grouped, Records
from tests.soql.plain_strategies import DRIVING, Arena, filters, grouped_queries, records_queries

ODD_NAMES = [
    None,
    "alpha",
    "Alpha",
    "BETA",
    "b_ta",
    "\u00e9clair",
    "\u00c9CLAIR",
    "eclair",
    "zeta",
    "100%",
    "back\\slash",
    "O'Neil",
    "two\nlines",
    "\u039f\u0394\u039f\u03a3",
    "\u03bf\u03b4\u03bf\u03c2",
    "\U0001f600",
]
ODD_DAYS = [
    None,
    "2021-12-31",
    "2022-01-01",
    "2022-03-31",
    "2022-04-01",
    "2022-09-30",
    "2022-10-01",
    "2020-02-29",
]
STAGES = ["Qualification", "Discovery", "Quote", "Negotiation", "Closed", None]
LANGUAGES = [None, "English", "English;Spanish", "Spanish;English;French", "German"]


ANN = make_id("005", "Py", 1)


def odd_records() -> Iterator[tuple[str, dict[str, Any]]]:
    """Records that hold what the generated ones do not: nulls, other scripts, broken references."""
    for n in range(16):
        day, name = ODD_DAYS[n % 8], ODD_NAMES[n]
        place = [(None, None), (37.77, -122.42), (-33.87, 151.21), (89.9, 10.0 * n), (0.0, -179.9)][n % 5]
        yield (
            "Account",
            {
                "Id": make_id("001", "Py", n),
                "Name": name,
                "NumberOfEmployees": [None, n][n % 2],
                "BillingLatitude": place[0],
                "BillingLongitude": place[1],
                "OwnerId": ANN if n % 3 else None,
            },
        )
        yield (
            "Contact",
            {
                "Id": make_id("003", "Py", n),
                "LastName": name,
                "FirstName": ODD_NAMES[n * 5 % 16],
                "AccountId": make_id("001", "Py", n * 3 % 20) if n % 3 else None,
                "Languages__c": LANGUAGES[n % 5],
            },
        )
    for n in range(48):
        day, account = ODD_DAYS[n * 3 % 8], make_id("001", "Py", n % 20) if n % 5 else None
        yield (
            "Opportunity",
            {
                "Id": make_id("006", "Py", n),
                "Name": ODD_NAMES[n * 7 % 16],
                "Amount": [None, -1.5, 0.0, 10.0, 10.5, 99.0][n % 6],
                "StageName": STAGES[n * 5 % 6],
                "CloseDate": day,
                "AccountId": account,
                "OwnerId": None if n % 4 else ANN,
                "Probability": [None, 10.0, 90.0][n % 3],
                "CreatedDate": f"{ODD_DAYS[n % 7 + 1]}T{n % 24:02d}:{n:02d}:00.000+0000",
            },
        )
        yield (
            "Task",
            {
                "Id": make_id("00T", "Py", n),
                "Subject": ODD_NAMES[n % 16],
                "WhatId": [None, account, make_id("006", "Py", n), make_id("006", "Zz", 1)][n % 4],
                "WhoId": make_id("003", "Py", n % 20) if n % 2 else None,
                "ActivityDate": day,
                "Status": ["Completed", "Not Started", "Deferred"][n % 3],
            },
        )


SETTINGS = [
    ("UTC", date(2022, 2, 28), 1, False),
    ("America/Los_Angeles", date(2022, 4, 3), 4, True),
    ("Asia/Kolkata", date(2022, 1, 1), 10, False),
]


@pytest.fixture(scope="module")
def arenas(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Arena]]:
    """The same generated org for three viewers, whose fiscal years differ."""
    path = tmp_path_factory.mktemp("python") / "org.db"
    build_org(org_type="b2b", seed=11, scale=0.05, path=path)
    with Database.open(path) as database:
        yield [_arena(database.copy(), *setting) for setting in SETTINGS]


def _arena(database: Database, zone: str, today: date, month: int, by_start: bool) -> Arena:
    for name, record in odd_records():
        rows.insert(database, name, [record])
    for statement in (
        'UPDATE "Case" SET "Subject" = NULL, "Priority" = NULL WHERE rowid % 9 = 1',
        'UPDATE "Case" SET "ContactId" = NULL WHERE rowid % 7 = 1',
        'UPDATE "Contact" SET "Email" = NULL WHERE rowid % 4 = 1',
    ):
        database.connection.execute(statement)
    database.connection.execute(
        'UPDATE "Organization" SET "FiscalYearStartMonth" = ?, "UsesStartDateAsFiscalYearName" = ?',
        (month, by_start),
    )
    world = World(database, today, zone)
    noon = datetime(today.year, today.month, today.day, 12, tzinfo=world.zone).astimezone(UTC)
    return Arena(database, world, Clock(noon), Viewer(zone=zone))


def sliced(found: list[Any], limit: int | None, offset: int | None) -> list[Any]:
    """What LIMIT and OFFSET leave."""
    rest = found[offset or 0 :]
    return rest if limit is None else rest[:limit]


def same(left: Any, right: Any) -> bool:
    """Whether two values are one: numbers to the last digits, texts without letter case."""
    if isinstance(left, float) or isinstance(right, float):
        return (
            left is not None and right is not None and math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-9)
        )
    return bool(left == right)


def agree(arena: Arena, query: Records, got: list[Row], among: list[Row] | None = None) -> None:
    """Assert that records are those of a query: which, in what order, with what in them."""
    world = arena.world
    matching = query.rows(world, among)
    expected = sliced(matching, query.limit, query.offset)
    known = {row["Id"]: row for row in matching}
    rows = [known[record["Id"]] for record in got]
    assert len({record["Id"] for record in got}) == len(got) == len(expected)
    if query.order:
        reads = [read for _, read in query.sort_keys(world)]
        assert [[read(row) for read in reads] for row in rows] == [
            [read(row) for read in reads] for row in expected
        ]
    else:
        assert rows == expected
    for record, row in zip(got, rows, strict=True):
        check_record(arena, query, record, row)


def check_record(arena: Arena, query: Records, record: Row, row: Row) -> None:
    """Assert that a record holds what was selected, and no more."""
    names = ["Id", *(path.text.split(".")[0] for path in query.select)]
    assert list(record) == list(dict.fromkeys([*names, *(one.relationship for one in query.children)]))
    for path in query.select:
        found: Any = record
        for step in path.hops:
            found = found[step]
            if found is None:
                break
        else:
            found = found[path.name]
        value = path.read(arena.world, row)
        # Behind a parent that is missing there is no record to hold a false checkbox.
        assert found == value or (found is None and value is False and path.hops)
    for child in query.children:
        among = [one for one in arena.world.tables[child.object_name] if one[child.reference] == row["Id"]]
        below = record[child.relationship]
        assert below is None or below
        agree(arena, child.query, below or [], among)


def group_key(row: Row, size: int) -> tuple[Any, ...]:
    """What tells the rows of a grouped answer apart."""
    return tuple((alike(row[f"g{n}"]), row.get(f"x{n}", 0)) for n in range(size))


def agree_groups(arena: Arena, query: Grouped, got: list[Row]) -> None:
    """Assert that rows are those of a grouped query."""
    matching = query.rows(arena.world)
    expected = sliced(matching, query.limit, query.offset)
    known = {
        tuple((alike(v), int(r)) for v, r in zip(one.values, one.rolled, strict=True)): one
        for one in matching
    }
    size = len(query.groups)
    found = [known[group_key(row, size)] for row in got]
    assert len({group_key(row, size) for row in got}) == len(got) == len(expected)
    for row, group in zip(got, found, strict=True):
        for n, (total, value) in enumerate(zip(query.totals, group.totals, strict=True)):
            shown = row[f"t{n}"]
            texts = isinstance(shown, str) and isinstance(value, str)
            assert same(total.rank(shown), total.rank(value)) if texts else same(shown, value)
    reads = [read for _, read in query.sort_keys()]
    assert [order_of(reads, one) for one in found] == [order_of(reads, one) for one in expected]


def order_of(reads: list[Callable[[Group], Any]], group: Group) -> list[Any]:
    """The sort keys of a group; averages to the last digits but some."""
    keys = [read(group) for read in reads]
    return [round(key, 6) if isinstance(key, float) else key for key in keys]


@law(120)
@given(data=st.data())
def test_records_agree_with_python(arenas: list[Arena], data: st.DataObject) -> None:
    arena = data.draw(st.sampled_from(arenas))
    query = data.draw(st.sampled_from(DRIVING).flatmap(lambda name: records_queries(arena, name)))
    agree(arena, query, arena.ask(query.soql()))


@law(100)
@given(data=st.data())
def test_groups_agree_with_python(arenas: list[Arena], data: st.DataObject) -> None:
    arena = data.draw(st.sampled_from(arenas))
    query = data.draw(st.sampled_from(DRIVING).flatmap(lambda name: grouped_queries(arena, name)))
    agree_groups(arena, query, arena.ask(query.soql()))


@law(30)
@given(data=st.data())
def test_counts_agree_with_python(arenas: list[Arena], data: st.DataObject) -> None:
    arena = data.draw(st.sampled_from(arenas))
    name = data.draw(st.sampled_from(DRIVING))
    where = data.draw(filters(arena, name))
    limit = data.draw(st.one_of(st.none(), st.integers(0, 50)))
    query = Records(name, (), where=where, limit=limit)
    text = query.soql().replace("SELECT Id ", "SELECT COUNT() ", 1)
    found = run_query(arena.database, text, arena.clock, viewer=arena.viewer)
    assert found.total_size == len(sliced(query.rows(arena.world), limit, None))


def angle(row: Row, latitude: float, longitude: float) -> float | None:
    """The angle at the centre of the Earth between a record's place and another, by the law of cosines."""
    if row["BillingLatitude"] is None:
        return None
    first, second = math.radians(row["BillingLatitude"]), math.radians(latitude)
    across = math.cos(math.radians(row["BillingLongitude"] - longitude))
    cosine = math.sin(first) * math.sin(second) + math.cos(first) * math.cos(second) * across
    return math.acos(max(-1.0, min(1.0, cosine)))


@law(30)
@given(
    latitude=st.integers(-89, 89),
    longitude=st.integers(-179, 179),
    unit=st.sampled_from([("km", 6371.0), ("mi", 3958.8)]),
    limit=st.integers(1, 12_000),
)
def test_distances_agree_with_python(
    arenas: list[Arena], latitude: int, longitude: int, unit: tuple[str, float], limit: int
) -> None:
    arena, (name, radius) = arenas[0], unit
    place = f"DISTANCE(BillingAddress, GEOLOCATION({latitude}, {longitude}), '{name}')"
    found = arena.ask(f"SELECT Id FROM Account WHERE {place} < {limit} ORDER BY {place} DESC")
    angles = {row["Id"]: angle(row, latitude, longitude) for row in arena.world.tables["Account"]}
    away = {key: radius * value for key, value in angles.items() if value is not None}
    # Either side of the limit by a thousandth: the radius of the Earth is no agreed number.
    wanted = {key for key, value in away.items() if value < limit * 0.999}
    assert wanted <= {record["Id"] for record in found}
    assert {record["Id"] for record in found} <= {key for key, value in away.items() if value < limit * 1.001}
    order = [away[record["Id"]] for record in found]
    assert order == pytest.approx(sorted(order, reverse=True), abs=0.01)


@law(20)
@given(data=st.data())
def test_what_is_mine_agrees_with_python(arenas: list[Arena], data: st.DataObject) -> None:
    arena = data.draw(st.sampled_from(arenas))
    name = data.draw(st.sampled_from(["Account", "Opportunity", "Case"]))
    owners = sorted({row["OwnerId"] for row in arena.world.tables[name]} - {None})
    owner = data.draw(st.sampled_from([*owners, None]))
    where = data.draw(filters(arena, name))
    query = Records(name, (), where=where)
    text = query.soql(f"{name} USING SCOPE mine")
    viewer = Viewer(user_id=owner, zone=arena.viewer.zone)
    found = run_query(arena.database, text, arena.clock, viewer=viewer).records
    mine = [row for row in query.rows(arena.world) if owner is not None and row["OwnerId"] == owner]
    assert [record["Id"] for record in found] == [row["Id"] for row in mine]


def test_a_description_writes_itself_as_soql() -> None:
    path = Path("Case", ("Account",), "Name", FieldType.STRING)
    where = Several("OR", (Opposite(Like(path, ("a%", ...))), Compare(path, "=", "it's")))
    text = Records("Case", (path,), where=where, limit=3).soql()
    assert text == (
        r"SELECT Id, Account.Name FROM Case"
        r" WHERE (NOT (Account.Name LIKE 'a\%%')) OR Account.Name = 'it\'s' LIMIT 3"
    )
    assert written(datetime(2022, 1, 1, tzinfo=UTC)) == "2022-01-01T00:00:00Z"

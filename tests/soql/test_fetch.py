"""What SQLite itself refuses reaches a caller as Salesforce's error, never as SQLite's."""

from __future__ import annotations

from pathlib import Path

import pytest

from crmarena.clock import Clock
from crmarena.errors import CRMArenaError, SalesforceError, UsageError
from crmarena.soql.run import run_query
from crmarena.storage import rows
from crmarena.storage.database import Database


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "org.db"
    with Database.create(made, "b2b") as database:
        accounts = [
            {"Id": f"00100000000000{n}AAA", "Name": "\u03a3\u0391\u03a3" if n else "Acme"} for n in range(2)
        ]
        rows.insert(database, "Account", accounts)
        database.finish()
    return made


def nested(depth: int) -> str:
    opening = "".join(f"AnnualRevenue = {n} {'AND' if n % 2 else 'OR'} (" for n in range(depth))
    return f"SELECT Id FROM Account WHERE {opening}AnnualRevenue = 1{')' * depth}"


def wide(levels: int) -> str:
    """Long chains inside long chains: no level is too wide, all of them are too deep."""
    condition = "AnnualRevenue = 1"
    for level in range(levels):
        operator = " AND " if level % 2 else " OR "
        condition = operator.join(["AnnualRevenue = 2"] * 99 + [f"({condition})"])
    return f"SELECT Id FROM Account WHERE {condition}"


@pytest.mark.parametrize(
    "text",
    [
        nested(36),
        wide(12),
        "SELECT " + ", ".join(f"COUNT(Id) a{n}" for n in range(2100)) + " FROM Account",
    ],
    ids=["nested", "wide", "counted"],
)
def test_what_passes_sqlites_limits_is_too_complicated_or_runs(path: Path, text: str) -> None:
    code = None
    with Database.open(path) as database:
        try:
            run_query(database, text, Clock.system())
        except SalesforceError as error:
            code = error.error_code
    assert code in (None, "QUERY_TOO_COMPLICATED")


def test_a_number_beyond_every_double_is_out_of_range(path: Path) -> None:
    numbers = ", ".join(["1"] * 150 + ["9" * 400])
    with Database.open(path) as database, pytest.raises(SalesforceError, match="out of range"):
        run_query(database, f"SELECT Id FROM Account WHERE AnnualRevenue IN ({numbers})", Clock.system())


def test_a_closed_org_says_so(path: Path) -> None:
    database = Database.open(path)
    database.close()
    with pytest.raises(UsageError, match="is closed"):
        run_query(database, "SELECT Id FROM Account", Clock.system())


def test_a_damaged_file_is_named(path: Path) -> None:
    content = bytearray(path.read_bytes())
    for place in range(8192, len(content), 64):
        content[place] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(CRMArenaError, match=r"org\.db") as caught:
        _read_everything(path)
    assert not isinstance(caught.value, SalesforceError)


def _read_everything(path: Path) -> None:
    with Database.open(path) as database:
        for name in database.schema.objects:
            run_query(database, f"SELECT FIELDS(ALL) FROM {name} ORDER BY Id LIMIT 200", Clock.system())


@pytest.mark.parametrize("literal", ["\u03c3\u03b1\u03c2", "\u03a3\u0391\u03a3", "\u03c3\u03b1\u03c3"])
def test_every_sigma_is_one_letter(path: Path, literal: str) -> None:
    with Database.open(path) as database:
        found = run_query(database, f"SELECT Id FROM Account WHERE Name = '{literal}'", Clock.system())
    assert found.total_size == 1


@pytest.mark.parametrize(
    "select", ["Account.Name, toLabel(StageName) Account", "toLabel(StageName) Account, Account.Name"]
)
def test_an_alias_may_not_hide_a_parent(path: Path, select: str) -> None:
    with Database.open(path) as database, pytest.raises(SalesforceError, match="duplicate field selected"):
        run_query(database, f"SELECT {select} FROM Opportunity", Clock.system())

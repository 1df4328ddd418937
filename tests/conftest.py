"""What many tests share: a small org made once, and a session on it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from crmarena.clock import Clock
from crmarena.episode.ports import OrgSession
from crmarena.storage import rows
from crmarena.storage.database import Database

ACCOUNTS: list[dict[str, Any]] = [
    {"Id": "001000000000001AAA", "Name": "Acme", "ShippingState": "TX"},
    {"Id": "001000000000002AAA", "Name": "Birch & Sons", "ShippingState": None},
]
USERS: list[dict[str, Any]] = [
    {"Id": "005000000000001AAA", "FirstName": "Ines", "LastName": "Moreau"},
    {"Id": "005000000000002AAA", "FirstName": "Tomas", "LastName": "Okafor"},
]
CASES: list[dict[str, Any]] = [
    {
        "Id": f"50000000000000{n}AAA",
        "AccountId": ACCOUNTS[n % 2]["Id"],
        "OwnerId": USERS[0 if n < 4 else 1]["Id"],
        "Status": "Closed",
        "Subject": f"Case {n}",
        "CreatedDate": f"2023-0{n}-01T08:00:00.000+0000",
    }
    for n in range(1, 6)
]
OPPORTUNITIES: list[dict[str, Any]] = [
    {"Id": f"00600000000000{n}AAA", "Name": f"Deal {n}"} for n in range(1, 4)
]


@pytest.fixture(scope="session")
def small_org(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An org file with a few accounts, users, cases and opportunities."""
    path = tmp_path_factory.mktemp("small") / "org.db"
    with Database.create(path, "b2b") as database:
        rows.insert(database, "Account", ACCOUNTS)
        rows.insert(database, "User", USERS)
        rows.insert(database, "Case", CASES)
        rows.insert(database, "Opportunity", OPPORTUNITIES)
        database.finish()
    return path


@pytest.fixture
def org_session(small_org: Path) -> Iterator[OrgSession]:
    """A session on the small org, on 15 June 2023."""
    from crmarena.org.org import open_org

    with open_org(small_org) as org:
        yield org.session(clock=Clock.at(date(2023, 6, 15)))


@pytest.fixture(scope="session")
def upstream() -> Path:
    """The folder of the published files, which this project does not hold."""
    root = Path(__file__).parents[1]
    folder = Path(os.environ.get("CRMARENA_UPSTREAM", root.parent / "shared" / "data" / "upstream"))
    if not folder.is_dir():
        pytest.skip(f"no published data at {folder}; name its folder in CRMARENA_UPSTREAM")
    return folder

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from crmarena.clock import Clock
from crmarena.sosl.search import SearchResult, run_search
from crmarena.storage import rows
from crmarena.storage.database import Database

TODAY = date(2024, 5, 15)


def record_id(prefix: str, number: int) -> str:
    return f"{prefix}{number:012d}AAA"


ACCOUNTS: list[dict[str, Any]] = [
    {"Id": record_id("001", 1), "Name": "Acme Bolts", "Phone": "555-0101", "ShippingState": "TX"},
    {
        "Id": record_id("001", 2),
        "Name": "Birch & Sons",
        "Description": "They buy bolts from Acme. Acme, Acme!",
    },
    {"Id": record_id("001", 3), "Name": "University of Zeta", "Website": "https://acme-fans.example"},
]
CONTACTS: list[dict[str, Any]] = [
    {
        "Id": record_id("003", 1),
        "LastName": "Acme",
        "Email": "zoe@birch.example",
        "AccountId": record_id("001", 2),
    },
    {"Id": record_id("003", 2), "LastName": "Núñez", "Email": "ann+crm@x.example", "Phone": "+1 (555) 0101"},
]
CASES: list[dict[str, Any]] = [
    {
        "Id": record_id("500", n),
        "Subject": subject,
        "Description": "The customer is running out of patience.",
        "Status": "Closed" if n % 2 else "New",
        "CreatedDate": f"2024-05-{10 + n}T08:00:00.000+0000",
    }
    for n, subject in enumerate(["Refund not paid", "Refunds, again", "Web2Case form fails"], start=1)
]
ARTICLES: list[dict[str, Any]] = [
    {
        "Id": record_id("ka0", 1),
        "Title": "Care",
        "UrlName": "care",
        "FAQ_Answer__c": "<p>Shoes &amp; Socks, don&#39;t run</p>",
    },
    {
        "Id": record_id("ka0", 2),
        "Title": "Refund policy",
        "UrlName": "refunds",
        "FAQ_Answer__c": "<b>30</b> days",
    },
]
PRODUCTS: list[dict[str, Any]] = [{"Id": record_id("01t", 1), "Name": "Acme bolt"}]
ENTRIES: list[dict[str, Any]] = [
    {"Id": record_id("01u", 1), "Pricebook2Id": record_id("01s", 1), "Product2Id": record_id("01t", 1)}
]


@pytest.fixture(scope="session")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """An org with a few records of each kind that searches look in."""
    path: Path = tmp_path_factory.mktemp("sosl") / "org.db"
    with Database.create(path, "b2b") as database:
        rows.insert(database, "Account", ACCOUNTS)
        rows.insert(database, "Contact", CONTACTS)
        rows.insert(database, "Case", CASES)
        rows.insert(database, "Knowledge__kav", ARTICLES)
        rows.insert(database, "Product2", PRODUCTS)
        rows.insert(database, "PricebookEntry", ENTRIES)
        database.finish()
    with Database.open(path) as database:
        yield database


class Finder:
    """Runs searches on one org."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def __call__(self, text: str) -> SearchResult:
        return run_search(self.database, text, Clock.at(TODAY))

    def ids(self, text: str) -> list[str]:
        """What a search finds, as prefix and number: `001-2`."""
        return [f"{r['Id'][:3]}-{int(r['Id'][3:15])}" for r in self(text).records]


@pytest.fixture
def find(searched: Database) -> Finder:
    return Finder(searched)

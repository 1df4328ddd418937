"""A small org, built by hand, whose every record a test can name."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from crmarena.clock import Clock
from crmarena.schema.ids import make_id
from crmarena.storage import rows
from crmarena.storage.database import Database

PREFIXES = {
    "User": "005",
    "Account": "001",
    "Contact": "003",
    "Case": "500",
    "Opportunity": "006",
    "Task": "00T",
    "Lead": "00Q",
    "Product2": "01t",
    "OpportunityLineItem": "00k",
    "Issue__c": "a00",
    "EmailMessage": "02s",
}
NOON = Clock(datetime(2024, 5, 15, 12, tzinfo=UTC))
"""A Wednesday."""


def record_id(object_name: str, number: int) -> str:
    """The Id of a record by its number."""
    return make_id(PREFIXES[object_name], "Wt", number)


def moment(day: str, time: str = "10:30:00") -> str:
    """A datetime as it is stored."""
    return f"{day}T{time}.000+0000"


USERS: list[dict[str, Any]] = [
    {"FirstName": "Ann", "LastName": "Young", "Email": "ann@crm.example", "IsActive": True},
    {"FirstName": "Bob", "LastName": "Stone", "Email": "bob@crm.example", "IsActive": True},
    {"FirstName": "Cleo", "LastName": "Émile", "Email": "cleo@crm.example", "IsActive": False},
]
ACCOUNTS: list[dict[str, Any]] = [
    {"Name": "Acme", "Industry": "Energy", "NumberOfEmployees": 120, "ShippingState": "CA", "OwnerId": 1},
    {"Name": "acme west", "Industry": "Banking", "NumberOfEmployees": 15, "ShippingState": "ca"},
    {"Name": "Élan Vital", "Industry": "Apparel", "NumberOfEmployees": None, "ShippingState": "NY"},
    {"Name": "100% Cotton_Mill", "Industry": None, "NumberOfEmployees": 900, "ShippingState": None},
    {"Name": "Back\\slash", "Industry": "Energy", "NumberOfEmployees": 45, "ShippingState": "TX"},
]
CONTACTS: list[dict[str, Any]] = [
    {"FirstName": "Dora", "LastName": "Able", "Email": "dora@x.example", "AccountId": 1},
    {"FirstName": "Egon", "LastName": "Baker", "Email": None, "AccountId": 1},
    {"FirstName": "Fay", "LastName": "O'Neil", "Email": "fay@x.example", "AccountId": 2},
    {"FirstName": None, "LastName": "Élan", "Email": None, "AccountId": None},
]
# subject, status, priority, account, contact, owner, issue, created, closed
CASES: list[tuple[Any, ...]] = [
    ("Broken zip", "New", "High", 1, 1, 1, 1, "2024-05-15", None),
    ("late parcel", "Closed", "Low", 1, 2, 1, 2, "2024-05-10", "2024-05-12"),
    ("Late refund", "Closed", "Medium", 2, 3, 2, 2, "2024-04-02", "2024-04-03"),
    ("Wrong size", "Working", "High", 2, None, 2, 1, "2024-03-31", None),
    ("Übergröße", "Escalated", None, 3, None, 3, None, "2023-12-31", None),
    ("Odd smell", "Closed", "Low", None, None, 2, 2, "2023-05-15", "2023-06-15"),
    (None, "New", "Medium", 99, None, 1, 1, "2024-05-01", None),
]
OPPORTUNITIES: list[dict[str, Any]] = [
    {"Name": "Pumps", "StageName": "Discovery", "Amount": 1000.5, "CloseDate": "2024-05-20", "AccountId": 1},
    {"Name": "Valves", "StageName": "Closed", "Amount": 250.0, "CloseDate": "2024-04-30", "AccountId": 1},
    {"Name": "Belts", "StageName": "Negotiation", "Amount": None, "CloseDate": "2024-05-15", "AccountId": 2},
    {"Name": "Hoses", "StageName": "Qualification", "Amount": -3.0, "CloseDate": None, "AccountId": None},
]
TASKS: list[tuple[str, tuple[str, int] | None, str, str]] = [
    ("Call", ("Opportunity", 1), "Completed", "2024-05-01"),
    ("Visit", ("Account", 1), "Not Started", "2024-05-16"),
    ("Write", ("Case", 1), "In Progress", "2024-05-17"),
    ("Idle", None, "Deferred", "2024-05-18"),
]
LEADS: list[dict[str, Any]] = [
    {"FirstName": "Gus", "LastName": "Hill", "Company": "Rho", "Status": "New", "IsConverted": False},
    {"FirstName": "Ida", "LastName": "Inn", "Company": "Tau", "Status": "Qualified", "IsConverted": True},
]
PRODUCTS: list[dict[str, Any]] = [
    {"Name": "Zip", "IsActive": True, "External_ID__c": "3999"},
    {"Name": "Seam", "IsActive": False, "External_ID__c": None},
]
ISSUES: list[dict[str, Any]] = [{"Name": "Quality"}, {"Name": "Delivery"}]

_REFERENCES = {"AccountId": "Account", "OwnerId": "User", "ContactId": "Contact"}


def _numbered(object_name: str, records: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for number, record in enumerate(records, 1):
        linked = {
            name: record_id(_REFERENCES[name], value) if name in _REFERENCES and value else value
            for name, value in record.items()
        }
        yield {"Id": record_id(object_name, number), "CreatedDate": moment("2024-01-01"), **linked}


def _cases() -> Iterator[dict[str, Any]]:
    for number, case in enumerate(CASES, 1):
        subject, status, priority, account, contact, owner, issue, created, closed = case
        yield {
            "Id": record_id("Case", number),
            "Subject": subject,
            "Description": f"Long words on {subject}",
            "Status": status,
            "Priority": priority,
            "AccountId": account and record_id("Account", account),
            "ContactId": contact and record_id("Contact", contact),
            "OwnerId": record_id("User", owner),
            "IssueId__c": issue and record_id("Issue__c", issue),
            "CreatedDate": moment(created, f"{number:02d}:30:00"),
            "ClosedDate": closed and moment(closed),
        }


def _tasks() -> Iterator[dict[str, Any]]:
    for number, (subject, what, status, day) in enumerate(TASKS, 1):
        yield {
            "Id": record_id("Task", number),
            "Subject": subject,
            "WhatId": what and record_id(*what),
            "OwnerId": record_id("User", 1),
            "Status": status,
            "Priority": "Normal",
            "ActivityDate": day,
        }


def build(path: Path) -> Database:
    """Make the org; it stays open for writing."""
    database = Database.create(path, "b2b")
    for name, records in (
        ("User", USERS),
        ("Account", ACCOUNTS),
        ("Contact", CONTACTS),
        ("Opportunity", OPPORTUNITIES),
        ("Lead", LEADS),
        ("Product2", PRODUCTS),
        ("Issue__c", ISSUES),
    ):
        rows.insert(database, name, _numbered(name, records))
    rows.insert(database, "Case", _cases())
    rows.insert(database, "Task", _tasks())
    database.finish()
    return database


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """The small org."""
    with build(tmp_path_factory.mktemp("soql") / "org.db") as database:
        yield database


@pytest.fixture(scope="session")
def clock() -> Clock:
    """Noon of Wednesday, 15 May 2024."""
    return NOON

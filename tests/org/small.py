"""A small org to write to: a few records of each kind that others lean on."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

from crmarena.clock import Clock
from crmarena.storage import rows
from crmarena.storage.database import Database

CLOCK = Clock.at(date(2024, 5, 15))
INES, TOMAS = "005000000000001AAA", "005000000000002AAA"
QUEUE = "00G000000000001EAA"
ACME, BIRCH = "001000000000001AAA", "001000000000002AAA"
LEE = "003000000000001AAA"
DEAL = "006000000000001AAA"
CASE = "500000000000001AAA"
SHOE, BOOK, ENTRY = "01t000000000001AAA", "01s000000000001AAA", "01u000000000001AAA"
NOW = "2024-05-15T12:00:00.000+0000"

RECORDS: dict[str, list[dict[str, Any]]] = {
    "User": [
        {"Id": INES, "FirstName": "Ines", "LastName": "Moreau", "IsActive": True},
        {"Id": TOMAS, "FirstName": "Tomas", "LastName": "Okafor", "IsActive": True},
    ],
    "Group": [{"Id": QUEUE, "Name": "Support", "Type": "Queue"}],
    "Account": [
        {"Id": ACME, "Name": "Acme", "OwnerId": INES, "External_ID__c": "A-1", "Rating": "Hot"},
        {"Id": BIRCH, "Name": "Birch & Sons", "OwnerId": TOMAS, "ParentId": ACME},
    ],
    "Contact": [
        {"Id": LEE, "FirstName": "Ada", "LastName": "Lee", "AccountId": ACME, "Email": "ada@acme.example"}
    ],
    "Opportunity": [
        {
            "Id": DEAL,
            "Name": "Spring deal",
            "AccountId": ACME,
            "ContactId": LEE,
            "StageName": "Discovery",
            "CloseDate": "2024-06-30",
        }
    ],
    "Case": [
        {
            "Id": CASE,
            "Subject": "Broken sole",
            "Status": "New",
            "AccountId": BIRCH,
            "OwnerId": INES,
            "CaseNumber": "00001005",
            "CreatedDate": "2024-05-01T08:00:00.000+0000",
        }
    ],
    "Product2": [{"Id": SHOE, "Name": "Shoe", "IsActive": True, "ProductCode": "S-1"}],
    "Pricebook2": [{"Id": BOOK, "Name": "Standard", "IsActive": True}],
    "PricebookEntry": [{"Id": ENTRY, "Product2Id": SHOE, "Pricebook2Id": BOOK, "UnitPrice": 80.0}],
}


def build(path: Path, org_type: str = "b2b", records: dict[str, list[dict[str, Any]]] = RECORDS) -> Path:
    """An org file of some records."""
    with Database.create(path, org_type) as database:
        for name, own in records.items():
            rows.insert(database, name, own)
        database.finish()
    return path

from __future__ import annotations

from pathlib import Path

import pytest

from crmarena.org.completion import Filled, fill
from crmarena.storage import rows
from crmarena.storage.database import Database


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database.create(tmp_path / "org.db", "b2b")


def test_standard_fields_get_a_live_orgs_values(database: Database) -> None:
    with database:
        rows.insert(database, "Knowledge__kav", [{"Id": "ka0000000000001AAA", "Title": "Care"}])
        rows.insert(database, "User", [{"Id": "005000000000001AAA"}])
        filled = fill(database, {"Knowledge__kav": frozenset({"Id", "Title"}), "User": frozenset({"Id"})})
        stored = database.connection.execute(
            "SELECT PublishStatus, Language, IsLatestVersion, IsVisibleInPkb, IsVisibleInCsp"
            " FROM Knowledge__kav"
        ).fetchall()
        assert stored == [("Online", "en_US", 1, 1, 1)]
        assert database.connection.execute("SELECT IsActive FROM User").fetchall() == [(1,)]
    assert Filled("Knowledge__kav.PublishStatus", "Online", 1) in filled
    assert Filled("User.IsActive", "true", 1) in filled


def test_what_the_dump_gives_stays(database: Database) -> None:
    with database:
        rows.insert(database, "Knowledge__kav", [{"Id": "ka0000000000001AAA", "PublishStatus": "Draft"}])
        fill(database, {"Knowledge__kav": frozenset({"Id", "PublishStatus"})})
        stored = database.connection.execute("SELECT PublishStatus, Language FROM Knowledge__kav").fetchall()
    assert stored == [("Draft", "en_US")]


def test_recipients_get_their_addresses_where_all_are_known(database: Database) -> None:
    with database:
        rows.insert(database, "Contact", [{"Id": "003000000000001AAA", "Email": "ann@x.example"}])
        rows.insert(database, "User", [{"Id": "005000000000001AAA", "Email": "bo@x.example"}])
        emails = [
            "['003000000000001AAA', '005000000000001AAA']",
            "003000000000001AAA;003000000000009AAA",
            None,
        ]
        rows.insert(
            database,
            "EmailMessage",
            [{"Id": f"02s00000000000{n}AAA", "ToIds": to} for n, to in enumerate(emails)],
        )
        filled = fill(database, {"EmailMessage": frozenset({"Id", "ToIds"})})
        stored = database.connection.execute("SELECT ToAddress FROM EmailMessage ORDER BY Id").fetchall()
    assert stored == [("ann@x.example; bo@x.example",), (None,), (None,)]
    assert [(f.field, f.count) for f in filled] == [("EmailMessage.ToAddress", 1)]


def test_an_order_gets_its_contract_and_opportunity_where_there_is_one_only(database: Database) -> None:
    orders = [
        ("A", "2024-01-01"),
        ("B", "2024-01-01"),
        ("C", "2024-01-01"),
        ("C", "2024-01-01"),
        ("A", "2024-02-01"),
    ]
    contracts = [("A", "2024-01-01"), ("B", "2024-01-01"), ("B", "2024-01-01"), ("C", "2024-01-01")]
    with database:
        rows.insert(
            database,
            "Order",
            [{"Id": f"o{n}", "AccountId": a, "EffectiveDate": d} for n, (a, d) in enumerate(orders)],
        )
        rows.insert(
            database,
            "Contract",
            [{"Id": f"c{n}", "AccountId": a, "StartDate": d} for n, (a, d) in enumerate(contracts)],
        )
        rows.insert(
            database,
            "Opportunity",
            [{"Id": "p0", "ContractID__c": "c0"}, {"Id": "p1", "ContractID__c": "c1"}],
        )
        given = {
            "Order": frozenset({"Id", "AccountId", "EffectiveDate"}),
            "Contract": frozenset({"Id"}),
            "Opportunity": frozenset({"Id"}),
        }
        filled = fill(database, given)
        stored = database.connection.execute(
            'SELECT ContractId, OpportunityId FROM "Order" ORDER BY Id'
        ).fetchall()
        indexes = database.connection.execute("SELECT name FROM sqlite_master WHERE name LIKE 'filling%'")
        assert indexes.fetchall() == []
    assert stored == [("c0", "p0"), (None, None), (None, None), (None, None), (None, None)]
    assert [(f.field, f.count) for f in filled] == [("Order.ContractId", 1), ("Order.OpportunityId", 1)]

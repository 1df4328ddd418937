from __future__ import annotations

import pytest

from crmarena.errors import SalesforceError
from crmarena.org.removal import references_to
from crmarena.org.writable import WritableSession
from crmarena.schema.load import load_schema, org_types
from tests.org.small import ACME, BIRCH, BOOK, CASE, DEAL, ENTRY, INES, LEE, NOW, SHOE


def living(session: WritableSession, name: str) -> set[str]:
    return {record["Id"] for record in session.query(f"SELECT Id FROM {name}").records}


def test_what_hangs_on_an_account_goes_with_it_and_comes_back(session: WritableSession) -> None:
    line = session.insert(
        "OpportunityLineItem", {"OpportunityId": DEAL, "PricebookEntryId": ENTRY, "Quantity": 1}
    )
    task = session.insert("Task", {"Subject": "Call", "WhatId": DEAL})
    email = session.insert("EmailMessage", {"ParentId": CASE, "RelatedToId": DEAL})
    session.delete("Account", ACME)
    for name, gone in (
        ("Account", ACME),
        ("Contact", LEE),
        ("Opportunity", DEAL),
        ("OpportunityLineItem", line),
        ("Task", task),
    ):
        assert gone not in living(session, name), name
    # Lookups of what stays are emptied.
    assert session.get("Account", BIRCH, ["ParentId"]) == {"ParentId": None}
    assert session.get("EmailMessage", email, ["RelatedToId", "ParentId"]) == {
        "RelatedToId": None,
        "ParentId": CASE,
    }
    session.undelete("Account", ACME)
    assert living(session, "OpportunityLineItem") == {line}
    assert session.get("Contact", LEE, ["AccountId"]) == {"AccountId": ACME}
    assert session.get("Account", BIRCH, ["ParentId"]) == {"ParentId": ACME}
    assert session.get("EmailMessage", email, ["RelatedToId"]) == {"RelatedToId": DEAL}


def test_a_deleted_record_is_stamped_and_what_loses_a_lookup_is_not(session: WritableSession) -> None:
    stamps = "LastModifiedDate, LastModifiedById, SystemModstamp, IsDeleted"
    session.delete("Account", ACME)
    deleted = session.query(f"SELECT {stamps} FROM Account WHERE Id = '{ACME}'", all_rows=True).records
    assert list(deleted[0].values()) == [NOW, INES, NOW, True]
    assert session.get("Account", BIRCH, ["LastModifiedDate"]) == {"LastModifiedDate": None}


def test_what_went_with_another_comes_back_with_that_alone(session: WritableSession) -> None:
    session.delete("Account", ACME)
    with pytest.raises(SalesforceError, match="UNDELETE_FAILED: Entity is not in the recycle bin"):
        session.undelete("Contact", LEE)


def test_what_was_deleted_before_its_parent_stays_deleted(session: WritableSession) -> None:
    session.delete("Contact", LEE)
    session.delete("Account", ACME)
    session.undelete("Account", ACME)
    assert LEE not in living(session, "Contact")
    session.undelete("Contact", LEE)
    assert session.get("Contact", LEE, ["AccountId"]) == {"AccountId": ACME}
    assert session.get("Opportunity", DEAL, ["ContactId"]) == {"ContactId": LEE}


def test_a_parent_deleted_meanwhile_is_no_parent_until_it_is_back(session: WritableSession) -> None:
    session.delete("Contact", LEE)
    session.delete("Account", ACME)
    session.undelete("Contact", LEE)
    assert session.get("Contact", LEE, ["AccountId"]) == {"AccountId": None}
    session.undelete("Account", ACME)
    assert session.get("Contact", LEE, ["AccountId"]) == {"AccountId": ACME}


def test_a_lookup_filled_meanwhile_is_not_overwritten(session: WritableSession) -> None:
    third = session.insert("Account", {"Name": "Cedar"})
    session.delete("Account", ACME)
    session.update("Account", BIRCH, {"ParentId": third})
    session.undelete("Account", ACME)
    assert session.get("Account", BIRCH, ["ParentId"]) == {"ParentId": third}


def test_a_unique_value_taken_meanwhile_keeps_a_record_deleted(session: WritableSession) -> None:
    session.delete("Account", ACME)
    taker = session.insert("Account", {"Name": "Cedar", "External_ID__c": "A-1"})
    with pytest.raises(SalesforceError, match=f"DUPLICATE_VALUE: .* record with id: {taker}"):
        session.undelete("Account", ACME)
    assert LEE not in living(session, "Contact")


def test_what_keeps_a_record_keeps_all_that_would_go(session: WritableSession) -> None:
    session.insert("Case", {"ContactId": LEE, "AccountId": BIRCH})
    before = session.changes()
    with pytest.raises(SalesforceError, match=r"delete Acme .* following cases\.: 00001006"):
        session.delete("Account", ACME)
    assert session.changes() == before
    session.insert("OpportunityLineItem", {"OpportunityId": DEAL, "PricebookEntryId": ENTRY, "Quantity": 1})
    for name, record_id in (("Product2", SHOE), ("Pricebook2", BOOK), ("PricebookEntry", ENTRY)):
        with pytest.raises(SalesforceError, match="DELETE_FAILED"):
            session.delete(name, record_id)


def test_a_hard_deletion_is_past_undoing(session: WritableSession) -> None:
    results = session.delete_all("Account", [ACME], hard=True)
    assert [result.success for result in results] == [True]
    assert session.query("SELECT Id FROM Contact", all_rows=True).records == []
    with pytest.raises(SalesforceError, match="INVALID_CROSS_REFERENCE_KEY"):
        session.undelete("Account", ACME)
    assert {change.kind for change in session.changes()} == {"delete", "update"}


def test_records_that_point_at_each_other_go_and_come_back(session: WritableSession) -> None:
    session.update("Account", ACME, {"ParentId": BIRCH})
    session.update("Contact", LEE, {"ReportsToId": LEE})
    session.delete("Account", ACME)
    session.undelete("Account", ACME)
    assert session.get("Account", ACME, ["ParentId"]) == {"ParentId": BIRCH}
    assert session.get("Account", BIRCH, ["ParentId"]) == {"ParentId": ACME}
    assert session.get("Contact", LEE, ["ReportsToId"]) == {"ReportsToId": LEE}


@pytest.mark.parametrize("org_type", org_types())
def test_no_reference_is_emptied_that_may_not_be_empty(org_type: str) -> None:
    """Each required reference says what the deletion of its parent does to its record."""
    schema = load_schema(org_type)
    for sobject in schema.objects.values():
        if not sobject.deletable:
            continue
        for child, field in references_to(schema, sobject):
            assert not (field.cascade_delete and field.restricted_delete)
            if not field.nillable:
                assert field.cascade_delete or field.restricted_delete, (child.name, field.name)

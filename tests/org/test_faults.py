from __future__ import annotations

import pytest

from crmarena.errors import SalesforceError
from crmarena.org import faults
from crmarena.org.org import open_org
from crmarena.org.writable import WritableSession
from tests.org.fault_rows import ROWS, Row
from tests.org.small import ACME, CLOCK, DEAL, ENTRY, QUEUE, build


def carry_out(session: WritableSession, row: Row) -> None:
    """Do what a row says."""
    match row.operation:
        case "insert":
            session.insert(row.object, row.values)
        case "update":
            session.update(row.object, row.id, row.values)
        case "upsert":
            session.upsert(row.object, *row.key, row.values)
        case "get":
            session.get(row.object, row.id)
        case operation:
            getattr(session, operation)(row.object, row.id)


@pytest.fixture
def prepared(session: WritableSession) -> WritableSession:
    """A session with a task of the queue and a line of the deal."""
    session.insert("Task", {"Subject": "Call", "OwnerId": QUEUE})
    line = {"OpportunityId": DEAL, "PricebookEntryId": ENTRY, "Quantity": 2}
    session.insert("OpportunityLineItem", line)
    return session


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_wrong_write_gets_its_error_and_changes_nothing(prepared: WritableSession, row: Row) -> None:
    before = prepared.changes()
    with pytest.raises(SalesforceError) as caught:
        carry_out(prepared, row)
    error = caught.value
    assert (error.error_code, error.message) == (row.code, row.text)
    assert (error.fields, error.http_status) == (row.fields, row.status)
    assert prepared.changes() == before


def test_the_table_is_large_and_knows_every_text() -> None:
    assert len(ROWS) >= 60
    codes = {row.code for row in ROWS}
    elsewhere = {"ENTITY_IS_DELETED", "ALL_OR_NONE_OPERATION_ROLLED_BACK", "DUPLICATE_EXTERNAL_ID"}
    assert {code for code, _, _ in faults.TEXTS.values()} == codes | elsewhere


@pytest.mark.parametrize("operation", ["get", "update", "delete"])
def test_a_deleted_record_is_said_to_be_deleted(session: WritableSession, operation: str) -> None:
    session.delete("Account", ACME)
    with pytest.raises(SalesforceError) as caught:
        carry_out(session, Row(operation, "Account", {}, "", "", id=ACME))
    error = caught.value
    assert (error.error_code, error.message) == ("ENTITY_IS_DELETED", "entity is deleted")
    assert (error.fields, error.http_status) == ((), 404)


def test_names_and_types_are_looked_at_before_all_else(session: WritableSession) -> None:
    """The API reads a whole body before it looks at any rule."""
    with pytest.raises(SalesforceError, match="JSON_PARSER_ERROR"):
        session.insert("Contact", {"CreatedDate": "x", "Birthdate": "x"})
    with pytest.raises(SalesforceError, match="Unable to create/update fields: CreatedDate"):
        session.insert("Contact", {"CreatedDate": "x", "Email": "x"})
    with pytest.raises(SalesforceError, match="REQUIRED_FIELD_MISSING"):
        session.insert("Contact", {"Email": "x"})


def test_person_accounts_have_two_names_and_business_accounts_one(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = build(tmp_path_factory.mktemp("persons") / "org.db", "b2c", {})
    with open_org(path) as org, org.session(writable=True, clock=CLOCK) as session:
        person = session.insert("Account", {"FirstName": "Ada", "LastName": "Lee"})
        shown = session.get("Account", person, ["Name", "IsPersonAccount"])
        assert shown == {"Name": "Ada Lee", "IsPersonAccount": True}
        session.update("Account", person, {"FirstName": None})
        assert session.get("Account", person, ["Name"]) == {"Name": "Lee"}
        business = session.insert("Account", {"Name": "Acme"})
        for record_id, values, named in (
            (person, {"Name": "Ada"}, "Name"),
            (business, {"LastName": "Lee"}, "LastName"),
        ):
            with pytest.raises(SalesforceError, match=f"bad field names on insert/update call: {named}"):
                session.update("Account", record_id, values)
        with pytest.raises(SalesforceError, match=r"Required fields are missing: \[LastName\]"):
            session.update("Account", person, {"LastName": None})

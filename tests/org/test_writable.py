from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from crmarena.errors import SalesforceError, UsageError
from crmarena.org.org import Org, open_org
from crmarena.org.writable import WritableSession
from crmarena.schema.ids import to_18
from crmarena.soql.viewer import Viewer
from tests.org.small import ACME, BIRCH, CASE, CLOCK, DEAL, ENTRY, INES, LEE, NOW, QUEUE, SHOE, TOMAS, build


def codes(results: list[Any]) -> list[str | None]:
    """The error code of each result; None for a success."""
    return [result.errors[0].error_code if result.errors else None for result in results]


# What an insert stores


def test_an_insert_fills_the_system_fields(session: WritableSession) -> None:
    record_id = session.insert("account", {"name": "Cedar"})
    record = session.get("Account", record_id)
    assert to_18(record_id) == record_id == record["Id"]
    assert (record["Name"], record["OwnerId"], record["IsDeleted"]) == ("Cedar", INES, False)
    assert {record[name] for name in ("CreatedById", "LastModifiedById")} == {INES}
    assert {record[name] for name in ("CreatedDate", "LastModifiedDate", "SystemModstamp")} == {NOW}


def test_without_a_viewer_the_first_active_user_writes(org: Org) -> None:
    with org.session(writable=True) as session:
        record = session.get("Account", session.insert("Account", {"Name": "Cedar"}))
    assert (record["OwnerId"], record["CreatedById"]) == (INES, INES)


def test_ids_and_numbers_continue_after_the_greatest(session: WritableSession) -> None:
    cases = [session.insert("Case", {}) for _ in range(63)]
    assert len(set(cases)) == 63
    assert sorted(cases) == cases
    numbers = [session.get("Case", case, ["CaseNumber"])["CaseNumber"] for case in cases]
    assert numbers == [f"{number:08d}" for number in range(1006, 1069)]
    assert session.insert("Order", {"EffectiveDate": "2024-05-01"}) not in cases


def test_a_committed_org_gives_no_id_twice(session: WritableSession, tmp_path: Path) -> None:
    first = session.insert("Account", {"Name": "Cedar"})
    session.delete("Account", first)
    with open_org(session.commit(tmp_path / "org.db")) as org, org.session(writable=True) as later:
        assert later.insert("Account", {"Name": "Cedar"}) > first
        assert later.insert("Case", {}) != CASE


STORED: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (
        "Account",
        {"Name": "Cedar  \n", "Phone": "", "Site": "  "},
        {"Name": "Cedar", "Phone": None, "Site": None},
    ),
    ("Account", {"Name": " Cedar"}, {"Name": " Cedar"}),
    ("Account", {"Name": "C", "rating": "hOT"}, {"Rating": "Hot"}),
    ("Account", {"Name": "C", "NumberOfEmployees": "12"}, {"NumberOfEmployees": 12}),
    ("Account", {"Name": "C", "NumberOfEmployees": 12.0}, {"NumberOfEmployees": 12}),
    (
        "Account",
        {"Name": "C", "AnnualRevenue": 5, "BillingLatitude": "-1.5e1"},
        {"AnnualRevenue": 5.0, "BillingLatitude": -15.0},
    ),
    (
        "Account",
        {"Name": "C", "BillingCity": "Rome", "BillingCountry": "IT"},
        {
            "BillingAddress": {
                "city": "Rome",
                "country": "IT",
                "geocodeAccuracy": None,
                "latitude": None,
                "longitude": None,
                "postalCode": None,
                "state": None,
                "street": None,
            }
        },
    ),
    ("Account", {"Name": "C", "ParentId": ACME[:15]}, {"ParentId": ACME}),
    ("Contact", {"LastName": "Roe", "DoNotCall": None}, {"DoNotCall": False, "Name": "Roe"}),
    (
        "Contact",
        {"FirstName": "Jo", "LastName": "Roe", "DoNotCall": "TRUE"},
        {"DoNotCall": True, "Name": "Jo Roe"},
    ),
    (
        "Contact",
        {"LastName": "Roe", "Languages__c": "spanish; English;;spanish"},
        {"Languages__c": "English;Spanish"},
    ),
    ("Contact", {"LastName": "Roe", "Birthdate": "1980-02-29"}, {"Birthdate": "1980-02-29"}),
    ("Contact", {"LastName": "Roe", "Account": {"external_id__c": "A-1"}}, {"AccountId": ACME}),
    ("Contact", {"LastName": "Roe", "Account": None}, {"AccountId": None}),
    ("Contact", {"attributes": {"type": "contact"}, "LastName": "Roe"}, {"LastName": "Roe"}),
    (
        "Task",
        {"WhatId": DEAL, "WhoId": LEE, "OwnerId": QUEUE},
        {"WhatId": DEAL, "WhoId": LEE, "OwnerId": QUEUE},
    ),
    ("Task", {"What": {"attributes": {"type": "Account"}, "External_ID__c": "A-1"}}, {"WhatId": ACME}),
    ("Task", {}, {"Status": "Not Started", "Priority": "Normal", "IsClosed": False}),
    (
        "Task",
        {"Status": "completed", "Priority": "High"},
        {"Status": "Completed", "IsClosed": True, "IsHighPriority": True, "CompletedDateTime": NOW},
    ),
    (
        "Event",
        {"StartDateTime": "2024-06-30t10:00:00.5+05:30"},
        {"StartDateTime": "2024-06-30T04:30:00.500+0000"},
    ),
    (
        "Event",
        {"StartDateTime": "2024-06-30T10:00:00-0800"},
        {"StartDateTime": "2024-06-30T18:00:00.000+0000"},
    ),
    (
        "Case",
        {"ContactId": LEE},
        {"AccountId": ACME, "Status": "New", "Priority": "Medium", "IsClosed": False, "ClosedDate": None},
    ),
    (
        "Case",
        {"ContactId": LEE, "AccountId": BIRCH, "Priority": None},
        {"AccountId": BIRCH, "Priority": None},
    ),
    ("Case", {"Status": "Closed"}, {"IsClosed": True, "ClosedDate": NOW}),
    (
        "Opportunity",
        {"Name": "d", "StageName": "Closed", "CloseDate": "2024-01-01", "Amount": 200, "Probability": 25},
        {"IsClosed": True, "ExpectedRevenue": 50.0},
    ),
    (
        "OpportunityLineItem",
        {"OpportunityId": DEAL, "PricebookEntryId": ENTRY, "Quantity": 3, "Discount": 10},
        {
            "Product2Id": SHOE,
            "ListPrice": 80.0,
            "UnitPrice": 80.0,
            "TotalPrice": 216.0,
            "Name": "Spring deal Shoe",
            "ProductCode": "S-1",
        },
    ),
    (
        "OpportunityLineItem",
        {"OpportunityId": DEAL, "Quantity": 4, "TotalPrice": 10},
        {"UnitPrice": 2.5, "TotalPrice": 10.0},
    ),
    (
        "Contract",
        {"AccountId": ACME, "StartDate": "2024-01-31", "ContractTerm": 1},
        {"EndDate": "2024-02-28", "Status": "Draft", "StatusCode": "Draft"},
    ),
    (
        "Order",
        {"AccountId": ACME, "EffectiveDate": "2024-01-31", "Status": "Activated"},
        {"StatusCode": "Activated", "ActivatedDate": NOW, "ActivatedById": INES, "OrderNumber": "00000001"},
    ),
    (
        "Knowledge__kav",
        {"Title": "t", "UrlName": "t"},
        {"PublishStatus": "Draft", "Language": "en_US", "IsLatestVersion": True},
    ),
]


@pytest.mark.parametrize(("name", "values", "stored"), STORED)
def test_what_is_given_is_stored_as_salesforce_stores_it(
    session: WritableSession, name: str, values: dict[str, Any], stored: dict[str, Any]
) -> None:
    record_id = session.insert(name, values)
    assert session.get(name, record_id, list(stored)) == stored


def test_a_value_that_json_has_not_is_refused(session: WritableSession) -> None:
    with pytest.raises(UsageError, match="Name was given a bytes; give text, a number, a truth or None"):
        session.insert("Account", {"Name": b"Cedar"})


# Updates


def test_an_update_changes_what_it_names_and_the_stamps(org: Org) -> None:
    with org.session(writable=True, clock=CLOCK, viewer=Viewer(TOMAS)) as session:
        before = session.get("Account", ACME)
        session.update("account", ACME[:15], {"phone": "555", "Rating": "Hot"})
        after = session.get("Account", ACME)
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"Phone", "LastModifiedDate", "LastModifiedById", "SystemModstamp"}
    assert (after["Phone"], after["LastModifiedById"], after["LastModifiedDate"]) == ("555", TOMAS, NOW)


def test_closing_and_reopening_a_case_is_noted(session: WritableSession) -> None:
    marks = ["IsClosed", "ClosedDate"]
    session.update("Case", CASE, {"Status": "Closed"})
    assert session.get("Case", CASE, marks) == {"IsClosed": True, "ClosedDate": NOW}
    session.update("Case", CASE, {"Status": "Working"})
    assert session.get("Case", CASE, marks) == {"IsClosed": False, "ClosedDate": None}


def test_a_stage_that_changes_is_noted(session: WritableSession) -> None:
    session.update("Opportunity", DEAL, {"StageName": "Closed", "Amount": 10, "Probability": 50})
    names = ["IsClosed", "LastStageChangeDate", "ExpectedRevenue"]
    assert list(session.get("Opportunity", DEAL, names).values()) == [True, NOW, 5.0]


def test_a_record_may_keep_its_own_values(session: WritableSession) -> None:
    session.update("Account", ACME, {"External_ID__c": "A-1", "OwnerId": INES})
    assert session.changes() == []


# Upserts


def test_an_upsert_finds_its_record_or_adds_one(session: WritableSession) -> None:
    found = session.upsert("Account", "external_id__c", "a-1 ", {"Phone": "1"})
    assert (found.id, found.created) == (ACME, False)
    made = session.upsert("Account", "External_ID__c", "A-2", {"Name": "Cedar"})
    assert made.created
    assert session.get("Account", made.id, ["External_ID__c"]) == {"External_ID__c": "A-2"}
    assert session.upsert("Account", "Id", ACME[:15], {"Phone": "2"}).id == ACME
    assert session.get_by("Account", "External_ID__c", "A-1", ["Phone"]) == {"Phone": "2"}
    assert session.get_by("Account", "Id", ACME, ["Name"]) == {"Name": "Acme"}


def test_letters_beyond_ascii_are_the_same_key_in_either_case(session: WritableSession) -> None:
    made = session.upsert("Account", "External_ID__c", "\u00c9-1", {"Name": "Cedar"})
    assert session.upsert("Account", "External_ID__c", "\u00e9-1", {"Phone": "1"}).id == made.id


def test_several_records_with_one_key_are_told_apart_by_nobody(session: WritableSession) -> None:
    # An imported org may hold what no write lets in.
    session._database.connection.execute("UPDATE Account SET External_ID__c = 'twice'")
    calls: list[Callable[[], object]] = [
        lambda: session.upsert("Account", "External_ID__c", "twice", {}),
        lambda: session.get_by("Account", "External_ID__c", "twice"),
    ]
    for call in calls:
        with pytest.raises(SalesforceError) as caught:
            call()
        error = caught.value
        assert (error.error_code, error.http_status) == ("DUPLICATE_EXTERNAL_ID", 300)
        assert error.record_ids == (ACME, BIRCH)


# Several records in one call


def test_what_is_wrong_fails_alone(session: WritableSession) -> None:
    results = session.insert_all("Contact", [{"LastName": "Roe"}, {}, {"LastName": "Poe", "AccountId": ACME}])
    assert codes(results) == [None, "REQUIRED_FIELD_MISSING", None]
    assert [(result.success, result.created) for result in results] == [
        (True, True),
        (False, False),
        (True, True),
    ]
    assert results[1].id is None
    found = session.query("SELECT LastName FROM Contact WHERE LastName IN ('Roe', 'Poe')").records
    assert len(found) == 2


def test_all_or_none_leaves_none(session: WritableSession) -> None:
    records = [{"Id": ACME, "Phone": "1"}, {"Id": BIRCH, "Rating": "Tepid"}, {"Id": "001XYZ"}]
    results = session.update_all("Account", records, all_or_none=True)
    assert codes(results) == [
        "ALL_OR_NONE_OPERATION_ROLLED_BACK",
        "INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST",
        "MALFORMED_ID",
    ]
    assert [result.id for result in results] == [ACME, None, None]
    assert results[0].errors[0].message == (
        "Record rolled back because not all records were valid and the request was using AllOrNone header"
    )
    assert session.changes() == []
    assert codes(session.update_all("Account", records[:1], all_or_none=True)) == [None]


def test_records_of_several_types_say_theirs(session: WritableSession) -> None:
    records: list[dict[str, Any]] = [
        {"attributes": {"type": "Account"}, "Name": "Cedar"},
        {"attributes": {"type": "contact"}, "LastName": "Roe"},
        {"attributes": {"type": "Accounts"}},
        {"Name": "Cedar"},
    ]
    assert codes(session.insert_all(None, records)) == [None, None, "INVALID_TYPE", "INVALID_TYPE"]
    ids = [ACME, CASE, "abc", "001000000000009AAA"]
    assert codes(session.delete_all(None, ids)) == [
        None,
        None,
        "MALFORMED_ID",
        "INVALID_CROSS_REFERENCE_KEY",
    ]
    assert codes(session.undelete_all(None, [CASE, CASE])) == [None, "UNDELETE_FAILED"]


def test_several_upserts_tell_what_they_made(session: WritableSession) -> None:
    records: list[dict[str, Any]] = [
        {"External_ID__c": "A-1", "Phone": "1"},
        {"external_id__c": "A-2", "Name": "Cedar"},
        {"External_ID__c": "a-2", "Name": "Cedar again"},
        {"Name": "No key"},
    ]
    results = session.upsert_all("Account", "External_ID__c", records)
    assert codes(results) == [None, None, "DUPLICATE_VALUE", "MISSING_ARGUMENT"]
    assert [result.created for result in results] == [False, True, False, False]
    by_id = session.upsert_all("Account", "Id", [{"Name": "Dune"}, {"id": ACME, "Phone": "2"}])
    assert [(result.success, result.created) for result in by_id] == [(True, True), (True, False)]


def test_an_update_without_an_id_says_so(session: WritableSession) -> None:
    results = session.update_all("Account", [{"Phone": "1"}])
    assert results[0].errors[0].message == "Id not specified in an update call"


def test_records_with_ids_that_salesforce_would_not_make_are_written_too(tmp_path: Path) -> None:
    odd = "a05Wt00000990001IA0"
    path = build(tmp_path / "org.db", records={"VoiceCallTranscript__c": [{"Id": odd, "Body__c": "Hello"}]})
    with open_org(path) as org, org.session(writable=True) as session:
        session.update("VoiceCallTranscript__c", odd, {"Body__c": "Good day"})
        assert codes(session.update_all("VoiceCallTranscript__c", [{"Id": odd, "Name": "n"}])) == [None]
        assert session.search("FIND {good} RETURNING VoiceCallTranscript__c(Id)").records == [{"Id": odd}]
        assert codes(session.delete_all(None, [odd])) == [None]
        session.undelete("VoiceCallTranscript__c", odd)
        assert [change.id for change in session.changes()] == [odd]


# Sessions


def test_a_session_reads_what_it_wrote(session: WritableSession) -> None:
    record_id = session.insert("Account", {"Name": "Zephyr Works", "Description": "Runs on wind"})
    assert session.query("SELECT Name FROM Account WHERE Name LIKE 'zep%'").total_size == 1
    assert session.search("FIND {zephyr AND running} RETURNING Account(Id)").records == [{"Id": record_id}]
    session.update("Account", record_id, {"Name": "Breeze Works"})
    assert session.search("FIND {zeph*} RETURNING Account(Id)").records == []
    assert session.search("FIND {breez?} RETURNING Account(Id)").records == [{"Id": record_id}]
    session.delete("Account", record_id)
    assert session.search("FIND {breeze} RETURNING Account(Id)").records == []
    deleted = f"SELECT IsDeleted FROM Account WHERE Id = '{record_id}'"
    assert session.query(deleted).records == []
    assert session.query(deleted, all_rows=True).records == [{"IsDeleted": True}]
    session.undelete("Account", record_id)
    assert session.search("FIND {breeze} RETURNING Account(Id)").records == [{"Id": record_id}]
    assert session.describe("Account")["name"] == "Account"


def test_nobody_else_sees_what_a_session_writes(org: Org, written_org: Path) -> None:
    before = written_org.read_bytes()
    names = "SELECT Name FROM Account ORDER BY Name"
    with org.session(writable=True) as one, org.session(writable=True) as other:
        one.insert("Account", {"Name": "Cedar"})
        other.update("Account", ACME, {"Name": "Apex"})
        assert [row["Name"] for row in one.query(names).records] == ["Acme", "Birch & Sons", "Cedar"]
        assert [row["Name"] for row in other.query(names).records] == ["Apex", "Birch & Sons"]
        assert [row["Name"] for row in org.query(names).records] == ["Acme", "Birch & Sons"]
        assert one.search("FIND {apex} RETURNING Account(Id)").records == []
    assert written_org.read_bytes() == before


def test_an_atomic_block_stays_whole_or_goes_whole(session: WritableSession) -> None:
    with session.atomic():
        kept = session.insert("Account", {"Name": "Cedar"})
        with suppress(RuntimeError), session.atomic():
            session.update("Account", kept, {"Name": "Dune"})
            assert session.search("FIND {dune} RETURNING Account(Id)").total_size == 1
            session.delete("Case", CASE)
            raise RuntimeError
        assert session.search("FIND {dune} RETURNING Account(Id)").total_size == 0
        assert session.search("FIND {cedar} RETURNING Account(Id)").total_size == 1
    assert [(change.kind, change.id) for change in session.changes()] == [("insert", kept)]


def test_a_search_within_an_undone_block_leaves_no_trace(session: WritableSession) -> None:
    record_id = session.insert("Account", {"Name": "Cedar"})
    with suppress(RuntimeError), session.atomic():
        session.update("Account", record_id, {"Name": "Dune"})
        assert session.search("FIND {dune} RETURNING Account(Id)").total_size == 1
        raise RuntimeError
    assert session.search("FIND {cedar} RETURNING Account(Id)").total_size == 1
    assert session.search("FIND {dune} RETURNING Account(Id)").total_size == 0


USES: dict[str, Callable[[WritableSession], object]] = {
    "query": lambda session: session.query("SELECT Id FROM Account"),
    "search": lambda session: session.search("FIND {acme} RETURNING Account(Id)"),
    "get": lambda session: session.get("Account", ACME),
    "insert": lambda session: session.insert("Account", {"Name": "x"}),
    "insert_all": lambda session: session.insert_all("Account", []),
    "delete": lambda session: session.delete("Account", ACME),
    "changes": lambda session: session.changes(),
    "commit": lambda session: session.commit("x.db"),
}


@pytest.mark.parametrize("use", USES.values(), ids=list(USES))
def test_a_closed_session_refuses_use(org: Org, use: Callable[[WritableSession], object]) -> None:
    session = org.session(writable=True)
    session.close()
    session.close()
    with pytest.raises(UsageError, match="This session is closed; open another"):
        use(session)


def test_a_reading_session_that_is_closed_refuses_too(org: Org) -> None:
    with org.session() as session:
        assert session.query("SELECT COUNT() FROM Account").total_size == 2
    with pytest.raises(UsageError, match="This session is closed"):
        session.query("SELECT Id FROM Account")


def test_a_session_does_not_end_in_the_middle_of_a_block(session: WritableSession) -> None:
    with session.atomic():
        for action in (session.close, session.commit):
            with pytest.raises(UsageError, match=r"inside of atomic\(\); leave the block first"):
                action()
    assert session.query("SELECT COUNT() FROM Account").total_size == 2


def test_threads_of_one_session_take_turns(session: WritableSession) -> None:
    inside, left = threading.Event(), threading.Event()
    seen: list[int] = []

    def block() -> None:
        with suppress(RuntimeError), session.atomic():
            session.insert("Account", {"Name": "Cedar"})
            inside.set()
            left.wait(0.05)
            raise RuntimeError

    def other() -> None:
        inside.wait(10)
        seen.append(session.query("SELECT COUNT() FROM Account").total_size)
        session.insert("Account", {"Name": "Dune"})
        left.set()

    threads = [threading.Thread(target=work) for work in (block, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [2]
    assert [change.after["Name"] for change in session.changes() if change.after] == ["Dune"]


def test_many_threads_write_to_one_session(session: WritableSession) -> None:
    def work(number: int) -> None:
        for place in range(10):
            session.insert("Contact", {"LastName": f"N{number}-{place}"})
            session.query("SELECT COUNT() FROM Contact")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert session.query("SELECT COUNT() FROM Contact").total_size == 61
    assert len({change.id for change in session.changes()}) == 60

"""simple_salesforce writes to an org as it writes to a live one, each login on its own."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Iterator
from typing import Any

import pytest
import simple_salesforce.exceptions as errors

from crmarena import patch_simple_salesforce
from tests.clients.conftest import content, log_in
from tests.server.conftest import Served, record_id


@pytest.fixture
def salesforce(writing: Served) -> Iterator[Any]:
    with patch_simple_salesforce(writing.url):
        yield log_in()


def names(salesforce: Any) -> list[str]:
    return [
        account["Name"] for account in salesforce.query("SELECT Name FROM Account ORDER BY Id")["records"]
    ]


def test_a_record_made_read_changed_and_deleted(salesforce: Any) -> None:
    made = salesforce.Account.create({"Name": "Initech", "Industry": "Technology"})
    assert (made["success"], made["errors"]) == (True, [])
    assert salesforce.Account.get(made["id"])["Name"] == "Initech"
    assert salesforce.Account.update(made["id"], {"Name": "Initrode"}) == 204
    assert names(salesforce)[-1] == "Initrode"
    assert salesforce.Account.delete(made["id"]) == 204
    assert names(salesforce) == ["Acme", "Globex"]
    with pytest.raises(errors.SalesforceResourceNotFound) as caught:
        salesforce.Account.delete(made["id"])
    assert content(caught)[0]["errorCode"] == "ENTITY_IS_DELETED"


def test_a_record_by_an_id_of_ones_own(salesforce: Any) -> None:
    assert salesforce.Account.upsert("External_ID__c/A-1", {"Name": "Initech"}) == 201
    changed = salesforce.Account.upsert("External_ID__c/A-1", {"Name": "Initrode"}, raw_response=True)
    assert (changed.status_code, changed.json()["created"]) == (200, False)
    assert salesforce.Account.get_by_custom_id("External_ID__c", "A-1")["Name"] == "Initrode"


def test_an_id_of_ones_own_that_several_have(salesforce: Any) -> None:
    with pytest.raises(errors.SalesforceMoreThanOneRecord) as caught:
        salesforce.Contact.upsert("External_ID__c/T-1", {"LastName": "Ray"})
    assert caught.value.status == 300
    found = sorted(url.rpartition("/sobjects/Contact/")[2] for url in content(caught))
    assert found == [record_id("003", 1), record_id("003", 2)]


def test_what_was_deleted_is_told(salesforce: Any) -> None:
    salesforce.Account.delete(record_id("001", 2))
    now = datetime.datetime.now(datetime.UTC)
    found = salesforce.Account.deleted(now - datetime.timedelta(hours=1), now + datetime.timedelta(hours=1))
    assert [row["id"] for row in found["deletedRecords"]] == [record_id("001", 2)]
    kept = salesforce.query("SELECT Id, IsDeleted FROM Account ORDER BY Id", include_deleted=True)
    assert [account["IsDeleted"] for account in kept["records"]] == [False, True]


def test_what_was_changed_is_told(salesforce: Any) -> None:
    salesforce.Account.update(record_id("001", 1), {"Description": "Key account"})
    now = datetime.datetime.now(datetime.UTC)
    found = salesforce.Account.updated(now - datetime.timedelta(hours=1), now + datetime.timedelta(hours=1))
    assert found["ids"] == [record_id("001", 1)]


def test_two_logins_do_not_see_each_other(salesforce: Any) -> None:
    other = log_in()
    salesforce.Account.update(record_id("001", 1), {"Name": "Acme Corp"})
    assert names(salesforce)[0] == "Acme Corp"
    assert names(other)[0] == "Acme"


REFUSED: list[tuple[dict[str, Any], str, list[str]]] = [
    ({"FirstName": "Pat"}, "REQUIRED_FIELD_MISSING", ["LastName"]),
    ({"LastName": "Lee", "Shoe": 42}, "INVALID_FIELD", []),
    ({"LastName": "Lee", "CreatedDate": "2024-01-01"}, "INVALID_FIELD_FOR_INSERT_UPDATE", ["CreatedDate"]),
    ({"LastName": "Lee", "Email": "x"}, "INVALID_EMAIL_ADDRESS", ["Email"]),
    ({"LastName": "x" * 81}, "STRING_TOO_LONG", ["LastName"]),
    ({"LastName": "Lee", "AccountId": record_id("003", 1)}, "MALFORMED_ID", ["AccountId"]),
]


@pytest.mark.parametrize(("values", "code", "fields"), REFUSED, ids=[row[1] for row in REFUSED])
def test_a_record_that_is_refused(
    salesforce: Any, values: dict[str, Any], code: str, fields: list[str]
) -> None:
    with pytest.raises(errors.SalesforceMalformedRequest) as caught:
        salesforce.Contact.create(values)
    (error,) = content(caught)
    assert (error["errorCode"], error.get("fields", [])) == (code, fields)


def test_many_records_in_one_call(salesforce: Any) -> None:
    rows = [{"attributes": {"type": "Account"}, "Name": name} for name in ("Initech", "Initrode")]
    done = salesforce.restful("composite/sobjects", method="POST", json={"allOrNone": True, "records": rows})
    assert [row["success"] for row in done] == [True, True]
    assert names(salesforce) == ["Acme", "Globex", "Initech", "Initrode"]


def insert_many(salesforce: Any) -> list[dict[str, str]]:
    rows = [{"Name": f"Shop {number}", "External_ID__c": f"S-{number}"} for number in range(3)]
    (job,) = salesforce.bulk2.Account.insert(records=rows, wait=0)
    assert (job["numberRecordsTotal"], job["numberRecordsFailed"]) == (3, 0)
    return list(csv.DictReader(io.StringIO(salesforce.bulk2.Account.get_successful_records(job["job_id"]))))


def test_records_inserted_in_bulk(salesforce: Any) -> None:
    made = insert_many(salesforce)
    assert [row["sf__Created"] for row in made] == ["true"] * 3
    assert [row["Name"] for row in made] == ["Shop 0", "Shop 1", "Shop 2"]
    assert names(salesforce) == ["Acme", "Globex", "Shop 0", "Shop 1", "Shop 2"]


def test_records_updated_in_bulk(salesforce: Any) -> None:
    rows = [{"Id": row["sf__Id"], "Name": f"{row['Name']} Ltd"} for row in insert_many(salesforce)]
    (job,) = salesforce.bulk2.Account.update(records=rows, wait=0)
    assert job["numberRecordsFailed"] == 0
    assert names(salesforce)[2:] == ["Shop 0 Ltd", "Shop 1 Ltd", "Shop 2 Ltd"]


def test_records_upserted_in_bulk(salesforce: Any) -> None:
    insert_many(salesforce)
    rows = [{"External_ID__c": f"S-{number}", "Name": f"Store {number}"} for number in (2, 3)]
    (job,) = salesforce.bulk2.Account.upsert(records=rows, external_id_field="External_ID__c", wait=0)
    assert job["numberRecordsFailed"] == 0
    assert names(salesforce)[2:] == ["Shop 0", "Shop 1", "Store 2", "Store 3"]


def test_records_deleted_in_bulk(salesforce: Any) -> None:
    rows = [{"Id": row["sf__Id"]} for row in insert_many(salesforce)]
    (job,) = salesforce.bulk2.Account.delete(records=rows, wait=0)
    assert job["numberRecordsFailed"] == 0
    assert names(salesforce) == ["Acme", "Globex"]


def test_a_row_that_fails_in_bulk(salesforce: Any) -> None:
    rows = [{"LastName": "Lee", "FirstName": "Pat"}, {"LastName": "", "FirstName": "Sam"}]
    (job,) = salesforce.bulk2.Contact.insert(records=rows, wait=0)
    assert (job["numberRecordsTotal"], job["numberRecordsFailed"]) == (2, 1)
    found = salesforce.bulk2.Contact.get_all_ingest_records(job["job_id"])
    assert [row["LastName"] for row in found["successfulRecords"]] == ["Lee"]
    (failed,) = found["failedRecords"]
    assert failed["FirstName"] == "Sam"
    assert failed["sf__Error"] == "REQUIRED_FIELD_MISSING:Required fields are missing: [LastName]:LastName --"
    assert found["unprocessedRecords"] == []

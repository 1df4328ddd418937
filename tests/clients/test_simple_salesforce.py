"""simple_salesforce reads an org as it reads a live one."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import simple_salesforce.exceptions as errors
from simple_salesforce.api import Salesforce

from crmarena import patch_simple_salesforce
from tests.clients.conftest import CONTACTS, content, log_in
from tests.server.conftest import USERNAME, Served, record_id

EVERYONE = "SELECT Id, LastName, Account.Name FROM Contact ORDER BY Id"


@pytest.fixture
def salesforce(reading: Served) -> Iterator[Any]:
    with patch_simple_salesforce(reading.url):
        yield log_in()


def test_a_query(salesforce: Any) -> None:
    found = salesforce.query("SELECT Id, Name, Owner.Name FROM Account WHERE Name = 'Acme'")
    assert (found["totalSize"], found["done"]) == (1, True)
    acme = found["records"][0]
    assert acme["attributes"]["type"] == "Account"
    assert acme["attributes"]["url"].endswith(f"/sobjects/Account/{acme['Id']}")
    assert acme["Owner"]["Name"] == "Ann Young"


def test_the_first_page_names_the_next(salesforce: Any) -> None:
    page = salesforce.query(EVERYONE)
    assert (page["totalSize"], page["done"], len(page["records"])) == (CONTACTS, False, 2_000)
    by_url = salesforce.query_more(page["nextRecordsUrl"], identifier_is_url=True)
    by_name = salesforce.query_more(page["nextRecordsUrl"].rpartition("/")[2])
    assert by_url["records"] == by_name["records"]
    assert by_url["records"][0]["Id"] == record_id("003", 2_001)


def test_query_all_gathers_every_page(salesforce: Any) -> None:
    found = salesforce.query_all(EVERYONE)
    assert found["totalSize"] == CONTACTS
    assert [contact["Id"] for contact in found["records"]] == [
        record_id("003", number) for number in range(1, CONTACTS + 1)
    ]


def test_query_all_iter_streams_every_page(salesforce: Any) -> None:
    assert sum(1 for _ in salesforce.query_all_iter(EVERYONE)) == CONTACTS


def test_a_page_may_be_made_smaller(salesforce: Any) -> None:
    page = salesforce.query(EVERYONE, headers={"Sforce-Query-Options": "batchSize=200"})
    assert len(page["records"]) == 200


def test_a_search(salesforce: Any) -> None:
    found = salesforce.search("FIND {Globex} IN NAME FIELDS RETURNING Account(Id, Name)")
    assert [(hit["attributes"]["type"], hit["Name"]) for hit in found["searchRecords"]] == [
        ("Account", "Globex")
    ]


def test_a_quick_search(salesforce: Any) -> None:
    found = salesforce.quick_search("Acme")
    assert record_id("001", 1) in [hit["Id"] for hit in found["searchRecords"]]


def test_a_search_without_a_hit(salesforce: Any) -> None:
    assert salesforce.search("FIND {nobodyofthatname}")["searchRecords"] == []


def test_a_record(salesforce: Any) -> None:
    acme = salesforce.Account.get(record_id("001", 1))
    assert (acme["Name"], acme["AnnualRevenue"]) == ("Acme", 1.5e8)


def test_a_records_fields(salesforce: Any) -> None:
    acme = salesforce.Account.get(record_id("001", 1), params={"fields": "Name"})
    assert set(acme) == {"attributes", "Id", "Name"}


def test_describe_lists_the_objects(salesforce: Any) -> None:
    found = salesforce.describe()
    assert found["maxBatchSize"] == 200
    assert {"Account", "Case", "Contact", "Knowledge__kav"} <= {each["name"] for each in found["sobjects"]}


def test_describe_of_an_object(salesforce: Any) -> None:
    fields = {field["name"]: field for field in salesforce.Contact.describe()["fields"]}
    assert fields["AccountId"]["referenceTo"] == ["Account"]


def test_metadata_of_an_object(salesforce: Any) -> None:
    found = salesforce.Account.metadata()
    assert found["objectDescribe"]["name"] == "Account"
    assert isinstance(found["recentItems"], list)


def test_limits(salesforce: Any) -> None:
    assert salesforce.limits()["DailyApiRequests"]["Max"] > 0


def test_restful(salesforce: Any) -> None:
    found = salesforce.restful("limits/recordCount", params={"sObjects": "Contact"})
    assert found["sObjects"] == [{"count": CONTACTS, "name": "Contact"}]


def test_what_oauth_says_of_the_user(salesforce: Any) -> None:
    assert salesforce.oauth2("userinfo")["preferred_username"] == USERNAME


def test_the_use_of_the_api_is_told(salesforce: Any) -> None:
    salesforce.query("SELECT Id FROM Account")
    used = salesforce.api_usage["api-usage"]
    assert 0 < used.used <= used.total


def test_the_org_is_a_sandbox(salesforce: Any) -> None:
    assert salesforce.is_sandbox() is True


def test_a_tooling_query(salesforce: Any) -> None:
    found = salesforce.toolingexecute("query/?q=SELECT+Id+FROM+ApexClass")
    assert (found["size"], found["records"]) == (0, [])


def test_an_apex_method_is_not_there(salesforce: Any) -> None:
    with pytest.raises(errors.SalesforceResourceNotFound) as caught:
        salesforce.apexecute("Anything")
    assert content(caught)[0]["errorCode"] == "NOT_FOUND"


def test_a_bulk_query_comes_in_parts(salesforce: Any) -> None:
    parts = list(salesforce.bulk2.Contact.query(EVERYONE, max_records=2_000, wait=0))
    rows = [row for part in parts for row in csv.DictReader(io.StringIO(part))]
    assert len(parts) == 3
    assert [row["Id"] for row in rows] == [record_id("003", number) for number in range(1, CONTACTS + 1)]
    assert rows[0]["Account.Name"] == "Globex"


def test_a_bulk_query_is_downloaded(salesforce: Any, tmp_path: Path) -> None:
    results = salesforce.bulk2.Contact.download(EVERYONE, path=str(tmp_path), wait=0)
    rows = list(csv.DictReader(io.StringIO(Path(results[0]["file"]).read_text(encoding="utf-8"))))
    assert (results[0]["number_of_records"], len(rows)) == (CONTACTS, CONTACTS)


def test_a_bulk_query_that_is_wrong(salesforce: Any) -> None:
    with pytest.raises(errors.SalesforceMalformedRequest, match="No such column 'Nmae'"):
        next(salesforce.bulk2.Contact.query("SELECT Nmae FROM Contact", wait=0))


def test_a_password_that_is_wrong(reading: Served) -> None:
    with patch_simple_salesforce(reading.url), pytest.raises(errors.SalesforceAuthenticationFailed) as caught:
        Salesforce(username=USERNAME, password="guess", security_token="")
    assert caught.value.code == "INVALID_LOGIN"
    assert caught.value.auth_message == "Invalid username, password, security token; or user locked out."


def test_a_password_that_is_wrong_by_oauth(reading: Served) -> None:
    app: dict[str, Any] = {"consumer_key": "key", "consumer_secret": "secret"}
    with patch_simple_salesforce(reading.url), pytest.raises(errors.SalesforceAuthenticationFailed) as caught:
        Salesforce(username=USERNAME, password="guess", **app)
    assert (caught.value.code, caught.value.auth_message) == ("invalid_grant", "authentication failure")


def test_a_token_that_is_wrong(reading: Served) -> None:
    with patch_simple_salesforce(reading.url):
        salesforce = Salesforce(instance="na1.salesforce.com", session_id="00D000000000001!stale")
        with pytest.raises(errors.SalesforceExpiredSession) as caught:
            salesforce.query("SELECT Id FROM Account")
    assert caught.value.status == 401
    assert content(caught) == [{"message": "Session expired or invalid", "errorCode": "INVALID_SESSION_ID"}]


def test_a_session_that_ended_is_logged_in_again(salesforce: Any) -> None:
    salesforce.session_id = "00D000000000001!stale"
    salesforce.headers["Authorization"] = f"Bearer {salesforce.session_id}"
    assert salesforce.query("SELECT COUNT() FROM Account")["totalSize"] == 2
    assert salesforce.Account.get(record_id("001", 1))["Name"] == "Acme"


def test_a_field_that_is_wrong(salesforce: Any) -> None:
    with pytest.raises(errors.SalesforceMalformedRequest) as caught:
        salesforce.query("SELECT Id, Nmae FROM Account")
    (error,) = content(caught)
    assert error["errorCode"] == "INVALID_FIELD"
    assert "ERROR at Row:1:Column:12\nNo such column 'Nmae' on entity 'Account'." in error["message"]
    assert str(caught.value).startswith("Malformed request http")


def test_a_search_that_is_wrong(salesforce: Any) -> None:
    with pytest.raises(errors.SalesforceMalformedRequest) as caught:
        salesforce.search("FIND 'Acme'")
    assert content(caught)[0]["errorCode"] == "MALFORMED_SEARCH"


@pytest.mark.parametrize("record", ["001000000000000AAA", "nothing"])
def test_a_record_that_is_not_there(salesforce: Any, record: str) -> None:
    with pytest.raises(errors.SalesforceResourceNotFound) as caught:
        salesforce.Account.get(record)
    assert content(caught)[0]["errorCode"] == "NOT_FOUND"


def test_an_object_that_is_not_there(salesforce: Any) -> None:
    with pytest.raises(errors.SalesforceResourceNotFound) as caught:
        salesforce.Acount.describe()
    assert content(caught) == [{"message": "The requested resource does not exist", "errorCode": "NOT_FOUND"}]


def test_a_version_that_is_not_there(reading: Served) -> None:
    with patch_simple_salesforce(reading.url):
        salesforce = Salesforce(instance="na1.salesforce.com", session_id=reading.token, version="99.0")
        with pytest.raises(errors.SalesforceResourceNotFound):
            salesforce.query("SELECT Id FROM Account")


def test_a_read_only_server_refuses_to_write(salesforce: Any) -> None:
    with pytest.raises(errors.SalesforceRefusedRequest) as caught:
        salesforce.Account.create({"Name": "Initech"})
    assert content(caught)[0]["errorCode"] == "INSUFFICIENT_ACCESS_OR_READONLY"


def test_the_first_bulk_api_is_refused_clearly(salesforce: Any) -> None:
    with pytest.raises(errors.SalesforceResourceNotFound) as caught:
        salesforce.bulk.Account.query("SELECT Id FROM Account")
    assert content(caught)[0]["errorCode"] == "NOT_FOUND"


def test_what_changed_between_two_days(salesforce: Any) -> None:
    day = datetime.datetime(2024, 5, 1, tzinfo=datetime.UTC)
    found = salesforce.Account.updated(day, day + datetime.timedelta(days=1))
    assert sorted(found["ids"]) == [record_id("001", 1), record_id("001", 2)]
    assert salesforce.Account.deleted(day, day + datetime.timedelta(days=1))["deletedRecords"] == []

"""One record at a time over HTTP: created, read, changed, deleted, by Id, by key, by relationship."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.server.conftest import Served, record_id

V = "/services/data/v59.0"
OLD = "/services/data/v45.0"
ACME, GLOBEX = record_id("001", 1), record_id("001", 2)
ANN = record_id("005", 1)
PAT = record_id("003", 1)
ABSENT = record_id("001", 999)


def create(client: httpx.Client, name: str = "Account", **values: Any) -> str:
    answer = client.post(f"{V}/sobjects/{name}", json=values)
    assert answer.status_code == 201, answer.text
    made: str = answer.json()["id"]
    return made


def error(answer: httpx.Response) -> tuple[int, str, str]:
    (body,) = answer.json()
    return answer.status_code, body["errorCode"], body["message"]


def test_a_record_is_created(private: httpx.Client) -> None:
    answer = private.post(f"{V}/sobjects/account/", json={"Name": "Initech"})
    made = answer.json()
    assert (answer.status_code, made["success"], made["errors"]) == (201, True, [])
    assert answer.headers["location"] == f"{V}/sobjects/Account/{made['id']}"
    shown = private.get(answer.headers["location"]).json()
    assert shown["attributes"] == {"type": "Account", "url": answer.headers["location"]}
    assert (shown["Name"], shown["Id"], shown["CreatedById"]) == ("Initech", made["id"], ANN)


def test_some_fields_of_a_record(client: httpx.Client) -> None:
    answer = client.get(f"{V}/sobjects/Account/{ACME[:15]}", params={"fields": "name,AnnualRevenue"})
    url = f"{V}/sobjects/Account/{ACME}"
    attributes = {"type": "Account", "url": url}
    assert answer.json() == {"attributes": attributes, "Name": "Acme", "AnnualRevenue": 1.5e8, "Id": ACME}
    assert '"AnnualRevenue":1.5E8' in answer.text


def test_head_gives_the_headers_alone(client: httpx.Client) -> None:
    answer = client.head(f"{V}/sobjects/Account/{ACME}")
    assert (answer.status_code, answer.content) == (200, b"")


def test_a_record_is_changed_and_deleted(private: httpx.Client) -> None:
    path = f"{V}/sobjects/Account/{GLOBEX}"
    changed = private.patch(path, json={"Name": "Globex Corp", "attributes": {"type": "Account"}})
    assert (changed.status_code, changed.content) == (204, b"")
    assert private.get(path).json()["Name"] == "Globex Corp"
    assert private.delete(path).status_code == 204
    for again in (private.delete(path), private.get(path)):
        assert error(again) == (404, "ENTITY_IS_DELETED", "entity is deleted")


def test_a_post_may_stand_for_another_method(private: httpx.Client) -> None:
    path = f"{V}/sobjects/Account/{GLOBEX}"
    assert private.post(f"{path}?_HttpMethod=PATCH", json={"Name": "Globex Corp"}).status_code == 204
    assert private.get(path).json()["Name"] == "Globex Corp"
    assert private.post(f"{path}?_HttpMethod=DELETE").status_code == 204
    assert private.get(path).status_code == 404
    assert error(private.post(path, json={}))[:2] == (405, "METHOD_NOT_ALLOWED")
    assert error(private.post(f"{path}?_HttpMethod=TRACE", json={}))[1] == "ILLEGAL_QUERY_PARAMETER_VALUE"


def test_an_upsert_creates_then_changes(private: httpx.Client) -> None:
    path = f"{V}/sobjects/Account/External_ID__c/A%2F1%20%2B"
    made = private.patch(path, json={"Name": "Initech"})
    assert (made.status_code, made.json()["created"]) == (201, True)
    again = private.patch(path, json={"Name": "Initrode"})
    saved = {"id": made.json()["id"], "success": True, "errors": [], "created": False}
    assert (again.status_code, again.json()) == (200, saved)
    shown = private.get(path, params={"fields": "Name,External_ID__c"}).json()
    assert (shown["Name"], shown["External_ID__c"]) == ("Initrode", "A/1 +")
    assert private.delete(path).status_code == 204
    assert error(private.get(path))[:2] == (404, "NOT_FOUND")


def test_an_upsert_of_an_older_version_does_not_tell(private: httpx.Client) -> None:
    path = f"{OLD}/sobjects/Account/External_ID__c/A-1"
    made = private.patch(path, json={"Name": "Initech"})
    assert (made.status_code, "created" in made.json()) == (201, False)
    again = private.patch(path, json={"Name": "Initrode"})
    assert (again.status_code, again.content) == (204, b"")


def test_an_upsert_by_id(private: httpx.Client) -> None:
    changed = private.patch(f"{V}/sobjects/Account/Id/{ACME}", json={"Name": "Acme Corp"})
    assert (changed.status_code, changed.json()["created"]) == (200, False)
    made = private.post(f"{V}/sobjects/Account/Id", json={"Name": "Initech"})
    assert made.status_code == 201


def test_an_upsert_that_may_only_update(private: httpx.Client) -> None:
    path = f"{V}/sobjects/Account/External_ID__c/A-1?updateOnly=true"
    assert error(private.patch(path, json={"Name": "Initech"}))[:2] == (404, "NOT_FOUND")


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
def test_a_key_that_several_records_have(private: httpx.Client, method: str) -> None:
    made = [create(private, "Contact", LastName=name, Email="same@x.example") for name in ("Lee", "Low")]
    body: dict[str, Any] = {"json": {"LastName": "Ray"}} if method == "PATCH" else {}
    answer = private.request(method, f"{V}/sobjects/Contact/Email/same@x.example", **body)
    assert answer.status_code == 300
    assert answer.json() == [f"{V}/sobjects/Contact/{one}" for one in made]


def test_what_relationships_lead_to(client: httpx.Client) -> None:
    account = record_id("001", 2)
    parent = client.get(f"{V}/sobjects/Contact/{PAT}/Account", params={"fields": "Name"}).json()
    assert (parent["Id"], parent["Name"]) == (account, "Globex")
    owner = client.get(f"{V}/sobjects/Contact/{PAT}/Account/Owner").json()
    assert (owner["attributes"]["type"], owner["Username"]) == ("User", "ann@crm.example")
    children = client.get(f"{V}/sobjects/Account/{account}/Contacts", params={"fields": "LastName"}).json()
    assert children["totalSize"] == 2
    assert [child["LastName"] for child in children["records"]] == ["Lee 1", "Lee 3"]
    assert children["records"][0]["Id"] == PAT


@pytest.mark.parametrize(
    "path",
    [
        f"Contact/{PAT}/ReportsTo",
        f"Contact/{PAT}/Nothing",
        f"Account/{ACME}/Contacts/Account",
        f"Account/{ABSENT}/Contacts",
        "Account/describe/layouts",
        "Account/Nothing__c/1",
        f"Nothing/{ACME}/Contacts",
    ],
)
def test_a_way_that_leads_nowhere(client: httpx.Client, path: str) -> None:
    assert error(client.get(f"{V}/sobjects/{path}"))[:2] == (404, "NOT_FOUND")


def test_a_parent_is_changed_by_its_way(private: httpx.Client) -> None:
    path = f"{V}/sobjects/Contact/{PAT}/Account"
    assert private.patch(path, json={"Name": "Globex Corp"}).status_code == 204
    assert private.get(path).json()["Name"] == "Globex Corp"
    assert error(private.patch(f"{V}/sobjects/Account/{ACME}/Contacts", json={}))[1] == "METHOD_NOT_ALLOWED"


READ_ERRORS = [
    (f"Account/{ABSENT}", 404, "NOT_FOUND", "The requested resource does not exist"),
    (
        "Account/001XYZ",
        404,
        "NOT_FOUND",
        "Provided external ID field does not exist or is not accessible: 001XYZ",
    ),
    (f"Nothing/{ACME}", 404, "NOT_FOUND", "The requested resource does not exist"),
    (f"Account/{ACME}?fields=Nmae", 400, "INVALID_FIELD", "No such column 'Nmae' on sobject of type Account"),
    (
        "Account/Name/Acme",
        404,
        "NOT_FOUND",
        "Provided external ID field does not exist or is not accessible: Name",
    ),
]


@pytest.mark.parametrize(("path", "status", "code", "message"), READ_ERRORS)
def test_a_record_that_cannot_be_read(
    client: httpx.Client, path: str, status: int, code: str, message: str
) -> None:
    assert error(client.get(f"{V}/sobjects/{path}")) == (status, code, message)


WRONG: list[tuple[dict[str, Any], str, str, list[str] | None]] = [
    ({}, "REQUIRED_FIELD_MISSING", "Required fields are missing: [LastName]", ["LastName"]),
    ({"LastName": "x", "foo": 1}, "INVALID_FIELD", "No such column 'foo' on sobject of type Contact", None),
    (
        {"LastName": "x", "Email": "y"},
        "INVALID_EMAIL_ADDRESS",
        "Email: invalid email address: y",
        ["Email"],
    ),
    (
        {"LastName": "x", "AccountId": PAT},
        "MALFORMED_ID",
        f"Account ID: id value of incorrect type: {PAT}",
        ["AccountId"],
    ),
    ({"LastName": "x", "AccountId": ABSENT}, "INVALID_CROSS_REFERENCE_KEY", "invalid cross reference id", []),
    ({"LastName": "x", "Id": PAT}, "INVALID_FIELD", "cannot specify Id in an insert call", ["Id"]),
    (
        {"LastName": "x", "attributes": {"type": "Lead"}},
        "INVALID_TYPE",
        "sObject type 'Lead' is not supported.",
        None,
    ),
]


@pytest.mark.parametrize(("values", "code", "message", "fields"), WRONG)
def test_a_record_that_is_refused(
    private: httpx.Client, values: dict[str, Any], code: str, message: str, fields: list[str] | None
) -> None:
    answer = private.post(f"{V}/sobjects/Contact", json=values)
    assert error(answer) == (400, code, message)
    assert answer.json()[0].get("fields") == fields


LEAD = "Cannot deserialize instance of"
TAIL = "or request may be missing a required field at"
UNREADABLE = [
    (
        '{"Name": "x", "AnnualRevenue": "N01"}',
        f"{LEAD} currency from VALUE_STRING value N01 {TAIL} [line:1, column:32]",
    ),
    (
        '{"Name": "x",\n "annualrevenue": true}',
        f"{LEAD} currency from VALUE_TRUE value true {TAIL} [line:2, column:19]",
    ),
    ('{"Name": {"a": 1}}', f"{LEAD} string from START_OBJECT value {{ {TAIL} [line:1, column:10]"),
    ('[{"Name": "x"}]', f"{LEAD} object from START_ARRAY value [ {TAIL} [line:1, column:1]"),
    ('"x"', f"{LEAD} object from VALUE_STRING value x {TAIL} [line:1, column:1]"),
    ("null", f"{LEAD} object from VALUE_NULL value null {TAIL} [line:1, column:1]"),
    ('{"Name": "x",\n"Name": "y"}', "Duplicate field 'Name' at [line:2, column:9]"),
    ('{"Name": "x", "name": "y"}', "Duplicate field 'Name' in the record at [line:1, column:23]"),
    (
        '{"Name": "x\\u0000"}',
        "Name: text with a character that no record can hold at [line:1, column:10]",
    ),
    ("{" * 500, None),
    ("[" * 200 + "]" * 200, "JSON nesting is too deep at [line:1, column:1]"),
    ("", "The HTTP entity body is required, but this request has no entity body."),
]


@pytest.mark.parametrize(("text", "message"), UNREADABLE)
def test_a_body_that_is_no_record(private: httpx.Client, text: str, message: str | None) -> None:
    answer = private.post(f"{V}/sobjects/Account", content=text, headers={"Content-Type": "application/json"})
    status, code, said = error(answer)
    assert (status, code) == (400, "JSON_PARSER_ERROR")
    assert message is None or said == message
    assert "fields" not in answer.json()[0]


def test_a_body_of_another_type(private: httpx.Client) -> None:
    answer = private.post(f"{V}/sobjects/Account", content="<a/>", headers={"Content-Type": "text/xml"})
    assert error(answer)[:2] == (415, "UNSUPPORTED_MEDIA_TYPE")


def span(client: httpx.Client, kind: str, start: str, end: str, name: str = "Account") -> httpx.Response:
    return client.get(f"{V}/sobjects/{name}/{kind}/", params={"start": start, "end": end})


def test_what_was_changed_in_a_span(client: httpx.Client) -> None:
    found = span(client, "updated", "2024-05-01T10:30:00+00:00", "2024-05-01T11:00:00Z").json()
    assert found == {"ids": [ACME, GLOBEX], "latestDateCovered": "2024-05-01T11:00:00.000+0000"}
    later = span(client, "updated", "2024-05-01T12:31:30+02:00", "2024-05-01T11:00:00Z").json()
    assert later["ids"] == []


def test_what_was_deleted_in_a_span(private: httpx.Client) -> None:
    private.delete(f"{V}/sobjects/Account/{GLOBEX}")
    found = span(private, "deleted", "2020-01-01T00:00:00Z", "3000-01-01T00:00:00Z").json()
    (row,) = found["deletedRecords"]
    assert row["id"] == GLOBEX
    assert row["deletedDate"] <= found["latestDateCovered"]


@pytest.mark.parametrize(
    ("start", "end", "code"),
    [
        ("", "2024-05-01T11:00:00Z", "MISSING_ARGUMENT"),
        ("yesterday", "2024-05-01T11:00:00Z", "INVALID_REPLICATION_DATE"),
        ("2024-05-01T11:00:00", "2024-05-01T12:00:00Z", "INVALID_REPLICATION_DATE"),
        ("0001-01-01T00:00:00Z", "2024-05-01T12:00:00Z", "INVALID_REPLICATION_DATE"),
        ("2024-05-01T11:00:00Z", "2024-05-01T11:00:59Z", "INVALID_REPLICATION_DATE"),
    ],
)
def test_a_span_that_is_none(client: httpx.Client, start: str, end: str, code: str) -> None:
    for kind in ("updated", "deleted"):
        assert error(span(client, kind, start, end))[:2] == (400, code)


WRITES = [
    ("POST", "sobjects/Account"),
    ("PATCH", f"sobjects/Account/{ACME}"),
    ("DELETE", f"sobjects/Account/{ACME}"),
    ("POST", f"sobjects/Account/{ACME}?_HttpMethod=PATCH"),
    ("PATCH", "sobjects/Account/External_ID__c/A-1"),
    ("DELETE", "sobjects/Account/External_ID__c/A-1"),
    ("POST", "composite/sobjects"),
    ("PATCH", "composite/sobjects"),
    ("DELETE", f"composite/sobjects?ids={ACME}"),
    ("PATCH", "composite/sobjects/Account/External_ID__c"),
    ("POST", "composite/tree/Account"),
]


@pytest.mark.parametrize(("method", "path"), WRITES)
def test_a_read_only_server_refuses_writes(client: httpx.Client, method: str, path: str) -> None:
    body: dict[str, Any] = {} if method == "DELETE" else {"json": {"Name": "Initech"}}
    status, code, _ = error(client.request(method, f"{V}/{path}", **body))
    assert (status, code) == (403, "INSUFFICIENT_ACCESS_OR_READONLY")


def test_logins_do_not_see_each_other(private: httpx.Client, writable: Served) -> None:
    create(private, Name="Initech")
    with writable.client as other:
        found = other.get(f"{V}/query", params={"q": "SELECT COUNT() FROM Account"}).json()
    assert found["totalSize"] == 2


def test_a_value_in_a_path_is_taken_to_the_letter(private: httpx.Client) -> None:
    place = f"{V}/sobjects/Account/External_ID__c"
    assert private.patch(f"{place}/end", json={"Name": "Plain"}).status_code == 201
    assert private.patch(f"{place}/end%2F", json={"Name": "Slashed"}).status_code == 201
    assert private.get(f"{place}/end").json()["Name"] == "Plain"
    assert private.get(f"{place}/end%2F").json()["External_ID__c"] == "end/"
    refused = private.patch(f"{place}/%ff", json={"Name": "No text"})
    assert (refused.status_code, refused.json()[0]["errorCode"]) == (400, "ILLEGAL_QUERY_PARAMETER_VALUE")

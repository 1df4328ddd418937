"""Many records in one call: a result for each, all or none if asked."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.server.conftest import record_id
from tests.server.test_records import error

V = "/services/data/v59.0"
ALL = f"{V}/composite/sobjects"
ACME, GLOBEX = record_id("001", 1), record_id("001", 2)
ABSENT = record_id("001", 999)


def account(**values: Any) -> dict[str, Any]:
    return {"attributes": {"type": "Account"}, **values}


def contact(**values: Any) -> dict[str, Any]:
    return {"attributes": {"type": "Contact"}, **values}


def names(client: httpx.Client) -> list[str]:
    found = client.get(f"{V}/query", params={"q": "SELECT Name FROM Account ORDER BY Id"}).json()
    return [record["Name"] for record in found["records"]]


def test_records_of_several_objects_are_created(private: httpx.Client) -> None:
    given = [account(Name="Initech"), contact(LastName="Lee", AccountId=ACME), contact(FirstName="Sam")]
    answer = private.post(ALL, json={"allOrNone": False, "records": given})
    first, second, third = answer.json()
    assert answer.status_code == 200
    assert (first["success"], first["errors"], first["id"][:3]) == (True, [], "001")
    assert (second["success"], second["id"][:3]) == (True, "003")
    message = "Required fields are missing: [LastName]"
    wrong = {"statusCode": "REQUIRED_FIELD_MISSING", "message": message, "fields": ["LastName"]}
    assert third == {"success": False, "errors": [wrong]}
    assert names(private) == ["Acme", "Globex", "Initech"]


def test_all_or_none(private: httpx.Client) -> None:
    given = [account(Name="Initech"), contact(FirstName="Sam")]
    done = private.post(ALL, json={"allOrNone": True, "records": given}).json()
    codes = [row["errors"][0]["statusCode"] for row in done]
    assert codes == ["ALL_OR_NONE_OPERATION_ROLLED_BACK", "REQUIRED_FIELD_MISSING"]
    assert names(private) == ["Acme", "Globex"]


def test_records_are_changed(private: httpx.Client) -> None:
    given = [account(id=ACME, Name="Acme Corp"), account(Id=ABSENT, Name="x"), account(Name="y")]
    done = private.patch(ALL, json={"records": given}).json()
    assert done[0] == {"id": ACME, "success": True, "errors": []}
    codes = [row["errors"][0]["statusCode"] for row in done[1:]]
    assert codes == ["INVALID_CROSS_REFERENCE_KEY", "MISSING_ARGUMENT"]
    assert names(private) == ["Acme Corp", "Globex"]


def test_records_are_upserted(private: httpx.Client) -> None:
    path = f"{ALL}/Account/External_ID__c"
    given = [account(External_ID__c="A-1", Name="Initech")]
    (made,) = private.patch(path, json={"records": given}).json()
    given = [account(External_ID__c="A-1", Name="Initrode"), account(Name="no key")]
    changed, refused = private.patch(path, json={"records": given}).json()
    assert (made["created"], changed["created"], changed["id"]) == (True, False, made["id"])
    assert (refused["created"], refused["errors"][0]["statusCode"]) == (False, "MISSING_ARGUMENT")
    assert names(private) == ["Acme", "Globex", "Initrode"]


def test_records_are_deleted(private: httpx.Client) -> None:
    answer = private.delete(ALL, params={"ids": f"{GLOBEX},{ABSENT},zzz", "allOrNone": "false"})
    done = answer.json()
    assert done[0] == {"id": GLOBEX, "success": True, "errors": []}
    codes = [row["errors"][0]["statusCode"] for row in done[1:]]
    assert codes == ["INVALID_CROSS_REFERENCE_KEY", "MALFORMED_ID"]
    assert names(private) == ["Acme"]


def test_records_are_read(client: httpx.Client) -> None:
    wanted = {"ids": [GLOBEX, ABSENT, "zzz", ACME[:15]], "fields": ["name"]}
    by_post = client.post(f"{ALL}/Account", json=wanted).json()
    by_get = client.get(f"{ALL}/Account", params={key: ",".join(value) for key, value in wanted.items()})
    assert by_get.json() == by_post
    attributes = {"type": "Account", "url": f"{V}/sobjects/Account/{GLOBEX}"}
    assert by_post[0] == {"attributes": attributes, "Name": "Globex", "Id": GLOBEX}
    assert by_post[1:3] == [None, None]
    assert by_post[3]["Name"] == "Acme"


MANY = [account(Name=f"Shop {number}") for number in range(201)]
MIXED = [one for number in range(6) for one in (account(Name=f"{number}"), contact(LastName=f"{number}"))]
REFUSED: list[tuple[Any, str, str]] = [
    (
        {"records": MANY},
        "EXCEEDED_ID_LIMIT",
        "record limit reached. cannot submit more than 200 records into this call",
    ),
    (
        {"records": MIXED},
        "LIMIT_EXCEEDED",
        "Cannot have more than 10 chunks in a single operation. Please rearrange the data to reduce"
        " chunking.",
    ),
    (
        {"records": [account(Name="x"), account(Name="y", foo=1)]},
        "INVALID_FIELD",
        "No such column 'foo' on sobject of type Account",
    ),
    (
        {"records": [account(Name="x"), account(AnnualRevenue="N01")]},
        "JSON_PARSER_ERROR",
        "Cannot deserialize instance of currency from VALUE_STRING value N01 or request may be missing a"
        " required field at [line:1, column:107]",
    ),
    (
        {"records": [1]},
        "JSON_PARSER_ERROR",
        "Cannot deserialize instance of object from VALUE_NUMBER_INT value 1 or request may be missing a"
        " required field at [line:1, column:13]",
    ),
    ({}, "JSON_PARSER_ERROR", "Missing required field: records"),
    (
        {"allOrNone": "yes", "records": []},
        "JSON_PARSER_ERROR",
        "Cannot deserialize instance of boolean from VALUE_STRING value yes or request may be missing a"
        " required field at [line:1, column:14]",
    ),
    (
        {"records": [], "halt": 1},
        "JSON_PARSER_ERROR",
        'Unrecognized field "halt" at [line:1, column:22]',
    ),
]


@pytest.mark.parametrize(("given", "code", "message"), REFUSED)
def test_a_call_that_is_refused(private: httpx.Client, given: Any, code: str, message: str) -> None:
    assert error(private.post(ALL, json=given)) == (400, code, message)
    assert names(private) == ["Acme", "Globex"]


@pytest.mark.parametrize(
    ("values", "code"), [({}, "INVALID_TYPE"), ({"attributes": {"type": "Nothing"}}, "INVALID_TYPE")]
)
def test_a_record_that_does_not_say_what_it_is(
    private: httpx.Client, values: dict[str, Any], code: str
) -> None:
    (row,) = private.post(ALL, json={"records": [values]}).json()
    assert (row["success"], row["errors"][0]["statusCode"]) == (False, code)


def test_what_is_read_must_be_named(client: httpx.Client) -> None:
    assert error(client.get(f"{ALL}/Account", params={"ids": ACME}))[1] == "MISSING_ARGUMENT"
    assert error(client.get(f"{ALL}/Account", params={"fields": "Name"}))[1] == "MISSING_ARGUMENT"
    assert error(client.post(f"{ALL}/Account", json={"ids": [1], "fields": []}))[1] == "JSON_PARSER_ERROR"
    assert error(client.post(f"{ALL}/Nothing", json={"ids": [], "fields": []}))[1] == "NOT_FOUND"
    many = {"ids": [ACME] * 2_001, "fields": ["Name"]}
    assert error(client.post(f"{ALL}/Account", json=many))[1] == "EXCEEDED_ID_LIMIT"
    wrong = {"ids": [ACME], "fields": ["Nmae"]}
    assert error(client.post(f"{ALL}/Account", json=wrong))[1] == "INVALID_FIELD"

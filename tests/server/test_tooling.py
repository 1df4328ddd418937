"""The Tooling API, as far as clients ask of it in passing."""

from __future__ import annotations

import httpx
import pytest

from tests.server.conftest import USERNAME
from tests.server.test_records import error

T = "/services/data/v59.0/tooling"


@pytest.mark.parametrize("text", ["SELECT Id FROM SandboxProcess", "select count() from apexclass"])
def test_an_object_without_records(client: httpx.Client, text: str) -> None:
    found = client.get(f"{T}/query/", params={"q": text}).json()
    assert (found["size"], found["totalSize"], found["done"], found["records"]) == (0, 0, True, [])
    assert found["entityTypeName"] in {"SandboxProcess", "ApexClass"}


def test_people_are_those_of_the_org(client: httpx.Client) -> None:
    text = "SELECT Username FROM user WHERE IsActive = true"
    found = client.get(f"{T}/query", params={"q": text}).json()
    assert (found["size"], found["totalSize"], found["done"], found["queryLocator"]) == (1, 1, True, None)
    assert (found["entityTypeName"], found["records"][0]["Username"]) == ("User", USERNAME)
    columns = client.get(f"{T}/query", params={"q": text, "columns": "true"}).json()["columnMetadata"]
    assert [column["columnName"] for column in columns] == ["Username"]


def test_pages_of_people(private: httpx.Client) -> None:
    profile = private.get(f"{T}/query", params={"q": "SELECT Id FROM Profile"}).json()
    assert profile["entityTypeName"] == "Profile"
    base = T.removesuffix("/tooling")
    groups = [
        {"attributes": {"type": "Group"}, "Name": f"Queue {number}", "Type": "Queue"} for number in range(200)
    ]
    for _ in range(11):
        made = private.post(f"{base}/composite/sobjects", json={"records": groups}).json()
        assert made[0]["success"], made[0]
    first = private.get(f"{T}/query", params={"q": "SELECT Id FROM Group"}).json()
    assert (first["size"], first["done"]) == (2_000, False)
    assert first["nextRecordsUrl"] == f"{T}/query/{first['queryLocator']}"
    last = private.get(first["nextRecordsUrl"]).json()
    assert (last["entityTypeName"], last["done"]) == ("Group", True)
    assert first["size"] + last["size"] == first["totalSize"] == last["totalSize"]
    beyond = private.get(f"{T}/query/{first['queryLocator'].partition('-')[0]}-99999").json()
    assert (beyond["size"], beyond["done"]) == (0, True)


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("query?q=SELECT Id FROM Account", 400, "INVALID_TYPE"),
        ("query?q=SELECT Nothing FROM User", 400, "INVALID_FIELD"),
        ("query/01g000000000000AAA-2000", 400, "INVALID_QUERY_LOCATOR"),
        ("query?q=SELECT FROM ApexClass", 400, "MALFORMED_QUERY"),
        ("query", 400, "MALFORMED_QUERY"),
        ("executeAnonymous/?anonymousBody=System.debug(1)", 403, "INSUFFICIENT_ACCESS"),
        ("runTestsSynchronous", 404, "NOT_FOUND"),
    ],
)
def test_what_is_refused(client: httpx.Client, path: str, status: int, code: str) -> None:
    assert error(client.get(f"{T}/{path}"))[:2] == (status, code)


def test_the_objects(client: httpx.Client) -> None:
    assert client.get(T).json()["query"] == f"{T}/query"
    names = [one["name"] for one in client.get(f"{T}/sobjects").json()["sobjects"]]
    assert {"ApexClass", "SandboxProcess"} <= set(names)

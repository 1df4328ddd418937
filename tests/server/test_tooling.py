"""The Tooling API, as far as clients ask of it in passing."""

from __future__ import annotations

import httpx
import pytest

from tests.server.test_records import error

T = "/services/data/v59.0/tooling"


@pytest.mark.parametrize("text", ["SELECT Id FROM SandboxProcess", "select count() from apexclass"])
def test_an_object_without_records(client: httpx.Client, text: str) -> None:
    found = client.get(f"{T}/query/", params={"q": text}).json()
    assert (found["size"], found["totalSize"], found["done"], found["records"]) == (0, 0, True, [])
    assert found["entityTypeName"] in {"SandboxProcess", "ApexClass"}


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("query?q=SELECT Id FROM Account", 400, "INVALID_TYPE"),
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

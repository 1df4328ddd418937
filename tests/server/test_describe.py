"""The resources that tell what is there: versions, objects, limits, counts."""

from __future__ import annotations

from email.utils import formatdate, parsedate_to_datetime

import httpx
import pytest

from crmarena.server.routes.versions import RESOURCES
from crmarena.server.settings import NEWEST_VERSION, OLDEST_VERSION
from tests.server.conftest import ORG_ID, Served, record_id

V = "/services/data/v59.0"


def test_versions_are_told_to_everybody_the_oldest_first(served: Served) -> None:
    found = httpx.get(f"{served.url}/services/data").json()
    numbers = [float(version["version"]) for version in found]
    assert numbers == sorted(numbers)
    assert (numbers[0], numbers[-1]) == (OLDEST_VERSION, NEWEST_VERSION)
    by_number = {version["version"]: version for version in found}
    assert by_number["59.0"] == {"label": "Winter '24", "url": V, "version": "59.0"}
    assert by_number["62.0"]["label"] == "Winter '25"
    assert by_number["20.0"]["label"] == "Winter '11"


def test_the_resources_of_a_version_are_where_it_says(served: Served, client: httpx.Client) -> None:
    found = client.get(V).json()
    assert found.pop("identity") == f"{served.url}/id/{ORG_ID}/{record_id('005', 1)}"
    assert found == {name: f"{V}/{name}" for name in RESOURCES}


@pytest.mark.parametrize("name", ["sobjects", "limits", "recent"])
def test_a_resource_that_is_named_is_there(client: httpx.Client, name: str) -> None:
    assert client.get(client.get(V).json()[name]).status_code == 200


def test_all_objects_are_described_in_short(client: httpx.Client) -> None:
    found = client.get(f"{V}/sobjects/").json()
    assert (found["encoding"], found["maxBatchSize"]) == ("UTF-8", 200)
    account = next(each for each in found["sobjects"] if each["name"] == "Account")
    assert account["urls"]["describe"] == f"{V}/sobjects/Account/describe"
    assert client.get(account["urls"]["describe"]).json()["name"] == "Account"


@pytest.mark.parametrize("name", ["Account", "account", "CASE", "Knowledge__kav"])
def test_an_object_is_described_with_its_fields(client: httpx.Client, name: str) -> None:
    found = client.get(f"{V}/sobjects/{name}/describe").json()
    assert found["name"].lower() == name.lower()
    assert "Id" in [field["name"] for field in found["fields"]]
    assert found["urls"]["sobject"].startswith(V)


def test_an_object_in_short_has_no_lists_and_nothing_recent(client: httpx.Client) -> None:
    found = client.get(f"{V}/sobjects/Account").json()
    assert found["recentItems"] == []
    assert found["objectDescribe"]["keyPrefix"] == "001"
    assert "fields" not in found["objectDescribe"]


@pytest.mark.parametrize("path", ["Nothing", "Nothing/describe", "Account/describe/layouts", "%2e/describe"])
def test_what_there_is_no_description_of_is_not_found(client: httpx.Client, path: str) -> None:
    answer = client.get(f"{V}/sobjects/{path}")
    assert (answer.status_code, answer.json()[0]["errorCode"]) == (404, "NOT_FOUND")


@pytest.mark.parametrize("path", ["sobjects", "sobjects/Account/describe"])
def test_a_description_that_is_known_is_not_sent_again(client: httpx.Client, path: str) -> None:
    modified = client.get(f"{V}/{path}").headers["last-modified"]
    known = client.get(f"{V}/{path}", headers={"If-Modified-Since": modified})
    assert (known.status_code, known.content) == (304, b"")
    earlier = formatdate(parsedate_to_datetime(modified).timestamp() - 10, usegmt=True)
    for since in (earlier, "yesterday", "Thu, 01 Jan 1970 00:00:00 GMT", "Mon, 99 Foo 99999 99:99:99"):
        assert client.get(f"{V}/{path}", headers={"If-Modified-Since": since}).status_code == 200


def test_limits_have_a_maximum_and_what_is_left(client: httpx.Client) -> None:
    found = client.get(f"{V}/limits").json()
    assert {frozenset(limit) for limit in found.values()} == {frozenset({"Max", "Remaining"})}
    assert found["DailyApiRequests"]["Max"] == 15_000
    assert all(0 <= limit["Remaining"] <= limit["Max"] for limit in found.values())


@pytest.mark.parametrize(
    ("asked", "counts"),
    [
        ("Account", {"Account": 2}),
        ("account,Contact,Account", {"Account": 2, "Contact": 3}),
        ("Nothing, Contact", {"Contact": 3}),
        ("", {}),
    ],
)
def test_records_are_counted(client: httpx.Client, asked: str, counts: dict[str, int]) -> None:
    found = client.get(f"{V}/limits/recordCount", params={"sObjects": asked}).json()
    assert {each["name"]: each["count"] for each in found["sObjects"]} == counts


def test_without_names_the_records_of_all_objects_are_counted(client: httpx.Client) -> None:
    found = client.get(f"{V}/limits/recordCount").json()["sObjects"]
    counts = {each["name"]: each["count"] for each in found}
    assert (counts["Account"], counts["Contact"], counts["Case"]) == (2, 3, 0)


def test_nothing_is_recent(client: httpx.Client) -> None:
    assert client.get(f"{V}/recent", params={"limit": 5}).json() == []
    answer = client.get(f"{V}/recent", params={"limit": "many"})
    assert (answer.status_code, answer.json()[0]["errorCode"]) == (400, "ILLEGAL_QUERY_PARAMETER_VALUE")

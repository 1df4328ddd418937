"""`query` over HTTP: what is answered, and what is refused."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from crmarena.server.app import create_app
from tests.server.conftest import own_session, record_id, running, settings_for

V = "/services/data/v59.0"


def ask(client: httpx.Client, text: str, door: str = "query", **parameters: str) -> httpx.Response:
    return client.get(f"{V}/{door}", params={"q": text, **parameters})


def test_a_query_is_answered(client: httpx.Client) -> None:
    got = ask(client, "SELECT Name FROM Account LIMIT 1")
    assert got.status_code == 200
    place = f"/services/data/v59.0/sobjects/Account/{record_id('001', 1)}"
    record = {"attributes": {"type": "Account", "url": place}, "Name": "Acme"}
    assert got.json() == {"totalSize": 1, "done": True, "records": [record]}


def test_numbers_are_written_as_salesforce_writes_them(client: httpx.Client) -> None:
    got = ask(client, "SELECT AnnualRevenue FROM Account ORDER BY Name")
    assert '"AnnualRevenue":1.5E8' in got.text
    assert '"AnnualRevenue":12.0' in got.text


def test_a_plus_is_a_space_and_all_of_unicode_is_text(client: httpx.Client) -> None:
    place = f"{V}/query/?q=SELECT+Name+FROM+Account+WHERE+Name+!=+'%E4%B8%AD%F0%9F%98%80%2B'"
    assert client.get(place).json()["totalSize"] == 2


@pytest.mark.parametrize(
    ("path", "status", "code", "text"),
    [
        (f"{V}/query", 400, "MALFORMED_QUERY", "A query string has to be specified"),
        (f"{V}/queryAll", 400, "MALFORMED_QUERY", "A query string has to be specified"),
        (f"{V}/query?q=", 400, "MALFORMED_QUERY", "SOQL statements cannot be empty or null"),
        (f"{V}/query?q=SELECT+Nmae+FROM+Account", 400, "INVALID_FIELD", "No such column 'Nmae'"),
        (f"{V}/query?q=SELECT+Id+FROM+Acount", 400, "INVALID_TYPE", "sObject type 'Acount'"),
        (f"{V}/query?explain=SELECT+Id+FROM+Acount", 400, "INVALID_TYPE", "sObject type 'Acount'"),
        (f"{V}/query?q=SELECT+Id+FROM+Acount&columns=true", 400, "INVALID_TYPE", "sObject type 'Acount'"),
        (f"{V}/query?q=FIND+{{x}}", 400, "MALFORMED_QUERY", "unexpected token"),
        (f"{V}/search", 400, "MALFORMED_SEARCH", "A search string has to be specified"),
        (f"{V}/search?q=SELECT+Id+FROM+Account", 400, "MALFORMED_SEARCH", "SELECT"),
    ],
)
def test_what_is_refused_says_why(client: httpx.Client, path: str, status: int, code: str, text: str) -> None:
    got = client.get(path)
    (error,) = got.json()
    assert (got.status_code, error["errorCode"]) == (status, code)
    assert text in error["message"]


def test_errors_are_worded_as_the_version_words_them(client: httpx.Client) -> None:
    texts = [
        client.get(f"/services/data/v{version}/query", params={"q": "SELECT Id; FROM Account"}).json()
        for version in ("59.0", "62.0")
    ]
    assert ["ERROR at Row:1:Column:" in text[0]["message"] for text in texts] == [True, False]


def test_the_user_of_the_token_is_who_asks(org_file: Path, tmp_path: Path) -> None:
    with running(settings_for(org_file, tmp_path)) as served, served.client as client:
        assert ask(client, "SELECT Id FROM Account USING SCOPE mine").json()["totalSize"] == 2


def test_a_set_day_is_today(org_file: Path, tmp_path: Path) -> None:
    text = "SELECT Id FROM Account WHERE CreatedDate = TODAY"
    for today, count in (("2024-05-01", 2), ("2024-05-02", 0)):
        with running(settings_for(org_file, tmp_path, today=today)) as served, served.client as client:
            assert ask(client, text).json()["totalSize"] == count


def test_query_all_shows_the_recycle_bin(org_file: Path, tmp_path: Path) -> None:
    settings = settings_for(org_file, tmp_path, writable=True)
    app = create_app(settings)
    with running(settings, app) as served, served.client as client:
        own_session(app, served.token).delete("Contact", record_id("003", 1))
        text = "SELECT Id, IsDeleted FROM Contact WHERE Email = 'pat1@x.example'"
        assert ask(client, text).json()["totalSize"] == 0
        (record,) = ask(client, text, "queryAll").json()["records"]
        assert (record["Id"], record["IsDeleted"]) == (record_id("003", 1), True)


def test_columns_are_described(client: httpx.Client) -> None:
    got = ask(client, "SELECT Name, Owner.Alias FROM Account", columns="true").json()
    assert [column["columnName"] for column in got["columnMetadata"]] == ["Name", "Owner"]
    assert "records" not in got
    assert ask(client, "SELECT Name FROM Account", columns="false").json()["totalSize"] == 2


@pytest.mark.parametrize(
    ("text", "operation", "fields", "noted", "cardinality"),
    [
        ("SELECT Id FROM Account", "TableScan", [], [], 2),
        ("SELECT Id FROM Account WHERE Name = 'Acme'", "Index", ["Name"], [], 1),
        ("SELECT Id FROM Account WHERE Industry = 'x'", "TableScan", [], ["Industry"], 0),
        (
            "SELECT Id FROM Account WHERE OwnerId != null AND (Industry = null AND Id = '001000000000001')",
            "Index",
            ["OwnerId", "Id"],
            ["Industry"],
            0,
        ),
        ("SELECT Id FROM Account WHERE Name = 'Acme' OR Industry = 'x'", "TableScan", [], [], 1),
        ("SELECT Id FROM Account WHERE Owner.Name = 'x'", "TableScan", [], [], 0),
        ("SELECT COUNT() FROM Account WHERE NOT Name = 'Acme'", "TableScan", [], [], 1),
    ],
)
def test_a_plan_tells_how_much_is_read(
    client: httpx.Client, text: str, operation: str, fields: list[str], noted: list[str], cardinality: int
) -> None:
    got = client.get(f"{V}/query/", params={"explain": text}).json()
    (plan,) = got["plans"]
    assert got["sourceQuery"] == text
    assert (plan["leadingOperationType"], plan["fields"]) == (operation, fields)
    assert [field for note in plan["notes"] for field in note["fields"]] == noted
    assert (plan["cardinality"], plan["sobjectCardinality"]) == (cardinality, 2)
    assert (plan["sobjectType"], plan["relativeCost"] >= 0) == ("Account", True)


@pytest.mark.parametrize("version", ["36.0", "37.0", "59.0"])
def test_a_search_is_answered_in_the_form_of_its_version(client: httpx.Client, version: str) -> None:
    text = "FIND {Acme} RETURNING Account(Name)"
    got = client.get(f"/services/data/v{version}/search/", params={"q": text}).json()
    records = got if version == "36.0" else got["searchRecords"]
    place = f"/services/data/v{version}/sobjects/Account/{record_id('001', 1)}"
    assert records == [{"attributes": {"type": "Account", "url": place}, "Name": "Acme"}]

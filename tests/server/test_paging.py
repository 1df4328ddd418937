"""Queries that do not fit on a page."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from crmarena.org.org import open_org
from crmarena.server import paging
from crmarena.server.app import create_app
from tests.server.conftest import (
    PASSWORD,
    USERNAME,
    Served,
    make_org,
    record_id,
    running,
    settings_for,
)

V = "/services/data/v59.0"
CONTACTS = 4_500
ALL = "SELECT Id, LastName FROM Contact"
CHILDREN = "SELECT Id, (SELECT Id FROM Contacts) FROM Account"


@pytest.fixture(scope="module")
def big_org(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_org(tmp_path_factory.mktemp("big") / "org.db", contacts=CONTACTS)


@pytest.fixture(scope="module")
def big(big_org: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with running(settings_for(big_org, tmp_path_factory.mktemp("state"))) as found:
        yield found


@pytest.fixture(scope="module")
def asking(big: Served) -> Iterator[httpx.Client]:
    with big.client as found:
        yield found


def first(
    client: httpx.Client, text: str, *, batch: int | None = None, door: str = "query"
) -> dict[str, Any]:
    headers = {} if batch is None else {"Sforce-Query-Options": f"batchSize={batch}"}
    answer = client.get(f"{V}/{door}", params={"q": text}, headers=headers)
    assert answer.status_code == 200, answer.text
    page: dict[str, Any] = answer.json()
    return page


def pages(client: httpx.Client, page: dict[str, Any]) -> list[dict[str, Any]]:
    """A page and those that follow it."""
    found = [page]
    while not page["done"]:
        page = client.get(page["nextRecordsUrl"]).json()
        found.append(page)
    return found


def ids(found: list[dict[str, Any]]) -> list[str]:
    return [record["Id"] for page in found for record in page["records"]]


@pytest.mark.parametrize(
    ("batch", "sizes"),
    [
        (None, [2_000, 2_000, 500]),
        (1_500, [1_500] * 3),
        (2_001, [2_000, 2_000, 500]),
        (1, [200] * 22 + [100]),
        (999_999_999, [2_000, 2_000, 500]),
    ],
)
def test_pages_hold_what_the_caller_asks_within_bounds(
    asking: httpx.Client, batch: int | None, sizes: list[int]
) -> None:
    found = pages(asking, first(asking, ALL, batch=batch))
    assert [len(page["records"]) for page in found] == sizes
    assert len(set(ids(found))) == CONTACTS
    assert {page["totalSize"] for page in found} == {CONTACTS}
    assert [page["done"] for page in found] == [False] * (len(sizes) - 1) + [True]
    assert "nextRecordsUrl" not in found[-1]


def test_a_locator_is_one_segment_with_the_place_to_go_on(asking: httpx.Client) -> None:
    page = first(asking, ALL)
    assert re.fullmatch(rf"{V}/query/01g[0-9A-Za-z]{{15}}-2000", page["nextRecordsUrl"])
    assert list(page) == ["totalSize", "done", "nextRecordsUrl", "records"]


def test_pages_are_in_the_order_of_the_query(asking: httpx.Client) -> None:
    found = pages(asking, first(asking, f"{ALL} ORDER BY LastName DESC LIMIT 4100 OFFSET 7"))
    names = [record["LastName"] for page in found for record in page["records"]]
    assert len(names) == 4_100
    assert names == sorted((f"Lee {n}" for n in range(1, CONTACTS + 1)), reverse=True)[7:4_107]


@pytest.mark.parametrize("door", ["query", "queryAll"])
def test_either_door_gives_the_next_page(asking: httpx.Client, door: str) -> None:
    place = first(asking, ALL, door=door)["nextRecordsUrl"]
    answers = [asking.get(place), asking.get(place.replace("/query/", "/queryAll/") + "/")]
    assert answers[0].json() == answers[1].json()
    assert answers[0].json()["nextRecordsUrl"].endswith("-4000")


def test_the_version_of_the_request_stands_in_the_urls(asking: httpx.Client) -> None:
    place = first(asking, ALL)["nextRecordsUrl"].replace("/v59.0/", "/v64.0/")
    page = asking.get(place).json()
    assert page["nextRecordsUrl"].startswith("/services/data/v64.0/query/")
    assert page["records"][0]["attributes"]["url"].startswith("/services/data/v64.0/sobjects/")


def test_a_count_and_a_group_fit_on_one_page(asking: httpx.Client) -> None:
    assert first(asking, "SELECT COUNT() FROM Contact") == {
        "totalSize": CONTACTS,
        "done": True,
        "records": [],
    }
    grouped = first(asking, "SELECT AccountId, COUNT(Id) n FROM Contact GROUP BY AccountId", batch=200)
    assert [record["n"] for record in grouped["records"]] == [CONTACTS // 2] * 2


def test_children_beyond_a_page_have_locators_of_their_own(asking: httpx.Client) -> None:
    (page,) = pages(asking, first(asking, CHILDREN, batch=1_000))
    lists = [record["Contacts"] for record in page["records"]]
    assert [len(some["records"]) for some in lists] == [1_000, 1_000]
    every = [ids(pages(asking, some)) for some in lists]
    assert [len(some) for some in every] == [CONTACTS // 2] * 2
    assert len({*every[0], *every[1]}) == CONTACTS
    assert {some["totalSize"] for some in lists} == {CONTACTS // 2}


def test_children_of_children_have_them_too(big_org: Path, tmp_path: Path) -> None:
    with open_org(big_org) as org, org.session(writable=True) as session:
        parent, child = record_id("001", 1), record_id("001", 2)
        session.update("Account", child, {"ParentId": parent})
        session.commit(tmp_path / "family.db")
    text = (
        "SELECT Id, (SELECT Id, (SELECT Id FROM Contacts) FROM ChildAccounts) FROM Account"
        " WHERE ParentId = null"
    )
    with running(settings_for(tmp_path / "family.db", tmp_path)) as served, served.client as client:
        (page,) = pages(client, first(client, text, batch=900))
        (account,) = page["records"][0]["ChildAccounts"]["records"]
        assert account["Id"] == child
        assert len(account["Contacts"]["records"]) == 900
        assert len(set(ids(pages(client, account["Contacts"])))) == CONTACTS // 2


def test_children_that_fit_are_whole(asking: httpx.Client) -> None:
    text = "SELECT Id, (SELECT Id FROM Contacts LIMIT 1999) FROM Account"
    lists = [record["Contacts"] for record in first(asking, text)["records"]]
    assert [(some["totalSize"], some["done"], len(some["records"])) for some in lists] == [
        (1_999, True, 1_999)
    ] * 2


@pytest.mark.parametrize(
    "locator",
    ["x", "01g", "01g5HPZaBAZdfYPQ1Z-2000", "01g5HPZaBAZdfYPQ1Z", "01g5HPZaBAZdfYPQ1Z--1", "%00", "'"],
)
def test_an_unknown_locator_is_refused(asking: httpx.Client, locator: str) -> None:
    answer = asking.get(f"{V}/query/{locator}")
    assert answer.status_code == 400
    assert answer.json() == [{"message": "invalid query locator", "errorCode": "INVALID_QUERY_LOCATOR"}]


def test_a_locator_goes_on_where_it_says(asking: httpx.Client) -> None:
    place = first(asking, ALL)["nextRecordsUrl"].removesuffix("2000")
    assert len(asking.get(f"{place}4499").json()["records"]) == 1
    beyond = asking.get(f"{place}999999999").json()
    assert beyond == {"totalSize": CONTACTS, "done": True, "records": []}
    assert asking.get(f"{place}9999999999").status_code == 400


def test_a_locator_is_its_logins_alone(big: Served, asking: httpx.Client) -> None:
    place = first(asking, ALL)["nextRecordsUrl"]
    form = {"grant_type": "password", "username": USERNAME, "password": PASSWORD}
    other = httpx.post(f"{big.url}/services/oauth2/token", data=form).json()["access_token"]
    answer = httpx.get(big.url + place, headers={"Authorization": f"Bearer {other}"})
    assert (answer.status_code, answer.json()[0]["errorCode"]) == (400, "INVALID_QUERY_LOCATOR")
    assert asking.get(place).status_code == 200


def test_a_locator_ends_when_it_is_not_used(
    big: Served, asking: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = first(asking, ALL)["nextRecordsUrl"]
    monkeypatch.setattr(paging, "LIFE", 0.0)
    assert asking.get(place).json()[0]["errorCode"] == "INVALID_QUERY_LOCATOR"


@pytest.mark.parametrize("text", [ALL, CHILDREN, f"{ALL} WHERE CreatedDate < TODAY ORDER BY Name"])
def test_another_worker_goes_on(big: Served, asking: httpx.Client, text: str) -> None:
    page = first(asking, text, batch=2_000)
    if "nextRecordsUrl" not in page:
        page = page["records"][0]["Contacts"]
    place = page["nextRecordsUrl"]
    app = create_app(big.settings)
    with running(replace(big.settings, port=0), app) as other, other.client as client:
        assert client.get(place).json() == asking.get(place).json()


@pytest.mark.parametrize("options", ["batchSize=many", "batchSize=-5", "size=200", "batchSize"])
def test_other_query_options_are_refused(asking: httpx.Client, options: str) -> None:
    answer = asking.get(f"{V}/query", params={"q": ALL}, headers={"Sforce-Query-Options": options})
    assert (answer.status_code, answer.json()[0]["errorCode"]) == (400, "ILLEGAL_QUERY_PARAMETER_VALUE")


@pytest.mark.parametrize("options", ["batchSize=500", "BatchSize = 500 ,", "batchsize=400,batchSize=500"])
def test_query_options_are_read_as_lists(asking: httpx.Client, options: str) -> None:
    answer = asking.get(f"{V}/query", params={"q": ALL}, headers={"Sforce-Query-Options": options})
    assert len(answer.json()["records"]) == 500


def test_many_callers_page_at_once(big: Served) -> None:
    seen: list[int] = []

    def read() -> None:
        with big.client as client:
            seen.append(len(set(ids(pages(client, first(client, ALL, batch=600))))))

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [CONTACTS] * 8


def test_a_worker_holds_no_more_rows_than_it_may(
    asking: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging, "MOST_ROWS", CONTACTS + 1)
    places = [first(asking, f"{ALL} LIMIT {CONTACTS - n}")["nextRecordsUrl"] for n in range(3)]
    assert [asking.get(place).json()["totalSize"] for place in places] == [CONTACTS - n for n in range(3)]

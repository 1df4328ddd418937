"""A writable server: each login on a private session of its own."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from crmarena.server import paging
from crmarena.server.app import create_app
from tests.server.conftest import (
    PASSWORD,
    USERNAME,
    Served,
    make_org,
    own_session,
    record_id,
    running,
    settings_for,
)
from tests.server.test_soap import element, login, post

V = "/services/data/v59.0"
NAMES = "SELECT Name FROM Account ORDER BY Name"
PLACES = 3


@dataclass
class Writable:
    """A writable server of this process."""

    served: Served
    app: FastAPI

    def log_in(self) -> httpx.Response:
        form = {"grant_type": "password", "username": USERNAME, "password": PASSWORD}
        return httpx.post(f"{self.served.url}/services/oauth2/token", data=form)

    def token(self) -> str:
        token: str = self.log_in().json()["access_token"]
        return token

    def leave(self, token: str) -> None:
        httpx.post(f"{self.served.url}/services/oauth2/revoke", data={"token": token})

    def names(self, token: str) -> list[str]:
        headers = {"Authorization": f"Bearer {token}"}
        answer = httpx.get(f"{self.served.url}{V}/query", params={"q": NAMES}, headers=headers)
        return [record["Name"] for record in answer.json()["records"]]


@pytest.fixture
def writable(org_file: Path, tmp_path: Path) -> Iterator[Writable]:
    settings = settings_for(org_file, tmp_path, writable=True, sessions=PLACES)
    app = create_app(settings)
    with running(settings, app) as served:
        yield Writable(served, app)


def test_one_login_does_not_see_what_another_writes(writable: Writable, org_file: Path) -> None:
    before = org_file.read_bytes()
    one, other = writable.token(), writable.token()
    own_session(writable.app, one).insert("Account", {"Name": "Ajax"})
    own_session(writable.app, other).delete("Account", record_id("001", 2))
    assert writable.names(one) == ["Acme", "Ajax", "Globex"]
    assert writable.names(other) == ["Acme"]
    assert writable.names(writable.served.token) == ["Acme", "Globex"]
    assert org_file.read_bytes() == before


def test_a_login_keeps_its_session_from_call_to_call(writable: Writable) -> None:
    token = writable.token()
    session = own_session(writable.app, token)
    session.insert("Account", {"Name": "Ajax"})
    assert writable.names(token) == writable.names(token) == ["Acme", "Ajax", "Globex"]
    assert own_session(writable.app, token) is session


def test_what_is_written_is_found_by_search(writable: Writable) -> None:
    own_session(writable.app, writable.served.token).insert("Account", {"Name": "Zephyrine"})
    with writable.served.client as client:
        got = client.get(f"{V}/search", params={"q": "FIND {Zephyrine} RETURNING Account(Name)"}).json()
    assert [record["Name"] for record in got["searchRecords"]] == ["Zephyrine"]


def test_a_login_beyond_the_sessions_is_refused_until_one_leaves(writable: Writable) -> None:
    tokens = [writable.token() for _ in range(PLACES - 1)]
    refused = writable.log_in()
    assert refused.status_code == 503
    assert refused.json()[0]["errorCode"] == "SERVER_UNAVAILABLE"
    by_soap = post(writable.served, login())
    assert (by_soap.status_code, element(by_soap, "faultcode")) == (503, "SERVER_UNAVAILABLE")
    own_session(writable.app, tokens[0]).insert("Account", {"Name": "Ajax"})
    writable.leave(tokens[0])
    fresh = writable.token()
    assert writable.names(fresh) == ["Acme", "Globex"]
    assert writable.log_in().status_code == 503


def test_a_refused_login_leaves_no_token(writable: Writable) -> None:
    for _ in range(PLACES + 3):
        writable.log_in()
    count = "SELECT COUNT(*) FROM tokens"
    assert writable.app.state.desk.state.connection.execute(count).fetchone() == (PLACES,)


def test_a_session_is_given_back_when_its_token_ends(writable: Writable) -> None:
    for _ in range(PLACES - 1):
        writable.token()
    assert writable.log_in().status_code == 503
    with writable.app.state.desk.state.change() as connection:
        connection.execute("UPDATE tokens SET used = used - 10000")
    until = time.monotonic() + 20
    while writable.log_in().status_code == 503 and time.monotonic() < until:
        time.sleep(0.05)
    assert writable.log_in().status_code == 200


def test_calls_of_one_login_take_turns_and_those_of_others_do_not_wait(
    org_file: Path, tmp_path: Path
) -> None:
    settings = settings_for(org_file, tmp_path, writable=True)
    app = create_app(settings)
    begun, finish = threading.Event(), threading.Event()

    def wait(request: Request) -> Response:
        begun.set()
        finish.wait(20)
        return Response()

    app.add_route(f"{V}/wait", wait)
    with running(settings, app) as served:
        writable = Writable(served, app)
        token, other = writable.token(), writable.token()
        seen: list[list[str]] = []
        headers = {"Authorization": f"Bearer {token}"}
        first = threading.Thread(
            target=lambda: httpx.get(f"{served.url}{V}/wait", headers=headers, timeout=30)
        )
        second = threading.Thread(target=lambda: seen.append(writable.names(token)))
        first.start()
        begun.wait(20)
        second.start()
        for _ in range(5):
            assert writable.names(other) == ["Acme", "Globex"]
        assert seen == []
        finish.set()
        first.join()
        second.join()
        assert seen == [["Acme", "Globex"]]


def test_pages_are_of_what_the_query_saw(tmp_path: Path) -> None:
    settings = settings_for(make_org(tmp_path / "org.db", contacts=2_100), tmp_path, writable=True)
    app = create_app(settings)
    text = "SELECT Id, LastName FROM Contact"
    with running(settings, app) as served, served.client as client:
        page = client.get(f"{V}/query", params={"q": text}).json()
        session = own_session(app, served.token)
        session.delete("Contact", record_id("003", 1))
        session.update("Contact", record_id("003", 2_050), {"LastName": "Changed"})
        rest = client.get(page["nextRecordsUrl"]).json()
        assert (page["totalSize"], rest["totalSize"], len(rest["records"])) == (2_100, 2_100, 100)
        assert "Changed" not in [record["LastName"] for record in rest["records"]]
        assert client.get(f"{V}/query", params={"q": text}).json()["totalSize"] == 2_099


def test_an_insert_is_by_the_user_of_the_token(writable: Writable) -> None:
    session = own_session(writable.app, writable.served.token)
    made = session.insert("Account", {"Name": "Ajax"})
    assert session.get("Account", made)["CreatedById"] == record_id("005", 1)


def test_who_is_slow_to_send_keeps_no_other_call_waiting(writable: Writable) -> None:
    token = writable.token()
    head = (
        f"POST {V}/sobjects/Account HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
        'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"Name"'
    )
    host, port = writable.served.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as slow:
        slow.sendall(head.encode())
        time.sleep(0.2)
        assert writable.names(token) == ["Acme", "Globex"]
        writable.leave(token)
        assert writable.log_in().status_code == 200


def test_pages_of_one_login_end_none_of_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paging, "MOST_ROWS", 2_500)
    settings = settings_for(make_org(tmp_path / "org.db", contacts=2_100), tmp_path, writable=True)
    app = create_app(settings)
    with running(settings, app) as served, served.client as client:
        ask = {"q": "SELECT Id FROM Contact"}
        kept = client.get(f"{V}/query", params=ask).json()["nextRecordsUrl"]
        headers = {"Authorization": f"Bearer {Writable(served, app).token()}"}
        others = [
            httpx.get(f"{served.url}{V}/query", params=ask, headers=headers).json()["nextRecordsUrl"]
            for _ in range(2)
        ]
        assert client.get(kept).json()["done"] is True
        answers = [httpx.get(served.url + place, headers=headers).status_code for place in others]
        assert answers == [400, 200]

"""A server on the loopback interface, over a small org that every test reads."""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from fastapi import FastAPI

from crmarena.org.writable import WritableSession
from crmarena.schema.ids import make_id
from crmarena.server.app import create_app
from crmarena.server.serve import options
from crmarena.server.settings import Login, ServerSettings
from crmarena.server.tokens import new_token
from crmarena.storage import rows
from crmarena.storage.database import Database

USERNAME, PASSWORD = "ann@crm.example", "correct horse"
ORG_ID = make_id("00D", "Cr", 1)


def record_id(prefix: str, number: int) -> str:
    return make_id(prefix, "Sv", number)


@dataclass(frozen=True)
class Served:
    """A running server."""

    url: str
    token: str
    settings: ServerSettings

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    @property
    def client(self) -> httpx.Client:
        """A client that sends the token."""
        return httpx.Client(base_url=self.url, headers=self.headers, verify=self.trust, timeout=30)

    @property
    def trust(self) -> ssl.SSLContext | bool:
        """What a client verifies the server by."""
        authority = self.settings.authority
        return True if authority is None else ssl.create_default_context(cafile=str(authority))


def make_org(path: Path, contacts: int = 3) -> Path:
    """Two accounts, a user, and as many contacts as are asked for."""
    moment = "2024-05-01T10:30:00.000+0000"
    stamps = {"CreatedDate": moment, "LastModifiedDate": moment, "SystemModstamp": moment}
    ann = {"FirstName": "Ann", "LastName": "Young", "Email": USERNAME, "Username": USERNAME, "IsActive": True}
    with Database.create(path, "b2b") as database:
        rows.insert(database, "User", [{"Id": record_id("005", 1), "Alias": "ann", **ann, **stamps}])
        accounts = [{"Name": "Acme", "AnnualRevenue": 1.5e8}, {"Name": "Globex", "AnnualRevenue": 12.0}]
        numbered = enumerate(accounts, 1)
        rows.insert(
            database,
            "Account",
            ({"Id": record_id("001", n), "OwnerId": record_id("005", 1), **a, **stamps} for n, a in numbered),
        )
        rows.insert(
            database,
            "Contact",
            (
                {
                    "Id": record_id("003", n),
                    "FirstName": "Pat",
                    "LastName": f"Lee {n}",
                    "Email": f"pat{n}@x.example",
                    "AccountId": record_id("001", 1 + n % 2),
                    "OwnerId": record_id("005", 1),
                    **stamps,
                }
                for n in range(1, contacts + 1)
            ),
        )
        database.finish()
    return path


def settings_for(org: Path, directory: Path, **changes: Any) -> ServerSettings:
    usual = ServerSettings(
        org=str(org),
        state=str(directory / "state.db"),
        logins=(Login(USERNAME, PASSWORD),),
        token=new_token(ORG_ID),
        port=0,
    )
    return replace(usual, **changes)


@contextmanager
def running(settings: ServerSettings, app: FastAPI | None = None, **told: Any) -> Iterator[Served]:
    """The application behind a real socket, in a thread of this process."""
    app = app or create_app(settings)
    app.state.desk.begin()
    server = uvicorn.Server(uvicorn.Config(app, port=0, **{**options(settings), **told}))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        deadline = time.monotonic() + 20
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            assert time.monotonic() < deadline
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield Served(f"{settings.scheme}://127.0.0.1:{port}", settings.token, replace(settings, port=port))
    finally:
        server.should_exit = True
        thread.join()


def own_session(app: FastAPI, token: str) -> WritableSession:
    """The private session of a token's login, where its server is of this process."""
    found = app.state.desk.tokens.find(token)
    session: WritableSession | None = app.state.desk.sessions.get(found.login)
    assert session is not None
    return session


@pytest.fixture(scope="session")
def org_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_org(tmp_path_factory.mktemp("served") / "org.db")


@pytest.fixture(scope="session")
def served(org_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A read-only server."""
    with running(settings_for(org_file, tmp_path_factory.mktemp("state"))) as found:
        yield found


@pytest.fixture(scope="session")
def client(served: Served) -> Iterator[httpx.Client]:
    """A client of the read-only server, with its token."""
    with served.client as found:
        yield found


@pytest.fixture(scope="session")
def writable(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A writable server, with room for many logins."""
    folder = tmp_path_factory.mktemp("writable")
    with running(settings_for(make_org(folder / "org.db"), folder, writable=True, sessions=64)) as found:
        yield found


@pytest.fixture
def private(writable: Served) -> Iterator[httpx.Client]:
    """A client of the writable server with a login of its own, and so with a session of its own."""
    form = {"grant_type": "password", "username": USERNAME, "password": PASSWORD}
    with httpx.Client(base_url=writable.url, timeout=30) as found:
        token = found.post("/services/oauth2/token", data=form).json()["access_token"]
        found.headers["Authorization"] = f"Bearer {token}"
        yield found
        found.post("/services/oauth2/revoke", data={"token": token})

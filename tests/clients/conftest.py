"""Servers for the clients of a live org: one to read from, one to write to."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from simple_salesforce.api import Salesforce
from simple_salesforce.exceptions import SalesforceError

from crmarena.server.settings import Login
from tests.server.conftest import PASSWORD, USERNAME, Served, make_org, running, settings_for

CONTACTS = 4_500
"""Three pages of a query."""


@dataclass(frozen=True)
class Told:
    """What the command prints by `--json`."""

    url: str
    token: str
    authority: str
    recipes: dict[str, str]

    @property
    def instance(self) -> str:
        return self.url.removeprefix("https://")


def log_in() -> Any:
    """A client of whatever server a patch brings it to."""
    return Salesforce(username=USERNAME, password=PASSWORD, security_token="")


def content(caught: pytest.ExceptionInfo[SalesforceError]) -> Any:
    """What a server answered to a request it refused."""
    return caught.value.content


def share_an_external_id(org: Path) -> None:
    """Give two contacts one external Id, as an org that was imported may have them."""
    with closing(sqlite3.connect(org)) as connection, connection:
        connection.execute("UPDATE Contact SET External_ID__c = 'T-1' WHERE LastName IN ('Lee 1', 'Lee 2')")


@pytest.fixture(scope="session")
def large_org(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_org(tmp_path_factory.mktemp("large") / "org.db", CONTACTS)


@pytest.fixture(scope="session")
def app_key() -> RSAPrivateKey:
    """The key that a connected app signs its logins with."""
    return generate_private_key(public_exponent=65_537, key_size=2_048)


@pytest.fixture(scope="session")
def reading(
    large_org: Path, app_key: RSAPrivateKey, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """A read-only server, with a connected app that acts as its user."""
    folder = tmp_path_factory.mktemp("reading")
    public = app_key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    (folder / "app.pem").write_bytes(public)
    login = Login(USERNAME, PASSWORD, client_id="key", client_secret="secret")
    settings = settings_for(large_org, folder)
    with running(replace(settings, logins=(login,), jwt_certificate=str(folder / "app.pem"))) as served:
        yield served


@pytest.fixture(scope="module")
def writing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A writable server: each login has a private session."""
    folder = tmp_path_factory.mktemp("writing")
    org = make_org(folder / "org.db")
    share_an_external_id(org)
    settings = replace(settings_for(org, folder), writable=True, sessions=64)
    with running(settings) as served:
        yield served


@pytest.fixture(scope="session")
def secure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    """The command, serving https."""
    folder = tmp_path_factory.mktemp("secure")
    org = make_org(folder / "org.db")
    options = ["--tls", "--tls-dir", str(folder / "tls"), "--port", "0", "--json"]
    command = [sys.executable, "-m", "crmarena.cli.main", "serve", str(org), *options]
    with subprocess.Popen(
        [*command, "--user", f"{USERNAME}:{PASSWORD}"], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            told = json.loads(process.stdout.readline())
            yield Told(told["url"], told["token"], told["authority"], told["recipes"])
        finally:
            process.terminate()


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients that know nothing of loopback would ask a proxy for it."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)

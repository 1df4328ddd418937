"""`crmarena serve --tls` as a person starts it: clients that ask https only, and the lines it prints."""

from __future__ import annotations

import json
import os
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import requests
from simple_salesforce.api import Salesforce
from simple_salesforce.login import SalesforceLogin

from crmarena import patch_simple_salesforce
from tests.clients import test_jsforce, test_sf_cli
from tests.clients.conftest import Told
from tests.server.conftest import PASSWORD, USERNAME

COUNT = "SELECT COUNT() FROM Account"


@pytest.fixture
def trusting(secure: Told, monkeypatch: pytest.MonkeyPatch) -> Iterator[requests.Session]:
    """A session that trusts the certificate: requests heeds the environment first."""
    monkeypatch.delenv("REQUESTS_CA_BUNDLE", raising=False)
    monkeypatch.delenv("CURL_CA_BUNDLE", raising=False)
    with requests.Session() as session:
        session.verify = secure.authority
        yield session


def test_simple_salesforce_with_a_token(secure: Told, trusting: requests.Session) -> None:
    salesforce = Salesforce(instance=secure.instance, session_id=secure.token, session=trusting)
    assert salesforce.query(COUNT)["totalSize"] == 2


def test_simple_salesforce_by_password(secure: Told, trusting: requests.Session) -> None:
    token, instance = SalesforceLogin(
        username=USERNAME, password=PASSWORD, security_token="", scratch_url=secure.url, session=trusting
    )
    salesforce = Salesforce(instance=instance, session_id=token, session=trusting)
    assert salesforce.query_all("SELECT Id FROM Contact")["totalSize"] == 3


def test_simple_salesforce_patched(secure: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", secure.authority)
    with patch_simple_salesforce(secure.url):
        salesforce = Salesforce(username=USERNAME, password=PASSWORD, security_token="")
        assert salesforce.query(COUNT)["totalSize"] == 2


def test_a_client_that_does_not_trust_is_not_served(secure: Told) -> None:
    with pytest.raises(requests.exceptions.SSLError):
        requests.get(f"{secure.url}/services/data", timeout=10)


def test_an_address_kept_with_a_slash_behind_it_is_good(secure: Told, trusting: requests.Session) -> None:
    assert trusting.get(f"{secure.url}//services/data", timeout=10).status_code == 200


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_httpx(secure: Told, name: str) -> None:
    url = secure.url.replace("127.0.0.1", name)
    with httpx.Client(verify=ssl.create_default_context(cafile=secure.authority)) as client:
        answer = client.get(
            f"{url}/services/data/v62.0/query",
            params={"q": COUNT},
            headers={"Authorization": f"Bearer {secure.token}"},
        )
    assert answer.json()["totalSize"] == 2


def run(command: list[str], folder: Path, **more: str) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    done = subprocess.run(
        command, cwd=folder, env={**kept, **more}, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_printed_line_for_curl(secure: Told, tmp_path: Path) -> None:
    found: dict[str, Any] = json.loads(run(["sh", "-c", f"{secure.recipes['curl']} -s"], tmp_path))
    assert [account["Name"] for account in found["records"]] == ["Acme", "Globex"]


def test_the_printed_line_for_simple_salesforce(secure: Told, tmp_path: Path) -> None:
    code = (
        f"import crmarena\nfrom simple_salesforce import Salesforce\n{secure.recipes['simple_salesforce']}\n"
    )
    asked = f"{code}print(sf.query({COUNT!r})['totalSize'])"
    assert run([sys.executable, "-c", asked], tmp_path, REQUESTS_CA_BUNDLE=secure.authority) == "2\n"


@test_jsforce.pytestmark
def test_the_printed_line_for_jsforce(secure: Told, tmp_path: Path) -> None:
    asked = f"{secure.recipes['jsforce']}; console.log((await conn.query({COUNT!r})).totalSize)"
    code = f"const jsforce = require('jsforce'); (async () => {{ {asked} }})()"
    modules = {"NODE_PATH": str(test_jsforce.FOLDER / "node_modules")}
    printed = run(["node", "-e", code], tmp_path, NODE_EXTRA_CA_CERTS=secure.authority, **modules)
    assert printed.splitlines()[-1] == "2"


@test_sf_cli.pytestmark
def test_the_printed_line_for_the_sf_cli(secure: Told, tmp_path: Path) -> None:
    path = test_sf_cli.shell_path(tmp_path)
    known = {**test_sf_cli.environment(tmp_path), "PATH": path, "NODE_EXTRA_CA_CERTS": secure.authority}
    printed = run(["sh", "-c", f"{secure.recipes['sf']} -r csv"], tmp_path, **known)
    assert [line.partition(",")[2] for line in printed.splitlines() if line] == ["Name", "Acme", "Globex"]

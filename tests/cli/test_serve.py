"""`crmarena serve`, started as a person starts it, asked over HTTP and told to stop."""

from __future__ import annotations

import http.client
import json
import shlex
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit
from urllib.request import urlopen

import pytest

from tests.cli.conftest import Command

Serving = Callable[..., "Served"]
COMMAND = str(Path(sys.executable).with_name("crmarena"))


class Served:
    """A running server, and what it said at its start."""

    def __init__(self, org: Path, *options: str) -> None:
        self.process = subprocess.Popen(
            [COMMAND, "serve", str(org), "--port", "0", "--json", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.said: dict[str, Any] = json.loads(self.process.stdout.readline())

    def get(self, path: str, token: str | None = None) -> tuple[int, Any]:
        """The status and the JSON of what is at a path."""
        place = urlsplit(self.said["url"])
        assert place.hostname is not None
        if place.scheme == "https":
            context = ssl.create_default_context(cafile=self.said["authority"])
            connection: http.client.HTTPConnection = http.client.HTTPSConnection(
                place.hostname, place.port, timeout=20, context=context
            )
        else:
            connection = http.client.HTTPConnection(place.hostname, place.port, timeout=20)
        connection.request("GET", path, headers={"Authorization": f"Bearer {token}"} if token else {})
        answer = connection.getresponse()
        found = answer.status, json.loads(answer.read())
        connection.close()
        return found

    def stop(self, number: signal.Signals) -> tuple[int, str, str]:
        """Send a signal; the exit code, and what was printed since the start."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=30)
        return self.process.returncode, out, err


@pytest.fixture
def serving(org: Path) -> Iterator[Serving]:
    """Starts servers of the org, and ends what a test left running."""
    started: list[Served] = []

    def start(*options: str) -> Served:
        started.append(Served(org, *options))
        return started[-1]

    yield start
    for served in started:
        if served.process.poll() is None:
            served.process.kill()
        served.process.communicate()


QUERY = "/services/data/v59.0/query?q=SELECT+COUNT()+FROM+Account"


def test_a_server_answers_and_ends_by_sigterm(serving: Serving, org: Path) -> None:
    server = serving()
    assert server.said["org"] == str(org)
    assert [user["username"] for user in server.said["users"]] == ["ines@crm.example"]
    assert server.get("/services/data")[1][-1]["version"] == "64.0"
    assert server.get(QUERY)[0] == 401
    assert server.get(QUERY, server.said["token"]) == (200, {"totalSize": 2, "done": True, "records": []})
    assert server.stop(signal.SIGTERM) == (0, "", "")


def test_several_workers_know_the_same_token_and_end_by_ctrl_c(serving: Serving) -> None:
    server = serving("--workers", "2", "--token", "00D!mine", "--user", "ann@x:a:b", "--user", "bo@x:c")
    assert server.said["token"] == "00D!mine"
    assert server.said["users"] == [
        {"username": "ann@x", "password": "a:b"},
        {"username": "bo@x", "password": "c"},
    ]
    assert [server.get(QUERY, "00D!mine")[0] for _ in range(4)] == [200] * 4
    assert server.stop(signal.SIGINT) == (0, "", "")


def test_tls_is_by_a_certificate_that_is_kept(serving: Serving, tmp_path: Path) -> None:
    server = serving("--tls", "--tls-dir", str(tmp_path / "tls"), "--writable", "--today", "2024-05-31")
    assert server.said["url"].startswith("https://")
    assert Path(server.said["authority"]).parent == tmp_path / "tls"
    assert server.get(QUERY, server.said["token"])[0] == 200
    assert server.stop(signal.SIGINT)[0] == 0


def test_people_get_lines_to_copy(org: Path) -> None:
    server = subprocess.Popen(
        [COMMAND, "serve", str(org), "--port", "0", "--token", "00D!it's", "--user", "ann@x:pass word"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    lines: list[str] = []
    # The last line is jsforce's: the sf CLI takes no token of this form.
    while not lines or "await conn.login" not in lines[-1]:
        lines.append(server.stdout.readline())
    curl = next(line for line in lines if line.startswith("curl -H"))
    server.send_signal(signal.SIGTERM)
    assert server.wait(timeout=30) == 0
    server.stdout.close()
    text = "".join(lines)
    assert "username  ann@x\npassword  pass word\ntoken     00D!it's\n" in text
    assert shlex.split(curl)[:3] == ["curl", "-H", "Authorization: Bearer 00D!it's"]
    assert 'crmarena.patch_simple_salesforce("http://127.0.0.1:' in text
    assert 'await conn.login("ann@x", "pass word")' in text


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--writable", "--workers", "2"), "--writable has its sessions in one process"),
        (("--sessions", "3"), "--sessions counts the private sessions of --writable"),
        (("--tls-dir", "x"), "--tls-dir is where --tls keeps its certificate"),
        (("--user", "ann"), "--user 'ann' lacks a name or a password; write it as NAME:PASSWORD."),
        (("--user", "ann:a", "--user", "ANN:b"), "--user names somebody twice"),
        (("--token", "a b"), "--token has marks that no header carries"),
        (("--today", "soon"), "--today 'soon' is no date"),
        (("--workers", "0"), "invalid value for '--workers'"),
        (("--host", "256.0.0.1"), "256.0.0.1"),
    ],
)
def test_wrong_usage_is_one_line(crmarena: Command, org: Path, options: tuple[str, ...], said: str) -> None:
    done = crmarena("serve", org, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_missing_org_or_a_port_in_use_is_one_line(crmarena: Command, org: Path) -> None:
    done = crmarena("serve", "missing.db")
    assert done.returncode == 2
    assert "missing.db" in done.stderr
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = crmarena("serve", org, "--port", str(port))
    assert (done.returncode, done.stdout) == (2, "")
    assert f"127.0.0.1:{port}" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_connected_app_and_a_refresh_token_get_tokens(serving: Serving) -> None:
    served = serving("--client", "app:hush", "--refresh-token", "again")
    for form in (
        {"grant_type": "client_credentials", "client_id": "app", "client_secret": "hush"},
        {"grant_type": "refresh_token", "refresh_token": "again"},
    ):
        with urlopen(f"{served.said['url']}/services/oauth2/token", urlencode(form).encode()) as answer:
            token = json.load(answer)["access_token"]
        assert served.get(QUERY, token)[0] == 200


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--client", "app"), "--client 'app' lacks an id or a secret; write it as ID:SECRET."),
        (("--jwt-certificate", "absent.pem"), "Cannot read the certificate"),
    ],
)
def test_a_wrong_app_or_certificate_is_said(
    crmarena: Command, org: Path, options: tuple[str, ...], said: str
) -> None:
    done = crmarena("serve", org, "--port", "0", *options)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert said in done.stderr

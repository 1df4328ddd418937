"""A server of its own processes: its start, its workers, its end."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import psutil  # type: ignore[import-untyped]
import pytest

from crmarena.errors import UsageError
from crmarena.server.serve import serve
from crmarena.server.settings import ServerSettings
from tests.server.conftest import PASSWORD, USERNAME, Served, make_org, settings_for

V = "/services/data/v59.0"
_CODE = """
import sys
from crmarena.server.serve import serve
from crmarena.server.settings import ServerSettings

if __name__ == "__main__":
    serve(ServerSettings.from_json(sys.argv[1]), lambda settings: print(settings.to_json(), flush=True))
    print("ended", flush=True)
"""


@dataclass
class Process:
    """A running `serve`."""

    process: subprocess.Popen[str]
    served: Served

    @property
    def state(self) -> Path:
        return Path(self.served.settings.state)

    def workers(self) -> list[psutil.Process]:
        found = psutil.Process(self.process.pid).children(recursive=True)
        return [each for each in found if "spawn_main" in " ".join(each.cmdline())]

    def tell(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """Send a signal; the exit code and what was printed at the end."""
        self.process.send_signal(number)
        assert self.process.stdout is not None
        said = self.process.stdout.read()
        return self.process.wait(30), said


@contextmanager
def process(org: Path, folder: Path, **changes: Any) -> Iterator[Process]:
    script = folder / "run_server.py"
    script.write_text(_CODE, encoding="utf-8")
    settings = settings_for(org, folder, **{"state": "", **changes})
    command = [sys.executable, str(script), settings.to_json()]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    with started:
        try:
            assert started.stdout is not None
            line = started.stdout.readline()
            ready = ServerSettings.from_json(line)
            yield Process(started, Served(f"{ready.scheme}://127.0.0.1:{ready.port}", ready.token, ready))
        finally:
            started.terminate()


def test_a_server_says_its_port_and_takes_its_state_away(org_file: Path, tmp_path: Path) -> None:
    with process(org_file, tmp_path) as found, found.served.client as client:
        assert found.served.settings.port > 0
        assert client.get(f"{V}/limits").status_code == 200
        assert found.state.exists()
        assert found.tell() == (0, "ended\n")
        assert not found.state.parent.exists()


def test_an_interrupt_ends_it_as_well(org_file: Path, tmp_path: Path) -> None:
    with process(org_file, tmp_path) as found, found.served.client as client:
        assert client.get("/services/data").status_code == 200
        assert found.tell(signal.SIGINT) == (0, "ended\n")
        assert not found.state.parent.exists()


def test_an_end_waits_for_no_idle_client(org_file: Path, tmp_path: Path) -> None:
    with process(org_file, tmp_path) as found:
        place = ("127.0.0.1", found.served.settings.port)
        with socket.create_connection(place) as idle, socket.create_connection(place) as half:
            half.sendall(b"GET /services/data HTTP/1.1\r\n")
            assert httpx.get(found.served.url + "/services/data").status_code == 200
            assert found.tell() == (0, "ended\n")
            assert idle.recv(1) == b""


def test_a_given_state_folder_is_kept(org_file: Path, tmp_path: Path) -> None:
    state = tmp_path / "state.db"
    with process(org_file, tmp_path, state=str(state)) as found:
        assert found.tell()[0] == 0
    assert state.exists()


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """A server of two workers, and two pages of contacts."""
    folder = tmp_path_factory.mktemp("pair")
    with process(make_org(folder / "org.db", contacts=2_500), folder, workers=2) as found:
        yield found
        assert found.tell() == (0, "ended\n")


def asked_anew(served: Served, place: str, token: str | None = None) -> httpx.Response:
    """An answer over a connection of its own, so that either worker may be the one that gives it."""
    headers = {"Authorization": f"Bearer {token or served.token}"}
    return httpx.get(served.url + place, headers=headers, timeout=60)


def test_workers_share_tokens_and_locators(pair: Process) -> None:
    query = f"{V}/query?q=SELECT+Id+FROM+Contact"
    places = [asked_anew(pair.served, query).json()["nextRecordsUrl"] for _ in range(6)]
    answers = [asked_anew(pair.served, place) for place in places]
    assert [len(answer.json()["records"]) for answer in answers] == [500] * 6
    assert len(pair.workers()) == 2


def test_a_revocation_reaches_all_workers(pair: Process) -> None:
    form = {"grant_type": "password", "username": USERNAME, "password": PASSWORD}
    token = httpx.post(f"{pair.served.url}/services/oauth2/token", data=form).json()["access_token"]
    good = [asked_anew(pair.served, f"{V}/limits", token).status_code for _ in range(6)]
    assert good == [200] * 6
    httpx.post(f"{pair.served.url}/services/oauth2/revoke", data={"token": token})
    until, ended = time.monotonic() + 30, 0
    while ended < 8 and time.monotonic() < until:
        status = asked_anew(pair.served, f"{V}/limits", token).status_code
        ended = ended + 1 if status == 401 else 0
        time.sleep(0.05)
    assert ended == 8


def test_a_killed_worker_is_replaced_and_its_locators_live_on(pair: Process) -> None:
    place = asked_anew(pair.served, f"{V}/query?q=SELECT+Id+FROM+Contact").json()["nextRecordsUrl"]
    killed = pair.workers()
    for worker in killed:
        worker.kill()
    answer = asked_anew(pair.served, place)
    assert (answer.status_code, len(answer.json()["records"])) == (200, 500)
    assert not {worker.pid for worker in killed} & {worker.pid for worker in pair.workers()}


def test_workers_end_when_who_started_them_is_killed(org_file: Path, tmp_path: Path) -> None:
    with process(org_file, tmp_path, workers=2, state=str(tmp_path / "state.db")) as found:
        with found.served.client as client:
            assert client.get("/services/data").status_code == 200
        workers = found.workers()
        found.process.kill()
        gone, alive = psutil.wait_procs(workers, timeout=30)
        assert (len(gone), alive) == (2, [])


def test_settings_survive_the_way_to_a_worker(org_file: Path, tmp_path: Path) -> None:
    settings = settings_for(org_file, tmp_path, workers=3, today="2024-05-31", tls=True)
    assert ServerSettings.from_json(settings.to_json()) == settings
    assert json.loads(settings.to_json())["workers"] == 3


def test_a_port_that_is_taken_is_wrong_usage(org_file: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        settings = settings_for(org_file, tmp_path, port=port)
        with pytest.raises(UsageError, match=f"Cannot listen on 127.0.0.1:{port}: Address already in use"):
            serve(settings)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"host": "no.such.host.example"}, "Cannot listen on no.such.host.example:0"),
        ({"host": "192.0.2.1"}, "Cannot listen on 192.0.2.1:0"),
        ({"writable": True, "workers": 2}, "in one process"),
        ({"org": os.devnull + "x"}, "No org at"),
        ({"tls": True, "tls_directory": "/dev/null/x"}, "Cannot keep a certificate"),
        ({"jwt_certificate": "/dev/null/x"}, "Cannot read the certificate"),
    ],
)
def test_what_cannot_be_served_is_wrong_usage(
    org_file: Path, tmp_path: Path, changes: dict[str, Any], text: str
) -> None:
    settings = replace(settings_for(org_file, tmp_path), **changes)
    with pytest.raises(UsageError, match=text):
        serve(settings)

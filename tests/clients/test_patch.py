"""A program written for a live org is brought to a local server, and let go again."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from simple_salesforce.api import Salesforce
from simple_salesforce.login import SalesforceLogin

import crmarena
from crmarena import UsageError, clients, patch_simple_salesforce
from tests.server.conftest import PASSWORD, USERNAME, Served

COUNT = "SELECT COUNT() FROM Account"
NOBODY = "http://127.0.0.1:9"
"""A server that is not there: the discard port."""


@pytest.fixture
def patched(reading: Served) -> Iterator[clients.Patch]:
    with patch_simple_salesforce(reading.url) as patch:
        yield patch


Login = Callable[[Served], dict[str, Any]]

LOGINS: dict[str, Login] = {
    "a password and a security token": lambda served: {
        "username": USERNAME, "password": PASSWORD, "security_token": "",
    },
    "a sandbox": lambda served: {
        "username": USERNAME, "password": PASSWORD, "security_token": "", "domain": "test",
    },
    "a domain of one's own": lambda served: {
        "username": USERNAME, "password": PASSWORD, "security_token": "", "domain": "acme.my",
    },
    "an organization's Id": lambda served: {
        "username": USERNAME, "password": PASSWORD, "organizationId": served.token.partition("!")[0],
    },
    "a connected app": lambda served: {
        "username": USERNAME, "password": PASSWORD, "consumer_key": "key", "consumer_secret": "secret",
    },
    "client credentials": lambda served: {
        "consumer_key": "key", "consumer_secret": "secret", "domain": "acme.my",
    },
    "a token and an instance of Salesforce's": lambda served: {
        "session_id": served.token, "instance": "na1.salesforce.com",
    },
    "a token and a URL of Salesforce's": lambda served: {
        "session_id": served.token, "instance_url": "https://acme.my.salesforce.com",
    },
    "a token and the server's own URL": lambda served: {
        "session_id": served.token, "instance_url": served.url,
    },
    "a token and a host of nobody's": lambda served: {
        "session_id": served.token, "instance_url": "https://crm.acme.example:8443",
    },
}  # fmt: skip


@pytest.mark.parametrize("form", LOGINS)
def test_every_form_of_login_reaches_the_server(reading: Served, patched: clients.Patch, form: str) -> None:
    salesforce = Salesforce(**LOGINS[form](reading))
    assert salesforce.query(COUNT)["totalSize"] == 2


def test_a_signed_login_reaches_the_server(patched: clients.Patch, app_key: RSAPrivateKey) -> None:
    pem = app_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    salesforce = Salesforce(username=USERNAME, consumer_key="key", privatekey=pem)
    assert salesforce.query(COUNT)["totalSize"] == 2


def test_a_login_alone_reaches_the_server(reading: Served, patched: clients.Patch) -> None:
    token, instance = SalesforceLogin(username=USERNAME, password=PASSWORD, security_token="")
    assert f"http://{instance}" == reading.url
    assert Salesforce(instance=instance, session_id=token).query(COUNT)["totalSize"] == 2


def test_a_session_of_the_programs_own_is_left_as_it_was(reading: Served, patched: clients.Patch) -> None:
    with requests.Session() as session:
        adapters = dict(session.adapters)
        salesforce = Salesforce(instance="na1.salesforce.com", session_id=reading.token, session=session)
        assert salesforce.query(COUNT)["totalSize"] == 2
        assert dict(session.adapters) == adapters


def test_a_proxy_meant_for_salesforce_is_not_asked(reading: Served, patched: clients.Patch) -> None:
    proxies = {"http": NOBODY, "https": NOBODY}
    salesforce = Salesforce(instance="na1.salesforce.com", session_id=reading.token, proxies=proxies)
    assert salesforce.query(COUNT)["totalSize"] == 2


def test_a_token_takes_the_place_of_the_programs_own(reading: Served) -> None:
    with patch_simple_salesforce(reading.url, token=reading.token):
        salesforce = Salesforce(instance="na1.salesforce.com", session_id="of another org")
        assert salesforce.query(COUNT)["totalSize"] == 2


def test_another_host_is_left_alone(reading: Served) -> None:
    with patch_simple_salesforce(NOBODY):
        assert requests.get(f"{reading.url}/services/data", timeout=10).status_code == 200


@pytest.mark.parametrize("host", ["notsalesforce.com", "salesforce.com.example", "salesforce.com.invalid"])
def test_a_host_that_only_looks_like_salesforces_is_left_alone(patched: clients.Patch, host: str) -> None:
    request = requests.Request("GET", f"https://{host}/services/data").prepare()
    assert not patched.turn(request)
    assert request.url == f"https://{host}/services/data"


def test_of_two_patches_the_latest_counts(reading: Served) -> None:
    given: dict[str, Any] = {"instance": "na1.salesforce.com", "session_id": reading.token}
    with patch_simple_salesforce(NOBODY) as earlier, patch_simple_salesforce(reading.url):
        assert Salesforce(**given).query(COUNT)["totalSize"] == 2
        earlier.undo()
        assert Salesforce(**given).query(COUNT)["totalSize"] == 2


def test_undone_it_leaves_nothing_behind(reading: Served) -> None:
    send, init = requests.Session.send, Salesforce.__init__
    patch = patch_simple_salesforce(reading.url)
    assert requests.Session.send is not send
    patch.undo()
    patch.undo()
    assert requests.Session.send is send
    assert Salesforce.__init__ is init


WRONG = ["", "127.0.0.1:8000", "http://", "ftp://127.0.0.1", "http://127.0.0.1/services", "http://[::1"]


@pytest.mark.parametrize("url", WRONG)
def test_what_is_no_url_is_said_in_one_line(url: str) -> None:
    with pytest.raises(UsageError, match=r"is no URL of a server; write it as http://127\.0\.0\.1:8000\.$"):
        patch_simple_salesforce(url)


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("call", ["crmarena.patch_simple_salesforce", "crmarena.clients.adapter"])
def test_without_the_client_one_line_says_what_to_install(call: str) -> None:
    hide = "import sys; sys.modules.update({'simple_salesforce': None, 'requests': None})"
    done = python("-c", f"{hide}\nimport crmarena.clients\n{call}('{NOBODY}')")
    assert done.returncode == 1
    assert "UsageError: " in done.stderr.splitlines()[-1]
    assert "`pip install simple-salesforce` brings it." in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("imported", ["before", "after"])
def test_it_does_not_matter_which_is_imported_first(reading: Served, imported: str) -> None:
    steps = ["from simple_salesforce import Salesforce", f"crmarena.patch_simple_salesforce({reading.url!r})"]
    if imported == "after":
        steps.reverse()
    ask = f"Salesforce(instance='x.salesforce.com', session_id={reading.token!r}).query({COUNT!r})"
    done = python("-c", "\n".join(["import crmarena", *steps, f"print({ask}['totalSize'])"]))
    assert (done.stdout, done.stderr) == ("2\n", "")


def test_an_adapter_serves_one_session(reading: Served) -> None:
    with requests.Session() as session:
        session.mount("https://", clients.adapter(reading.url))
        salesforce = Salesforce(username=USERNAME, password=PASSWORD, security_token="", session=session)
        assert salesforce.query(COUNT)["totalSize"] == 2


def test_an_adapter_sends_a_given_token(reading: Served) -> None:
    with requests.Session() as session:
        session.mount("https://", clients.adapter(reading.url, token=reading.token))
        salesforce = Salesforce(instance="na1.salesforce.com", session_id="other", session=session)
        assert salesforce.query(COUNT)["totalSize"] == 2


PROGRAM = f"""
import sys
from neighbour import QUERY
from simple_salesforce import Salesforce

if __name__ == "__main__":
    salesforce = Salesforce(username={USERNAME!r}, password={PASSWORD!r}, security_token="")
    print(salesforce.query(QUERY)["totalSize"], sys.argv[1:])
    sys.exit(3)
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "neighbour.py").write_text(f"QUERY = {COUNT!r}\n")
    path = tmp_path / "report.py"
    path.write_text(PROGRAM)
    return path


def test_a_program_is_run_unchanged(reading: Served, program: Path) -> None:
    done = python("-m", "crmarena.clients", reading.url, str(program), "--token", "x", "-m")
    assert (done.stdout, done.stderr) == ("2 ['--token', 'x', '-m']\n", "")
    assert done.returncode == 3


def test_a_module_is_run_unchanged(reading: Served, program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(program.parent)
    done = python("-m", "crmarena.clients", reading.url, "-m", "report", "all")
    assert (done.stdout, done.stderr, done.returncode) == ("2 ['all']\n", "", 3)


def test_a_program_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    done = python("-m", "crmarena.clients", NOBODY, str(tmp_path / "none.py"))
    assert done.returncode == 2
    assert (
        done.stderr
        == f"crmarena: No program at {tmp_path / 'none.py'}; name a Python file, or a module after -m.\n"
    )


def test_a_url_that_is_none_is_one_line(program: Path) -> None:
    done = python("-m", "crmarena.clients", "localhost", str(program))
    assert done.returncode == 2
    assert done.stderr == "crmarena: 'localhost' is no URL of a server; write it as http://127.0.0.1:8000.\n"


def test_the_public_name_is_this_function() -> None:
    assert crmarena.patch_simple_salesforce is clients.patch_simple_salesforce

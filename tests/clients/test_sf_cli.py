"""The sf CLI reads and writes an org over plain http. `make sf-cli` fetches it, and a Node that runs it."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.server.conftest import Served, make_org, record_id, running, settings_for

FOLDER = Path(__file__).parent / "sf" / "node_modules"
OLDEST_NODE = (22, 19)


def newer_node() -> str | None:
    """A Node that runs the CLI: the fetched one, or the machine's."""
    for node in [*map(str, FOLDER.glob("node-*/bin/node")), shutil.which("node")]:
        if node is None:
            continue
        told = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=20).stdout
        version = re.match(r"v(\d+)\.(\d+)", told)
        if version and tuple(map(int, version.groups())) >= OLDEST_NODE:
            return node
    return None


def command() -> list[str] | None:
    """How `sf` is started; None where it is not there."""
    program = FOLDER / "@salesforce" / "cli" / "bin" / "run.js"
    node = newer_node() if program.is_file() else None
    return [node, str(program)] if node else None


pytestmark = pytest.mark.skipif(
    command() is None, reason="needs the sf CLI and Node 22.19 or newer; `make sf-cli` fetches both"
)


@dataclass(frozen=True)
class Terminal:
    """Where `sf` is typed: a home folder of its own, no telemetry, no proxies."""

    environment: dict[str, str]

    def sf(self, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        """What a command prints."""
        return subprocess.run(
            [*(command() or ()), *arguments],
            env={**self.environment, **more},
            cwd=self.environment["HOME"],
            capture_output=True,
            text=True,
            timeout=60,
        )

    def text(self, *arguments: str, **more: str) -> str:
        """What a command that goes well prints."""
        done = self.sf(*arguments, **more)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def json(self, *arguments: str) -> Any:
        """The result of a command, by `--json`."""
        return json.loads(self.text(*arguments, "--json"))["result"]

    def error(self, *arguments: str) -> dict[str, Any]:
        """How a command failed, by `--json`."""
        done = self.sf(*arguments, "--json")
        assert done.returncode == 1, done.stdout + done.stderr
        failure: dict[str, Any] = json.loads(done.stdout)
        return failure


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A writable server."""
    folder = tmp_path_factory.mktemp("sf")
    with running(replace(settings_for(make_org(folder / "org.db"), folder), writable=True)) as found:
        yield found


def environment(home: Path) -> dict[str, str]:
    """A process's environment with a home of its own, and nothing of this machine's network."""
    strange = ("_proxy", "_ca_bundle")
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith(strange)}
    quiet = {"SF_DISABLE_TELEMETRY": "true", "SF_AUTOUPDATE_DISABLE": "true", "SF_DISABLE_DNS_CHECK": "true"}
    return {**kept, **quiet, "HOME": str(home), "SF_USE_GENERIC_UNIX_KEYCHAIN": "true", "NO_COLOR": "1"}


def shell_path(folder: Path) -> str:
    """A search path on which `sf` is found."""
    place = folder / "bin"
    place.mkdir()
    (place / "sf").write_text(f'#!/bin/sh\nexec {" ".join(command() or ["false"])} "$@"\n')
    (place / "sf").chmod(0o755)
    return f"{place}{os.pathsep}{os.environ['PATH']}"


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Terminal:
    """A terminal that has not logged in."""
    return Terminal(environment(tmp_path_factory.mktemp("stranger")))


@pytest.fixture(scope="module")
def terminal(served: Served, tmp_path_factory: pytest.TempPathFactory) -> Terminal:
    """A terminal that has logged in by an access token."""
    found = Terminal(environment(tmp_path_factory.mktemp("home")))
    log_in = ("org", "login", "access-token", "--instance-url", served.url, "--no-prompt", "--set-default")
    found.text(*log_in, "--alias", "local", SF_ACCESS_TOKEN=served.token)
    return found


ACCOUNTS = "SELECT Name, Owner.Name, AnnualRevenue FROM Account ORDER BY Id LIMIT 2"


def test_the_org_is_displayed(terminal: Terminal, served: Served) -> None:
    shown = terminal.json("org", "display")
    assert shown["instanceUrl"].rstrip("/") == served.url
    assert shown["id"][:15] == served.token.partition("!")[0]
    assert (shown["username"], shown["connectedStatus"]) == ("ann@crm.example", "Connected")


def test_a_query_as_a_table(terminal: Terminal) -> None:
    shown = terminal.text("data", "query", "-q", ACCOUNTS)
    assert re.search(r"NAME\W+OWNER\.NAME\W+ANNUALREVENUE", shown.upper())
    assert re.search(r"Acme\W+Ann Young\W+150000000", shown)


def test_a_query_as_csv(terminal: Terminal) -> None:
    rows = list(csv.reader(io.StringIO(terminal.text("data", "query", "-q", ACCOUNTS, "-r", "csv"))))
    assert rows == [
        ["Name", "Owner.Name", "AnnualRevenue"],
        ["Acme", "Ann Young", "150000000"],
        ["Globex", "Ann Young", "12"],
    ]


def test_a_query_as_json(terminal: Terminal) -> None:
    found = terminal.json("data", "query", "-q", ACCOUNTS)
    assert (found["totalSize"], found["done"]) == (2, True)
    assert [(row["Name"], row["Owner"]["Name"]) for row in found["records"]] == [
        ("Acme", "Ann Young"),
        ("Globex", "Ann Young"),
    ]


def test_an_aggregate_as_csv(terminal: Terminal) -> None:
    query = "SELECT AccountId, COUNT(Id) FROM Contact GROUP BY AccountId ORDER BY AccountId"
    rows = list(csv.reader(io.StringIO(terminal.text("data", "query", "-q", query, "-r", "csv"))))
    assert rows == [["AccountId", "count(Id)"], [record_id("001", 1), "1"], [record_id("001", 2), "2"]]


def test_children_as_a_table(terminal: Terminal) -> None:
    query = "SELECT Name, (SELECT LastName FROM Contacts) FROM Account WHERE Name = 'Acme'"
    assert re.search(r"Acme\W+Lee 2", terminal.text("data", "query", "-q", query))


def test_a_tooling_query(terminal: Terminal) -> None:
    assert terminal.json("data", "query", "-t", "-q", "SELECT Id FROM ApexClass")["records"] == []


def test_a_query_that_is_wrong(terminal: Terminal) -> None:
    failure = terminal.error("data", "query", "-q", "SELECT Nmae FROM Account")
    assert failure["name"] == "INVALID_FIELD"
    assert "No such column 'Nmae' on entity 'Account'." in failure["message"]


def test_a_search(terminal: Terminal) -> None:
    query = "FIND {Globex} IN NAME FIELDS RETURNING Account(Name)"
    assert terminal.json("data", "search", "-q", query)["searchRecords"][0]["Name"] == "Globex"


def test_the_list_of_objects(terminal: Terminal) -> None:
    assert {"Account", "Case", "Contact"} <= set(terminal.json("sobject", "list", "-s", "all"))


def test_the_list_of_custom_objects(terminal: Terminal) -> None:
    listed = terminal.json("sobject", "list", "-s", "custom")
    assert listed
    assert all(name.endswith("__c") for name in listed)


def test_describe(terminal: Terminal) -> None:
    assert terminal.json("sobject", "describe", "-s", "Account")["keyPrefix"] == "001"


def test_a_record_made_read_changed_and_deleted(terminal: Terminal) -> None:
    of_account = ("-s", "Account")
    made = terminal.json("data", "create", "record", *of_account, "-v", "Name='Initech Ltd' Industry=Energy")
    one = (*of_account, "-i", made["id"])
    assert terminal.json("data", "get", "record", *one)["Industry"] == "Energy"
    assert terminal.json("data", "get", "record", *of_account, "-w", "Name='Initech Ltd'")["Id"] == made["id"]
    terminal.text("data", "update", "record", *one, "-v", "Name=Initrode")
    assert terminal.json("data", "get", "record", *one)["Name"] == "Initrode"
    terminal.text("data", "delete", "record", *one)
    assert terminal.error("data", "get", "record", *one)["name"] == "ENTITY_IS_DELETED"


def test_a_record_that_is_refused(terminal: Terminal) -> None:
    failure = terminal.error("data", "create", "record", "-s", "Contact", "-v", "FirstName=Sam")
    assert failure["name"] == "REQUIRED_FIELD_MISSING"


def test_limits(terminal: Terminal) -> None:
    names = {limit["name"] for limit in terminal.json("org", "list", "limits")}
    assert "DailyApiRequests" in names


def test_any_resource(terminal: Terminal) -> None:
    found = json.loads(
        terminal.text("api", "request", "rest", "/services/data/v62.0/limits/recordCount?sObjects=Contact")
    )
    assert found["sObjects"][0]["name"] == "Contact"


def test_a_bulk_export(terminal: Terminal, tmp_path: Path) -> None:
    out = tmp_path / "contacts.csv"
    query = "SELECT Id, LastName FROM Contact WHERE LastName LIKE 'Lee%' ORDER BY Id"
    terminal.text("data", "export", "bulk", "-q", query, "--output-file", str(out), "-r", "csv", "-w", "1")
    assert [row["LastName"] for row in csv.DictReader(io.StringIO(out.read_text()))] == [
        "Lee 1",
        "Lee 2",
        "Lee 3",
    ]


def test_a_bulk_import_and_a_bulk_upsert(terminal: Terminal, tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("LastName,External_ID__c\nBulk 1,B-1\nBulk 2,B-2\n")
    done = terminal.json("data", "import", "bulk", "-s", "Contact", "-f", str(rows), "-w", "1")
    assert (done["processedRecords"], done["failedRecords"]) == (2, 0)
    rows.write_text("LastName,External_ID__c\nBulk 2b,B-2\nBulk 3,B-3\n")
    upsert = ("data", "upsert", "bulk", "-s", "Contact", "-f", str(rows), "-i", "External_ID__c", "-w", "1")
    terminal.text(*upsert)
    query = "SELECT LastName FROM Contact WHERE External_ID__c LIKE 'B-%' ORDER BY External_ID__c"
    found = terminal.json("data", "query", "-q", query)["records"]
    assert [row["LastName"] for row in found] == ["Bulk 1", "Bulk 2b", "Bulk 3"]


def test_a_tree_is_exported_and_imported(terminal: Terminal, tmp_path: Path) -> None:
    query = "SELECT Name, (SELECT LastName FROM Contacts) FROM Account WHERE Name = 'Acme'"
    terminal.text("data", "export", "tree", "-q", query, "--output-dir", str(tmp_path))
    (tree,) = tmp_path.glob("*.json")
    made = terminal.json("data", "import", "tree", "--files", str(tree))
    assert sorted(row["type"] for row in made) == ["Account", "Contact"]


def test_a_token_alone_will_do(stranger: Terminal, served: Served) -> None:
    shown = stranger.text(
        "data", "query", "-q", ACCOUNTS, "-r", "csv", "-o", served.token, SF_ORG_INSTANCE_URL=served.url
    )
    assert shown.splitlines()[1] == "Acme,Ann Young,150000000"

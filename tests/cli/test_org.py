from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Command


def test_query_prints_a_table_with_parents_as_dotted_columns(crmarena: Command, org: Path) -> None:
    done = crmarena("query", org, "SELECT LastName, Account.Name FROM Contact")
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines == [["LastName", "Account.Name"], ["Lee", "Acme"], ["(1", "record)"]]


def test_query_prints_csv_that_quotes_commas(crmarena: Command, org: Path) -> None:
    done = crmarena(
        "query", org, "SELECT Name, NumberOfEmployees FROM Account ORDER BY Name", "--format", "csv"
    )
    assert done.stdout == 'Name,NumberOfEmployees\nAcme,7\n"Zeta, Ltd",\n'


def test_query_json_is_what_the_rest_api_returns(crmarena: Command, org: Path) -> None:
    done = crmarena("query", org, "SELECT Name FROM Account WHERE Name = 'acme'", "--json")
    payload = json.loads(done.stdout)
    assert (payload["totalSize"], payload["done"]) == (1, True)
    assert payload["records"][0]["attributes"]["type"] == "Account"
    assert payload["records"][0]["Name"] == "Acme"


def test_query_prints_a_count(crmarena: Command, org: Path) -> None:
    assert crmarena("query", org, "SELECT COUNT() FROM Account").stdout == "2\n"


def test_query_runs_sosl(crmarena: Command, org: Path) -> None:
    done = crmarena("query", org, "find {acm*} returning Account(Id, Name)", "--format", "csv")
    assert done.stdout == "Id,Name\n001000000000001AAA,Acme\n"


def test_today_moves_the_relative_dates(crmarena: Command, org: Path) -> None:
    done = crmarena(
        "query", org, "SELECT COUNT() FROM Account WHERE CreatedDate = TODAY", "--today", "2024-5"
    )
    assert done.returncode == 2
    assert "--today '2024-5' is no date" in done.stderr


def test_a_query_error_is_salesforces_text_and_exit_code_1(crmarena: Command, org: Path) -> None:
    done = crmarena("query", org, "SELECT Nmae FROM Account")
    assert done.returncode == 1
    assert "INVALID_FIELD" in done.stderr
    assert "No such column 'Nmae' on entity 'Account'" in done.stderr
    assert "Traceback" not in done.stderr


def test_describe_lists_objects_with_their_counts(crmarena: Command, org: Path) -> None:
    lines = [line.split() for line in crmarena("describe", org).stdout.splitlines()]
    assert ["Account", "Account", "001", "2"] in lines
    assert len(lines) == 1 + 27 + 4


def test_describe_an_object_lists_fields_and_children(crmarena: Command, org: Path) -> None:
    done = crmarena("describe", org, "contact")
    assert "Account as Account" in done.stdout
    assert "Opportunities" in done.stdout
    assert json.loads(crmarena("describe", org, "Contact", "--json").stdout)["name"] == "Contact"


def test_a_terminal_without_the_letters_loses_no_result(
    crmarena: Command, org: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    done = crmarena("query", org, "SELECT Id FROM Account WHERE Name = 'é'", "--json")
    assert json.loads(done.stdout)["totalSize"] == 0
    text = crmarena("query", org, "SELECT Nmaé FROM Account").stderr
    assert "Traceback" not in text


def test_a_full_disk_behind_the_output_is_one_line(org: Path) -> None:
    command = Path(sys.executable).with_name("crmarena")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [command, "describe", org], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1

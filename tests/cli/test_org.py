from __future__ import annotations

import json
import re
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


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        ("table", "Name       Contacts.LastName\nAcme       Lee\nZeta, Ltd\n(2 records)\n"),
        ("csv", 'Name,Contacts\nAcme,"[{""LastName"": ""Lee""}]"\n"Zeta, Ltd",\n'),
        (
            "line",
            "                Name = Acme\nContacts[1].LastName = Lee\n\n"
            "    Name = Zeta, Ltd\nContacts = NULL\n(2 records)\n",
        ),
    ],
)
def test_children_are_rows_or_one_cell(crmarena: Command, org: Path, form: str, shown: str) -> None:
    text = "SELECT Name, (SELECT LastName FROM Contacts) FROM Account ORDER BY Name"
    assert crmarena("query", org, text, "--format", form).stdout == shown


def test_a_null_is_told_from_nothing(crmarena: Command, org: Path) -> None:
    done = crmarena("query", org, "SELECT Name, NumberOfEmployees FROM Account ORDER BY Name")
    assert done.stdout.splitlines()[1:] == [
        "Acme                       7",
        "Zeta, Ltd               NULL",
        "(2 records)",
    ]


def test_nothing_found_is_told_apart_from_the_answer(crmarena: Command, org: Path) -> None:
    text = "SELECT Id, Owner.Name FROM Account WHERE Type = 'Custmer - Direct'"
    done = crmarena("query", org, text, "--format", "csv")
    assert (done.returncode, done.stdout) == (0, "Id,Owner.Name\n")
    assert done.stderr == (
        "No records found; Account holds 2. "
        "Type lists no 'Custmer - Direct'; did you mean 'Customer - Direct'?\n"
    )


def test_the_records_of_several_objects_say_which_they_are_of(crmarena: Command, org: Path) -> None:
    text = "FIND {acme OR lee} RETURNING Account(Name), Contact(LastName)"
    table = crmarena("query", org, text).stdout
    assert table == "Account\nName\nAcme\n\nContact\nLastName\nLee\n(2 records)\n"
    lines = crmarena("query", org, text, "--format", "csv").stdout
    assert lines == "attributes.type,Name,LastName\nAccount,Acme,\nContact,,Lee\n"


def test_a_query_is_read_from_standard_input_or_a_file(crmarena: Command, org: Path, tmp_path: Path) -> None:
    text = "SELECT COUNT()\nFROM Account;\n"
    assert crmarena("query", org, "-", stdin=text).stdout == "2\n"
    (tmp_path / "count.soql").write_text(text, encoding="utf-8")
    assert crmarena("query", org, "--file", "count.soql").stdout == "2\n"


def test_records_are_written_into_several_files(crmarena: Command, org: Path, tmp_path: Path) -> None:
    text = "SELECT Name, NumberOfEmployees FROM Account WHERE NumberOfEmployees = 7"
    arguments = ("query", org, text, "--out", "a.csv", "--out", "a.json", "--out", "a.txt")
    done = crmarena(*arguments)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.splitlines() == ["1 record in a.csv", "1 record in a.json", "1 record in a.txt"]
    assert (tmp_path / "a.csv").read_text(encoding="utf-8") == "Name,NumberOfEmployees\nAcme,7\n"
    written = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert written == [{"Name": "Acme", "NumberOfEmployees": 7}]
    assert (tmp_path / "a.txt").read_text(encoding="utf-8").endswith("(1 record)\n")
    again = crmarena(*arguments)
    assert again.returncode == 2
    assert "a.csv exists already" in again.stderr


def test_who_asks_is_a_user_of_the_org(crmarena: Command, org: Path) -> None:
    text = "SELECT Name FROM Account USING SCOPE mine"
    assert crmarena("query", org, text, "--format", "csv").stdout == "Name\n"
    for user in ("ines@crm.example", "005000000000001AAA", "005000000000001"):
        assert crmarena("query", org, text, "--format", "csv", "--user", user).stdout == "Name\nAcme\n"


def test_all_rows_are_those_of_the_recycle_bin_too(crmarena: Command, org: Path) -> None:
    crmarena("shell", org, "--writable", stdin=".delete Contact 003000000000001AAA\n.commit")
    assert crmarena("query", org, "SELECT COUNT() FROM Contact").stdout == "0\n"
    assert crmarena("query", org, "SELECT COUNT() FROM Contact", "--all-rows").stdout == "1\n"


def test_the_api_version_words_the_error_and_the_urls(crmarena: Command, org: Path) -> None:
    text = "SELECT Id FROM Account WHERE Id != null OR Id != null AND Id != null"
    assert "unexpected token: 'AND'" in crmarena("query", org, text).stderr
    assert "unexpected token: AND" in crmarena("query", org, text, "--api-version", "59").stderr
    found = crmarena("query", org, "SELECT Id FROM Contact", "--json", "--api-version", "59").stdout
    assert "/services/data/v59.0/" in json.loads(found)["records"][0]["attributes"]["url"]


def test_timing_is_told_apart_from_the_answer(crmarena: Command, org: Path) -> None:
    done = crmarena("query", org, "SELECT COUNT() FROM Account", "--timing")
    assert done.stdout == "2\n"
    assert re.fullmatch(r"Time: \d+\.\d ms\n", done.stderr)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "Give a query, or --file"),
        (("SELECT Id FROM Case", "--file", "x"), "Give a query, or --file"),
        (("--file", "missing.soql"), "missing.soql: No such file or directory."),
        (("SELECT Id FROM Case", "--out", "a.xml"), "a.xml does not say its format; end its name in .json"),
        (("SELECT Id FROM Case", "--out", "a.csv", "--json"), "--out takes the format from the file's name"),
        (("SELECT Id FROM Case", "--user", "ines"), "no user 'ines'; did you mean ines@crm.example?"),
        (("FIND {acme}", "--all-rows"), "--all-rows is for SOQL"),
        (("SELECT Id FROM Case", "--api-version", "99"), "invalid value for '--api-version'"),
    ],
)
def test_a_query_asked_wrongly_is_one_line(
    crmarena: Command, org: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = crmarena("query", org, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


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

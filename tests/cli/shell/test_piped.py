"""The shell without a terminal: the statements of standard input."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from crmarena.cli.shell.desk import Desk
from crmarena.cli.shell.script import run_lines
from tests.cli.conftest import Command

COMMAND = str(Path(sys.executable).with_name("crmarena"))
ACME = "001000000000001AAA"
Shell = Callable[..., tuple[bool, str, str]]


@pytest.fixture
def shell(org: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    """Runs lines in this process: whether all worked, what was printed, what was told."""
    monkeypatch.chdir(org.parent)

    def run(text: str, *, writable: bool = False) -> tuple[bool, str, str]:
        with Desk(org, writable=writable) as desk:
            worked = run_lines(desk, text.splitlines(keepends=True))
        return worked, *capsys.readouterr()

    return run


def test_statements_and_commands_are_run_in_order(crmarena: Command, org: Path) -> None:
    script = """
        .mode csv
        SELECT Name
        FROM Account
        ORDER BY Name;
        .mode line

        SELECT LastName, Account.Name FROM Contact
    """
    done = crmarena("shell", org, stdin=script)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n") == [
        *("Name", "Acme", '"Zeta, Ltd"'),
        *("    LastName = Lee", "Account.Name = Acme", "(1 record)", ""),
    ]


def test_an_error_is_told_and_the_rest_is_run(crmarena: Command, org: Path) -> None:
    done = crmarena("shell", org, stdin="SELECT Nmae FROM Account; .nothing; SELECT COUNT() FROM Account;")
    assert done.returncode == 1
    assert "SELECT Nmae FROM Account\n       ^\nERROR at Row:1:Column:8\n" in done.stderr
    assert done.stdout.endswith("2\n")


def test_bail_stops_at_the_first_error(crmarena: Command, org: Path) -> None:
    done = crmarena("shell", org, "--bail", stdin="SELECT Nmae FROM Account; SELECT COUNT() FROM Account;")
    assert (done.returncode, done.stdout) == (1, "")


def test_quit_ends_it(crmarena: Command, org: Path) -> None:
    done = crmarena("shell", org, stdin=".quit\nSELECT COUNT() FROM Account;")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (".help", r"\.describe OBJECT \[FIELD\]"),
        (".help mode", r"\.mode table\|json\|csv\|line"),
        (".tables acc%", r"Account +Account +001 +2"),
        (".tables ntac", r"Contact +Contact +003 +1"),
        (".describe contact", r"AccountId +reference +Account as Account"),
        (".describe Case status", r'picklistValues +\["New", "Working"'),
        (".mode json\nSELECT Name, FirstName FROM Contact", '"FirstName": null'),
        (".today 2024-05-31\nSELECT COUNT() FROM Account WHERE CreatedDate > TODAY", r"^\d"),
        (".user INES@crm.example\nSELECT Name FROM Account USING SCOPE mine", r"Acme\n\(1 record\)"),
        (".user none\nSELECT Name FROM Account USING SCOPE mine", r"\(0 records\)"),
    ],
)
def test_what_commands_show(shell: Shell, line: str, shown: str) -> None:
    worked, out, err = shell(line)
    assert worked, err
    assert re.search(shown, out, re.MULTILINE), out


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (".tabels", "no command .tabels, did you mean .tables?; .help lists them."),
        (".tables xyz", "no object is named like 'xyz'; .tables lists them all."),
        (".describe", ".describe is used as: .describe OBJECT [FIELD]"),
        (".describe Acount", "The org has no object 'Acount'; did you mean Account?"),
        (".describe Account Nmae", "Account has no field 'Nmae'; did you mean Name?"),
        (".mode xml", ".mode takes table, json, csv, line; not 'xml'."),
        (".timing maybe", ".timing takes on or off; not 'maybe'."),
        (".today 2024-13-01", ".today '2024-13-01' is no date; write it as 2024-05-31."),
        (".user ines", "The org has no user 'ines'; did you mean ines@crm.example?"),
        (".read missing.soql", "missing.soql: No such file or directory."),
        (".output 'x", ".output: a quotation mark is missing."),
        (
            '.insert Account {"Name": "A"}',
            "This shell only reads; start it with --writable to change records.",
        ),
    ],
)
def test_a_command_used_wrongly_is_one_line(shell: Shell, line: str, said: str) -> None:
    assert shell(line) == (False, "", f"crmarena: {said}\n")


def test_output_goes_into_a_new_file(shell: Shell, org: Path) -> None:
    script = ".mode csv\n.output names.csv\nSELECT Name FROM Account ORDER BY Name;\n.output\n.help quit\n"
    worked, out, err = shell(script)
    assert worked, err
    assert org.with_name("names.csv").read_text(encoding="utf-8") == 'Name\nAcme\n"Zeta, Ltd"\n'
    assert out.startswith(".quit")
    worked, _, err = shell(script)
    assert not worked
    assert "names.csv exists already" in err


def test_read_runs_a_file(shell: Shell, org: Path) -> None:
    org.with_name("a.soql").write_text("SELECT COUNT() FROM Account;\n.read b.soql\n", encoding="utf-8")
    org.with_name("b.soql").write_text("SELECT COUNT() FROM Contact", encoding="utf-8")
    assert shell(".read a.soql") == (True, "2\n1\n", "")


def test_a_file_that_reads_itself_is_stopped(shell: Shell, org: Path) -> None:
    org.with_name("loop.soql").write_text(".read loop.soql\n", encoding="utf-8")
    worked, _, err = shell(".read loop.soql")
    assert not worked
    assert "20 files deep" in err


def test_writes_are_given_up_unless_committed(crmarena: Command, org: Path) -> None:
    before = org.read_bytes()
    script = f"""
        .insert Account {{"Name": "Nova"}}
        .update Account {ACME} {{"NumberOfEmployees": 8}}
        .delete Contact 003000000000001AAA
        .changes
        SELECT COUNT() FROM Account;
    """
    done = crmarena("shell", org, "--writable", stdin=script)
    assert done.returncode == 0, done.stderr
    assert re.search(r"insert Account 001\w{15}\n    Name: 'Nova'", done.stdout)
    assert f"update Account {ACME}\n    NumberOfEmployees: 7 -> 8\n" in done.stdout
    assert "delete Contact 003000000000001AAA" in done.stdout
    assert done.stdout.endswith("(3 records changed)\n3\n")
    assert org.read_bytes() == before


def test_commit_keeps_and_rollback_does_not(crmarena: Command, org: Path) -> None:
    script = f"""
        .insert Account {{"Name": "Nova"}}
        .begin
        .update Account {ACME} {{"NumberOfEmployees": 8}}
        .rollback
        .commit
        .changes
        .update Account {ACME} {{"NumberOfEmployees": 9}}
        .rollback
        SELECT Name, NumberOfEmployees FROM Account ORDER BY Name
    """
    done = crmarena("shell", org, "--writable", "--mode", "csv", stdin=script)
    assert done.returncode == 0, done.stderr
    assert "(1 record kept in " in done.stdout
    assert done.stdout.endswith('Name,NumberOfEmployees\nAcme,7\nNova,\n"Zeta, Ltd",\n')
    count = crmarena("query", org, "SELECT COUNT() FROM Account WHERE Name = 'Nova'")
    assert count.stdout == "1\n"


def test_commit_to_a_new_file_leaves_the_org_as_it_was(crmarena: Command, org: Path, tmp_path: Path) -> None:
    before = org.read_bytes()
    crmarena("shell", org, "--writable", stdin='.insert Account {"Name": "Nova"}\n.commit new.db')
    assert crmarena("query", tmp_path / "new.db", "SELECT COUNT() FROM Account").stdout == "3\n"
    assert org.read_bytes() == before


def test_changes_as_json(shell: Shell) -> None:
    _, out, _ = shell(f'.mode json\n.update Account {ACME} {{"Name": "Apex"}}\n.changes', writable=True)
    change = json.loads(out.partition("\n")[2])[0]
    assert change["kind"] == "update"
    assert (change["before"], change["after"]) == ({"Name": "Acme"}, {"Name": "Apex"})


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (".insert Account", "The values are no JSON"),
        (".insert Account [1]", 'write them as {"Name": "Acme"}'),
        (".insert Acount {}", "did you mean Account?"),
        ('.insert Account {"Nmae": "A"}', "INVALID_FIELD"),
        (".update Account", ".update is used as: .update OBJECT ID {JSON}"),
        (".delete Account 001000000000009AAA", "INVALID_CROSS_REFERENCE_KEY"),
        ('.insert Account {"Name": "A"}\n.today 2024-05-31', ".commit or .rollback first"),
    ],
)
def test_a_write_that_cannot_be_done_is_told(shell: Shell, line: str, said: str) -> None:
    worked, _, err = shell(line, writable=True)
    assert not worked
    assert said in err


def test_input_that_is_no_text_is_one_line(org: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8:strict"}
    for arguments in (["shell", str(org)], ["query", str(org), "-"]):
        done = subprocess.run(
            [COMMAND, *arguments], input=b"SELECT \xff", env=environment, capture_output=True, check=False
        )
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr == b"crmarena: Standard input is no text in UTF-8; convert it first.\n"


def test_a_reader_that_has_enough_is_no_error(org: Path) -> None:
    process = subprocess.Popen(
        [COMMAND, "shell", str(org)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    process.stdin.write(b"SELECT Name FROM Account;\n" * 3)
    process.stdin.close()
    told = process.stderr.read()
    process.stderr.close()
    assert (process.wait(timeout=30), told) == (1, b"")

"""The shell on a terminal, as a person types."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest

UP, LEFT, END, TAB, ENTER = "\x1b[A", "\x1b[D", "\x05", "\t", "\r"
_READS, _DONE = "\x1b[?2004h", "\x1b[?2004l"
"""What the prompt tells the terminal when it starts and when it stops to read."""
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
COMMAND = str(Path(sys.executable).with_name("crmarena"))
Start = Callable[..., "Terminal"]


class Terminal:
    """A shell on a pseudo-terminal."""

    def __init__(self, org: Path, data: Path, *options: str) -> None:
        environment = {
            **os.environ,
            "TERM": "xterm",
            "PROMPT_TOOLKIT_NO_CPR": "1",
            "CRMARENA_DATA_DIR": str(data),
        }
        self.child = pexpect.spawn(
            COMMAND,
            ["shell", str(org), *options],
            dimensions=(50, 120),
            encoding="utf-8",
            env=environment,
            timeout=20,
        )
        self.wait()

    def wait(self) -> str:
        """Wait until the shell reads input; what it printed before that."""
        self.child.expect_exact(_READS)
        printed = _CONTROL.sub("", str(self.child.before))
        self.child.expect(r"b2b[^>]*>")
        self.prompt = str(self.child.after)
        return printed

    def type(self, text: str) -> str:
        """Type a text and Enter, which runs it; what is printed."""
        self.child.send(text + ENTER)
        self.child.expect_exact(_DONE)
        return self.wait()

    def tab(self, text: str, shown: str) -> None:
        """Type a text and Tab, and wait until something is shown."""
        self.child.send(text)
        self.child.expect_exact(text[-1])
        self.child.send(TAB)
        self.child.expect_exact(shown)

    def leave(self) -> int | None:
        """Type Ctrl-D; the exit code."""
        self.child.sendeof()
        self.child.expect(pexpect.EOF)
        self.child.close()
        return self.child.exitstatus


@pytest.fixture
def start(org: Path, tmp_path: Path) -> Iterator[Start]:
    """Starts shells on the org, with the same history."""
    started: list[Terminal] = []

    def run(*options: str) -> Terminal:
        started.append(Terminal(org, tmp_path / "data", *options))
        return started[-1]

    yield run
    for terminal in started:
        terminal.child.close(force=True)


def test_a_session_from_a_typing_error_to_a_good_query(start: Start) -> None:
    shell = start()
    # Enter goes on to a new line until the statement is ended.
    failed = shell.type(f"SELECT Nmae{ENTER}FROM Account;")
    assert "No such column 'Nmae' on entity 'Account'" in failed
    assert "ERROR at Row:1:Column:8" in failed
    assert "Acme" in shell.type("SELECT Name FROM Account ORDER BY Name;")
    shell.type(".timing on")
    assert re.search(r"Time: \d+\.\d ms", shell.type("SELECT COUNT() FROM Account;"))
    assert shell.leave() == 0


def test_an_empty_line_ends_a_whole_statement(start: Start) -> None:
    assert start().type(f"SELECT COUNT(){ENTER}{ENTER}FROM Account{ENTER}").strip().startswith("2")


def test_tab_completes_by_what_stands_behind_the_cursor(start: Start) -> None:
    shell = start()
    shell.child.send("SELECT  FROM Contact" + LEFT * len(" FROM Contact"))
    shell.tab("Account.Numb", "erOfEmployees")
    shell.tab(", LastN", "ame")
    shell.child.send(END)
    assert "7" in shell.type(";")


def test_tab_completes_objects_values_and_commands(start: Start) -> None:
    shell = start()
    shell.tab("SELECT COUNT() FROM Acc", "ount")
    shell.tab(" WHERE Industry = 'Bankin", "g'")
    assert shell.type(";").strip().startswith("0")
    shell.tab(".desc", "ribe")
    shell.tab(" Accou", "nt")
    shell.tab(" NumberOfE", "mployees")
    assert "Employees" in shell.type("")


def test_tab_shows_all_where_there_are_several(start: Start) -> None:
    shell = start()
    shell.tab("SELECT Id FROM Contr", "act")
    shell.child.sendintr()
    shell.wait()
    shell.tab("SELECT Id FROM Cont", "Contract")


def test_history_survives_a_restart(start: Start) -> None:
    first = start()
    first.type("SELECT Name FROM Account ORDER BY Name;")
    assert first.leave() == 0
    assert "Acme" in start().type(UP)


def test_ctrl_c_cancels_what_is_typed(start: Start) -> None:
    shell = start()
    shell.child.send("SELECT garbage that is never run")
    shell.child.sendintr()
    shell.wait()
    assert shell.type("SELECT COUNT() FROM Contact;").strip().startswith("1")
    assert shell.leave() == 0


def test_the_prompt_shows_the_day(start: Start) -> None:
    shell = start("--today", "2024-05-31")
    assert shell.prompt == "b2b 2024-05-31>"
    shell.type(".today 2024-06-01")
    assert shell.prompt == "b2b 2024-06-01>"


def test_what_is_not_committed_is_told_at_the_end(start: Start) -> None:
    shell = start("--writable")
    assert shell.prompt == "b2b*>"
    shell.type('.insert Account {"Name": "Nova"}')
    shell.child.sendeof()
    shell.child.expect_exact("Not committed and given up: 1 changed record.")


@pytest.mark.parametrize(
    ("select", "width", "shown"),
    [
        ("Name, NumberOfEmployees", 40, ["Name       NumberOfEmployees", "Acme", "7"]),
        ("Id, Name, Phone, Website, Industry", 40, ["5 columns do not fit the terminal", "    Name = Acme"]),
    ],
)
def test_a_wide_answer_is_shown_line_by_line(org: Path, select: str, width: int, shown: list[str]) -> None:
    arguments = ["query", str(org), f"SELECT {select} FROM Account ORDER BY Name"]
    kept = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "LINES"}}
    environment = {**kept, "TERM": "xterm", "NO_COLOR": "1"}
    child = pexpect.spawn(
        COMMAND, arguments, dimensions=(40, width), encoding="utf-8", env=environment, timeout=20
    )
    child.expect(pexpect.EOF)
    printed = _CONTROL.sub("", str(child.before))
    child.close()
    assert child.exitstatus == 0
    assert [text for text in shown if text not in printed] == []

from __future__ import annotations

import pytest

from crmarena.cli.shell.statements import Statements, is_ended, is_whole


def parts(text: str) -> list[str]:
    statements = Statements()
    found = [one for line in text.splitlines(keepends=True) for one in statements.add(line)]
    return [*found, *statements.end()]


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("SELECT Id FROM Case;", ["SELECT Id FROM Case"]),
        ("SELECT Id\nFROM Case\n;\n", ["SELECT Id\nFROM Case"]),
        ("SELECT Id FROM Case", ["SELECT Id FROM Case"]),
        ("SELECT Id FROM Case\n\nSELECT Id FROM User", ["SELECT Id FROM Case", "SELECT Id FROM User"]),
        ("SELECT Id\n\nFROM Case;", ["SELECT Id\n\nFROM Case"]),
        ("SELECT Id FROM Case WHERE (A = 1\n\nOR B = 2)", ["SELECT Id FROM Case WHERE (A = 1\n\nOR B = 2)"]),
        ("SELECT 1; SELECT 2;SELECT 3", ["SELECT 1", "SELECT 2", "SELECT 3"]),
        (
            "SELECT Id FROM Case WHERE A = ';' AND B = '\\';'; x",
            ["SELECT Id FROM Case WHERE A = ';' AND B = '\\';'", "x"],
        ),
        ("FIND {a;b\\};} RETURNING Case; x", ["FIND {a;b\\};} RETURNING Case", "x"]),
        (".mode csv\nSELECT Id FROM Case;\n.quit", [".mode csv", "SELECT Id FROM Case", ".quit"]),
        ("SELECT Id\n\n\nSELECT Id FROM User", ["SELECT Id", "SELECT Id FROM User"]),
        ("FIND {x\n\n\n.tables", ["FIND {x", ".tables"]),
        ("exit\n\nSELECT Id FROM User", [".quit", "SELECT Id FROM User"]),
        ("HELP\nquit", [".help", ".quit"]),
        ("SELECT Id\n.5 FROM Case;", ["SELECT Id\n.5 FROM Case"]),
        (";;\n\n;", []),
        ("", []),
    ],
)
def test_a_text_is_parted_into_statements(text: str, statements: list[str]) -> None:
    assert parts(text) == statements


@pytest.mark.parametrize(
    ("text", "ended", "whole"),
    [
        ("SELECT Id FROM Case;", True, True),
        ("SELECT Id FROM Case ; ", True, True),
        ("SELECT Id FROM Case", False, True),
        ("SELECT Id", False, False),
        ("SELECT Id FROM Case WHERE A = ';", False, False),
        ("SELECT (SELECT Id FROM Contacts", False, False),
        ("FIND {acme}", False, True),
        ("FIND {acme", False, False),
        ("", False, False),
    ],
)
def test_when_a_statement_ends(text: str, ended: bool, whole: bool) -> None:
    assert (is_ended(text), is_whole(text)) == (ended, whole)

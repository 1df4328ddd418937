"""A program written for a live org runs unchanged: login, query_all, search, and the content of errors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.clients.conftest import CONTACTS
from tests.server.conftest import PASSWORD, USERNAME, Served, record_id

PROGRAM = Path(__file__).parent / "programs" / "connector.py"
QUERIES = [
    "SELECT Name, Owner.Name FROM Account WHERE Name LIKE 'Ac%'",
    "SELECT Id FROM Contact",
    "FIND {Globex} IN NAME FIELDS RETURNING Account(Id)",
    "SELECT Id, Nmae FROM Account",
    "SELECT Name FROM Acount",
    "SELECT COUNT(Id), Name FROM Account",
    "SELECT Id FROM Case WHERE",
    "FIND 'Globex'",
]


@pytest.fixture(scope="module")
def answers(reading: Served) -> dict[str, Any]:
    """What the program prints for each query."""
    known = {
        "SALESFORCE_USERNAME": USERNAME,
        "SALESFORCE_PASSWORD": PASSWORD,
        "SALESFORCE_SECURITY_TOKEN": "",
    }
    command = [sys.executable, "-m", "crmarena.clients", reading.url, str(PROGRAM), *QUERIES]
    done = subprocess.run(command, env={**os.environ, **known}, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return dict(zip(QUERIES, map(json.loads, done.stdout.splitlines()), strict=True))


def test_a_query_is_answered(answers: dict[str, Any]) -> None:
    (acme,) = answers[QUERIES[0]]
    assert acme["Name"] == "Acme"
    assert acme["Owner"]["Name"] == "Ann Young"


def test_query_all_gathers_every_page(answers: dict[str, Any]) -> None:
    assert len(answers[QUERIES[1]]) == CONTACTS


def test_a_search_is_answered(answers: dict[str, Any]) -> None:
    assert answers[QUERIES[2]] == [{"Id": record_id("001", 2)}]


ERRORS = [
    (QUERIES[3], "INVALID_FIELD", "Row:1:Column:12\nNo such column 'Nmae' on entity 'Account'."),
    (QUERIES[4], "INVALID_TYPE", "sObject type 'Acount' is not supported."),
    (QUERIES[5], "MALFORMED_QUERY", "Field must be grouped or aggregated: Name"),
    (QUERIES[6], "MALFORMED_QUERY", "unexpected token: '<EOF>'"),
    (QUERIES[7], "MALFORMED_SEARCH", "The search term must be enclosed in braces."),
]


@pytest.mark.parametrize(("query", "code", "text"), ERRORS, ids=[row[0] for row in ERRORS])
def test_an_error_is_what_an_agent_repairs_by(
    answers: dict[str, Any], query: str, code: str, text: str
) -> None:
    assert answers[query].startswith(f"Error: {code}: ")
    assert text in answers[query]

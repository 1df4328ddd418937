from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from crmarena.clock import Clock
from crmarena.errors import SalesforceError, UsageError
from crmarena.org.org import Org, open_org
from crmarena.org.session import Session, looks_like_sosl, unfenced
from crmarena.soql.shape import QueryResult
from crmarena.sosl.result import SearchResult
from crmarena.storage import rows
from crmarena.storage.database import Database

ACME = "001Wt00000PFj4zIAD"


@pytest.fixture(scope="module")
def org_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("org") / "org.db"
    with Database.create(path, "b2b") as database:
        rows.insert(database, "Account", [{"Id": ACME, "Name": "Acme", "NumberOfEmployees": 7}])
        cases = [
            {"Id": "500000000000001AAA", "Status": "Closed", "CreatedDate": "2024-05-15T08:00:00.000+0000"},
            {"Id": "500000000000002AAA", "Status": "New", "CreatedDate": "2024-05-14T08:00:00.000+0000"},
        ]
        rows.insert(database, "Case", cases)
        rows.insert(database, "VoiceCallTranscript__c", [{"Id": "a05Wt00000990001IA0", "Body__c": "Hello"}])
        database.finish()
    return path


@pytest.fixture
def org(org_path: Path) -> Iterator[Org]:
    with open_org(org_path) as opened:
        yield opened


def test_an_org_is_opened_by_file_folder_or_text(org_path: Path) -> None:
    for place in (org_path, org_path.parent, str(org_path)):
        with open_org(place) as org:
            assert (org.path, org.schema.org_type) == (org_path, "b2b")
    with pytest.raises(UsageError, match="No org at nowhere"):
        open_org("nowhere")


def test_it_answers_queries_searches_and_describes(org: Org) -> None:
    assert org.query("SELECT Name FROM Account").records == [{"Name": "Acme"}]
    assert org.search("FIND {acme} RETURNING Account(Name)").records == [{"Name": "Acme"}]
    assert org.describe("account")["name"] == "Account"
    assert {"Account", "Organization"} <= {entry["name"] for entry in org.describe()["sobjects"]}


def test_relative_dates_follow_the_clock(org: Org) -> None:
    text = "SELECT Id FROM Case WHERE CreatedDate = TODAY"
    clock = Clock.at(date(2024, 5, 14))
    assert org.query(text, clock=clock).records == [{"Id": "500000000000002AAA"}]
    assert org.query(text).records == []
    with org.session(clock=Clock.at(date(2024, 5, 15))) as session:
        assert session.run(text).records == [{"Id": "500000000000001AAA"}]
        assert session.clock.today == date(2024, 5, 15)
        assert session.schema is org.schema


@pytest.mark.parametrize("record_id", [ACME, ACME[:15], ACME.lower()])
def test_a_record_is_got_by_its_id(org: Org, record_id: str) -> None:
    record = org.get("account", record_id)
    assert (record["Id"], record["Name"], record["NumberOfEmployees"]) == (ACME, "Acme", 7)
    assert record["IsDeleted"] is False
    assert list(record) == list(org.schema.objects["Account"].fields)


def test_a_record_with_an_odd_id_is_got_too(org: Org) -> None:
    assert org.get("VoiceCallTranscript__c", "a05Wt00000990001IA0")["Body__c"] == "Hello"


@pytest.mark.parametrize(
    ("object_name", "record_id", "said"),
    [
        ("Accounts", ACME, "The requested resource does not exist"),
        ("Account", "001000000000009AAA", "The requested resource does not exist"),
        ("Account", "001XYZ", "Provided external ID field does not exist or is not accessible: 001XYZ"),
    ],
)
def test_what_is_not_there_is_not_found(org: Org, object_name: str, record_id: str, said: str) -> None:
    with pytest.raises(SalesforceError) as caught:
        org.get(object_name, record_id)
    assert (caught.value.error_code, caught.value.http_status) == ("NOT_FOUND", 404)
    assert caught.value.message == said


# The one place that tells SOQL from SOSL

SOSL = [
    "find {acme} returning Account(Id)",
    "\n  FIND {acme} RETURNING Account(Id)",
    "```\nFIND {acme} RETURNING Account(Id)\n```",
    "```sosl\nFind {acme} RETURNING Account(Id)\n```\n",
    "```sql FIND {acme} RETURNING Account(Id)```",
    "`FIND {acme} RETURNING Account(Id)`",
    "FIND{acme}RETURNING Account(Id)",
    "  ````\nFIND {acme} RETURNING Account(Id)\n````",
]
SOQL = [
    "SELECT Id FROM Account",
    "```sql\nSELECT Id\nFROM Account\n```",
    "```soql SELECT Id FROM Account```",
    " select Id from Account WHERE Name != 'FIND {x}'",
]


@pytest.mark.parametrize("text", SOSL)
def test_dressed_up_sosl_runs_as_sosl(org: Org, text: str) -> None:
    """P21."""
    assert looks_like_sosl(text)
    result = org.session().run(text)
    assert isinstance(result, SearchResult)
    assert result.records == [{"Id": ACME}]


@pytest.mark.parametrize("text", SOQL)
def test_soql_runs_as_soql(org: Org, text: str) -> None:
    assert not looks_like_sosl(text)
    result = org.session().run(text)
    assert isinstance(result, QueryResult)
    assert result.records == [{"Id": ACME}]


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("FINDER keeps", "FINDER keeps"),
        ("``` unclosed", "``` unclosed"),
        ("a ```b``` c", "a ```b``` c"),
        ("```\n```", ""),
        ("", ""),
    ],
)
def test_other_texts_are_no_searches(text: str, bare: str) -> None:
    assert unfenced(text) == bare
    assert not looks_like_sosl(text)


def test_each_endpoint_refuses_the_others_language(org: Org) -> None:
    with pytest.raises(SalesforceError, match="MALFORMED_QUERY: unexpected token: 'FIND'"):
        org.query("FIND {acme}")
    with pytest.raises(SalesforceError, match="MALFORMED_SEARCH: unexpected token: 'SELECT'"):
        org.search("SELECT Id FROM Account")


def test_two_sessions_have_their_own_clocks(org: Org) -> None:
    sessions = [Session(org._database, Clock.at(date(2024, 5, day))) for day in (14, 15)]
    found = [session.query("SELECT Id FROM Case WHERE CreatedDate = TODAY").records for session in sessions]
    assert found == [[{"Id": "500000000000002AAA"}], [{"Id": "500000000000001AAA"}]]


def test_opening_an_org_imports_nothing_slow() -> None:
    code = (
        "import sys, crmarena.org.org, crmarena.org.dumps\n"
        "print([m for m in ('pydantic', 'numpy', 'inspect_ai', 'rich', 'datasets') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

"""jsforce reads and writes an org as it does a live one. `js/reading.js` and `js/writing.js` do it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.clients.conftest import CONTACTS
from tests.server.conftest import PASSWORD, USERNAME, Served, record_id

FOLDER = Path(__file__).parent / "js"
CONTACT_IDS = [record_id("003", number) for number in range(1, CONTACTS + 1)]

pytestmark = pytest.mark.skipif(
    shutil.which("node") is None or not (FOLDER / "node_modules" / "jsforce").is_dir(),
    reason="needs Node and jsforce; `make js-clients` fetches jsforce",
)


def environment(served: Served) -> dict[str, str]:
    """A process's environment without proxies, and with what a scenario must know of a server."""
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    known = {"SF_USERNAME": USERNAME, "SF_PASSWORD": PASSWORD, "SF_TOKEN": served.token}
    return {**kept, **known, "URL_OF_SERVER": served.url}


def run(scenarios: str, served: Served) -> dict[str, Any]:
    """What each scenario of a module gave, by name."""
    command = ["node", "scenario.js", f"./{scenarios}.js"]
    done = subprocess.run(
        command, cwd=FOLDER, env=environment(served), capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    outcomes: dict[str, Any] = json.loads(done.stdout)
    return outcomes


class Outcomes:
    """What the scenarios of a module gave."""

    def __init__(self, outcomes: dict[str, Any]) -> None:
        self._outcomes = outcomes

    def value(self, name: str) -> Any:
        outcome = self._outcomes[name]
        assert "error" not in outcome, outcome["error"]
        return outcome["value"]

    def error(self, name: str) -> dict[str, str]:
        outcome = self._outcomes[name]
        assert "value" not in outcome, outcome["value"]
        error: dict[str, str] = outcome["error"]
        return error


@pytest.fixture(scope="module")
def read(reading: Served) -> Outcomes:
    return Outcomes(run("reading", reading))


@pytest.fixture(scope="module")
def written(writing: Served) -> Outcomes:
    return Outcomes(run("writing", writing))


def test_login(read: Outcomes, reading: Served) -> None:
    done = read.value("logsIn")
    assert (done["instance"], done["hasToken"]) == (reading.url, True)
    assert done["user"]["id"] == record_id("005", 1)
    assert done["user"]["organizationId"][:15] == reading.token.partition("!")[0]


def test_login_by_oauth(read: Outcomes) -> None:
    assert read.value("logsInByOAuth") == 2


def test_login_refused(read: Outcomes) -> None:
    refused = "INVALID_LOGIN: Invalid username, password, security token; or user locked out."
    assert read.error("isRefusedALogin")["message"] == refused


def test_query(read: Outcomes) -> None:
    found = read.value("queries")
    assert (found["totalSize"], found["done"]) == (1, True)
    assert found["records"][0]["Owner"]["Name"] == "Ann Young"


def test_query_by_token(read: Outcomes) -> None:
    assert read.value("queriesByToken") == 2


def test_one_page_and_the_next(read: Outcomes) -> None:
    expected = {"totalSize": CONTACTS, "done": False, "first": 2_000, "second": 2_000}
    assert read.value("readsOnePage") == expected


def test_every_page(read: Outcomes) -> None:
    assert read.value("fetchesEveryPage") == CONTACT_IDS


def test_every_page_as_a_stream(read: Outcomes) -> None:
    assert read.value("streamsEveryPage") == CONTACTS


def test_find(read: Outcomes) -> None:
    (acme,) = read.value("finds")
    assert acme["Name"] == "Acme"
    assert acme["CreatedDate"] == "2024-05-01T10:30:00.000+0000"


def test_find_with_children(read: Outcomes) -> None:
    assert read.value("findsChildren") == [{"Name": "Acme", "size": 2}]


def test_count(read: Outcomes) -> None:
    assert read.value("counts") == sum(str(number).startswith("1") for number in range(1, CONTACTS + 1))


def test_search(read: Outcomes) -> None:
    hits = read.value("searches")["searchRecords"]
    assert [(hit["attributes"]["type"], hit["Name"]) for hit in hits] == [("Account", "Globex")]


def test_describe_global(read: Outcomes) -> None:
    found = read.value("describesTheOrg")
    assert found["maxBatchSize"] == 200
    assert {"Account", "Case", "Knowledge__kav"} <= set(found["names"])


def test_describe(read: Outcomes) -> None:
    assert read.value("describesAnObject") == {"name": "Contact", "account": ["Account"]}


def test_retrieve(read: Outcomes) -> None:
    acme = read.value("retrieves")
    assert (acme["Name"], acme["AnnualRevenue"]) == ("Acme", 1.5e8)


def test_retrieve_several(read: Outcomes) -> None:
    assert read.value("retrievesSeveral") == ["Acme", "Globex"]


def test_identity(read: Outcomes) -> None:
    found = read.value("tellsWhoItIs")
    assert (found["username"], found["user_id"]) == (USERNAME, record_id("005", 1))
    assert {"rest", "sobjects", "query", "search"} <= set(found["urls"])


def test_limits(read: Outcomes) -> None:
    limits = read.value("tellsItsLimits")
    assert limits["max"] > 0
    assert 0 < limits["told"]["used"] <= limits["told"]["limit"]


def test_explain(read: Outcomes) -> None:
    assert "plans" in read.value("explains")


def test_tooling_query(read: Outcomes) -> None:
    assert read.value("asksTheTooling") == {"records": [], "totalSize": 0, "done": True}


def test_bulk_query(read: Outcomes) -> None:
    assert read.value("queriesInBulk") == CONTACT_IDS


ERRORS = [
    ("isToldOfAWrongField", "INVALID_FIELD", "ERROR at Row:1:Column:12\nNo such column 'Nmae' on entity"),
    ("isToldOfAWrongSearch", "MALFORMED_SEARCH", "The search term must be enclosed in braces."),
    ("isToldOfAWrongToken", "INVALID_SESSION_ID", "Session expired or invalid"),
    ("isToldOfAWrongRecord", "NOT_FOUND", "The requested resource does not exist"),
    ("isToldThatItMayNotWrite", "INSUFFICIENT_ACCESS_OR_READONLY", ""),
    ("logsOut", "INVALID_SESSION_ID", "Session expired or invalid"),
    ("logsOutByOAuth", "INVALID_SESSION_ID", "Session expired or invalid"),
]


@pytest.mark.parametrize(("scenario", "code", "text"), ERRORS, ids=[row[0] for row in ERRORS])
def test_an_error(read: Outcomes, scenario: str, code: str, text: str) -> None:
    error = read.error(scenario)
    assert (error["name"], error["errorCode"]) == (code, code)
    assert text in error["message"]


def test_a_session_that_ended_is_logged_in_again(read: Outcomes) -> None:
    assert read.value("logsInAgain") == 2


def test_create_retrieve_update_destroy(written: Outcomes) -> None:
    done = written.value("createsReadsChangesDeletes")
    assert [done[step]["success"] for step in ("made", "changed", "deleted")] == [True, True, True]
    assert (done["read"], done["after"][-1]) == ("Initech", "Initrode")
    assert done["left"] == ["Acme", "Globex"]


def test_upsert(written: Outcomes) -> None:
    done = written.value("upserts")
    assert (done["first"]["created"], done["second"]["created"]) == (True, False)
    assert done["first"]["id"] == done["second"]["id"]
    assert done["names"] == ["Acme", "Globex", "Initrode"]


REQUIRED = {
    "statusCode": "REQUIRED_FIELD_MISSING",
    "message": "Required fields are missing: [LastName]",
    "fields": ["LastName"],
}


def test_many_records_some_of_them_wrong(written: Outcomes) -> None:
    done = written.value("createsMany")
    assert done == [{"success": True, "errors": []}, {"success": False, "errors": [REQUIRED]}]


def test_many_records_all_or_none(written: Outcomes) -> None:
    codes = ["ALL_OR_NONE_OPERATION_ROLLED_BACK", "REQUIRED_FIELD_MISSING"]
    assert written.value("createsManyOrNone") == {"codes": codes, "left": 0}


def test_more_records_than_a_call_holds(written: Outcomes) -> None:
    assert written.value("createsMoreThanACallHolds") == {"made": 250}


def test_many_records_updated_and_deleted(written: Outcomes) -> None:
    expected = {"changed": [True, True], "deleted": [True, True]}
    assert written.value("updatesAndDeletesMany") == expected


def test_deleted_records_are_found_by_query_all(written: Outcomes) -> None:
    assert written.value("seesTheDeleted") == [
        {"Name": "Acme", "IsDeleted": False},
        {"Name": "Globex", "IsDeleted": True},
    ]


def test_a_refused_record(written: Outcomes) -> None:
    error = written.error("isRefusedARecord")
    assert (error["errorCode"], error["message"]) == (REQUIRED["statusCode"], REQUIRED["message"])


def test_a_second_delete(written: Outcomes) -> None:
    assert written.error("isRefusedASecondDelete")["errorCode"] == "ENTITY_IS_DELETED"


def test_bulk_insert(written: Outcomes) -> None:
    done = written.value("insertsInBulk")
    assert [row["sf__Created"] for row in done["made"]] == ["true"] * 3
    assert done["failed"] == []
    assert done["names"] == ["Acme", "Globex", "Shop 0", "Shop 1", "Shop 2"]


def test_bulk_insert_of_csv(written: Outcomes) -> None:
    assert written.value("insertsCsvInBulk") == [
        {"Name": "Shop, the first", "Description": 'says "hi"'},
        {"Name": "Shop 2", "Description": None},
    ]


def test_bulk_update_upsert_delete(written: Outcomes) -> None:
    done = written.value("updatesUpsertsDeletesInBulk")
    assert done["between"][2:] == ["Shop zero", "Shop 1", "Shop two", "Shop three"]
    assert done["left"] == ["Acme", "Globex", "Shop three"]


def test_bulk_rows_that_fail(written: Outcomes) -> None:
    error = "REQUIRED_FIELD_MISSING:Required fields are missing: [LastName]:LastName --"
    done = written.value("isToldOfAFailedRow")
    assert (done["made"], done["unprocessed"]) == (["Lee"], [])
    assert done["failed"] == [{"FirstName": "Sam", "sf__Error": error}]

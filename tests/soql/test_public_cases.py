"""Cases from public reports, each as a test of its kind.

Where a report quotes an older wording, the test names that API version; in process the
wording is that of version 62.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from crmarena.clock import Clock
from crmarena.errors import SalesforceError
from crmarena.soql.run import run_query
from crmarena.storage import rows
from crmarena.storage.database import Database
from tests.soql.conftest import record_id


def refusal(database: Database, clock: Clock, query: str, api_version: int = 62) -> SalesforceError:
    with pytest.raises(SalesforceError) as caught:
        run_query(database, query, clock, api_version=api_version)
    return caught.value


LONG_TEXTS = [
    ("Case", "Description"),
    ("VoiceCallTranscript__c", "Body__c"),
    ("EmailMessage", "TextBody"),
    ("Knowledge__kav", "FAQ_Answer__c"),
    ("LiveChatTranscript", "Body"),
]


@pytest.mark.parametrize(("entity", "field"), LONG_TEXTS)
@pytest.mark.parametrize("group", [False, True], ids=["alone", "in an OR group"])
def test_p01_long_text_is_not_filterable(
    database: Database, clock: Clock, entity: str, field: str, group: bool
) -> None:
    term = f"{field} LIKE '%refund%'"
    query = f"SELECT Id FROM {entity} WHERE {'(Id = null OR ' + term + ')' if group else term}"
    error = refusal(database, clock, query)
    assert error.error_code == "INVALID_FIELD"
    assert (error.row, error.column) == (1, query.index(field) + 1)
    assert error.text == f"field '{field}' can not be filtered in a query call"
    assert run_query(database, f"SELECT {field} FROM {entity}", clock).done


def test_p05_count_has_a_size_and_no_records(database: Database, clock: Clock) -> None:
    result = run_query(database, "SELECT COUNT() FROM Opportunity", clock)
    assert result.to_rest() == {"totalSize": 4, "done": True, "records": []}
    assert result.is_count


P07 = "SELECT Id FROM Case WHERE Status = 'New' AND Priority = 'High' OR Priority = 'Low'"


def test_p07_and_with_or_needs_brackets(database: Database, clock: Clock) -> None:
    old = refusal(database, clock, P07, api_version=50)
    assert (old.error_code, old.text, old.column) == ("MALFORMED_QUERY", "unexpected token: OR", 63)
    assert refusal(database, clock, P07).message == "unexpected token: 'OR'"
    bracketed = P07.replace("Status", "(Status").replace(" OR", ") OR")
    assert run_query(database, bracketed, clock).total_size == 3


def test_p09_a_number_against_a_text_field(database: Database, clock: Clock) -> None:
    error = refusal(database, clock, "SELECT Id FROM Product2 WHERE External_ID__c = 3999")
    assert (error.error_code, error.column) == ("INVALID_FIELD", 31)
    assert error.text.endswith("must be of type string and should be enclosed in quotes")
    assert run_query(database, "SELECT Id FROM Product2 WHERE External_ID__c = '3999'", clock).total_size == 1


def test_p11_a_datetime_needs_a_zone(database: Database, clock: Clock) -> None:
    query = "SELECT Id FROM Opportunity WHERE CloseDate < 2016-07-31T04:17:54"
    old = refusal(database, clock, query, api_version=50)
    assert (old.error_code, old.text) == (
        "MALFORMED_QUERY",
        "no viable alternative at character '<EOF>'",
    )
    assert refusal(database, clock, query).message == f"line 1:{len(query)} unexpected token: '<EOF>'"
    assert run_query(database, query[: query.index("T04")], clock).total_size == 0
    whole = refusal(database, clock, query + "Z")
    assert whole.text.endswith("must be of type date and should not be enclosed in quotes")


def test_p13_like_on_an_id(database: Database, clock: Clock) -> None:
    error = refusal(database, clock, "SELECT Id FROM Case WHERE Id LIKE '%500%'")
    assert error.text == "invalid operator on id field"


def test_p15_grouping_without_an_aggregate(database: Database, clock: Clock) -> None:
    query = (
        "SELECT OwnerId FROM Case WHERE Status = 'Closed' GROUP BY OwnerId, IssueId__c"
        " ORDER BY COUNT(Id) DESC LIMIT 1"
    )
    # The pair of owner and issue with most cases, and only the owner of it.
    assert run_query(database, query, clock).records == [{"OwnerId": record_id("User", 2)}]
    twin = refusal(database, clock, "SELECT Subject, COUNT(Id) FROM Case GROUP BY OwnerId")
    assert str(twin) == "MALFORMED_QUERY: Field must be grouped or aggregated: Subject"


def test_p17_too_many_groups(tmp_path: Path, clock: Clock) -> None:
    query = "SELECT Company, COUNT(Id) FROM Lead GROUP BY Company"
    with Database.create(tmp_path / "org.db", "b2b") as database:
        leads = ({"Id": record_id("Lead", n), "LastName": "x", "Company": f"Firm {n}"} for n in range(2001))
        rows.insert(database, "Lead", leads)
        database.finish()
        error = refusal(database, clock, query)
        assert error.error_code == "EXCEEDED_ID_LIMIT"
        assert error.message == (
            "Aggregate query does not support queryMore(), use LIMIT to restrict the results to a single"
            " batch"
        )
        assert run_query(database, f"{query} LIMIT 2000", clock).total_size == 2000
        assert refusal(database, clock, f"{query} LIMIT 2001").error_code == "EXCEEDED_ID_LIMIT"
        assert run_query(database, "SELECT Company FROM Lead", clock).total_size == 2001


def test_p19_a_wrong_escape(database: Database, clock: Clock) -> None:
    query = r"SELECT Id FROM Contact WHERE FirstName = 'Anne\-Marie'"
    text = r"Invalid string literal 'Anne\-Marie'. Illegal character sequence '\-' in string literal."
    error = refusal(database, clock, query)
    assert (error.error_code, error.message) == ("MALFORMED_QUERY", text)
    assert refusal(database, clock, query, api_version=50).text == text
    for legal in (r"O\'Neil", r"back\\slash"):
        assert run_query(database, f"SELECT Id FROM Contact WHERE FirstName = '{legal}'", clock).done

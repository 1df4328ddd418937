"""Completion, table-driven: a text with | for the cursor -> what is offered there."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crmarena.cli.shell import offers
from crmarena.cli.shell.completion import Candidate, complete
from crmarena.schema.load import load_schema
from crmarena.soql.literals import is_counted, is_plain

B2B = load_schema("b2b")
PICKLIST = ["New", "Working", "Waiting on Customer", "Response Received", "Escalated", "Closed"]


def offered(marked: str) -> list[Candidate]:
    return complete(B2B, marked.replace("|", "", 1), marked.index("|"))


def texts(marked: str) -> list[str]:
    return [candidate.text for candidate in offered(marked)]


@pytest.mark.parametrize(
    ("marked", "all_of_them"),
    [
        # The start of a statement.
        ("|", ["SELECT", "FIND"]),
        ("sel|", ["SELECT"]),
        ("SELECT Id FROM Case; |", ["SELECT", "FIND"]),
        # Objects.
        ("SELECT Id FROM Ca|", ["Case", "CaseHistory__c"]),
        ("select id from order|", ["OrderItem"]),
        ("SELECT Id FROM Case WHERE AccountId IN (SELECT Id FROM Acc|)", ["Account"]),
        # Fields, of the object that FROM names behind the cursor, and paths over parents.
        ("SELECT Id, Acc| FROM Case", ["AccountId", "Account."]),
        ("SELECT Account.Ow| FROM Case", ["Account.OwnerId", "Account.Ownership", "Account.Owner."]),
        ("SELECT Account.Owner.Manager.Usern| FROM Case", ["Account.Owner.Manager.Username"]),
        ("SELECT Case.Subj| FROM Case", ["Case.Subject"]),
        ("SELECT c.Subj| FROM Case c", ["c.Subject"]),
        ("SELECT a.Nam| FROM Case c, c.Account a", ["a.Name"]),
        ("SELECT Id FROM Case c, c.Acc|", ["c.Account"]),
        ("SELECT COUNT(Acc| FROM Case", ["AccountId", "Account."]),
        ("SELECT COUNT(Acc|) FROM Case", ["AccountId", "Account."]),
        ("SELECT Id FROM Case WHERE Subj|", ["Subject"]),
        ("SELECT Id FROM Case WHERE (Status = 'New' OR Subj|", ["Subject"]),
        ("SELECT Id FROM Case WHERE NOT Subj|", ["Subject"]),
        ("SELECT Id FROM Case ORDER BY Subject, Stat|", ["Status"]),
        ("SELECT Id FROM Order ORDER BY OrderNum|", ["OrderNumber"]),
        ("SELECT Status FROM Case GROUP BY Stat|", ["Status"]),
        ("SELECT Status FROM Case GROUP BY ROLLUP(Stat|", ["Status"]),
        ("SELECT Nam|", ["Name", "NamespacePrefix"]),
        # Fields of a reference to several objects.
        ("SELECT Who.Ema| FROM Task", ["Who.Email"]),
        ("SELECT TYPEOF Wh| FROM Task", ["What", "Who"]),
        ("SELECT TYPEOF Who WHEN | FROM Task", ["Contact", "Lead"]),
        ("SELECT TYPEOF What WHEN Account THEN Name, Industr| FROM Task", ["Industry"]),
        ("SELECT TYPEOF What WHEN Account THEN Name | END FROM Task", ["WHEN", "ELSE", "END"]),
        ("SELECT TYPEOF What WHEN Account THEN Name ELSE Emai| FROM Task", ["Email"]),
        ("SELECT Id FROM Task WHERE What.Type = 'Acc|", ["Account'"]),
        # Child relationships, closed or not.
        ("SELECT (SELECT Id FROM Con|) FROM Account", ["Contacts", "Contracts"]),
        ("SELECT (SELECT LastNa| FROM Contacts) FROM Account", ["LastName"]),
        ("SELECT (SELECT LastNa| FROM Contacts FROM Account", ["LastName"]),
        ("SELECT (SELECT Id FROM Managed|", ["ManagedUsers"]),
        # Values of a picklist.
        ("SELECT Id FROM Case WHERE Status = '|", [f"{value}'" for value in PICKLIST]),
        ("SELECT Id FROM Case WHERE Status = 'w|", ["Working'", "Waiting on Customer'"]),
        ("SELECT Id FROM Case WHERE Status = 'Waiting on |' LIMIT 1", ["Waiting on Customer"]),
        ("SELECT Id FROM Case WHERE Status IN ('New', 'C|", ["Closed'"]),
        ("SELECT Id FROM Case WHERE toLabel(Status) != 'C|", ["Closed'"]),
        ("SELECT Id FROM Case WHERE Account.ShippingState = '|", []),
        ("SELECT Id FROM Contact WHERE Languages__c INCLUDES ('English;G|", ["German"]),
        ("SELECT Id FROM Case WHERE Status = |", [*(f"'{value}'" for value in PICKLIST), "NULL"]),
        # Literals, functions, keywords.
        ("SELECT Id FROM Case WHERE CreatedDate = THIS_F|", ["THIS_FISCAL_QUARTER", "THIS_FISCAL_YEAR"]),
        ("SELECT Id FROM Case WHERE DAY_ONLY(CreatedDate) = TOD|", ["TODAY"]),
        ("SELECT Id FROM Case WHERE CreatedDate = LAST_N_D|", ["LAST_N_DAYS:"]),
        ("SELECT Id FROM User WHERE IsActive = |", ["TRUE", "FALSE", "NULL"]),
        ("SELECT Id FROM User WHERE IsActive |", ["=", "!="]),
        ("SELECT Id FROM Contact WHERE Languages__c |", ["=", "!=", "INCLUDES", "EXCLUDES"]),
        ("SELECT Id FROM Case WHERE Status NOT |", ["IN"]),
        ("SELECT COUNT_|", ["COUNT_DISTINCT("]),
        ("SELECT FIELDS(|", ["ALL", "STANDARD", "CUSTOM"]),
        ("SELECT Id F|", ["FROM"]),
        ("SELECT Id FROM Case W|", ["WHERE", "WITH"]),
        ("SELECT Id FROM Case ORDER |", ["BY"]),
        ("SELECT Id FROM Case ORDER BY Status N|", ["NULLS FIRST", "NULLS LAST"]),
        ("SELECT Id FROM Case ORDER BY Status NULLS |", ["FIRST", "LAST"]),
        ("SELECT Id FROM Case ORDER BY Status DESC L|", ["LIMIT"]),
        ("SELECT Id FROM Case WHERE Status = 'New' O|", ["OR", "ORDER BY", "OFFSET"]),
        ("SELECT Status FROM Case GROUP BY Status H|", ["HAVING"]),
        ("SELECT Id FROM Case LIMIT |", []),
        ("SELECT Id FROM Case USING |", ["SCOPE"]),
        ("SELECT Id FROM Case USING SCOPE mine|", ["mine_and_my_groups"]),
        ("SELECT Id FROM Case FOR |", ["VIEW", "REFERENCE", "UPDATE"]),
        # SOSL.
        ("FIND |", []),
        ("FIND {ac|", []),
        ("FIND {acme} I|", ["IN"]),
        ("FIND {acme} IN N|", ["NAME FIELDS"]),
        ("FIND {acme} IN NAME FIELDS |", ["RETURNING", "WITH", "LIMIT"]),
        ("FIND {acme} RETURNING Acc|", ["Account"]),
        ("FIND {acme} RETURNING Pricebook|", ["Pricebook2"]),
        ("FIND {acme} RETURNING Account(Id, Indus|), Contact", ["Industry"]),
        ("FIND {acme} RETURNING Case(Id WHERE Status = 'Cl|", ["Closed'"]),
        ("FIND {acme} RETURNING Account(Id O|", ["ORDER BY", "OFFSET"]),
        ("FIND {acme} RETURNING Account(Id) L|", ["LIMIT"]),
    ],
)
def test_what_is_offered(marked: str, all_of_them: list[str]) -> None:
    assert texts(marked) == all_of_them


@pytest.mark.parametrize(
    ("marked", "some", "none_of_them"),
    [
        ("SELECT | FROM Case", ["Id", "Subject", "Account.", "COUNT(", "TYPEOF", "(SELECT"], ["LastName"]),
        ("SELECT Id FROM Case WHERE |", ["Subject", "CALENDAR_YEAR(", "NOT"], ["Description", "COUNT("]),
        ("SELECT Id FROM Case ORDER BY |", ["Subject"], ["Description"]),
        ("SELECT Id FROM Contact ORDER BY |", ["LastName"], ["Languages__c"]),
        ("SELECT Id FROM Opportunity GROUP BY |", ["StageName", "CALENDAR_MONTH("], ["Amount", "CloseDat"]),
        ("SELECT StageName FROM Opportunity GROUP BY StageName HAVING |", ["SUM("], []),
        ("SELECT SUM(| FROM Opportunity", ["Amount"], ["Name"]),
        ("SELECT Id FROM Case WHERE CALENDAR_YEAR(|", ["CreatedDate"], ["Subject"]),
        ("SELECT Id FROM Case WHERE AccountId IN (|", ["SELECT", "NULL"], ["TODAY"]),
        ("SELECT Id FROM Opportunity WHERE Amount |", [">", "IN"], ["LIKE"]),
        ("SELECT Account.Owner.Manager.Manager.Manager.| FROM Contact", [], ["Manager."]),
        ("FIND {acme} RETURNING |", ["Account"], ["PricebookEntry"]),
    ],
)
def test_what_is_offered_and_what_is_not(marked: str, some: list[str], none_of_them: list[str]) -> None:
    found = texts(marked)
    assert [text for text in some if text not in found] == []
    assert [text for text in none_of_them if text in found] == []


@pytest.mark.parametrize(
    ("marked", "result"),
    [
        ("SELECT Id FROM Cas| WHERE", "SELECT Id FROM Case WHERE"),
        ("SELECT Account.Indus| FROM Case", "SELECT Account.Industry FROM Case"),
        ("SELECT Id FROM Case WHERE Status = 'Clo|", "SELECT Id FROM Case WHERE Status = 'Closed'"),
        ("SELECT Id FROM Case WHERE Status = 'Clo|'", "SELECT Id FROM Case WHERE Status = 'Closed'"),
        ("SELECT Id FROM User; SELECT Id FROM Pric|", "SELECT Id FROM User; SELECT Id FROM Pricebook2"),
    ],
)
def test_the_first_candidate_takes_the_place_of_what_was_typed(marked: str, result: str) -> None:
    position, text = marked.index("|"), marked.replace("|", "", 1)
    first = offered(marked)[0]
    assert text[: first.start] + first.text + text[position:] == result


def test_a_candidate_says_what_it_is() -> None:
    notes = {candidate.text: (candidate.kind, candidate.note) for candidate in offered("SELECT | FROM Case")}
    assert notes["Status"] == ("field", "picklist")
    assert notes["Account."] == ("parent", "to Account")
    assert notes["COUNT("] == ("function", "")


@given(st.text(st.sampled_from(string.ascii_letters + " '(){},;.\\\n=:0_"), max_size=60), st.data())
def test_any_text_has_some_completion_or_none(text: str, data: st.DataObject) -> None:
    position = data.draw(st.integers(0, len(text)))
    for candidate in complete(B2B, f"SELECT Id FROM Case WHERE {text}", 26 + position):
        assert 26 <= candidate.start <= 26 + position


@pytest.mark.parametrize("text", ["(SELECT Id FROM " * 3_000, "(" * 50_000, "SELECT " + "Id, " * 20_000])
def test_a_text_that_is_too_deep_or_long_offers_what_it_can(text: str) -> None:
    assert all(candidate.start == len(text) for candidate in complete(B2B, text, len(text)))


def test_the_date_literals_are_those_that_soql_has() -> None:
    for name in offers.words()["date_literals"]:
        known = is_counted(name.removesuffix(":")) if name.endswith(":") else is_plain(name)
        assert known, name

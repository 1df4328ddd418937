from __future__ import annotations

from typing import Any

import pytest

from crmarena.clock import Clock
from crmarena.errors import SalesforceError
from crmarena.soql.ast import CategoryFilter
from crmarena.sosl.ast import AllOf, AnyOf, FieldGroup, Term
from crmarena.sosl.parameterized import ParameterizedSearch, SearchedObject, run_parameterized, to_search
from crmarena.sosl.parameters import from_json, from_query
from crmarena.sosl.result import SearchResult
from crmarena.sosl.search import run_search
from crmarena.storage.database import Database
from tests.sosl.conftest import TODAY, record_id

Pairs = list[tuple[str, str]]
ACME: Pairs = [("q", "acme")]


def found(database: Database, request: ParameterizedSearch, version: int = 62) -> SearchResult:
    return run_parameterized(database, request, Clock.at(TODAY), api_version=version)


def ids(database: Database, pairs: Pairs) -> list[str]:
    records = found(database, from_query(pairs)).to_rest()["searchRecords"]
    urls = [record["attributes"]["url"].rpartition("/")[2] for record in records]
    return [f"{url[:3]}-{int(url[3:15])}" for url in urls]


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        (ACME, ["001-1", "001-3", "001-2", "003-1"]),
        ([*ACME, ("sobject", "Contact"), ("sobject", "Account")], ["003-1", "001-1", "001-3", "001-2"]),
        ([*ACME, ("sobject", "Contact,Account")], ["003-1", "001-1", "001-3", "001-2"]),
        ([*ACME, ("in", "EMAIL")], []),
        ([("q", "birch"), ("in", "email")], ["003-1"]),
        ([*ACME, ("in", "name fields"), ("sobject", "Account")], ["001-1", "001-3"]),
        ([*ACME, ("sobject", "Account"), ("Account.limit", "1")], ["001-1"]),
        ([*ACME, ("sobject", "Account"), ("defaultLimit", "2")], ["001-1", "001-3"]),
        (
            [*ACME, ("sobject", "Account"), ("defaultLimit", "2"), ("account.limit", "3")],
            ["001-1", "001-3", "001-2"],
        ),
        ([*ACME, ("overallLimit", "2")], ["001-1", "003-1"]),
        ([*ACME, ("sobject", "Account"), ("offset", "1")], ["001-3", "001-2"]),
        ([*ACME, ("sobject", "Account"), ("Account.where", "Name LIKE 'b%'")], ["001-2"]),
        ([*ACME, ("sobject", "Account"), ("Account.orderBy", "Name DESC")], ["001-3", "001-2", "001-1"]),
        # All words must be found, and marks mean nothing.
        ([("q", "acme birch")], ["001-2", "003-1"]),
        ([("q", "acme OR zeta")], ["001-3"]),
        ([("q", '"bolts from acme"'), ("sobject", "Account")], ["001-2"]),
        ([("q", "acm*"), ("sobject", "Account")], []),
        ([("q", "ann+crm@x.example")], ["003-2"]),
        ([("q", "birch & sons")], ["001-2"]),
        ([("q", "555-0101")], ["001-1", "003-2"]),
        ([("q", "{acme} RETURNING Contact")], []),
        ([("q", "acnee"), ("spellCorrection", "true")], []),
        ([("q", "acne"), ("spellCorrection", "true"), ("sobject", "Contact")], ["003-1"]),
        ([("q", "acne"), ("spellCorrection", "false")], []),
        (
            [*ACME, ("division", "global"), ("updateTracking", "true"), ("updateViewStat", "false")],
            ["001-1", "001-3", "001-2", "003-1"],
        ),
        ([*ACME, ("sobject", "Product2"), ("pricebookId", record_id("01s", 1))], ["01t-1"]),
        ([*ACME, ("sobject", "Product2"), ("pricebookId", record_id("01s", 2))], []),
    ],
)
def test_a_query_string_finds_records(searched: Database, pairs: Pairs, expected: list[str]) -> None:
    assert ids(searched, pairs) == expected


def test_fields_are_those_of_the_object_or_else_those_of_all(searched: Database) -> None:
    pairs = [
        *ACME,
        ("sobject", "Account"),
        ("sobject", "Contact"),
        ("fields", "id, Name"),
        ("Contact.fields", "LastName, account.name"),
        ("in", "NAME"),
    ]
    assert found(searched, from_query(pairs)).records == [
        {"Id": record_id("001", 1), "Name": "Acme Bolts"},
        {"Id": record_id("001", 3), "Name": "University of Zeta"},
        {"LastName": "Acme", "Account": {"Name": "Birch & Sons"}},
    ]


def test_a_body_says_the_same_as_a_query_string() -> None:
    body = {
        "q": "acme",
        "in": "NAME",
        "fields": ["Id", "Name"],
        "sobjects": [
            {"name": "Account", "fields": ["Name"], "where": "Name != null", "orderBy": "Name", "limit": 3},
            {"name": "Contact"},
        ],
        "defaultLimit": 10,
        "overallLimit": "20",
        "netWorkIds": ["000000000000000"],
        "metadata": "LABELS",
        "snippet": 120,
        "spellCorrection": False,
        "updateTracking": True,
    }
    request = ParameterizedSearch(
        q="acme",
        group=FieldGroup.NAME,
        fields=("Id", "Name"),
        sobjects=(
            SearchedObject("Account", ("Name",), "Name != null", "Name", 3),
            SearchedObject("Contact"),
        ),
        default_limit=10,
        overall_limit=20,
        networks=("000000000000000AAA",),
        labels=True,
        snippet=120,
        spell_correction=False,
        updates=("TRACKING",),
    )
    assert from_json(body) == request
    assert from_query(
        [
            ("q", "acme"), ("in", "NAME"), ("fields", "Id,Name"), ("sobject", "Account,Contact"),
            ("Account.fields", "Name"), ("Account.where", "Name != null"), ("Account.orderBy", "Name"),
            ("Account.limit", "3"), ("defaultLimit", "10"), ("overallLimit", "20"),
            ("netWorkIds", "000000000000000"), ("metadata", "LABELS"), ("snippet", "120"),
            ("spellCorrection", "false"), ("updateTracking", "true"),
        ]
    ) == request  # fmt: skip


def test_categories_are_read_in_either_form() -> None:
    wanted = (CategoryFilter("Geo__c", "BELOW", ("usa__c",)),)
    filters = [{"groupName": "Geo__c", "operator": "below", "categories": ["usa__c"]}]
    assert from_json({"q": "acme", "dataCategories": filters}).categories == wanted
    assert from_query([*ACME, ("dataCategory", "Geo__c below usa__c")]).categories == wanted


def test_labels_and_snippets_are_added(searched: Database) -> None:
    request = from_json(
        {
            "q": "socks",
            "sobjects": ["Knowledge__kav"],
            "fields": ["Title"],
            "snippet": 50,
            "metadata": "LABELS",
        }
    )
    answer = found(searched, request).to_rest()
    assert answer["searchRecords"][0]["snippet.text"] == "Shoes &amp; <mark>Socks</mark>, don't run"
    assert answer["metadata"]["entityMetadata"] == [
        {"entityName": "Knowledge__kav", "fieldMetadata": [{"name": "Title", "label": "Title"}]}
    ]
    assert isinstance(found(searched, request, 36).to_rest("36.0"), list)


def test_long_texts_are_treated_as_in_a_search(searched: Database) -> None:
    words = " ".join(["acme"] * 800)
    assert to_search(ParameterizedSearch(words)).expression == AllOf((Term("acme"),) * 800)
    assert isinstance(to_search(ParameterizedSearch(words + " x-ray")).expression, AnyOf)
    assert found(searched, ParameterizedSearch("acme " * 2_001)).records == []


@pytest.mark.parametrize(
    ("body", "code", "said"),
    [
        ({}, "INVALID_SEARCH", "search term must be longer than one character: "),
        ({"q": " "}, "INVALID_SEARCH", "search term must be longer than one character: "),
        ({"q": "plan b"}, "INVALID_SEARCH", "search term must be longer than one character: b"),
        ({"q": 5}, "INVALID_SEARCH", "Invalid value for search parameter q: 5"),
        ([1], "INVALID_SEARCH", "Invalid value for search parameter body: [1]"),
        ({"q": "acme", "where": "x"}, "INVALID_SEARCH", "Unknown search parameter: where"),
        ({"q": "acme", "in": "TITLE"}, "INVALID_SEARCH", "Invalid value for search parameter in: TITLE"),
        (
            {"q": "acme", "fields": ["Id"]},
            "INVALID_SEARCH",
            "Search parameter fields needs at least one sobject",
        ),
        ({"q": "acme", "defaultLimit": 5}, "INVALID_SEARCH", "Search parameter defaultLimit needs at least"),
        (
            {"q": "acme", "overallLimit": 2001},
            "INVALID_SEARCH",
            "Invalid value for search parameter overallLimit",
        ),
        (
            {"q": "acme", "overallLimit": "x"},
            "INVALID_SEARCH",
            "Invalid value for search parameter overallLimit",
        ),
        (
            {"q": "acme", "overallLimit": True},
            "INVALID_SEARCH",
            "Invalid value for search parameter overallLimit",
        ),
        ({"q": "acme", "spellCorrection": 2}, "INVALID_SEARCH", "Invalid value for search parameter spellC"),
        ({"q": "acme", "metadata": "ALL"}, "INVALID_SEARCH", "Invalid value for search parameter metadata"),
        ({"q": "acme", "sobjects": 5}, "INVALID_SEARCH", "Invalid value for search parameter sobjects: 5"),
        ({"q": "acme", "sobjects": [5]}, "INVALID_SEARCH", "Invalid value for search parameter sobjects: 5"),
        (
            {"q": "acme", "sobjects": [{}]},
            "INVALID_SEARCH",
            "Invalid value for search parameter sobjects.name",
        ),
        (
            {"q": "acme", "sobjects": [{"name": "Case", "x": 1}]},
            "INVALID_SEARCH",
            "Unknown search parameter: sobjects.x",
        ),
        (
            {"q": "acme", "fields": 5, "sobjects": ["Case"]},
            "INVALID_SEARCH",
            "Invalid value for search parameter fields",
        ),
        (
            {"q": "acme", "dataCategories": [5]},
            "INVALID_SEARCH",
            "Invalid value for search parameter dataCategories",
        ),
        ({"q": "acme", "pricebookId": "x"}, "INVALID_QUERY_FILTER_OPERATOR", "invalid ID field: x"),
        ({"q": "acme", "division": "West"}, "INVALID_SEARCH", "Division 'West' does not exist"),
        (
            {"q": "acme", "sobjects": ["Accounts"]},
            "INVALID_TYPE",
            "sObject type 'Accounts' is not supported.",
        ),
        ({"q": "acme", "sobjects": ["Case) x"]}, "INVALID_TYPE", "sObject type 'Case) x' is not supported."),
        (
            {"q": "acme", "sobjects": ["Case", "case"]},
            "MALFORMED_SEARCH",
            "duplicate object in RETURNING: Case",
        ),
        (
            {"q": "acme", "sobjects": ["Case"], "fields": ["Nmae"]},
            "INVALID_FIELD",
            "No such column 'Nmae' on entity 'Case'.",
        ),
        (
            {"q": "acme", "sobjects": ["Case"], "fields": ["COUNT(Id)"]},
            "MALFORMED_SEARCH",
            "Malformed search token",
        ),
        (
            {"q": "acme", "sobjects": [{"name": "Case", "where": "Id != null) x"}]},
            "MALFORMED_SEARCH",
            "Malformed search token: )",
        ),
        (
            {"q": "acme", "sobjects": [{"name": "Case", "where": "Id = "}]},
            "MALFORMED_SEARCH",
            "unexpected token: '<EOF>'",
        ),
        (
            {"q": "acme", "sobjects": [{"name": "Case", "orderBy": "Id LIMIT 1"}]},
            "MALFORMED_SEARCH",
            "Malformed search token: LIMIT",
        ),
        (
            {"q": "acme", "sobjects": ["Case", "Lead"], "offset": 1},
            "MALFORMED_SEARCH",
            "OFFSET in RETURNING needs",
        ),
    ],
)
def test_a_wrong_request_is_refused(searched: Database, body: Any, code: str, said: str) -> None:
    with pytest.raises(SalesforceError) as caught:
        found(searched, from_json(body))
    assert (caught.value.error_code, caught.value.http_status) == (code, 400)
    assert caught.value.text.startswith(said)


def test_parameters_of_an_object_that_is_not_searched_are_refused() -> None:
    with pytest.raises(SalesforceError, match=r"Unknown search parameter: Case\.fields"):
        from_query([*ACME, ("sobject", "Account"), ("Case.fields", "Id")])
    with pytest.raises(SalesforceError, match="Invalid value for search parameter dataCategory"):
        from_query([*ACME, ("dataCategory", "Geo__c below")])


def test_a_plain_text_is_no_search_statement(searched: Database) -> None:
    """What SOSL refuses unescaped is a word like any other here."""
    with pytest.raises(SalesforceError, match="MALFORMED_SEARCH"):
        run_search(searched, "FIND {birch & sons}", Clock.at(TODAY))
    for text in ("birch & sons", "(birch)", "birch^", "~birch!", "birch:", "[birch]", "b\\irch"):
        found(searched, ParameterizedSearch(text))

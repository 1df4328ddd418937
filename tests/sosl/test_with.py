"""What each WITH clause, list view and limit does to an answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crmarena.clock import Clock
from crmarena.sosl.search import SearchResult, run_search
from crmarena.storage import rows
from crmarena.storage.database import Database
from tests.sosl.conftest import TODAY, Finder, record_id

LONG = " ".join(f"filler{chr(97 + n % 26)}" for n in range(60))
DATA: dict[str, list[dict[str, Any]]] = {
    "Account": [
        {
            "Id": record_id("001", 1),
            "Name": "Salesforce West",
            "Description": "The sales force of salesforce.com",
        },
        {
            "Id": record_id("001", 2),
            "Name": "Running Shoes",
            "Website": "https://ran.example",
            "Phone": "555-0101",
        },
    ],
    "Contact": [
        {"Id": record_id("003", 1), "FirstName": "Ada", "LastName": "Lee", "Email": "ada.lee@x.example"}
    ],
    "User": [{"Id": record_id("005", 1), "FirstName": "Ada", "LastName": "West", "IsActive": True}],
    "Case": [
        {
            "Id": record_id("500", 1),
            "Subject": "Refund <now>",
            "Description": f"{LONG} the refund & more {LONG} refunded twice {LONG} refunding",
        }
    ],
    "Issue__c": [{"Id": record_id("a00", 1), "Name": "Refund fails", "Description__c": "No refund"}],
    "Knowledge__kav": [
        {
            "Id": record_id("ka0", 1),
            "Title": "Refund policy",
            "Summary": "When a refund is due",
            "UrlName": "refund",
            "FAQ_Answer__c": "<p>A <b>refund</b> takes 5 &lt; 6 days</p>",
        },
        {"Id": record_id("ka0", 2), "Title": "Refund form", "UrlName": "form"},
    ],
    "Product2": [{"Id": record_id("01t", n), "Name": f"Bolt {n}"} for n in range(1, 4)],
    "Pricebook2": [{"Id": record_id("01s", n), "Name": f"Book {n}"} for n in range(1, 3)],
    "PricebookEntry": [
        {
            "Id": record_id("01u", n),
            "Pricebook2Id": record_id("01s", book),
            "Product2Id": record_id("01t", product),
        }
        for n, (book, product) in enumerate([(1, 1), (1, 2), (2, 2)], start=1)
    ],
}


@pytest.fixture(scope="module")
def org(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    path: Path = tmp_path_factory.mktemp("with") / "org.db"
    with Database.create(path, "b2b") as database:
        for name, records in DATA.items():
            rows.insert(database, name, records)
        database.finish()
    with Database.open(path) as database:
        yield database


@pytest.fixture
def search(org: Database) -> Finder:
    return Finder(org)


def extras(result: SearchResult) -> list[dict[str, Any]]:
    return [{key: value for key, value in record.items() if "." in key} for record in result.records]


@pytest.mark.parametrize(
    ("text", "highlights"),
    [
        (
            "FIND {salesforce} RETURNING Account(Name, Description)",
            [{"highlight.Name": "<mark>Salesforce</mark> West",
              "highlight.Description": "The sales force of <mark>salesforce</mark>.com"}],
        ),
        ("FIND {salesforce west} RETURNING Account(Name)",
         [{"highlight.Name": "<mark>Salesforce</mark> <mark>West</mark>"}]),
        ('FIND {"sales force"} RETURNING Account(Name, Description)',
         [{"highlight.Description": "The <mark>sales</mark> <mark>force</mark> of salesforce.com"}]),
        # Any form of the word; listed fields alone; no URL, no phone.
        ("FIND {run} RETURNING Account(Id, Name, Website)",
         [{"highlight.Name": "<mark>Running</mark> Shoes"}]),
        ("FIND {run} RETURNING Account(Id, Phone)", [{}]),
        ("FIND {run} RETURNING Account", [{}]),
        ("FIND {salesforce} IN NAME FIELDS RETURNING Account(Name, Description)",
         [{"highlight.Name": "<mark>Salesforce</mark> West"}]),
        # No compound name, and no term with a wildcard.
        ("FIND {ada} RETURNING Contact(Name, FirstName, Email)",
         [{"highlight.FirstName": "<mark>Ada</mark>", "highlight.Email": "<mark>ada</mark>.lee@x.example"}]),
        (r"FIND {ada.lee@x.example} RETURNING Contact(Email)",
         [{"highlight.Email": "<mark>ada</mark>.<mark>lee</mark>@<mark>x</mark>.<mark>example</mark>"}]),
        ("FIND {sales*} RETURNING Account(Name)", [{}]),
        ("FIND {sales* OR west} RETURNING Account(Name)",
         [{"highlight.Name": "Salesforce <mark>West</mark>"}]),
        ("FIND {west AND NOT bolts} RETURNING Account(Name)",
         [{"highlight.Name": "Salesforce <mark>West</mark>"}]),
        # Custom objects too, others not.
        ("FIND {refund} RETURNING Issue__c(Name)", [{"highlight.Name": "<mark>Refund</mark> fails"}]),
        ("FIND {refund} RETURNING Case(Subject)", [{}]),
    ],
)  # fmt: skip
def test_highlights_are_added_to_the_record(
    search: Finder, text: str, highlights: list[dict[str, str]]
) -> None:
    assert extras(search(f"{text} WITH HIGHLIGHT")) == highlights


def test_highlights_stand_behind_the_fields_in_either_answer(search: Finder) -> None:
    result = search("FIND {west} RETURNING Account(Name, Phone) WITH HIGHLIGHT")
    (record,) = result.to_rest()["searchRecords"]
    assert list(record) == ["attributes", "Name", "Phone", "highlight.Name"]
    assert list(result.records[0]) == ["Name", "Phone", "highlight.Name"]


def test_the_first_25_records_of_an_object_are_highlighted(tmp_path: Path) -> None:
    made = ({"Id": record_id("001", n), "Name": f"Same {n}"} for n in range(30))
    with Database.create(tmp_path / "org.db", "b2b") as database:
        rows.insert(database, "Account", made)
        database.finish()
        found = run_search(database, "FIND {same} RETURNING Account(Name) WITH HIGHLIGHT", Clock.at(TODAY))
        assert ["highlight.Name" in record for record in found.records] == [True] * 25 + [False] * 5


def test_a_snippet_of_an_article_shows_the_matches_in_their_text(search: Finder) -> None:
    text = "FIND {refund} RETURNING Knowledge__kav(Title WHERE UrlName = 'refund') WITH SNIPPET"
    assert extras(search(text)) == [
        {
            "snippet.text": "A <mark>refund</mark> takes 5 &lt; 6 days... When a <mark>refund</mark> is due",
            "highlight.Title": "<mark>Refund</mark> policy",
        }
    ]


@pytest.mark.parametrize(
    ("length", "most"),
    [("", 300), ("(target_length=120)", 120), ("(target_length=1)", 50), ("(target_length=-1)", 300)],
)
def test_a_snippet_is_about_as_long_as_asked(search: Finder, length: str, most: int) -> None:
    (record,) = search(f"FIND {{refund}} RETURNING Case(Id) WITH SNIPPET{length}").records
    shown = record["snippet.text"].replace("<mark>", "").replace("</mark>", "").replace("&amp;", "&")
    assert most / 2 < len(shown) <= most + 20
    assert "<mark>refund</mark>" in record["snippet.text"]
    whole = str(DATA["Case"][0]["Description"])
    assert all(part in whole for part in shown.split("... "))


@pytest.mark.parametrize(
    "text",
    [
        "FIND {refu*} RETURNING Knowledge__kav(Title)",
        "FIND {form} RETURNING Knowledge__kav(UrlName WHERE Title = 'none')",
        "FIND {refund} RETURNING Issue__c(Name)",
    ],
)
def test_some_searches_have_no_snippets(search: Finder, text: str) -> None:
    assert all(not extra for extra in extras(search(f"{text} WITH SNIPPET")))


def test_an_article_found_by_its_title_alone_has_a_highlight_and_no_snippet(search: Finder) -> None:
    text = "FIND {refund} RETURNING Knowledge__kav(Title WHERE UrlName = 'form') WITH SNIPPET"
    assert extras(search(text)) == [{"highlight.Title": "<mark>Refund</mark> form"}]


def test_labels_of_the_listed_fields_are_added(search: Finder) -> None:
    text = (
        "FIND {ada} RETURNING Contact(id, account.owner.name, Owner.Name), User(Id) WITH METADATA = 'LABELS'"
    )
    found = search(text).to_rest()
    schema = search.database.schema.objects
    assert list(found) == ["searchRecords", "metadata"]
    assert found["metadata"] == {
        "entityMetadata": [
            {
                "entityName": "Contact",
                "fieldMetadata": [
                    {"name": "Id", "label": "Record ID"},
                    {"name": "Account.Owner.Name", "label": schema["User"].fields["Name"].label},
                    {"name": "Owner.Name", "label": schema["User"].fields["Name"].label},
                ],
            },
            {"entityName": "User", "fieldMetadata": [{"name": "Id", "label": "Record ID"}]},
        ]
    }
    assert "metadata" not in search("FIND {ada}").to_rest()


@pytest.mark.parametrize(
    ("clauses", "found"),
    [
        ("", ["01t-1", "01t-2", "01t-3"]),
        (f"WITH PricebookId = '{record_id('01s', 1)}'", ["01t-1", "01t-2"]),
        ("WITH PricebookId = '01s000000000002'", ["01t-2"]),
        (f"WITH PricebookId = '{record_id('01s', 1)}' WITH PricebookId = '{record_id('01s', 2)}'", ["01t-2"]),
        (f"WITH PricebookId = '{record_id('01s', 9)}'", []),
    ],
)
def test_a_price_book_narrows_products(search: Finder, clauses: str, found: list[str]) -> None:
    assert search.ids(f"FIND {{bolt}} RETURNING Product2 {clauses}") == found
    assert search.ids(f"FIND {{bolt}} RETURNING Product2(Id ORDER BY Name) {clauses}") == found
    assert search.ids(f"FIND {{bolt}} RETURNING Product2(Id WHERE Name != null) {clauses}") == found
    assert search.ids(f"FIND {{ada}} RETURNING Contact, Product2 {clauses}") == ["003-1"]


def test_a_network_has_its_users_alone(search: Finder) -> None:
    assert search.ids("FIND {ada} WITH NETWORK = '0DB000000000001'") == ["003-1"]
    assert search.ids("FIND {ada} WITH NETWORK = '000000000000000'") == ["005-1", "003-1"]
    assert search.ids("FIND {ada} WITH NETWORK IN ('0DB000000000001', '000000000000000')") == [
        "005-1",
        "003-1",
    ]


def test_what_changes_nothing_here_is_accepted(search: Finder) -> None:
    clauses = "WITH DIVISION = 'Global' WITH SPELL_CORRECTION = false UPDATE TRACKING, VIEWSTAT"
    assert search.ids(f"FIND {{policy}} RETURNING Knowledge__kav {clauses}") == ["ka0-1"]


def test_nobody_has_viewed_a_record(search: Finder) -> None:
    assert search.ids("FIND {ada} RETURNING Contact(Id USING ListView = Recent)") == []


@pytest.mark.parametrize(
    ("term", "found"),
    [
        ("salesfroce", ["001-1"]),
        ("salesforec west", ["001-1"]),
        ("salesforce wets OR zebra", ["001-1"]),
        # Two mistakes, a short word, a phrase, a wildcard.
        ("slaesfroce", []),
        ("lea", []),
        ('"salesfroce"', []),
        ("salesfroce*", []),
    ],
)
def test_spelling_is_corrected_where_nothing_is_found(search: Finder, term: str, found: list[str]) -> None:
    text = f"FIND {{{term}}} RETURNING Account"
    assert search.ids(f"{text} WITH SPELL_CORRECTION = true") == found
    assert search.ids(text) == search.ids(f"{text} WITH SPELL_CORRECTION = false") == []


def test_what_must_not_be_found_is_not_corrected(search: Finder) -> None:
    text = "FIND {wets AND NOT salesfroce} RETURNING Account WITH SPELL_CORRECTION = true"
    assert search.ids(text) == ["001-1"]


def test_the_corrected_word_is_highlighted(search: Finder) -> None:
    text = "FIND {salesfroce} RETURNING Account(Name) WITH HIGHLIGHT WITH SPELL_CORRECTION = true"
    assert extras(search(text)) == [{"highlight.Name": "<mark>Salesforce</mark> West"}]

from __future__ import annotations

from pathlib import Path

import pytest

from crmarena.errors import SalesforceError
from crmarena.schema.load import load_schema
from crmarena.sosl.ast import FieldGroup
from crmarena.sosl.groups import searched_fields
from crmarena.sosl.words import stop_words
from crmarena.storage import rows
from crmarena.storage.database import Database
from crmarena.storage.search_text import fold
from tests.sosl.conftest import Finder, record_id

SCHEMA = load_schema("b2b")
ACME = ["001-1", "001-2", "001-3", "003-1"]


@pytest.mark.parametrize(
    ("name", "group", "fields"),
    [
        ("Contact", FieldGroup.NAME, "FirstName LastName Name"),
        ("Contact", FieldGroup.EMAIL, "Email"),
        ("Contact", FieldGroup.PHONE, "Phone MobilePhone HomePhone Fax"),
        ("Account", FieldGroup.NAME, "Name Site Website"),
        ("Account", FieldGroup.SIDEBAR, "Name Phone Fax Site Website"),
        ("Account", FieldGroup.EMAIL, ""),
        ("Case", FieldGroup.NAME, "CaseNumber Subject SuppliedName SuppliedCompany"),
        ("Lead", FieldGroup.NAME, "FirstName LastName Name Company"),
        ("Task", FieldGroup.NAME, "Subject"),
        ("OrderItem", FieldGroup.ALL, ""),
    ],
)
def test_a_group_names_the_fields_that_are_searched(name: str, group: FieldGroup, fields: str) -> None:
    assert [f.name for f in searched_fields(SCHEMA.objects[name], group)] == fields.split()


@pytest.mark.parametrize("name", ["Knowledge__kav", "Product2"])
def test_articles_and_products_are_always_searched_whole(name: str) -> None:
    sobject = SCHEMA.objects[name]
    assert searched_fields(sobject, FieldGroup.NAME) == searched_fields(sobject, FieldGroup.ALL) != ()


@pytest.mark.parametrize(
    ("word", "folded"), [("Acme", "acme"), ("NÚÑEZ", "nunez"), ("Nu\u0301n\u0303ez", "nunez"), ("a*?", "a*?")]
)
def test_words_are_folded_as_the_tables_fold_them(word: str, folded: str) -> None:
    assert fold(word) == folded


def test_stop_words_are_small_words() -> None:
    assert {"the", "to", "for", "and"} < stop_words()
    assert "refund" not in stop_words()


@pytest.mark.parametrize(
    ("term", "found"),
    [
        # Whole words in any form, letter case and accents aside.
        ("ACME", ACME),
        ("nunez", ["003-2"]),
        ("Núñez", ["003-2"]),
        ("refunding", ["500-1", "500-2"]),
        ("ran", ["500-1", "500-2", "500-3"]),
        ("runs", ["500-1", "500-2", "500-3"]),
        ("acm", []),
        # Wildcards are held against the words as written.
        ("boltes", []),
        ("acm*", ACME),
        ("acme*", ACME),
        ("a*e", ACME),
        ("ac?e", ACME),
        ("acm?", ACME),
        ("acme?", []),
        ("ac??e", []),
        ("universit*", ["001-3"]),
        ("NÚÑ*", ["003-2"]),
        ("zzz*", []),
        # Punctuation and the borders between letters and digits part words.
        ("web2case", ["500-3"]),
        ("web 2case", ["500-3"]),
        ("case2web", []),
        ('"Web 2 Case"', ["500-3"]),
        ("zoe@birch.example", ["003-1"]),
        (r"555\-0101", ["001-1", "003-2"]),
        # Phrases.
        ('"bolts from acme"', ["001-2"]),
        ('"acme from bolts"', []),
        ('"bolts f* ac?e"', ["001-2"]),
        ('"out of patience"', ["500-1", "500-2", "500-3"]),
        # Stop words ask for nothing.
        ("the acme", ACME),
        ("the", []),
        ("the OR nunez", ["003-2"]),
        ("refund AND NOT the", ["500-1", "500-2"]),
        # A wildcard within a phrase; between letters and digits; behind a change from one to the other.
        ('"bolts from a*"', ["001-2"]),
        ('"b* from acme"', ["001-2"]),
        ("web*2", ["500-3"]),
        ("web2*", ["500-3"]),
        ("web2ca?e", ["500-3"]),
        ("zoe@bir*", ["003-1"]),
        (r"acme\*", ACME),
        # A mark parts words, escaped or harmless.
        (r"birch\&sons", ["001-2"]),
        (r'"birch \& sons"', ["001-2"]),
        ("acme.birch", []),
        (r"\&", []),
        # Operators.
        ("acme birch", ["001-2", "003-1"]),
        ("bolts AND texas", []),
        ("birch OR zeta", ["001-2", "001-3", "003-1"]),
        ("acme AND NOT birch", ["001-1", "001-3"]),
        ("acme AND NOT (birch OR zeta)", ["001-1"]),
        ("acme AND NOT zzz*", ACME),
        ("acme AND zzz*", []),
        ("acme OR zz+z", ACME),
        ("acme AND zz+z", []),
    ],
)
def test_a_term_finds_its_records(find: Finder, term: str, found: list[str]) -> None:
    assert sorted(find.ids(f"FIND {{{term}}} RETURNING Account, Contact, Case")) == sorted(found)


def test_a_phrase_that_stands_for_too_many_is_refused(find: Finder) -> None:
    phrase = " ".join(["refund", *["*"] * 4])
    with pytest.raises(SalesforceError, match="INVALID_SEARCH: search term matches too many phrases"):
        find(f'FIND {{"{phrase}"}} RETURNING Case')


@pytest.mark.parametrize(
    ("term", "found"),
    [
        ("\u6771\u4eac", [1, 2]),
        ("\u4eac\u90fd", [2, 3]),
        ("\u4eac", [1, 2, 3]),
        ("\u6771*", [1, 2]),
        ("\u6771\u4eac*", [1, 2]),
        ("\u6771\u90fd", []),
        ("\u6771 \u90fd", [2]),
        ('"\u4eac\u90fd 2024"', [3]),
        ("\u4eac\u90fd2024", [3]),
        ("\uff34\uff4f\uff4b\uff59\uff4f", [4]),
        ("tok\u00ffo", [4]),
    ],
)
def test_scripts_without_blanks_are_searched_sign_by_sign(
    tmp_path: Path, term: str, found: list[int]
) -> None:
    names = ["\u6771\u4eac\u99c5", "\u6771\u4eac\u90fd", "\u4eac\u90fd2024", "Tokyo"]
    with Database.create(tmp_path / "org.db", "b2b") as database:
        made = ({"Id": record_id("001", n), "Name": name} for n, name in enumerate(names, start=1))
        rows.insert(database, "Account", made)
        database.finish()
        assert sorted(Finder(database).ids(f"FIND {{{term}}} RETURNING Account")) == [
            f"001-{n}" for n in found
        ]

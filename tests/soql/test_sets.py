"""Multi-select picklists: INCLUDES, EXCLUDES, and equality of sets."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from crmarena.clock import Clock
from crmarena.soql.run import run_query
from crmarena.storage import rows
from crmarena.storage.database import Database
from tests.soql.conftest import record_id

CHOSEN = {
    "A": "English",
    "B": "English;French",
    "C": "French;English",
    "D": "German;Spanish;English",
    "E": None,
}


@pytest.fixture(scope="module")
def speakers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """Contacts and the languages they have."""
    with Database.create(tmp_path_factory.mktemp("sets") / "org.db", "b2b") as database:
        contacts = (
            {"Id": record_id("Contact", number), "LastName": name, "Languages__c": languages}
            for number, (name, languages) in enumerate(CHOSEN.items(), 1)
        )
        rows.insert(database, "Contact", contacts)
        database.finish()
        yield database


@pytest.mark.parametrize(
    ("condition", "names"),
    [
        ("INCLUDES ('English')", "ABCD"),
        ("INCLUDES ('FRENCH')", "BC"),
        ("INCLUDES ('English;French')", "BC"),
        ("INCLUDES ('French;English', 'German')", "BCD"),
        ("INCLUDES ('English;French;German')", ""),
        ("INCLUDES ('Eng')", ""),
        ("INCLUDES ('Latin')", ""),
        ("INCLUDES ('German', null)", "DE"),
        ("includes('Spanish')", "D"),
        ("EXCLUDES ('French')", "ADE"),
        ("EXCLUDES ('English;French')", "ADE"),
        ("EXCLUDES ('French', 'German')", "AE"),
        ("EXCLUDES ('English', null)", ""),
        ("= 'English'", "A"),
        ("= 'english;FRENCH'", "BC"),
        ("= 'French; English'", "BC"),
        ("!= 'English;French'", "ADE"),
        ("= null", "E"),
        ("!= null", "ABCD"),
        ("IN ('English', 'English;Spanish;German')", "AD"),
        ("NOT IN ('English', 'English;French')", "DE"),
    ],
)
def test_a_set_has_or_is_what_is_asked(speakers: Database, clock: Clock, condition: str, names: str) -> None:
    query = f"SELECT LastName FROM Contact WHERE Languages__c {condition}"
    assert "".join(r["LastName"] for r in run_query(speakers, query, clock).records) == names


def test_a_set_is_read_as_it_is_stored(speakers: Database, clock: Clock) -> None:
    query = "SELECT Languages__c, toLabel(Languages__c) label FROM Contact WHERE LastName = 'D'"
    assert run_query(speakers, query, clock).records == [
        {"Languages__c": "German;Spanish;English", "label": "German;Spanish;English"}
    ]

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crmarena.storage import ddl, rows, search_index
from crmarena.storage.database import Database

ROWS: list[dict[str, Any]] = [
    {"Id": "001000000000001AAA", "Name": "Acme Bolts", "Website": "https://acme.example"},
    {"Id": "001000000000002AAA", "Name": "Caf\u00e9 Web2Case", "Description": "They buy bolts"},
]
ARTICLE = {"Id": "ka0000000000001AAA", "Title": "Care", "FAQ_Answer__c": "<p>Socks &amp; sandals</p>"}


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with Database.create(tmp_path / "org.db", "b2b") as made:
        rows.insert(made, "Account", ROWS[:1])
        made.finish()
        with made.copy() as copy:
            yield copy


def found(database: Database, name: str, match: str) -> list[int]:
    table = ddl.quote(ddl.search_table(database.schema.objects[name]))
    statement = f"SELECT rowid FROM {table} WHERE {table} MATCH ? ORDER BY rowid"
    return [rowid for (rowid,) in database.connection.execute(statement, (match,))]


def words(database: Database, name: str) -> set[str]:
    table = ddl.quote(ddl.words_table(database.schema.objects[name]))
    return {word for (word,) in database.connection.execute(f"SELECT word FROM {table}")}


def test_an_added_record_is_found_by_its_words(database: Database) -> None:
    search_index.add(database, database.schema.objects["Account"], 7, ROWS[1])
    assert found(database, "Account", "bolts") == [1, 7]
    assert found(database, "Account", "Website : bolts") == []
    assert found(database, "Account", '"cafe web 2 case"') == [7]
    assert {"acme", "cafe", "web", "2", "case", "buy"} <= words(database, "Account")


def test_rich_text_is_added_as_plain_text(database: Database) -> None:
    search_index.add(database, database.schema.objects["Knowledge__kav"], 1, ARTICLE)
    assert found(database, "Knowledge__kav", '"socks sandals"') == [1]
    assert not words(database, "Knowledge__kav") & {"p", "amp"}


def test_a_removed_record_is_found_no_longer(database: Database) -> None:
    account = database.schema.objects["Account"]
    search_index.add(database, account, 2, ROWS[1])
    search_index.remove(database, account, 1, ROWS[0])
    assert found(database, "Account", "bolts") == [2]
    search_index.remove(database, account, 2, ROWS[1])
    assert found(database, "Account", "bolts OR acme OR web") == []
    search_index.add(database, account, 1, {**ROWS[0], "Name": "Birch"})
    assert found(database, "Account", "acme AND birch") == [1]


def test_objects_that_are_not_searched_are_passed_over(database: Database) -> None:
    item = database.schema.objects["OrderItem"]
    before = database.connection.total_changes
    search_index.add(database, item, 1, {"Id": "802000000000001AAA"})
    search_index.remove(database, item, 1, {"Id": "802000000000001AAA"})
    assert database.connection.total_changes == before

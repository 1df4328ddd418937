from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from crmarena.errors import UsageError
from crmarena.storage import rows
from crmarena.storage.database import Database

ACME = {"Id": "001000000000001AAA", "Name": "Acme"}


def make(path: Path, *accounts: dict[str, str]) -> Path:
    with Database.create(path, "b2b") as database:
        rows.insert(database, "Account", accounts)
        database.finish()
    return path


def names(database: Database) -> list[str]:
    return [name for (name,) in database.connection.execute("SELECT Name FROM Account ORDER BY rowid")]


def test_an_org_is_made_and_opened_by_its_file_or_folder(tmp_path: Path) -> None:
    path = make(tmp_path / "org.db", ACME)
    for place in (path, str(path), tmp_path):
        with Database.open(place) as database:
            assert names(database) == ["Acme"]
            assert database.schema.org_type == "b2b"
            assert database.path == path


def test_an_opened_org_cannot_be_changed(tmp_path: Path) -> None:
    path = make(tmp_path / "org.db", ACME)
    before = path.read_bytes()
    with Database.open(path) as database, pytest.raises(sqlite3.OperationalError, match="readonly"):
        database.connection.execute("DELETE FROM Account")
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_copy_is_private_and_writable(tmp_path: Path) -> None:
    path = make(tmp_path / "org.db", ACME)
    with Database.open(path) as database, database.copy() as copy:
        copy.connection.execute("DELETE FROM Account")
        assert names(copy) == []
        assert names(database) == ["Acme"]
        assert copy.path is None


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "org.db"
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match="exists already"):
        Database.create(path, "b2b")
    assert path.read_text(encoding="utf-8") == "mine"


def test_what_is_no_org_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"No org at .*org.db; make one with `crmarena generate`"):
        Database.open(tmp_path)
    text = tmp_path / "notes.txt"
    text.write_text("Nothing of an org here.\n" * 100, encoding="utf-8")
    with pytest.raises(UsageError, match=r"notes.txt is not an org file; `crmarena import`"):
        Database.open(text)
    other = tmp_path / "other.db"
    sqlite3.connect(other).execute("CREATE TABLE t (a)").connection.close()
    with pytest.raises(UsageError, match=r"other.db is not an org file"):
        Database.open(other)


def test_an_org_of_another_format_says_so(tmp_path: Path) -> None:
    path = make(tmp_path / "org.db")
    connection = sqlite3.connect(path)
    connection.execute("UPDATE crmarena_meta SET value = '99' WHERE key = 'format'")
    connection.commit()
    connection.close()
    with pytest.raises(UsageError, match="has org format 99, this version reads 2"):
        Database.open(path)


def test_meta_values_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "org.db"
    with Database.create(path, "original") as database:
        database.write_meta({"seed": "7"})
        database.finish()
    with Database.open(path) as database:
        assert database.meta() == {"format": "2", "org_type": "original", "seed": "7"}


def test_the_same_records_give_the_same_bytes(tmp_path: Path) -> None:
    first, second = (make(tmp_path / name, ACME, {**ACME, "Id": "001000000000002AAA"}) for name in "ab")
    assert first.read_bytes() == second.read_bytes()


def test_texts_compare_without_letter_case_beyond_ascii(tmp_path: Path) -> None:
    path = make(tmp_path / "org.db", {**ACME, "Name": "Štĕpán Ölwerk"})
    with Database.open(path) as database:
        found = database.connection.execute(
            "SELECT Name FROM Account WHERE Name = ? COLLATE SF_TEXT", ("ŠTĔPÁN ÖLWERK",)
        )
        assert found.fetchone() == ("Štĕpán Ölwerk",)


def full_text(database: Database, query: str) -> list[int]:
    found = database.connection.execute(
        "SELECT rowid FROM Account__search WHERE Account__search MATCH ?", (query,)
    )
    return [rowid for (rowid,) in found]


def test_search_tables_hold_words_as_written_and_list_them(tmp_path: Path) -> None:
    path = make(
        tmp_path / "org.db", {**ACME, "Name": "Running Web2Case"}, {**ACME, "Id": "001000000000002AAA"}
    )
    with Database.open(path) as database:
        assert full_text(database, "RUNNING case") == [1]
        assert full_text(database, "run") == []
        words = database.connection.execute("SELECT word FROM Account__words").fetchall()
    assert words == [("2",), ("acme",), ("case",), ("running",), ("web",)]


def test_changes_that_wait_beside_the_file_are_not_overlooked(tmp_path: Path) -> None:
    path = tmp_path / "org.db"
    Database.create(path, "b2b").close()
    path.with_name("org.db-wal").write_bytes(b"not yet in the file")
    with pytest.raises(UsageError, match=r"changes waiting in org\.db-wal"):
        Database.open(path)

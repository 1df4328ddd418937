from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crmarena.errors import UsageError
from crmarena.schema.fields import NUMBER_TYPES, TEXT_TYPES, Field, FieldType
from crmarena.schema.load import load_schema
from crmarena.storage import ddl, rows
from crmarena.storage.database import Database

SCHEMA = load_schema("b2b")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with Database.create(tmp_path / "org.db", "b2b") as made:
        yield made


def stored(database: Database, name: str, *fields: str) -> list[tuple[Any, ...]]:
    columns = ", ".join(map(ddl.quote, fields))
    return database.connection.execute(f"SELECT {columns} FROM {ddl.quote(name)} ORDER BY rowid").fetchall()


def test_absent_fields_are_null_and_checkboxes_false(database: Database) -> None:
    assert rows.insert(database, "Contact", [{"Id": "003000000000001AAA", "Email": ""}]) == 1
    assert stored(database, "Contact", "Email", "Phone", "DoNotCall") == [(None, None, 0)]


def test_names_numbers_and_marks_are_derived(database: Database) -> None:
    rows.insert(
        database,
        "Contact",
        [
            {"Id": "1", "FirstName": "Ada", "LastName": "Lee"},
            {"Id": "2", "LastName": "Lee"},
            {"Id": "3", "FirstName": "Ada", "LastName": "Lee", "Name": "A. Lee"},
            {"Id": "4"},
        ],
    )
    assert stored(database, "Contact", "Name") == [("Ada Lee",), ("Lee",), ("A. Lee",), (None,)]
    rows.insert(database, "Case", [{"Id": "1", "Status": "Closed"}, {"Id": "2", "Status": "New"}])
    assert stored(database, "Case", "CaseNumber", "IsClosed") == [("00000001", 1), ("00000002", 0)]


def test_an_unknown_field_is_named(database: Database) -> None:
    with pytest.raises(UsageError, match="Contact has no field 'Emial'"):
        rows.insert(database, "Contact", [{"Id": "1", "Emial": "a@x.example"}])


def _values(field: Field) -> st.SearchStrategy[Any]:
    if field.type is FieldType.BOOLEAN:
        return st.booleans()
    if field.type is FieldType.INT:
        return st.none() | st.integers(-(2**40), 2**40)
    if field.type in NUMBER_TYPES:
        return st.none() | st.floats(-1e12, 1e12)
    if field.type in TEXT_TYPES:
        return st.none() | st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
    return st.none()


@st.composite
def records(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    name = draw(st.sampled_from(sorted(SCHEMA.objects)))
    sobject = SCHEMA.objects[name]
    derived = {"Name", "IsClosed"} | {f.name for f in sobject.columns if f.auto_number}
    fields = [f for f in sobject.columns if f.name not in derived | {"Id"}]
    chosen = draw(st.lists(st.sampled_from(fields), unique=True, max_size=5))
    return name, {"Id": "x"} | {f.name: draw(_values(f)) for f in chosen}


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(made=records())
def test_what_is_inserted_is_what_is_stored(database: Database, made: tuple[str, dict[str, Any]]) -> None:
    name, record = made
    database.connection.execute(f"DELETE FROM {ddl.quote(name)}")
    rows.insert(database, name, [record])
    assert stored(database, name, *record) == [tuple(record.values())]

from __future__ import annotations

import pytest

from crmarena.schema.load import load_schema
from crmarena.storage import ddl

OBJECTS = load_schema("b2b").objects


@pytest.mark.parametrize(
    ("name", "field", "expected"),
    [
        ("Case", "Id", "TEXT PRIMARY KEY NOT NULL"),
        ("Case", "Status", "TEXT COLLATE NOCASE"),
        ("Case", "OwnerId", "TEXT"),
        ("Case", "CreatedDate", "TEXT"),
        ("Case", "IsClosed", "INTEGER NOT NULL DEFAULT 0"),
        ("Account", "NumberOfEmployees", "INTEGER"),
        ("OrderItem", "UnitPrice", "REAL"),
    ],
)
def test_a_column_has_the_type_of_its_field(name: str, field: str, expected: str) -> None:
    assert ddl.column_type(OBJECTS[name].fields[field]) == expected


def test_names_are_quoted() -> None:
    assert ddl.quote('Or"der') == '"Or""der"'


def test_references_and_dates_are_indexed() -> None:
    statements = ddl.create_indexes(OBJECTS["Case"])
    assert 'CREATE INDEX "Case.OwnerId" ON "Case" ("OwnerId")' in statements
    assert 'CREATE INDEX "Case.CreatedDate" ON "Case" ("CreatedDate")' in statements
    assert not [statement for statement in statements if "Description" in statement]


def test_references_that_few_records_have_are_indexed_where_they_stand() -> None:
    statements = ddl.create_indexes(OBJECTS["Case"])
    assert 'CREATE INDEX "Case.ParentId" ON "Case" ("ParentId") WHERE "ParentId" IS NOT NULL' in statements
    assert not [statement for statement in statements if "CreatedById" in statement]


def test_the_recycle_bin_has_the_columns_of_its_object() -> None:
    table, recycle_bin = ddl.create_tables(OBJECTS["Case"])
    assert recycle_bin == table.replace('"Case"', '"Case__bin"')
    assert ddl.bin_table(OBJECTS["Case"]) == "Case__bin"


def test_only_searchable_objects_have_a_search_table() -> None:
    assert ddl.create_search_table(OBJECTS["OrderItem"]) is None
    statement = ddl.create_search_table(OBJECTS["Issue__c"])
    assert statement is not None
    assert '"Description__c"' in statement


@pytest.mark.parametrize(
    ("rich", "value", "expected"),
    [
        (True, "<p>Shoes &amp; Socks</p><p>don&#39;t run</p>", " Shoes & Socks  don't run "),
        (False, "a < b & <c>", "a < b & <c>"),
        (False, "Web2Case", "Web 2 Case"),
        (False, "\u00d62b", "o 2 b"),
        (False, None, None),
    ],
)
def test_searchable_text_is_plain(rich: bool, value: str | None, expected: str | None) -> None:
    article = OBJECTS["Knowledge__kav"].fields
    assert ddl.searchable_text(article["FAQ_Answer__c" if rich else "Title"], value) == expected

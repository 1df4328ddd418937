"""From a schema to tables, indexes and full-text tables.

Every field is a column, so that a field the org has no data for reads null.
Dates are stored as `2021-06-07`, datetimes as `2021-06-07T10:50:00.000+0000`: as
the API renders them, and in the order of time. Booleans are 0 or 1, never null.
"""

from __future__ import annotations

from crmarena.schema.fields import ID_TYPES, TEXT_TYPES, Field, FieldType
from crmarena.schema.objects import SObject
from crmarena.storage import search_text

_INDEXED_NAMES = frozenset({"CreatedDate", "ClosedDate", "Name", "Status", "StageName", "CompanySignedDate"})


def quote(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def column_type(field: Field) -> str:
    """The SQL type, constraint and collation of a field's column."""
    if field.name == "Id":
        return "TEXT PRIMARY KEY NOT NULL"
    if field.type is FieldType.BOOLEAN:
        return "INTEGER NOT NULL DEFAULT 0"
    if field.type is FieldType.INT:
        return "INTEGER"
    if field.type in {FieldType.DOUBLE, FieldType.CURRENCY, FieldType.PERCENT}:
        return "REAL"
    return "TEXT COLLATE NOCASE" if field.type in TEXT_TYPES else "TEXT"


def create_table(sobject: SObject) -> str:
    """The statement that makes an object's table."""
    columns = ", ".join(f"{quote(f.name)} {column_type(f)}" for f in sobject.columns)
    return f"CREATE TABLE {quote(sobject.name)} ({columns})"


def create_indexes(sobject: SObject) -> list[str]:
    """The statements that make an object's indexes: published references, dates and names."""
    return [
        f"CREATE INDEX {quote(f'{sobject.name}.{f.name}')} ON {quote(sobject.name)} ({quote(f.name)})"
        for f in sobject.columns
        if f.name != "Id" and not f.long_text and _indexed(f)
    ]


def search_table(sobject: SObject) -> str:
    """The name of an object's full-text table; its rowids are those of the object's table."""
    return f"{sobject.name}__search"


def search_fields(sobject: SObject) -> tuple[Field, ...]:
    """The fields that SOSL searches, in the order of the full-text columns."""
    if not sobject.searchable:
        return ()
    return tuple(f for f in sobject.fields.values() if f.searchable)


def create_search_table(sobject: SObject) -> str | None:
    """The statement that makes an object's full-text table; None for objects SOSL does not search."""
    columns = ", ".join(quote(f.name) for f in search_fields(sobject))
    if not columns:
        return None
    table = quote(search_table(sobject))
    return f"CREATE VIRTUAL TABLE {table} USING fts5({columns}, content='', tokenize='unicode61')"


def words_table(sobject: SObject) -> str:
    """The name of the table of all words in an object's full-text table."""
    return f"{sobject.name}__words"


def searchable_text(field: Field, value: object) -> str | None:
    """A stored value as the full-text table takes it: rich text is searched as plain text."""
    if value is None:
        return None
    text = str(value)
    return search_text.spaced(search_text.plain(text) if field.rich_text else text)


def _indexed(field: Field) -> bool:
    return (field.published and field.type in ID_TYPES) or field.name in _INDEXED_NAMES

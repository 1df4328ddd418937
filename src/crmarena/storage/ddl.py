"""From a schema to tables, indexes and full-text tables.

Every field is a column, so that a field the org has no data for reads null.
Dates are stored as `2021-06-07`, datetimes as `2021-06-07T10:50:00.000+0000`: as
the API renders them, and in the order of time. Booleans are 0 or 1, never null.

Deleted records stand in a table of their own, the recycle bin of their object, so that
a query over the living ones has nothing to filter.
"""

from __future__ import annotations

from crmarena.schema.fields import ID_TYPES, TEXT_TYPES, Field, FieldType
from crmarena.schema.objects import SObject

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


def create_tables(sobject: SObject) -> list[str]:
    """The statements that make an object's table and its recycle bin, column by column the same."""
    columns = ", ".join(f"{quote(f.name)} {column_type(f)}" for f in sobject.columns)
    return [f"CREATE TABLE {quote(name)} ({columns})" for name in (sobject.name, bin_table(sobject))]


def bin_table(sobject: SObject) -> str:
    """The name of the table of an object's deleted records."""
    return f"{sobject.name}__bin"


DELETIONS = "crmarena_deletions"
"""The table that says with which record each record of the recycle bin was deleted."""
CLEARED = "crmarena_cleared"
"""The table of the lookups that a deletion emptied, for its undoing."""
DELETION_TABLES = (
    f"CREATE TABLE {DELETIONS} (object TEXT, record TEXT, cause TEXT NOT NULL, PRIMARY KEY (record, object))",
    f"CREATE INDEX {quote(f'{DELETIONS}.cause')} ON {DELETIONS} (cause)",
    f"CREATE TABLE {CLEARED} (cause TEXT NOT NULL, object TEXT, record TEXT, field TEXT, value TEXT)",
    f"CREATE INDEX {quote(f'{CLEARED}.cause')} ON {CLEARED} (cause)",
)
"""The statements that make them."""


def create_indexes(sobject: SObject) -> list[str]:
    """The statements that make an object's indexes: references, external ids, dates and names."""
    return [
        f"CREATE INDEX {quote(f'{sobject.name}.{f.name}')} ON {quote(sobject.name)} ({quote(f.name)})"
        + ("" if _indexed(f) else f" WHERE {quote(f.name)} IS NOT NULL")
        for f in sobject.columns
        if f.name != "Id" and not f.long_text and (_indexed(f) or _sparse(f))
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
    from crmarena.storage import search_text  # 4 ms that a query need not spend

    return search_text.spaced(search_text.plain(text) if field.rich_text else text)


def _indexed(field: Field) -> bool:
    return (field.published and field.type in ID_TYPES) or field.name in _INDEXED_NAMES


def _sparse(field: Field) -> bool:
    """Whether a column that is mostly null is looked up all the same: in upserts and deletions."""
    return field.external_id or (field.type is FieldType.REFERENCE and field.reference_to != ("User",))

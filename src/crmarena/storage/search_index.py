"""One record into an object's full-text tables, and out of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crmarena.schema.objects import SObject
from crmarena.storage import ddl, search_text
from crmarena.storage.database import Database


def add(database: Database, sobject: SObject, rowid: int, values: Mapping[str, Any]) -> None:
    """Let searches find a record by its stored values; nothing for objects that SOSL does not search."""
    fields = ddl.search_fields(sobject)
    if not fields:
        return
    texts = [ddl.searchable_text(field, values.get(field.name)) for field in fields]
    columns = ", ".join(ddl.quote(field.name) for field in fields)
    marks = ", ".join("?" for _ in fields)
    table = ddl.quote(ddl.search_table(sobject))
    database.connection.execute(
        f"INSERT INTO {table} (rowid, {columns}) VALUES (?, {marks})", (rowid, *texts)
    )
    found = {word for text in texts if text for word in search_text.words(text)}
    database.connection.executemany(
        f"INSERT OR IGNORE INTO {ddl.quote(ddl.words_table(sobject))} VALUES (?)",
        ((word,) for word in sorted(found)),
    )


def remove(database: Database, sobject: SObject, rowid: int, values: Mapping[str, Any]) -> None:
    """Let searches find a record no longer; `values` are those it was added with.

    Its words stay in the table of words, where one that no record holds does no harm.
    """
    fields = ddl.search_fields(sobject)
    if not fields:
        return
    # A table without content cannot look up what it held: FTS5 must be told.
    table = ddl.quote(ddl.search_table(sobject))
    columns = ", ".join(ddl.quote(field.name) for field in fields)
    marks = ", ".join("?" for _ in fields)
    texts = (ddl.searchable_text(field, values.get(field.name)) for field in fields)
    database.connection.execute(
        f"INSERT INTO {table} ({table}, rowid, {columns}) VALUES ('delete', ?, {marks})", (rowid, *texts)
    )

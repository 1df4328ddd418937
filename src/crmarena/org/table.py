"""The rows of one object, living and in the recycle bin, as records."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from crmarena.schema.fields import FieldType
from crmarena.schema.objects import SObject
from crmarena.storage import ddl
from crmarena.storage.functions import whole

Record = dict[str, Any]
"""Stored values by field name; checkboxes as bool."""


class Table:
    """An object's table and the statements that read and write it."""

    def __init__(self, connection: sqlite3.Connection, sobject: SObject) -> None:
        self.connection = connection
        self.sobject = sobject
        self.names = tuple(field.name for field in sobject.columns)
        self.name = ddl.quote(sobject.name)
        self.bin = ddl.quote(ddl.bin_table(sobject))
        self._truths = tuple(f.name for f in sobject.columns if f.type is FieldType.BOOLEAN)

    def find(self, record_id: str) -> tuple[int, Record] | None:
        """The row number and the record of an Id, among the living."""
        return self._read(self._select_living, record_id)

    def find_deleted(self, record_id: str) -> tuple[int, Record] | None:
        """The same in the recycle bin."""
        return self._read(self._select_deleted, record_id)

    def insert(self, record: Mapping[str, Any]) -> int:
        """Add a row; gives its number."""
        row = [record[name] for name in self.names]
        number = self.connection.execute(self._insert, row).lastrowid
        assert number is not None
        return number

    def update(self, number: int, changed: Mapping[str, Any]) -> None:
        """Write some columns of a row."""
        if changed:
            columns = ", ".join(f"{ddl.quote(name)} = ?" for name in changed)
            statement = f"UPDATE {self.name} SET {columns} WHERE rowid = ?"
            self.connection.execute(statement, (*changed.values(), number))

    def delete(self, number: int, record: Mapping[str, Any]) -> None:
        """Move a row to the recycle bin, as a record."""
        self.connection.execute(f"DELETE FROM {self.name} WHERE rowid = ?", (number,))
        row = [record[name] for name in self.names]
        self.connection.execute(self._insert_deleted, row)

    def restore(self, number: int, record: Mapping[str, Any]) -> int:
        """Move a row of the recycle bin back, as a record; gives its new number."""
        self.purge(number)
        return self.insert(record)

    def purge(self, number: int) -> None:
        """Take a row out of the recycle bin for good."""
        self.connection.execute(f"DELETE FROM {self.bin} WHERE rowid = ?", (number,))

    def ids_where(self, field: str, value: Any) -> list[str]:
        """The Ids of the living records with a value in a field, in their order."""
        # Columns fold ASCII letters, and have an index for that; other letters need the whole rule.
        folded = "" if str(value).isascii() else " COLLATE SF_TEXT"
        statement = f"SELECT Id FROM {self.name} WHERE {ddl.quote(field)} = ?{folded} ORDER BY rowid"
        sought = whole(value) if isinstance(value, str) else value
        return [record_id for (record_id,) in self.connection.execute(statement, (sought,))]

    def holds(self, record_id: str) -> bool:
        """Whether there is a living record of an Id."""
        return self.connection.execute(self._has, (whole(record_id),)).fetchone() is not None

    def _read(self, statement: str, record_id: str) -> tuple[int, Record] | None:
        found = self.connection.execute(statement, (whole(record_id),)).fetchone()
        if found is None:
            return None
        record = dict(zip(self.names, found[1:], strict=True))
        for name in self._truths:
            record[name] = bool(record[name])
        return found[0], record

    @cached_property
    def _columns(self) -> str:
        return ", ".join(map(ddl.quote, self.names))

    @cached_property
    def _select_living(self) -> str:
        return f"SELECT rowid, {self._columns} FROM {self.name} WHERE Id = ?"

    @cached_property
    def _select_deleted(self) -> str:
        return f"SELECT rowid, {self._columns} FROM {self.bin} WHERE Id = ?"

    @cached_property
    def _has(self) -> str:
        return f"SELECT 1 FROM {self.name} WHERE Id = ?"

    @cached_property
    def _insert(self) -> str:
        marks = ", ".join("?" for _ in self.names)
        return f"INSERT INTO {self.name} ({self._columns}) VALUES ({marks})"

    @cached_property
    def _insert_deleted(self) -> str:
        return self._insert.replace(self.name, self.bin, 1)

"""New Ids and auto-numbers: they continue after the greatest that the org holds."""

from __future__ import annotations

import re
import sqlite3
import threading

from crmarena.schema.ids import make_id
from crmarena.schema.objects import SObject
from crmarena.storage import ddl
from crmarena.storage.database import Database

POD = "cr"
"""What follows the key prefix in the Ids of records that sessions insert."""

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_NUMBER = re.compile(r"(.*?)(\d+)\Z", re.DOTALL | re.ASCII)
_WIDTH = 8


class Numbers:
    """The greatest auto-number of each field of an org file, looked up once for all sessions."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._greatest: dict[tuple[str, str], str | None] = {}

    def greatest(self, sobject: SObject, field: str) -> str | None:
        """The greatest auto-number of a field; None where it has none yet."""
        with self._lock:
            key = (sobject.name, field)
            if key not in self._greatest:
                self._greatest[key] = _greatest_number(self._database.connection, sobject, field)
            return self._greatest[key]


class Numbering:
    """The numbers of one session. One that was given out is not given again, whatever is rolled back."""

    def __init__(self, database: Database, numbers: Numbers) -> None:
        self._database = database
        self._numbers = numbers
        self._ids: dict[str, int] = {}
        self._texts: dict[tuple[str, str], str | None] = {}

    def new_id(self, sobject: SObject) -> str:
        """An Id that no record has or had."""
        number = self._ids.get(sobject.name)
        if number is None:
            number = _greatest_id(self._database.connection, sobject)
        self._ids[sobject.name] = number + 1
        return make_id(sobject.key_prefix, POD, number + 1)

    def new_number(self, sobject: SObject, field: str) -> str:
        """The next auto-number of a field, in the form of the last one."""
        key = (sobject.name, field)
        if key not in self._texts:
            self._texts[key] = self._numbers.greatest(sobject, field)
        self._texts[key] = text = _after(self._texts[key])
        return text


def _greatest_id(connection: sqlite3.Connection, sobject: SObject) -> int:
    start = sobject.key_prefix + POD
    greatest = ""
    for table in (sobject.name, ddl.bin_table(sobject)):
        # Digits of base 62 are in the order of their characters, so that the greatest text is the greatest.
        statement = f"SELECT MAX(Id) FROM {ddl.quote(table)} WHERE Id GLOB ? AND length(Id) = 18"
        (found,) = connection.execute(statement, (f"{start}[0-9A-Za-z]*",)).fetchone()
        greatest = max(greatest, found or "")
    number = 0
    for digit in greatest[len(start) : 15]:
        number = number * 62 + _DIGITS.index(digit)
    return number


def _greatest_number(connection: sqlite3.Connection, sobject: SObject, field: str) -> str | None:
    column = ddl.quote(field)
    parts = " UNION ALL ".join(
        f"SELECT {column} AS number FROM {ddl.quote(table)} WHERE {column} IS NOT NULL"
        for table in (sobject.name, ddl.bin_table(sobject))
    )
    statement = f"SELECT number FROM ({parts}) ORDER BY length(number) DESC, number DESC LIMIT 1"
    found = connection.execute(statement).fetchone()
    return None if found is None else str(found[0])


def _after(text: str | None) -> str:
    parted = _NUMBER.match(text or "")
    if parted is None:
        return "1".rjust(_WIDTH, "0")
    return parted[1] + str(int(parted[2]) + 1).rjust(len(parted[2]), "0")

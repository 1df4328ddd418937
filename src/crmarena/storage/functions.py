"""What SQLite lacks and the compiled queries call: a Unicode collation and text folding."""

from __future__ import annotations

import sqlite3

Value = str | bytes | int | float | None


def lower(text: str) -> str:
    """Text in lower case, the Greek sigma alike at every place of a word."""
    return text.lower().replace("\u03c2", "\u03c3")


def fold(value: Value) -> Value:
    """Text in lower case, by Unicode; anything else as it is.

    Full case folding would make ß equal ss, which the ASCII collation of the columns does not.
    """
    return lower(value) if isinstance(value, str) else value


def compare(left: str, right: str) -> int:
    """Order two texts with their letter case ignored: -1, 0 or 1."""
    folded_left, folded_right = lower(left), lower(right)
    return (folded_left > folded_right) - (folded_left < folded_right)


def register(connection: sqlite3.Connection) -> None:
    """Give a connection the collation SF_TEXT and the function sf_fold(text)."""
    connection.create_collation("SF_TEXT", compare)
    connection.create_function("sf_fold", 1, fold, deterministic=True)

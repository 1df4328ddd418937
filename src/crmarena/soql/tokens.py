"""SOQL text into tokens with row and column.

The tokenizer never fails: a character it does not know becomes a BAD token, and the
parser words the error when it gets there. SOSL uses the same tokens behind its FIND term.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

NAME = "name"
STRING = "string"
NUMBER = "number"
DATE = "date"
DATETIME = "datetime"
SYMBOL = "symbol"
BAD_DATETIME = "bad_datetime"
BAD = "bad"
END = "end"

_NAME = r"[A-Za-z][A-Za-z0-9_]*"
_SYMBOL = r"<=|>=|!=|<>|[(),:=<>*;]|\.(?!\d)"
_STRING = r"'(?:[^'\\]|\\.)*'"
_DATETIME = r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:?\d\d)"
_BAD_DATETIME = r"\d{4}-\d\d-\d\d[Tt][\d:.]*(?:[+-][\d:]*)?"
_DATE = r"\d{4}-\d\d-\d\d"
_NUMBER = r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)"
_FORMS = "|".join((_NAME, _SYMBOL, _STRING, _DATETIME, _BAD_DATETIME, _DATE, _NUMBER))
_FLAGS = re.DOTALL | re.ASCII
_TOKEN = re.compile(rf"(\s*)({_FORMS}|\Z|.)", _FLAGS)

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_KINDS = dict.fromkeys(_LETTERS, NAME) | dict.fromkeys("(),:=<>*;", SYMBOL) | {"": END}
"""The kind of a token that its first character tells."""
_FIXED = {"!=": SYMBOL, ".": SYMBOL, "'": BAD}
_LITERALS = tuple(
    (kind, re.compile(form, _FLAGS))
    for kind, form in (
        (NUMBER, _NUMBER),
        (DATE, _DATE),
        (DATETIME, _DATETIME),
        (BAD_DATETIME, _BAD_DATETIME),
    )
)
_new = tuple.__new__


class Token(NamedTuple):
    """One token: its text as written, the word in upper case that a keyword is known by, its place."""

    kind: str
    text: str
    word: str
    row: int
    column: int
    offset: int


class Source:
    """A query's text, for tokens and for the windows that error messages show.

    `api_version` decides how syntax errors are worded: from 62 up with quoted tokens
    and no caret.
    """

    def __init__(self, text: str, api_version: int = 62) -> None:
        self.text = text
        self.api_version = api_version

    def tokens(self, start: int = 0) -> list[Token]:
        """The tokens from an offset on, the last one of kind END."""
        text = self.text
        line_starts = _line_starts(text) if "\n" in text else None
        found: list[Token] = []
        add, offset, row, column = found.append, start, 1, start + 1
        # This loop is most of what parsing costs: one call a token makes it, past the named fields.
        for blank, written in _TOKEN.findall(text, start):
            offset += len(blank)
            kind = _KINDS.get(written[:1]) or _kind(written)
            word = written.upper() if kind is NAME else written
            if line_starts is None:
                column = offset + 1
            else:
                row, column = _place(line_starts, offset)
            add(_new(Token, (kind, written, word, row, column, offset)))
            offset += len(written)
        return found

    def line(self, row: int) -> str:
        """The text of a row, counted from 1."""
        return self.text.split("\n")[row - 1]


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", text))]


def _place(line_starts: list[int], offset: int) -> tuple[int, int]:
    row = bisect_right(line_starts, offset)
    return row, offset - line_starts[row - 1] + 1


def _kind(written: str) -> str:
    if written in _FIXED:
        return _FIXED[written]
    if written[0] == "'":
        return STRING
    return next((kind for kind, form in _LITERALS if form.fullmatch(written)), BAD)

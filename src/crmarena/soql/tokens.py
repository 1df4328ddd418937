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

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<name>[A-Za-z][A-Za-z0-9_]*)
      | (?P<symbol><=|>=|!=|<>|[(),:=<>*;]|\.(?!\d))
      | (?P<string>'(?:[^'\\]|\\.)*')
      | (?P<datetime>\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:?\d\d))
      | (?P<bad_datetime>\d{4}-\d\d-\d\d[Tt][\d:.]*(?:[+-][\d:]*)?)
      | (?P<date>\d{4}-\d\d-\d\d)
      | (?P<number>[+-]?(?:\d+(?:\.\d+)?|\.\d+))
      | (?P<end>\Z)
      | (?P<bad>.)
    )""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)


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
        found = []
        for match in _TOKEN.finditer(text, start):
            kind = match.lastgroup or END
            offset = match.start(kind)
            written = match.group(kind)
            row, first = _line(line_starts, offset) if line_starts else (1, 0)
            word = written.upper() if kind == NAME else written
            found.append(Token(kind, written, word, row, offset - first + 1, offset))
            if kind == END:
                break
        return found

    def line(self, row: int) -> str:
        """The text of a row, counted from 1."""
        return self.text.split("\n")[row - 1]


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", text))]


def _line(line_starts: list[int], offset: int) -> tuple[int, int]:
    row = bisect_right(line_starts, offset)
    return row, line_starts[row - 1]

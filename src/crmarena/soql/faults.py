"""Every error of SOQL: code, text, place, and how the message is laid out.

Two layouts. A syntax error of API version 62 or later is one line; an older one, and a
semantic error of any version, starts with a window of the query and a caret. A semantic
error counts columns from 1, an old syntax error from 0.
"""

from __future__ import annotations

from typing import Protocol

from crmarena.errors import SalesforceError
from crmarena.soql.texts import INVALID_FIELD as INVALID_FIELD
from crmarena.soql.texts import INVALID_FILTER as INVALID_FILTER
from crmarena.soql.texts import INVALID_TYPE as INVALID_TYPE
from crmarena.soql.texts import MALFORMED_QUERY as MALFORMED_QUERY
from crmarena.soql.texts import OUT_OF_RANGE as OUT_OF_RANGE
from crmarena.soql.texts import TEXTS as TEXTS
from crmarena.soql.tokens import END, Source, Token

LATEST_WORDING = 62
"""The API version from which syntax errors are one line."""


class Placed(Protocol):
    """A token or a node of the tree."""

    @property
    def row(self) -> int:
        """The row, from 1."""

    @property
    def column(self) -> int:
        """The column, from 1."""


def fault(key: str, **values: object) -> SalesforceError:
    """An error without a place."""
    code, text = TEXTS[key]
    return SalesforceError(code, text.format(**values))


def fault_at(source: Source | None, place: Placed, key: str, **values: object) -> SalesforceError:
    """A semantic error: its text under a caret at a node or token."""
    code, text = TEXTS[key]
    text = text.format(**values)
    return under_caret(source, code, text, place.row, place.column)


def syntax(source: Source, token: Token, key: str, **values: object) -> SalesforceError:
    """A syntax error: one line from API version 62 up, under a caret before."""
    code, text = TEXTS[key]
    return _syntax(source, code, text.format(**values), token.row, token.column - 1)


def unexpected(source: Source, token: Token, first: Token | None = None) -> SalesforceError:
    """An unexpected token; from version 62 up the words from `first` to the token are quoted.

    The end of the query has no place, and no caret in any version.
    """
    if token.kind == END:
        return SalesforceError(MALFORMED_QUERY, "unexpected token: '<EOF>'")
    if source.api_version < LATEST_WORDING:
        # Where no field is selected the older text has quotes as well.
        found = f"'{token.text}'" if first is not None and first.word == "SELECT" else token.text
        return _syntax(source, MALFORMED_QUERY, f"unexpected token: {found}", token.row, token.column - 1)
    start = token if first is None else first
    found = " ".join(source.text[start.offset : token.offset + len(token.text)].split())
    return SalesforceError(MALFORMED_QUERY, f"unexpected token: '{found}'")


def mismatched(source: Source, token: Token, wanted: str) -> SalesforceError:
    """A token where a list should go on or end: mostly the rest of a text with a bare quote in it."""
    text = f"mismatched input '{token.text}' expecting '{wanted}'"
    return _lexical(source, text, text, token.row, token.column - 1)


def bad_character(source: Source, token: Token, place: int = 0) -> SalesforceError:
    """A character the lexer does not take, `place` characters behind the start of a token."""
    row, column = token.row, token.column - 1 + place
    offset = token.offset + place
    found = source.text[offset] if offset < len(source.text) else "<EOF>"
    if token.text == "'":
        text = "mismatched character '<EOF>' expecting '''"
        return _lexical(source, text, text, row, len(source.line(row)))
    old = f"no viable alternative at character '{found}'"
    return _lexical(source, old, f"unexpected token: '{found}'", row, column)


def _lexical(source: Source, old: str, new: str, row: int, column: int) -> SalesforceError:
    """An error of the lexer: from version 62 up its place stands in front of the text."""
    if source.api_version < LATEST_WORDING:
        return _syntax(source, MALFORMED_QUERY, old, row, column)
    return SalesforceError(MALFORMED_QUERY, f"line {row}:{column} {new}", row=row, column=column)


def _syntax(source: Source, code: str, text: str, row: int, column: int) -> SalesforceError:
    if source.api_version >= LATEST_WORDING:
        return SalesforceError(code, text)
    return under_caret(source, code, text, row, column)


def under_caret(source: Source | None, code: str, text: str, row: int, column: int) -> SalesforceError:
    """An error with a window of the query and a caret at a row and column; one line without a source."""
    if source is None:
        return SalesforceError(code, text)
    start, snippet = _window(source.line(row), max(column - 1, 0))
    caret = " " * max(column - 1 - start, 0) + "^"
    message = f"\n{snippet}\n{caret}\nERROR at Row:{row}:Column:{column}\n{text}"
    return SalesforceError(code, message, text=text, row=row, column=column)


def _window(line: str, place: int) -> tuple[int, str]:
    """What is shown of a long line: some 35 characters on each side, cut at blanks."""
    start = 0
    if place > 36:
        start = min(line.find(" ", place - 36) + 1 or place - 36, place)
    end = line.find(" ", place + 35)
    return start, line[start:] if end < 0 else line[start:end]

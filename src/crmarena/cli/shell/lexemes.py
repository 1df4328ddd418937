"""The lexemes of a statement that may not be finished: for completion, colours and the end of a statement.

The parsers of `soql` and `sosl` stop at the first error; a text being typed is one most of the time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a lexeme is."""

    WORD = "word"
    """A name, a dotted path, a keyword, a date literal with its number."""
    NUMBER = "number"
    """A number, a date or a datetime."""
    STRING = "string"
    SEARCH = "search"
    """What FIND looks for, in braces."""
    MARK = "mark"
    """An operator, a parenthesis, a comma, a semicolon."""


@dataclass(frozen=True, slots=True)
class Lexeme:
    """A piece of a text, [start, end)."""

    kind: Kind
    text: str
    start: int
    end: int

    @property
    def upper(self) -> str:
        """The text as keywords are compared."""
        return self.text.upper()

    @property
    def open(self) -> bool:
        """Whether it is a string or a search text that the text ends in."""
        closing = {Kind.STRING: "'", Kind.SEARCH: "}"}.get(self.kind)
        return closing is not None and not _CLOSED[self.kind].fullmatch(self.text)


_CLOSED = {
    Kind.STRING: re.compile(r"'(?:[^'\\]|\\.)*'", re.DOTALL),
    Kind.SEARCH: re.compile(r"\{(?:[^}\\]|\\.)*\}", re.DOTALL),
}
_LEXEME = re.compile(
    r"""
      (?P<string>'(?:[^'\\]|\\.)*(?:'|\\?\Z))
    | (?P<search>\{(?:[^}\\]|\\.)*(?:\}|\\?\Z))
    | (?P<word>[^\W\d]\w*(?:\.\w*)*(?::\w*)?)
    | (?P<number>[-+]?\d[\w.:+-]*)
    | (?P<mark><=|>=|!=|<>|\S)
    """,
    re.VERBOSE | re.DOTALL,
)


def lexemes(text: str) -> Iterator[Lexeme]:
    """The lexemes of any text; what is between them is white space."""
    for found in _LEXEME.finditer(text):
        yield Lexeme(Kind(found.lastgroup or Kind.MARK), found[0], found.start(), found.end())

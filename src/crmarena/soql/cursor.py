"""A place in a run of tokens, and the steps that a parser takes over them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from crmarena.soql.faults import bad_character, fault, unexpected
from crmarena.soql.tokens import BAD, BAD_DATETIME, END, NAME, Source, Token

T = TypeVar("T")

MAX_DEPTH = 40


class Cursor:
    """Steps over tokens from an index on. `token` is the one to be read next."""

    def __init__(self, source: Source, tokens: list[Token], index: int = 0) -> None:
        self.source = source
        self.tokens = tokens
        self.index = index
        self.token = tokens[index]
        self._depth = 0

    def advance(self) -> Token:
        """Read a token."""
        token = self.token
        if token.kind != END:
            self.index += 1
            self.token = self.tokens[self.index]
        return token

    def accept(self, word: str) -> bool:
        """Read a keyword or symbol if it comes next."""
        if self.token.word != word:
            return False
        self.advance()
        return True

    def expect(self, word: str) -> Token:
        """Read a keyword or symbol; an error where something else stands."""
        if self.token.word != word:
            raise self.unexpected()
        return self.advance()

    def name(self) -> Token:
        """Read a name."""
        token = self.token
        if token.kind != NAME:
            raise self.unexpected()
        self.index += 1
        self.token = self.tokens[self.index]
        return token

    def peek(self, ahead: int = 1) -> Token:
        """The token some places behind the next one."""
        place = self.index + ahead
        return self.tokens[place] if place < len(self.tokens) else self.tokens[-1]

    def unexpected(self, first: Token | None = None) -> Exception:
        """The error for the next token, quoting from `first` on."""
        token = self.token
        if token.kind == BAD:
            return bad_character(self.source, token)
        if token.kind == BAD_DATETIME:
            return bad_character(self.source, token, len(token.text))
        return unexpected(self.source, token, first)

    def list_of(self, entry: Callable[[], T]) -> tuple[T, ...]:
        """Entries parted by commas."""
        found = [entry()]
        while self.token.word == ",":
            self.advance()
            found.append(entry())
        return tuple(found)

    def nested(self, production: Callable[[], T]) -> T:
        """A production one level deeper, to a depth that neither Python nor SQLite minds."""
        if self._depth >= MAX_DEPTH:
            raise fault("too_complicated")
        self._depth += 1
        found = production()
        self._depth -= 1
        return found

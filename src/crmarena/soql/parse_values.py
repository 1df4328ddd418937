"""The productions of literals: texts, numbers, dates, words that stand for a value."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from crmarena.soql import ast, literals
from crmarena.soql.ast import LiteralKind
from crmarena.soql.cursor import Cursor
from crmarena.soql.faults import fault, mismatched, syntax
from crmarena.soql.strings import decode, decode_pattern
from crmarena.soql.tokens import BAD, BAD_DATETIME, DATE, DATETIME, END, NAME, NUMBER, STRING, Source, Token

MAX_STRING = 4_000
MAX_NUMBER = 2**31 - 1

_RESERVED = """
    AND AS ASC DESC ELSE EXCLUDES FIRST FOR FROM GROUP HAVING IN INCLUDES LAST LIKE LIMIT NOT NULL NULLS
    OFFSET OR ORDER SELECT UPDATE USING WHERE WITH
"""
RESERVED = frozenset(_RESERVED.split())
"""The words that are no alias and no value."""
_CURRENCY = re.compile(r"([A-Za-z]{3})(-?\d+(?:\.\d+)?)(?![A-Za-z0-9_.])")


class ValueParser(Cursor):
    """Reads literals."""

    def parse_literal(self) -> ast.Literal:
        """A value, as it stands on the right of an operator."""
        token = self.token
        kind = token.kind
        if kind == STRING:
            return self._string(token, decode)
        if kind == NUMBER:
            return self._make(LiteralKind.NUMBER, number(token.text))
        if kind == DATE:
            return self._fixed(LiteralKind.DATE, literals.stored_date, "invalid_date")
        if kind == DATETIME:
            return self._fixed(LiteralKind.DATETIME, literals.stored_datetime, "invalid_datetime")
        return self._word_literal(token, "colon")

    def parse_literals(self, first: Token) -> tuple[ast.Literal, ...]:
        """A list of values in brackets; `first` is the token that the condition starts with."""
        if self.token.word == ":":
            raise syntax(self.source, self.token, "bind")
        self.expect("(")
        if self.token.word == ")":
            raise self.unexpected(first)
        values = self.list_of(self._listed)
        if self.token.word != ")" and self.token.kind not in {BAD, BAD_DATETIME, END}:
            raise mismatched(self.source, self.token, ")")
        self.expect(")")
        return values

    def parse_pattern(self) -> ast.Literal:
        """The text on the right of LIKE."""
        if self.token.kind != STRING:
            raise self.unexpected_value()
        return self._string(self.token, decode_pattern)

    def parse_number(self) -> int | float:
        """A number that stands as an argument."""
        if self.token.kind != NUMBER:
            raise self.unexpected_value()
        return number(self.advance().text)

    def parse_count(self, keyword: str) -> int | None:
        """`LIMIT n` or `OFFSET n`, if the keyword comes next."""
        if not self.accept(keyword):
            return None
        token = self.token
        if token.kind != NUMBER or not token.text.isdigit():
            raise self.unexpected_value()
        self.advance()
        if len(token.text) > len(str(MAX_NUMBER)) or int(token.text) > MAX_NUMBER:
            raise syntax(self.source, token, "out_of_range", value=token.text)
        return int(token.text)

    def unexpected_value(self) -> Exception:
        """The error for a token where a value should stand."""
        if self.token.word == ":":
            return syntax(self.source, self.token, "bind")
        return self.unexpected()

    def _listed(self) -> ast.Literal:
        if self.token.kind in {STRING, NUMBER, DATE, DATETIME}:
            return self.parse_literal()
        return self._word_literal(self.token, "missing_value")

    def _word_literal(self, token: Token, refusal: str) -> ast.Literal:
        if token.kind != NAME:
            raise self.unexpected_value()
        if token.word == "NULL":
            return self._make(LiteralKind.NULL, None)
        if token.word in {"TRUE", "FALSE"}:
            return self._make(LiteralKind.BOOLEAN, token.word == "TRUE")
        if literals.is_plain(token.word):
            return self._make(LiteralKind.RELATIVE, ast.Relative(token.word))
        if literals.is_counted(token.word):
            return self._counted()
        if token.word in RESERVED:
            raise self.unexpected()
        amount = _CURRENCY.match(self.source.text, token.offset)
        if amount is not None:
            return self._money(token, amount)
        raise syntax(self.source, token, refusal, found=token.text)

    def _money(self, token: Token, amount: re.Match[str]) -> ast.Literal:
        while self.token.offset < amount.end() and self.token.kind != END:
            self.advance()
        value = ast.Money(amount.group(1).upper(), number(amount.group(2)))
        return ast.Literal(LiteralKind.CURRENCY, value, token.row, token.column)

    def _counted(self) -> ast.Literal:
        name = self.advance()
        colon = self.token
        if colon.word != ":":
            found = "<EOF>" if colon.kind == END else colon.text
            raise syntax(self.source, colon, "colon", found=found)
        # No blank stands on either side of the colon.
        if colon.offset != name.offset + len(name.text):
            raise self.unexpected()
        self.advance()
        token = self.token
        if token.kind != NUMBER or not token.text.isdigit() or token.offset != colon.offset + 1:
            raise self.unexpected()
        self.advance()
        count = int(token.text) if len(token.text) <= len(str(MAX_NUMBER)) else MAX_NUMBER
        relative = ast.Relative(name.word, min(count, MAX_NUMBER))
        return ast.Literal(LiteralKind.RELATIVE, relative, name.row, name.column)

    def _string(self, token: Token, read: Callable[[Source, Token], tuple[LiteralKind, str]]) -> ast.Literal:
        kind, value = read(self.source, token)
        if len(value) > MAX_STRING:
            raise syntax(self.source, token, "string_length")
        return self._make(kind, value)

    def _fixed(self, kind: LiteralKind, store: Callable[[str], str | None], wrong: str) -> ast.Literal:
        value = store(self.token.text)
        if value is None:
            raise syntax(self.source, self.token, wrong, value=self.token.text)
        return self._make(kind, value)

    def _make(self, kind: LiteralKind, value: ast.LiteralValue) -> ast.Literal:
        token = self.advance()
        return ast.Literal(kind, value, token.row, token.column)


def number(text: str) -> int | float:
    """A number as written; beyond 64 bits SQLite has no integers."""
    found = int(text) if text.lstrip("+-").isdigit() and len(text) < 19 else float(text)
    if math.isinf(found):
        raise fault("out_of_range", value=text)
    return found

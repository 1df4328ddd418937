"""String literals: what stands between the quotes, with its escapes resolved."""

from __future__ import annotations

import re

from crmarena.soql.ast import LiteralKind
from crmarena.soql.faults import syntax
from crmarena.soql.tokens import Source, Token
from crmarena.storage.functions import whole

_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|.)", re.DOTALL)
# In a LIKE pattern these stay escaped.
_PATTERN_MARKS = frozenset("%_\\")


def decode(source: Source, token: Token) -> tuple[LiteralKind, str]:
    """The text of a string token."""
    return LiteralKind.STRING, _decode(source, token, frozenset())


def decode_pattern(source: Source, token: Token) -> tuple[LiteralKind, str]:
    """The pattern of a string token on the right of LIKE."""
    return LiteralKind.PATTERN, _decode(source, token, _PATTERN_MARKS)


def _decode(source: Source, token: Token, kept: frozenset[str]) -> str:
    def replace(match: re.Match[str]) -> str:
        mark = match.group(1)
        if mark in kept:
            return match.group()
        if len(mark) == 5:
            return chr(int(mark[1:], 16))
        if mark.lower() not in _ESCAPES:
            raise syntax(source, token, "illegal_escape", literal=token.text, sequence=match.group())
        return _ESCAPES[mark.lower()]

    body = token.text[1:-1]
    decoded = _ESCAPE.sub(replace, body) if "\\" in body else body
    return whole(decoded)

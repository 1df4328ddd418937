"""The WITH clauses of a search, in any order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from crmarena.schema.ids import to_18
from crmarena.soql.parse import Parser
from crmarena.soql.strings import decode
from crmarena.soql.tokens import NUMBER, STRING
from crmarena.sosl.ast import PLAIN, With
from crmarena.sosl.faults import fault, malformed

DEFAULT_LENGTH = 300
SHORTEST_LENGTH, LONGEST_LENGTH = 50, 1_000
_SINCE = {"HIGHLIGHT": 39, "SPELL_CORRECTION": 40}
"""The API version from which on a search may say it."""


def parse_with(parser: Parser) -> With:
    """All WITH clauses. Raises SalesforceError."""
    options = PLAIN
    seen = set()
    while parser.accept("WITH"):
        word = parser.token.word
        if word not in CLAUSES or parser.source.api_version < _SINCE.get(word, 0):
            raise malformed(parser.source, parser.token)
        # Live orgs take PricebookId more than once.
        if word in seen and word != "PRICEBOOKID":
            raise fault("duplicate_clause", name="DATA CATEGORY" if word == "DATA" else parser.token.text)
        seen.add(word)
        options = replace(options, **CLAUSES[word](parser, options))
    return options


def _division(parser: Parser, options: With) -> dict[str, Any]:
    parser.advance()
    _expect(parser, "=")
    return {"division": _text(parser)}


def _categories(parser: Parser, options: With) -> dict[str, Any]:
    return {"categories": parser.parse_categories()}


def _highlight(parser: Parser, options: With) -> dict[str, Any]:
    parser.advance()
    return {"highlight": True}


def _snippet(parser: Parser, options: With) -> dict[str, Any]:
    parser.advance()
    if not parser.accept("("):
        return {"snippet": True}
    _expect(parser, "TARGET_LENGTH")
    _expect(parser, "=")
    if parser.token.kind != NUMBER or not parser.token.text.lstrip("+-").isdigit():
        raise malformed(parser.source, parser.token)
    length = int(parser.advance().text[:9])
    _expect(parser, ")")
    return {"snippet": True, "target_length": length}


def snippet_length(target: int | None) -> int:
    """The length of a snippet for a target: 300 by default, 50 to 1,000 otherwise."""
    if target is None or target <= 0:
        return DEFAULT_LENGTH
    return min(max(target, SHORTEST_LENGTH), LONGEST_LENGTH)


def _networks(parser: Parser, options: With) -> dict[str, Any]:
    parser.advance()
    if parser.accept("="):
        return {"networks": (_record_id(parser),)}
    _expect(parser, "IN")
    _expect(parser, "(")
    found = parser.list_of(lambda: _record_id(parser))
    _expect(parser, ")")
    return {"networks": found}


def _pricebook(parser: Parser, options: With) -> dict[str, Any]:
    parser.advance()
    if parser.token.word == "IN":
        raise fault("pricebook_list")
    _expect(parser, "=")
    return {"pricebooks": (*options.pricebooks, _record_id(parser))}


def _metadata(parser: Parser, options: With) -> dict[str, Any]:
    parser.advance()
    _expect(parser, "=")
    token = parser.token
    if _text(parser).upper() != "LABELS":
        raise malformed(parser.source, token)
    return {"labels": True}


def _spell_correction(parser: Parser, options: With) -> dict[str, Any]:
    parser.advance()
    _expect(parser, "=")
    if parser.token.word not in {"TRUE", "FALSE"}:
        raise malformed(parser.source, parser.token)
    return {"spell_correction": parser.advance().word == "TRUE"}


def _expect(parser: Parser, word: str) -> None:
    if not parser.accept(word):
        raise malformed(parser.source, parser.token)


def _text(parser: Parser) -> str:
    if parser.token.kind != STRING:
        raise malformed(parser.source, parser.token)
    return decode(parser.source, parser.advance())[1]


def _record_id(parser: Parser) -> str:
    written = _text(parser)
    whole = to_18(written)
    if whole is None:
        raise fault("invalid_id", value=written)
    return whole


CLAUSES: dict[str, Callable[[Parser, With], dict[str, Any]]] = {
    "DIVISION": _division,
    "DATA": _categories,
    "HIGHLIGHT": _highlight,
    "SNIPPET": _snippet,
    "NETWORK": _networks,
    "PRICEBOOKID": _pricebook,
    "METADATA": _metadata,
    "SPELL_CORRECTION": _spell_correction,
}
"""Every WITH clause by its first word."""

"""SOSL text into a syntax tree. What stands in RETURNING is parsed by SOQL's own productions."""

from __future__ import annotations

import re

from crmarena.errors import SalesforceError
from crmarena.soql import ast as soql
from crmarena.soql.parse import MAX_LENGTH, Parser
from crmarena.soql.tokens import END, NAME, Source
from crmarena.sosl.ast import FieldGroup, Returning, Search
from crmarena.sosl.faults import fault, malformed, of_search
from crmarena.sosl.terms import parse_terms

_FIND = re.compile(r"\s*FIND\b\s*", re.IGNORECASE)
_FUNCTIONS = frozenset({"TOLABEL", "FORMAT", "CONVERTCURRENCY"})
_WITH = ("DIVISION", "DATA", "SNIPPET", "HIGHLIGHT", "METADATA", "NETWORK", "PRICEBOOKID")
_UPDATES = frozenset({"TRACKING", "VIEWSTAT"})


def parse(source: Source) -> Search:
    """The tree of a whole search. Raises SalesforceError."""
    if len(source.text) > MAX_LENGTH:
        raise fault("too_long")
    start = _FIND.match(source.text)
    if start is None:
        words = source.text.split()
        raise fault("unexpected", found=words[0] if words else "<EOF>")
    if source.text[start.end() : start.end() + 1] != "{":
        raise fault("no_braces")
    expression, place = parse_terms(source, start.end() + 1)
    parser = Parser(source, source.tokens(place))
    try:
        search = Search(
            expression=expression,
            group=_group(parser),
            returning=_returning(parser),
            limit=_limit_after_with(parser),
        )
        _update(parser)
    except SalesforceError as error:
        raise of_search(error) from None
    if parser.token.kind != END:
        raise malformed(parser.token)
    return search


def _group(parser: Parser) -> FieldGroup:
    if not parser.accept("IN"):
        return FieldGroup.ALL
    token = parser.token
    if token.word not in set(FieldGroup):
        raise malformed(token)
    parser.advance()
    parser.expect("FIELDS")
    return FieldGroup(token.word)


def _returning(parser: Parser) -> tuple[Returning, ...]:
    if not parser.accept("RETURNING"):
        return ()
    found = [_object(parser)]
    while parser.accept(","):
        found.append(_object(parser))
    if len(found) > 1 and any(entry.query.offset is not None for entry in found):
        raise fault("several_offsets")
    return tuple(found)


def _object(parser: Parser) -> Returning:
    name = parser.name()
    path = soql.Path((name.text,), name.row, name.column)
    source = (soql.FromItem(path),)
    if not parser.accept("("):
        ids = soql.SelectItem(soql.Path(("Id",), name.row, name.column))
        return Returning(soql.Query((ids,), source), name.row, name.column)
    query = soql.Query(
        select=_fields(parser),
        source=source,
        where=parser.parse_condition() if parser.accept("WHERE") else None,
        order_by=_order_by(parser),
        limit=parser.parse_count("LIMIT"),
        offset=parser.parse_count("OFFSET"),
        row=name.row,
        column=name.column,
    )
    parser.expect(")")
    if query.offset is not None and query.offset > 2000:
        raise fault("offset")
    return Returning(query, name.row, name.column)


def _fields(parser: Parser) -> tuple[soql.SelectItem, ...]:
    """The field list: fields, paths, and functions that give a field's text."""
    items = parser.parse_select_list()
    for item in items:
        refused = _refused(item.expression)
        if refused is not None:
            raise fault("bad_token", found=refused)
    return items


def _refused(expression: object) -> str | None:
    """What SOQL may select and a search may not, by its first word."""
    match expression:
        case soql.Call(function) if function not in _FUNCTIONS:
            return function
        case soql.FieldsCall():
            return "FIELDS"
        case soql.TypeOf():
            return "TYPEOF"
        case soql.Query():
            return "("
    return None


def _order_by(parser: Parser) -> tuple[soql.OrderItem, ...]:
    if parser.token.word == "USING":
        raise fault("list_view")
    return parser.parse_order_by() if parser.token.word == "ORDER" else ()


def _limit_after_with(parser: Parser) -> int | None:
    while parser.accept("WITH"):
        _with_clause(parser)
    return parser.parse_count("LIMIT")


def _with_clause(parser: Parser) -> None:
    """A WITH clause: spelling is never corrected here, so that one may be said; the others are refused."""
    token = parser.token
    if token.word in _WITH:
        raise fault("with_clause", name="DATA CATEGORY" if token.word == "DATA" else token.text)
    if token.word != "SPELL_CORRECTION":
        raise malformed(token)
    parser.advance()
    parser.expect("=")
    if parser.token.word not in {"TRUE", "FALSE"}:
        raise malformed(parser.token)
    if parser.advance().word == "TRUE":
        raise fault("with_clause", name="SPELL_CORRECTION = true")


def _update(parser: Parser) -> None:
    """`UPDATE TRACKING, VIEWSTAT`: statistics that change no result."""
    if not parser.accept("UPDATE"):
        return
    while True:
        if parser.token.kind != NAME or parser.token.word not in _UPDATES:
            raise malformed(parser.token)
        parser.advance()
        if not parser.accept(","):
            return

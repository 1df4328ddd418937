"""SOSL text into a syntax tree. What stands in RETURNING is parsed by SOQL's own productions."""

from __future__ import annotations

import re

from crmarena.errors import SalesforceError
from crmarena.soql import ast as soql
from crmarena.soql.parse import MAX_LENGTH, Parser
from crmarena.soql.tokens import END, NAME, Source, Token
from crmarena.sosl.ast import FieldGroup, Returning, Search
from crmarena.sosl.faults import fault, malformed, of_search
from crmarena.sosl.parse_with import parse_with
from crmarena.sosl.terms import parse_terms

MAX_OFFSET = 2_000
LIST_VIEW_VERSION = 41
FUNCTIONS = frozenset({"TOLABEL", "FORMAT", "CONVERTCURRENCY"})
"""The functions that a field list may hold."""
UPDATES = ("TRACKING", "VIEWSTAT")

_FIND = re.compile(r"\s*FIND\b\s*", re.IGNORECASE)


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
            options=parse_with(parser),
            limit=parser.parse_count("LIMIT"),
            updates=_updates(parser),
        )
    except SalesforceError as error:
        raise of_search(error) from None
    if parser.token.kind != END:
        raise malformed(source, parser.token)
    return search


def _group(parser: Parser) -> FieldGroup:
    if not parser.accept("IN"):
        return FieldGroup.ALL
    group = parser.token
    if group.word not in set(FieldGroup):
        raise malformed(parser.source, group)
    parser.advance()
    if not parser.accept("FIELDS"):
        raise malformed(parser.source, parser.token)
    return FieldGroup(group.word)


def _returning(parser: Parser) -> tuple[Returning, ...]:
    if not parser.accept("RETURNING"):
        return ()
    found = parser.list_of(lambda: _object(parser))
    check_returning(found)
    return found


def check_returning(found: tuple[Returning, ...]) -> None:
    """Raise SalesforceError for clauses that go with one object alone."""
    if len(found) > 1 and any(entry.query.offset is not None for entry in found):
        raise fault("several_offsets")
    if any((entry.query.offset or 0) > MAX_OFFSET for entry in found):
        raise fault("offset")
    if sum(entry.list_view is not None for entry in found) > 1:
        raise fault("several_list_views")


def _object(parser: Parser) -> Returning:
    name = parser.name()
    path = soql.Path((name.text,), name.row, name.column)
    source = (soql.FromItem(path),)
    if not parser.accept("("):
        ids = soql.SelectItem(soql.Path(("Id",), name.row, name.column))
        return Returning(soql.Query((ids,), source), False, None, name.row, name.column)
    select = parse_fields(parser)
    where = parser.parse_condition() if parser.accept("WHERE") else None
    list_view = _list_view(parser)
    query = soql.Query(
        select=select,
        source=source,
        where=where,
        order_by=parser.parse_order_by() if parser.token.word == "ORDER" else (),
        limit=parser.parse_count("LIMIT"),
        offset=parser.parse_count("OFFSET"),
        row=name.row,
        column=name.column,
    )
    parser.expect(")")
    return Returning(query, True, list_view, name.row, name.column)


def parse_fields(parser: Parser) -> tuple[soql.SelectItem, ...]:
    """A field list: fields, paths, and functions that give a field's text."""
    first = parser.token
    items = parser.parse_select_list()
    for item in items:
        if not _selectable(item.expression):
            raise malformed(parser.source, _token_of(parser, item) or first)
    return items


def _selectable(expression: object) -> bool:
    """Whether a search may give what SOQL would select."""
    if isinstance(expression, soql.Call):
        inner = expression.argument
        return expression.function in FUNCTIONS and (inner is None or _selectable(inner))
    return isinstance(expression, soql.Path)


def _token_of(parser: Parser, item: soql.SelectItem) -> Token | None:
    place = (item.expression.row, item.expression.column)
    return next((token for token in parser.tokens if (token.row, token.column) == place), None)


def _list_view(parser: Parser) -> str | None:
    if parser.token.word != "USING":
        return None
    if parser.source.api_version < LIST_VIEW_VERSION:
        raise malformed(parser.source, parser.token)
    parser.advance()
    if not (parser.accept("LISTVIEW") and parser.accept("=") and parser.token.kind == NAME):
        raise fault("list_view_syntax")
    return parser.advance().text


def _updates(parser: Parser) -> tuple[str, ...]:
    """`UPDATE TRACKING, VIEWSTAT`."""
    if not parser.accept("UPDATE"):
        return ()
    return parser.list_of(lambda: _one_of(parser, UPDATES))


def _one_of(parser: Parser, words: tuple[str, ...]) -> str:
    if parser.token.word not in words:
        raise malformed(parser.source, parser.token)
    return parser.advance().word

"""Parameterized search: the REST resource that takes a plain text and parameters instead of SOSL.

The text has no operators, phrases or wildcards: each of its words must be found.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from crmarena.clock import Clock
from crmarena.errors import SalesforceError
from crmarena.soql import ast as soql
from crmarena.soql.parse import Parser
from crmarena.soql.tokens import END, Source
from crmarena.soql.viewer import NOBODY, Viewer
from crmarena.sosl.ast import AllOf, AnyOf, Expression, FieldGroup, Returning, Search, Term, With
from crmarena.sosl.faults import fault, malformed, of_search
from crmarena.sosl.parse import check_returning, parse_fields
from crmarena.sosl.result import SearchResult
from crmarena.sosl.search import plan_search, run_plan
from crmarena.sosl.terms import MAX_OPERATORS, MAX_TEXT, check_length, escaped, joined
from crmarena.storage.database import Database

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SearchedObject:
    """What is asked of one object."""

    name: str
    fields: tuple[str, ...] = ()
    where: str | None = None
    order_by: str | None = None
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class ParameterizedSearch:
    """The parameters of a search, named as the resource names them."""

    q: str
    group: FieldGroup = FieldGroup.ALL
    """`in`: the fields to look in."""
    fields: tuple[str, ...] = ()
    """What each object gives that lists no fields of its own."""
    sobjects: tuple[SearchedObject, ...] = ()
    default_limit: int | None = None
    """The most records of each object without a limit of its own."""
    overall_limit: int | None = None
    offset: int | None = None
    categories: tuple[soql.CategoryFilter, ...] = ()
    division: str | None = None
    labels: bool = False
    networks: tuple[str, ...] = ()
    pricebook: str | None = None
    snippet: int | None = None
    """The target length of snippets; None for no snippets."""
    spell_correction: bool | None = None
    updates: tuple[str, ...] = ()


def run_parameterized(
    database: Database,
    request: ParameterizedSearch,
    clock: Clock,
    *,
    api_version: int = 62,
    viewer: Viewer = NOBODY,
) -> SearchResult:
    """Run a parameterized search. Raises SalesforceError."""
    try:
        search = to_search(request, api_version)
    except SalesforceError as error:
        raise of_search(error) from None
    return run_plan(database, plan_search(database.schema, search, api_version), clock, viewer)


def to_search(request: ParameterizedSearch, api_version: int = 62) -> Search:
    """The search that a request stands for. Raises SalesforceError."""
    for name, value in (("fields", request.fields), ("defaultLimit", request.default_limit)):
        if value and not request.sobjects:
            raise fault("needs_object", name=name)
    returning = tuple(_returning(request, entry, api_version) for entry in request.sobjects)
    check_returning(returning)
    options = With(
        division=request.division,
        categories=request.categories,
        snippet=request.snippet is not None,
        target_length=request.snippet,
        networks=request.networks,
        pricebooks=() if request.pricebook is None else (request.pricebook,),
        labels=request.labels,
        spell_correction=request.spell_correction,
    )
    return Search(
        _expression(request.q), request.group, returning, options, request.overall_limit, request.updates
    )


def _expression(text: str) -> Expression | None:
    words = text.split()
    if not words:
        raise fault("too_short", term="")
    if len(text) > MAX_TEXT:
        return None
    terms = tuple(Term(escaped(word)) for word in words)
    for term in terms:
        check_length(term.text)
    return joined(AnyOf if len(text) > MAX_OPERATORS else AllOf, terms)


def _returning(request: ParameterizedSearch, entry: SearchedObject, api_version: int) -> Returning:
    fields = entry.fields or request.fields or ("Id",)
    query = soql.Query(
        select=_parsed(", ".join(fields), api_version, parse_fields),
        source=(soql.FromItem(soql.Path((entry.name,))),),
        where=_parsed(entry.where, api_version, Parser.parse_condition) if entry.where else None,
        order_by=_parsed(f"ORDER BY {entry.order_by}", api_version, Parser.parse_order_by)
        if entry.order_by
        else (),
        limit=request.default_limit if entry.limit is None else entry.limit,
        offset=request.offset,
    )
    return Returning(query, listed=bool(entry.fields or request.fields))


def _parsed(text: str, api_version: int, production: Callable[[Parser], T]) -> T:
    source = Source(text, api_version)
    parser = Parser(source, source.tokens())
    found = production(parser)
    if parser.token.kind != END:
        raise malformed(source, parser.token)
    return found

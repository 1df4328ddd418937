"""Parameterized search: the REST resource that takes a plain text and parameters instead of SOSL.

The text has no operators, phrases or wildcards: each of its words must be found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from crmarena.clock import Clock
from crmarena.errors import SalesforceError
from crmarena.schema.ids import to_18
from crmarena.soql import ast as soql
from crmarena.soql.parse import Parser
from crmarena.soql.tokens import END, Source
from crmarena.soql.viewer import NOBODY, Viewer
from crmarena.sosl.ast import AllOf, AnyOf, Expression, FieldGroup, Returning, Search, Term, With
from crmarena.sosl.faults import fault, malformed, of_search
from crmarena.sosl.limits import MAX_RECORDS
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


def from_query(pairs: Iterable[tuple[str, str]]) -> ParameterizedSearch:
    """A request by GET: `q=acme&sobject=Account&Account.fields=Id,Name&in=NAME`. Raises SalesforceError."""
    values: dict[str, Any] = {}
    objects: dict[str, dict[str, Any]] = {}
    for name, value in pairs:
        known, _, parameter = name.rpartition(".")
        if known:
            objects.setdefault(known.lower(), {})[parameter] = value
        elif name.lower() == "sobject":
            values.setdefault("sobjects", []).extend({"name": one} for one in _listed(value))
        elif name.lower() == "datacategory":
            values["dataCategories"] = [_category_text(value)]
        else:
            values[name] = value
    for entry in values.get("sobjects", []):
        entry.update(objects.pop(entry["name"].lower(), {}))
    for unknown, parameters in objects.items():
        raise fault("unknown_parameter", name=f"{unknown}.{next(iter(parameters))}")
    return from_json(values)


def from_json(body: Mapping[str, Any]) -> ParameterizedSearch:
    """A request by POST, its body read as JSON. Raises SalesforceError."""
    found: dict[str, Any] = {"q": ""}
    for name, value in body.items():
        reader = _PARAMETERS.get(name.lower())
        if reader is None:
            raise fault("unknown_parameter", name=name)
        if value is not None:
            found |= reader(name, value)
    updates = tuple(word for word in ("TRACKING", "VIEWSTAT") if found.pop(word, False))
    return ParameterizedSearch(**found, updates=updates)


def _object(name: str, value: Any) -> SearchedObject:
    """One entry of `sobjects`: a name, or an object of parameters."""
    if isinstance(value, str):
        return SearchedObject(value)
    if not isinstance(value, Mapping):
        raise _wrong(name, value)
    found: dict[str, Any] = {}
    for key, given in value.items():
        reader = _OBJECT_PARAMETERS.get(key.lower())
        if reader is None:
            raise fault("unknown_parameter", name=f"{name}.{key}")
        if given is not None:
            found |= reader(key, given)
    if not found.get("name"):
        raise fault("parameter", name=f"{name}.name", value="")
    return SearchedObject(**found)


def _category(name: str, value: Any) -> soql.CategoryFilter:
    if not isinstance(value, Mapping) or not {"groupName", "operator", "categories"} >= set(value):
        raise _wrong(name, value)
    group, selector = str(value.get("groupName", "")), str(value.get("operator", "")).upper()
    return soql.CategoryFilter(group, selector, _listed(value.get("categories", [])))


def _category_text(text: str) -> dict[str, Any]:
    """`Geography__c below USA__c` as POST has it."""
    words = text.split()
    if len(words) != 3:
        raise _wrong("dataCategory", text)
    return {"groupName": words[0], "operator": words[1], "categories": [words[2]]}


def _listed(value: Any) -> tuple[str, ...]:
    entries = value.split(",") if isinstance(value, str) else value
    if not isinstance(entries, list | tuple):
        raise _wrong("fields", value)
    return tuple(str(entry).strip() for entry in entries)


def _number(name: str, value: Any) -> int:
    text = str(value).strip()
    if isinstance(value, bool) or not (text.isascii() and text.isdigit()) or int(text[:9]) > MAX_RECORDS:
        raise _wrong(name, value)
    return int(text[:9])


def _flag(name: str, value: Any) -> bool:
    text = str(value).strip().lower()
    if text not in {"true", "false"}:
        raise _wrong(name, value)
    return text == "true"


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise _wrong(name, value)
    return value


def _group(name: str, value: Any) -> FieldGroup:
    word = str(value).strip().upper().removesuffix(" FIELDS")
    if word not in set(FieldGroup):
        raise _wrong(name, value)
    return FieldGroup(word)


def _labels(name: str, value: Any) -> bool:
    if str(value).upper() != "LABELS":
        raise _wrong(name, value)
    return True


def _record_id(name: str, value: Any) -> str:
    whole = to_18(str(value))
    if whole is None:
        raise fault("invalid_id", value=value)
    return whole


def _many(name: str, value: Any, one: Callable[[str, Any], T]) -> tuple[T, ...]:
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list | tuple):
        raise _wrong(name, value)
    return tuple(one(name, entry.strip() if isinstance(entry, str) else entry) for entry in value)


def _wrong(name: str, value: Any) -> SalesforceError:
    return fault("parameter", name=name, value=value)


def _entry(key: str, read: Callable[[str, Any], Any]) -> Callable[[str, Any], dict[str, Any]]:
    return lambda name, value: {key: read(name, value)}


_PARAMETERS: dict[str, Callable[[str, Any], dict[str, Any]]] = {
    "q": _entry("q", _text),
    "in": _entry("group", _group),
    "fields": _entry("fields", lambda name, value: _listed(value)),
    "sobjects": _entry("sobjects", lambda name, value: _many(name, value, _object)),
    "defaultlimit": _entry("default_limit", _number),
    "overalllimit": _entry("overall_limit", _number),
    "offset": _entry("offset", _number),
    "datacategories": _entry("categories", lambda name, value: _many(name, value, _category)),
    "division": _entry("division", _text),
    "metadata": _entry("labels", _labels),
    "networkids": _entry("networks", lambda name, value: _many(name, value, _record_id)),
    "pricebookid": _entry("pricebook", _record_id),
    "snippet": _entry("snippet", _number),
    "spellcorrection": _entry("spell_correction", _flag),
    "updatetracking": _entry("TRACKING", _flag),
    "updateviewstat": _entry("VIEWSTAT", _flag),
}
_OBJECT_PARAMETERS: dict[str, Callable[[str, Any], dict[str, Any]]] = {
    "name": _entry("name", _text),
    "fields": _entry("fields", lambda name, value: _listed(value)),
    "where": _entry("where", _text),
    "orderby": _entry("order_by", _text),
    "limit": _entry("limit", _number),
}

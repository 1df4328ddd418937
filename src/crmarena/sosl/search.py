"""A SOSL search over an org: its plan, kept by its text, and the run of a plan.

An object's matches are ranked by its full-text table and read by SOQL, in one statement.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from threading import Lock

from crmarena.clock import Clock
from crmarena.errors import SalesforceError
from crmarena.schema.objects import Schema, SObject
from crmarena.soql import ast as soql
from crmarena.soql import compile as soql_compile
from crmarena.soql.faults import fault_at
from crmarena.soql.run import plan_restricted, run_restricted
from crmarena.soql.shape import QueryResult
from crmarena.soql.tokens import Source
from crmarena.soql.viewer import NOBODY, Viewer
from crmarena.sosl.ast import Expression, Returning, Search
from crmarena.sosl.faults import fault, of_search
from crmarena.sosl.groups import MUST_BE_NAMED
from crmarena.sosl.labels import labels_of
from crmarena.sosl.limits import most_records, object_limit, share
from crmarena.sosl.marks import marker
from crmarena.sosl.match import full_text_query
from crmarena.sosl.parse import parse
from crmarena.sosl.rank import matches
from crmarena.sosl.result import Part, SearchResult
from crmarena.sosl.spelling import corrected
from crmarena.storage import ddl
from crmarena.storage.database import Database

__all__ = ["Plan", "SearchResult", "clear_plan_cache", "plan_search", "run_plan", "run_search"]

CACHE_SIZE = 512

_GLOBAL = "global"
"""The division of every org, to which all records of this one belong."""
_RECENT = "recent"
"""The list view of what the viewer looked at, which here is nothing."""
_OWN_NETWORK = "0" * 15
"""The network that stands for the org itself."""
_NOTHING = '""'
"""A full-text query that nothing matches."""


@dataclass(frozen=True, slots=True)
class ObjectPlan:
    """What a search gives of one object."""

    returning: Returning
    sobject: SObject
    plan: soql_compile.Plan
    unseen: bool
    """Whether the search asks for a part of the object that is empty here."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A search whose names are bound."""

    search: Search
    objects: tuple[ObjectPlan, ...]
    api_version: int


# The schema stays in the entry, so that its id stays its own.
_plans: dict[tuple[str, int, int], tuple[Plan, Schema]] = {}
_filling = Lock()
"""Several threads of a server may search at once."""


def run_search(
    database: Database, text: str, clock: Clock, *, api_version: int = 62, viewer: Viewer = NOBODY
) -> SearchResult:
    """Run a SOSL search as a viewer. Raises SalesforceError, worded as the API version words it."""
    key = (text, api_version, id(database.schema))
    known = _plans.get(key)
    if known is None:
        source = Source(text, api_version)
        plan = plan_search(database.schema, parse(source), api_version, source)
        with _filling:
            if len(_plans) >= CACHE_SIZE:
                del _plans[next(iter(_plans))]
            _plans[key] = plan, database.schema
    else:
        plan = known[0]
    return run_plan(database, plan, clock, viewer)


def plan_search(schema: Schema, search: Search, api_version: int, source: Source | None = None) -> Plan:
    """Bind the names of a search; `source` is its text, for the window that errors show."""
    options = search.options
    if options.division is not None and options.division.lower() != _GLOBAL:
        raise fault("division", name=options.division)
    if options.categories:
        raise fault("category_group", name=options.categories[0].group)
    objects = list(_objects(schema, search, source))
    try:
        plans = tuple(_object_plan(schema, search, entry, len(objects), source) for entry in objects)
    except SalesforceError as error:
        raise of_search(error) from None
    return Plan(search, plans, api_version)


def run_plan(database: Database, plan: Plan, clock: Clock, viewer: Viewer = NOBODY) -> SearchResult:
    """Run a search whose names are bound."""
    expression = plan.search.expression
    parts = _parts(database, plan, expression, clock, viewer)
    if plan.search.options.spell_correction and expression and not any(part.count for part in parts):
        mended = corrected(database, [entry.sobject for entry in plan.objects], expression)
        parts = parts if mended == expression else _parts(database, plan, mended, clock, viewer)
    labels = plan.search.options.labels
    entries = [(entry.returning, entry.sobject) for entry in plan.objects]
    return SearchResult(tuple(parts), labels_of(database.schema, entries) if labels else None)


def clear_plan_cache() -> None:
    """Forget all plans."""
    with _filling:
        _plans.clear()


def _objects(schema: Schema, search: Search, source: Source | None) -> Iterator[tuple[Returning, SObject]]:
    """The objects to search; without RETURNING those that need not be named."""
    if not search.returning:
        for sobject in schema.objects.values():
            if ddl.search_fields(sobject) and sobject.name not in MUST_BE_NAMED:
                yield _ids_of(sobject), sobject
    seen = set()
    for returning in search.returning:
        found = schema.object(returning.object_name)
        if found is None:
            raise fault_at(source, returning, "unknown_object", name=returning.object_name)
        if not ddl.search_fields(found):
            raise fault("not_searchable", object=found.name)
        if found.name in seen:
            raise fault("duplicate_object", object=found.name)
        if returning.list_view is not None and returning.list_view.lower() != _RECENT:
            raise fault("list_view", name=returning.list_view, object=found.name)
        seen.add(found.name)
        yield returning, found


def _ids_of(sobject: SObject) -> Returning:
    select = (soql.SelectItem(soql.Path(("Id",))),)
    return Returning(soql.Query(select, (soql.FromItem(soql.Path((sobject.name,))),)), listed=False)


def _object_plan(
    schema: Schema,
    search: Search,
    entry: tuple[Returning, SObject],
    objects: int,
    source: Source | None,
) -> ObjectPlan:
    returning, sobject = entry
    query = replace(returning.query, limit=object_limit(returning.query, objects))
    given = matches(sobject, query, len(search.options.pricebooks))
    return ObjectPlan(
        returning, sobject, plan_restricted(schema, query, given, source), _unseen(search, returning, sobject)
    )


def _unseen(search: Search, returning: Returning, sobject: SObject) -> bool:
    """Whether a search asks for users of a site, or for what was looked at: here are neither."""
    networks = search.options.networks
    elsewhere = networks and not any(network.startswith(_OWN_NETWORK) for network in networks)
    return returning.list_view is not None or (sobject.name == "User" and bool(elsewhere))


def _parts(
    database: Database, plan: Plan, expression: Expression | None, clock: Clock, viewer: Viewer
) -> list[Part]:
    """The records of each object, cut to the limits."""
    search = replace(plan.search, expression=expression)
    results = [_found(database, search, entry, clock, viewer) for entry in plan.objects]
    counts = share([result.total_size for result in results], most_records(search.limit, plan.api_version))
    parts = []
    for entry, result, count in zip(plan.objects, results, counts, strict=True):
        marks = marker(search, entry.returning, entry.sobject)
        parts.append(Part(result, count, marks.of(database, result, count) if marks else ()))
    return parts


def _found(
    database: Database, search: Search, entry: ObjectPlan, clock: Clock, viewer: Viewer
) -> QueryResult:
    match = None
    if search.expression is not None and not entry.unseen:
        match = full_text_query(database, entry.sobject, search.expression, search.group)
    text, ranked = (_NOTHING, False) if match is None else (match.text, match.ranked)
    pricebooks = search.options.pricebooks if entry.sobject.name == "Product2" else ()
    return run_restricted(database, entry.plan, (text, ranked, *pricebooks), clock, viewer=viewer)

"""A query's passes in order, and the cache of plans.

A plan depends on the query's text and the schema alone: what a relative date literal
means is bound when the plan is run.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date

from crmarena.clock import Clock
from crmarena.schema.objects import Schema
from crmarena.soql import ast
from crmarena.soql.compile import Plan, compile_query, compile_restricted
from crmarena.soql.expressions import Parameter
from crmarena.soql.faults import fault
from crmarena.soql.fetch import fetch
from crmarena.soql.grouping import MAX_ROWS
from crmarena.soql.literals import Edge
from crmarena.soql.parse import parse
from crmarena.soql.resolve import resolve
from crmarena.soql.shape import Fetched, QueryResult, shaper
from crmarena.soql.tokens import Source
from crmarena.storage.database import Database

CACHE_SIZE = 1_024

# The schema stays in the entry, so that its id stays its own.
_plans: dict[tuple[str, int], tuple[Plan, Schema]] = {}


def run_query(database: Database, text: str, clock: Clock, *, api_version: int = 62) -> QueryResult:
    """Run a SOQL query. Raises SalesforceError, worded as the API version words it."""
    schema = database.schema
    known = _plans.get((text, id(schema)))
    if known is None:
        source = Source(text, api_version)
        plan = compile_query(resolve(schema, parse(source), source))
        if len(_plans) >= CACHE_SIZE:
            _plans.pop(next(iter(_plans)), None)
        _plans[text, id(schema)] = plan, schema
    else:
        plan = known[0]
    return _execute(database, plan, clock)


def select_records(
    database: Database,
    query: ast.Query,
    clock: Clock,
    ids: Sequence[str],
    source: Source | None = None,
) -> QueryResult:
    """Run a parsed query over the records of some Ids, in their order where it has none of its own.

    `source` is the text the query was parsed from, for the window that errors show.
    """
    plan = compile_restricted(resolve(database.schema, query, source))
    return _execute(database, plan, clock, json.dumps(list(ids)))


def parse_text(text: str, api_version: int = 62) -> ast.Query:
    """The syntax tree of a query. Raises SalesforceError."""
    return parse(Source(text, api_version))


def clear_plan_cache() -> None:
    """Forget all plans and shapers."""
    _plans.clear()
    shaper.cache_clear()


def _execute(database: Database, plan: Plan, clock: Clock, given: str | None = None) -> QueryResult:
    fetched = _fetch(database, plan, clock, given)
    if plan.kind == "records":
        return QueryResult(fetched, len(fetched.rows))
    if plan.kind == "count":
        return QueryResult(None, fetched.rows[0][0])
    if len(fetched.rows) > MAX_ROWS:
        raise fault("aggregate_rows")
    return QueryResult(fetched, len(fetched.rows))


def _fetch(
    database: Database, plan: Plan, clock: Clock, given: str | None = None, parent_index: int | None = None
) -> Fetched:
    values: Sequence[Parameter] = plan.parameters
    if plan.relative:
        values = _bind(values, clock.today)
    if given is not None:
        values = (given, *values[1:])
    rows = fetch(database, plan.sql, values)
    children = []
    for child in plan.children:
        parents = json.dumps([row[child.id_index] for row in rows])
        children.append(_fetch(database, child.plan, clock, parents, child.parent_index))
    return Fetched(plan.record, plan.width, rows, parent_index, tuple(children))


def _bind(values: Sequence[Parameter], today: date) -> Sequence[Parameter]:
    return [value.at(today) if isinstance(value, Edge) else value for value in values]

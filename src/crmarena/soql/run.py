"""A query's passes in order, and the cache of plans.

A plan depends on the query's text, the schema and the API version alone: what a relative
date literal means, who asks and when the fiscal year starts is bound when the plan is run.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Generator, Sequence

from crmarena.clock import Clock
from crmarena.schema.objects import Schema
from crmarena.soql import ast
from crmarena.soql.compile import IDS, Given, Plan, compile_query, compile_restricted
from crmarena.soql.expressions import Parameter
from crmarena.soql.faults import fault
from crmarena.soql.fetch import fetch, fetch_some
from crmarena.soql.grouping import MAX_ROWS
from crmarena.soql.late import CALENDAR, FiscalYear, Late, Moment
from crmarena.soql.parse import parse
from crmarena.soql.resolve import resolve
from crmarena.soql.shape import Fetched, QueryResult, shaper
from crmarena.soql.tokens import Source
from crmarena.soql.viewer import NOBODY, Viewer
from crmarena.storage.database import Database

CACHE_SIZE = 1_024
LONGEST_CACHED = 20_000
"""Characters of a query whose plan is kept: so that the cache stays small whatever is asked."""

_Key = tuple[str, int, int, bool]
# The schema stays in the entry, so that its id stays its own.
_plans: dict[_Key, tuple[Plan, Schema]] = {}
_change = threading.Lock()


def run_query(
    database: Database,
    text: str,
    clock: Clock,
    *,
    api_version: int = 62,
    viewer: Viewer = NOBODY,
    all_rows: bool = False,
) -> QueryResult:
    """Run a SOQL query as a viewer. Raises SalesforceError, worded as the API version words it.

    With `all_rows` the records of the recycle bin are there too, as queryAll gives them.
    """
    key = (text, api_version, id(database.schema), all_rows)
    known = _plans.get(key)
    plan = known[0] if known is not None else _make_plan(database.schema, key)
    return _execute(database, plan, clock, viewer)


def _make_plan(schema: Schema, key: _Key) -> Plan:
    text, api_version, _, all_rows = key
    source = Source(text, api_version)
    plan = compile_query(resolve(schema, parse(source), source), all_rows=all_rows)
    if len(text) <= LONGEST_CACHED:
        with _change:
            if len(_plans) >= CACHE_SIZE:
                _plans.pop(next(iter(_plans)))
            _plans[key] = plan, schema
    return plan


def stream_query(
    database: Database,
    text: str,
    clock: Clock,
    size: int,
    *,
    api_version: int = 62,
    viewer: Viewer = NOBODY,
    all_rows: bool = False,
) -> Generator[QueryResult]:
    """Run a query of records without children, as many of them at a time. Raises SalesforceError."""
    plan = _make_plan(database.schema, (text, api_version, id(database.schema), all_rows))
    for rows in fetch_some(database, plan.sql, _values(database, plan, clock, viewer, ()), size):
        yield QueryResult(Fetched(plan.record, plan.width, rows, zone=viewer.zone), len(rows))


def select_records(
    database: Database,
    query: ast.Query,
    clock: Clock,
    ids: Sequence[str],
    source: Source | None = None,
    *,
    viewer: Viewer = NOBODY,
) -> QueryResult:
    """Run a parsed query over the records of some Ids, in their order where it has none of its own.

    `source` is the text the query was parsed from, for the window that errors show.
    """
    plan = plan_restricted(database.schema, query, IDS, source)
    return run_restricted(database, plan, (json.dumps(list(ids)),), clock, viewer=viewer)


def plan_restricted(schema: Schema, query: ast.Query, given: Given, source: Source | None = None) -> Plan:
    """The plan of a parsed query over given records."""
    return compile_restricted(resolve(schema, query, source), given)


def run_restricted(
    database: Database,
    plan: Plan,
    given: tuple[Parameter, ...],
    clock: Clock,
    *,
    viewer: Viewer = NOBODY,
) -> QueryResult:
    """Run a plan over the records that `given` tells, the first of its parameters."""
    return _execute(database, plan, clock, viewer, given)


def parse_text(text: str, api_version: int = 62) -> ast.Query:
    """The syntax tree of a query. Raises SalesforceError."""
    return parse(Source(text, api_version))


def clear_plan_cache() -> None:
    """Forget all plans and shapers."""
    with _change:
        _plans.clear()
    shaper.cache_clear()


def _execute(
    database: Database, plan: Plan, clock: Clock, viewer: Viewer, given: tuple[Parameter, ...] = ()
) -> QueryResult:
    fetched = _fetch(database, plan, clock, viewer, given)
    if plan.kind == "records":
        return QueryResult(fetched, len(fetched.rows))
    if plan.kind == "count":
        return QueryResult(None, fetched.rows[0][0])
    if len(fetched.rows) > MAX_ROWS:
        raise fault("aggregate_rows")
    return QueryResult(fetched, len(fetched.rows))


def _fetch(
    database: Database,
    plan: Plan,
    clock: Clock,
    viewer: Viewer,
    given: tuple[Parameter, ...] = (),
    parent_index: int | None = None,
) -> Fetched:
    rows = fetch(database, plan.sql, _values(database, plan, clock, viewer, given))
    children = []
    for child in plan.children:
        parents = (json.dumps([row[child.id_index] for row in rows]),)
        children.append(_fetch(database, child.plan, clock, viewer, parents, child.parent_index))
    return Fetched(plan.record, plan.width, rows, parent_index, tuple(children), viewer.zone)


def _values(
    database: Database, plan: Plan, clock: Clock, viewer: Viewer, given: tuple[Parameter, ...]
) -> Sequence[Parameter]:
    """The parameters of a plan, those settled that are known only now."""
    values: Sequence[Parameter] = plan.parameters
    if plan.late:
        fiscal = _fiscal_year(database) if plan.fiscal else CALENDAR
        moment = Moment(viewer.today(clock), viewer, fiscal)
        values = [value.at(moment) if isinstance(value, Late) else value for value in values]
    return (*given, *values[len(given) :]) if given else values


def _fiscal_year(database: Database) -> FiscalYear:
    """Read for each plan that needs it: a session may have changed the org's settings."""
    found = fetch(
        database, "SELECT FiscalYearStartMonth, UsesStartDateAsFiscalYearName FROM Organization LIMIT 1", ()
    )
    month, named_by_start = found[0] if found else (1, 0)
    return FiscalYear(month if month in range(1, 13) else 1, bool(named_by_start))

"""Aggregate queries: their statement, grouping sets of ROLLUP and CUBE, and the keys of their rows."""

from __future__ import annotations

import itertools

from crmarena.schema.fields import FieldType
from crmarena.soql.bound import (
    AddressColumn,
    Aggregate,
    BoundQuery,
    Comparable,
    DateCall,
    Expression,
    FieldColumn,
    Formatted,
    Grouping,
    Order,
    Output,
)
from crmarena.soql.faults import fault
from crmarena.soql.predicates import Sql
from crmarena.soql.shape import Record, Value

MAX_ROWS = 2_000

Group = FieldColumn | DateCall


def grouped_record(query: BoundQuery) -> Record:
    """The record of a row: aliases, field names, and `expr0`, `expr1`... for what has neither."""
    entries: dict[str, Value] = {}
    known: set[str] = set()
    unnamed = itertools.count()
    for index, output in enumerate(_outputs(query)):
        key = output_key(output, unnamed)
        if key.lower() in known:
            raise fault("duplicate_alias", name=key)
        known.add(key.lower())
        expression = output.expression
        style = expression.style if isinstance(expression, Formatted) else None
        flag = expression.type is FieldType.BOOLEAN
        entries[key] = Value(index, flag, optional=query.grouping is not None, style=style)
    return Record("AggregateResult", None, tuple(entries.items()), optional=False)


def grouped_sql(query: BoundQuery, sql: Sql, body: str) -> str:
    """The statement over a FROM and WHERE clause. One row more than may be shows that there are too many."""
    sets = _grouping_sets(query)
    if len(sets) == 1:
        text = _select(query, sql, body, sets[0])
        order = [directed(item, key) for item in query.order_by for key in sql.sort_keys(item.expression)]
    else:
        text, order = _union(query, sql, body, sets)
    ordered = f" ORDER BY {', '.join(order)}" if order else ""
    limit = MAX_ROWS + 1 if query.limit is None else min(query.limit, MAX_ROWS + 1)
    offset = f" OFFSET {sql.parameters.add(query.offset)}" if query.offset else ""
    return f"{text}{ordered} LIMIT {sql.parameters.add(limit)}{offset}"


def _outputs(query: BoundQuery) -> list[Output]:
    return [item for item in query.select if isinstance(item, Output)]


def output_key(output: Output, unnamed: itertools.count[int]) -> str:
    """The key of a selected value: its alias, the last name of its path, or the next number."""
    if output.alias is not None:
        return output.alias
    expression = output.expression
    if isinstance(expression, Formatted):
        expression = expression.argument
    if isinstance(expression, Aggregate | DateCall | Grouping):
        return f"expr{next(unnamed)}"
    return expression.key.rpartition(".")[2]


def _shown(expression: Expression) -> Comparable:
    """What is selected for an expression: a formatted one is formatted later."""
    if isinstance(expression, Formatted):
        return expression.argument
    if isinstance(expression, AddressColumn):
        raise TypeError("an address in a grouped query")
    return expression


def _grouping_sets(query: BoundQuery) -> list[tuple[Group, ...]]:
    groups = query.group_by
    counts = range(len(groups), -1, -1)
    if query.grouping == "ROLLUP":
        return [groups[:count] for count in counts]
    if query.grouping == "CUBE":
        return [kept for count in counts for kept in itertools.combinations(groups, count)]
    return [groups]


def _select(
    query: BoundQuery, sql: Sql, body: str, kept: tuple[Group, ...], extra: tuple[str, ...] = ()
) -> str:
    values = [sql.value(_shown(output.expression)) for output in _outputs(query)]
    columns = ", ".join(f"{value} AS a{index}" for index, value in enumerate([*values, *extra]))
    text = f"SELECT {columns} {body}"
    if query.grouped:
        # Grouped by a constant, all rows are one group, and no rows are none.
        text += f" GROUP BY {', '.join(sql.folded(group) for group in kept) or 'NULL'}"
    if query.having is not None:
        text += f" HAVING {sql.condition(query.having)}"
    return text


def _union(query: BoundQuery, plain: Sql, body: str, sets: list[tuple[Group, ...]]) -> tuple[str, list[str]]:
    """One SELECT for each grouping set; what they are ordered by stands in further columns."""
    texts = []
    order: list[str] = []
    for kept in sets:
        rolled = frozenset(group.key for group in query.group_by) - {group.key for group in kept}
        sql = plain.over(rolled)
        keys = [(item, key) for item in query.order_by for key in sql.sort_keys(item.expression)]
        texts.append(_select(query, sql, body, kept, tuple(key for _, key in keys)))
        first = len(_outputs(query))
        order = [directed(item, _column(first + place, key)) for place, (item, key) in enumerate(keys)]
    names = ", ".join(f"a{index}" for index in range(len(_outputs(query))))
    return f"SELECT {names} FROM ({' UNION ALL '.join(texts)})", order


def _column(index: int, key: str) -> str:
    # A column of a UNION has no collation of its own.
    return f"a{index} COLLATE NOCASE" if key.endswith("COLLATE NOCASE") else f"a{index}"


def directed(item: Order, key: str) -> str:
    """A sort key with its direction."""
    nulls = {None: "", True: " NULLS FIRST", False: " NULLS LAST"}[item.nulls_first]
    return f"{key}{' DESC' if item.descending else ''}{nulls}"

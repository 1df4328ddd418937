"""Semi- and anti-joins: where they may stand, and what their query may be."""

from __future__ import annotations

from collections.abc import Callable

from crmarena.schema.fields import ID_TYPES
from crmarena.soql import ast
from crmarena.soql.bound import BoundQuery, Column, Comparable, Output, Semi
from crmarena.soql.faults import fault_at
from crmarena.soql.operands import text_of
from crmarena.soql.scope import Scope

MAX_SEMI_JOINS = 2
NO_SEMI_JOIN = frozenset({"ActivityHistory", "Attachment", "Event", "Note", "OpenActivity", "Task"})
"""Objects whose records no semi-join selects."""
_REFUSED = {"or": "semi_or", "nested": "semi_nested"}

Operand = Callable[[ast.Operand], Comparable]
Inner = Callable[[ast.Query], BoundQuery]


class SemiJoins:
    """Binds the semi-joins of one clause of one query level.

    `operand` binds what stands on the left; `inner` binds the query, and is None where
    semi-joins are not allowed.
    """

    def __init__(self, scope: Scope, operand: Operand, inner: Inner | None, refusal: str = "") -> None:
        self._scope = scope
        self._operand = operand
        self._inner = inner
        self._refusal = refusal
        self._count = 0

    def bind(self, condition: ast.SemiJoin, place: str) -> Semi:
        """A semi-join that stands at the top level, under OR, or nested deeper."""
        query = condition.query
        bind_inner = self._inner
        if bind_inner is None or place in _REFUSED:
            raise fault_at(self._scope.source, query, _REFUSED.get(place, self._refusal))
        self._count += 1
        if self._count > MAX_SEMI_JOINS:
            raise fault_at(self._scope.source, query, "semi_count")
        left = self._left(condition.left)
        inner = bind_inner(query)
        selected = self._selected(query, inner)
        self._check_types(left, selected, inner, query)
        return Semi(left, condition.negated, inner, selected)

    def _left(self, left: ast.Operand) -> Column:
        column = self._operand(left)
        if not isinstance(column, Column) or column.steps or column.type not in ID_TYPES:
            raise fault_at(self._scope.source, left, "semi_left", name=text_of(left))
        return column

    def _selected(self, query: ast.Query, inner: BoundQuery) -> Column:
        clause = _forbidden_clause(query)
        if clause:
            raise fault_at(self._scope.source, query, "semi_clause", clause=clause)
        selected = inner.select[0]
        if len(inner.select) != 1 or inner.kind != "records" or not isinstance(selected, Output):
            raise fault_at(self._scope.source, query, "semi_single")
        column = selected.expression
        if not isinstance(column, Column) or column.steps or column.type not in ID_TYPES:
            raise fault_at(self._scope.source, query, "semi_inner", name=column.key)
        return column

    def _check_types(self, left: Column, selected: Column, inner: BoundQuery, query: ast.Query) -> None:
        source, outer_object = self._scope.source, self._scope.sobject.name
        if inner.sobject.name in NO_SEMI_JOIN:
            raise fault_at(source, query, "semi_object", object=inner.sobject.name)
        if inner.sobject.name == outer_object:
            raise fault_at(source, query, "semi_same")
        if not _targets(left, outer_object) & _targets(selected, inner.sobject.name):
            raise fault_at(source, query, "semi_types", inner=selected.key, outer=left.key)


def _targets(column: Column, object_name: str) -> frozenset[str]:
    return frozenset(column.field.reference_to) or frozenset({object_name})


def _forbidden_clause(query: ast.Query) -> str | None:
    found = (
        ("ORDER BY", query.order_by),
        ("GROUP BY", query.group_by),
        ("HAVING", query.having is not None),
        ("LIMIT", query.limit is not None),
        ("OFFSET", query.offset is not None),
        ("USING SCOPE", query.scope is not None),
        ("WITH", query.security or query.categories or query.visibility or query.user_id),
    )
    for clause, present in found:
        if present:
            return clause
    return query.tail[0] if query.tail else None

"""WHERE and HAVING: operators and values against field types; the rules of semi-joins."""

from __future__ import annotations

from collections.abc import Callable

from crmarena.schema import ids
from crmarena.schema.fields import DATE_TYPES, ID_TYPES, NUMBER_TYPES, TEXT_TYPES, FieldType
from crmarena.soql import ast
from crmarena.soql.ast import LiteralKind
from crmarena.soql.bound import (
    BoundQuery,
    Column,
    Condition,
    DateCall,
    Expression,
    Junction,
    Negation,
    Output,
    Semi,
    Test,
    Value,
)
from crmarena.soql.faults import Placed, fault_at
from crmarena.soql.scope import Scope
from crmarena.soql.tokens import Source

MAX_SEMI_JOINS = 2
_NO_SEMI_JOIN = frozenset({"ActivityHistory", "Attachment", "Event", "Note", "OpenActivity", "Task"})
_ORDERED = frozenset({"<", "<=", ">", ">="})

# What the error calls the type a literal should have had.
_TYPE_WORDS = {
    FieldType.ID: "ID",
    FieldType.REFERENCE: "reference",
    FieldType.CURRENCY: "double",
    FieldType.PERCENT: "double",
    FieldType.DATETIME: "dateTime",
}

Operand = Callable[[ast.Operand], Expression]
Inner = Callable[[ast.Query], BoundQuery]


class Conditions:
    """Binds the conditions of one clause of one query level.

    `operand` binds what may stand on the left in this clause; `inner` binds the query of
    a semi-join, and is None where semi-joins are not allowed.
    """

    def __init__(self, scope: Scope, operand: Operand, inner: Inner | None, refusal: str = "") -> None:
        self._scope = scope
        self._operand = operand
        self._inner = inner
        self._refusal = refusal
        self._semi_joins = 0

    def bind(self, condition: ast.Condition) -> Condition:
        """A whole clause."""
        return self._bind(condition, "top")

    def _bind(self, condition: ast.Condition, place: str) -> Condition:
        if isinstance(condition, ast.And | ast.Or):
            inside = _place_inside(condition, place)
            operator = "AND" if isinstance(condition, ast.And) else "OR"
            return Junction(operator, tuple(self._bind(term, inside) for term in condition.terms))
        if isinstance(condition, ast.Not):
            return Negation(self._bind(condition.term, "nested"))
        if isinstance(condition, ast.SemiJoin):
            return self._semi_join(condition, place)
        return self._test(condition)

    def _test(self, condition: ast.Comparison | ast.Membership) -> Test:
        expression = self._operand(condition.left)
        place = _field_of(condition.left)
        operator = condition.operator
        check_operator(self._scope.source, place, expression, operator)
        literals = condition.values if isinstance(condition, ast.Membership) else (condition.value,)
        values = tuple(check_value(self._scope.source, place, expression, literal) for literal in literals)
        return Test(expression, operator, values)

    def _semi_join(self, condition: ast.SemiJoin, place: str) -> Semi:
        query = condition.query
        bind_inner = self._inner
        if bind_inner is None or place in _REFUSED:
            raise fault_at(self._scope.source, query, _REFUSED.get(place, self._refusal))
        self._semi_joins += 1
        if self._semi_joins > MAX_SEMI_JOINS:
            raise fault_at(self._scope.source, query, "semi_count")
        left = self._semi_left(condition.left)
        inner = bind_inner(query)
        selected = self._semi_selected(query, inner)
        self._check_semi_types(left, selected, inner, query)
        return Semi(left, condition.negated, inner, selected)

    def _semi_left(self, left: ast.Operand) -> Column:
        column = self._operand(left)
        if not isinstance(column, Column) or column.steps or column.type not in ID_TYPES:
            raise fault_at(self._scope.source, left, "semi_left", name=text_of(left))
        return column

    def _semi_selected(self, query: ast.Query, inner: BoundQuery) -> Column:
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

    def _check_semi_types(self, left: Column, selected: Column, inner: BoundQuery, query: ast.Query) -> None:
        source, outer_object = self._scope.source, self._scope.sobject.name
        if inner.sobject.name in _NO_SEMI_JOIN:
            raise fault_at(source, query, "semi_object", object=inner.sobject.name)
        if inner.sobject.name == outer_object:
            raise fault_at(source, query, "semi_same")
        if not _targets(left, outer_object) & _targets(selected, inner.sobject.name):
            raise fault_at(source, query, "semi_types", inner=selected.key, outer=left.key)


_REFUSED = {"or": "semi_or", "nested": "semi_nested"}


def _place_inside(condition: ast.And | ast.Or, place: str) -> str:
    if place != "top":
        return "nested"
    return "and" if isinstance(condition, ast.And) else "or"


def _targets(column: Column, object_name: str) -> frozenset[str]:
    return frozenset(column.field.reference_to) or frozenset({object_name})


def _forbidden_clause(query: ast.Query) -> str | None:
    if query.order_by:
        return "ORDER BY"
    if query.group_by or query.having is not None:
        return "GROUP BY" if query.group_by else "HAVING"
    if query.limit is not None:
        return "LIMIT"
    if query.offset is not None:
        return "OFFSET"
    return query.tail[0] if query.tail else None


def check_operator(source: Source | None, place: Placed, expression: Expression, operator: str) -> None:
    """Refuse an operator that the type of what stands on its left does not have."""
    kind = expression.type
    refused = (
        operator in {"INCLUDES", "EXCLUDES"}
        or (operator == "LIKE" and kind not in TEXT_TYPES)
        or (operator in _ORDERED and kind is FieldType.BOOLEAN)
    )
    if refused:
        word = "id" if kind in ID_TYPES else kind.value
        raise fault_at(source, place, "operator", type=word)


def check_value(source: Source | None, place: Placed, expression: Expression, literal: ast.Literal) -> Value:
    """A literal as the column of an expression holds it. Raises SalesforceError for a wrong type."""
    kind = expression.type
    value = literal.value
    if literal.kind is LiteralKind.NULL:
        return 0 if kind is FieldType.BOOLEAN else None
    if kind in TEXT_TYPES or kind in ID_TYPES:
        if not isinstance(value, str) or literal.kind not in {LiteralKind.STRING, LiteralKind.PATTERN}:
            raise _wrong_type(source, place, expression, "needs_quotes")
        if value == "" and literal.kind is LiteralKind.STRING:
            return None  # there are no empty texts in the database
        return _record_id(source, place, value) if kind in ID_TYPES else value
    if not _fits(kind, literal.kind):
        raise _wrong_type(source, place, expression, "no_quotes")
    return int(value) if isinstance(value, bool) else value


def _fits(kind: FieldType, literal: LiteralKind) -> bool:
    if kind in NUMBER_TYPES:
        return literal is LiteralKind.NUMBER
    if kind is FieldType.BOOLEAN:
        return literal is LiteralKind.BOOLEAN
    fixed = LiteralKind.DATE if kind is FieldType.DATE else LiteralKind.DATETIME
    return kind in DATE_TYPES and literal in {fixed, LiteralKind.RELATIVE}


def _record_id(source: Source | None, place: Placed, value: str) -> str:
    record_id = ids.to_18(value)
    if record_id is None:
        raise fault_at(source, place, "invalid_id", value=value)
    return record_id


def _wrong_type(source: Source | None, place: Placed, expression: Expression, key: str) -> Exception:
    kind = expression.type
    word = "string" if kind in TEXT_TYPES else _TYPE_WORDS.get(kind, kind.value)
    return fault_at(source, place, key, name=_field_name(expression), type=word)


def _field_name(expression: Expression) -> str:
    if isinstance(expression, DateCall) or not hasattr(expression, "field"):
        return expression.key
    return str(expression.field.name)


def _field_of(operand: ast.Operand) -> ast.Operand:
    return operand.argument if isinstance(operand, ast.Call) and operand.argument else operand


def text_of(operand: ast.Operand) -> str:
    """An operand as written."""
    if isinstance(operand, ast.Path):
        return operand.text
    return f"{operand.function}({text_of(operand.argument) if operand.argument else ''})"

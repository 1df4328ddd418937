"""WHERE and HAVING: operators and values against field types."""

from __future__ import annotations

from crmarena.schema import ids
from crmarena.schema.fields import DATE_TYPES, ID_TYPES, NUMBER_TYPES, TEXT_TYPES, FieldType
from crmarena.soql import ast
from crmarena.soql.ast import LiteralKind
from crmarena.soql.bound import Comparable, Condition, DateCall, Distance, Junction, Negation, Test, Value
from crmarena.soql.faults import Placed, fault_at
from crmarena.soql.scope import Scope
from crmarena.soql.semi_joins import Operand, SemiJoins
from crmarena.soql.tokens import Source

_ORDERED = frozenset({"<", "<=", ">", ">="})
_SETS = frozenset({"INCLUDES", "EXCLUDES"})
_UNORDERED_TYPES = frozenset({FieldType.BOOLEAN, FieldType.MULTIPICKLIST})

# What the error calls the type a literal should have had.
_TYPE_WORDS = {
    FieldType.ID: "ID",
    FieldType.REFERENCE: "reference",
    FieldType.CURRENCY: "double",
    FieldType.PERCENT: "double",
    FieldType.DATETIME: "dateTime",
}


class Conditions:
    """Binds the conditions of one clause of one query level.

    `operand` binds what may stand on the left in this clause.
    """

    def __init__(self, scope: Scope, operand: Operand, semi_joins: SemiJoins) -> None:
        self._source = scope.source
        self._operand = operand
        self._semi_joins = semi_joins

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
            return self._semi_joins.bind(condition, place)
        return self._test(condition)

    def _test(self, condition: ast.Comparison | ast.Membership) -> Test:
        expression = self._operand(condition.left)
        place = _field_of(condition.left)
        operator = condition.operator
        check_operator(self._source, place, expression, operator)
        literals = condition.values if isinstance(condition, ast.Membership) else (condition.value,)
        values = tuple(check_value(self._source, place, expression, literal) for literal in literals)
        return Test(expression, operator, values)


def _place_inside(condition: ast.And | ast.Or, place: str) -> str:
    if place != "top":
        return "nested"
    return "and" if isinstance(condition, ast.And) else "or"


def check_operator(source: Source | None, place: Placed, expression: Comparable, operator: str) -> None:
    """Refuse an operator that the type of what stands on its left does not have."""
    if isinstance(expression, Distance):
        if operator not in {"<", ">"}:
            raise fault_at(source, place, "distance_operator")
        return
    kind = expression.type
    refused = (
        (operator in _SETS and kind is not FieldType.MULTIPICKLIST)
        or (operator == "LIKE" and (kind not in TEXT_TYPES or kind is FieldType.MULTIPICKLIST))
        or (operator in _ORDERED and kind in _UNORDERED_TYPES)
    )
    if refused:
        word = "id" if kind in ID_TYPES else kind.value
        raise fault_at(source, place, "operator", type=word)


def check_value(source: Source | None, place: Placed, expression: Comparable, literal: ast.Literal) -> Value:
    """A literal as the column of an expression holds it. Raises SalesforceError for a wrong type."""
    kind = expression.type
    value = literal.value
    if isinstance(value, ast.Money):
        raise _wrong_currency(source, place, expression, value)
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


def _wrong_currency(
    source: Source | None, place: Placed, expression: Comparable, money: ast.Money
) -> Exception:
    """An amount in a named currency: wrong for other fields, and refused in an org of one currency."""
    if expression.type is not FieldType.CURRENCY:
        key = "needs_quotes" if expression.type in TEXT_TYPES | ID_TYPES else "no_quotes"
        return _wrong_type(source, place, expression, key)
    return fault_at(source, place, "currency_literal", value=f"{money.code}{money.amount}")


def _wrong_type(source: Source | None, place: Placed, expression: Comparable, key: str) -> Exception:
    kind = expression.type
    word = "string" if kind in TEXT_TYPES else _TYPE_WORDS.get(kind, kind.value)
    return fault_at(source, place, key, name=_field_name(expression), type=word)


def _field_name(expression: Comparable) -> str:
    if isinstance(expression, DateCall) or not hasattr(expression, "field"):
        return expression.key
    return str(expression.field.name)


def _field_of(operand: ast.Operand) -> ast.Operand:
    return operand.argument if isinstance(operand, ast.Call) and operand.argument else operand

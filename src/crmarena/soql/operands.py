"""Fields and functions against the schema: what may stand in which clause, over which fields."""

from __future__ import annotations

from collections.abc import Callable

from crmarena.schema.fields import Field, FieldType
from crmarena.soql import ast, functions
from crmarena.soql.bound import (
    AddressColumn,
    Aggregate,
    DateCall,
    Distance,
    Expression,
    FieldColumn,
    Formatted,
    Grouping,
)
from crmarena.soql.faults import fault, fault_at
from crmarena.soql.scope import Scope
from crmarena.storage.functions import EARTH_RADIUS

_NAMES = {name.upper(): name for name in functions.SUPPORTED}


class Operands:
    """Binds the operands of one query level."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._source = scope.source

    def bind(self, operand: ast.Operand, clause: str) -> Expression:
        """An operand that stands in a clause (`SELECT`, `WHERE`, `GROUP BY`, `HAVING`, `ORDER BY`)."""
        if isinstance(operand, ast.Path):
            return self._scope.column(operand)
        name = "DISTANCE" if isinstance(operand, ast.Distance) else operand.function
        self._check_place(operand, name, clause)
        if isinstance(operand, ast.Distance):
            return self._distance(operand)
        if name in functions.AGGREGATES:
            return self._aggregate(operand)
        if name in functions.DATE_FUNCTIONS:
            return self._date_call(operand)
        if name == "GROUPING":
            return self._grouping(operand)
        if name == "FORMAT":
            return self._formatted(operand)
        return self._plain(operand)

    def _check_place(self, operand: ast.Call | ast.Distance, name: str, clause: str) -> None:
        known = _NAMES.get(name)
        if known is None:
            raise fault_at(self._source, operand, "unknown_function", name=text_of(operand))
        if clause in functions.SUPPORTED[known]:
            return
        if name in functions.AGGREGATES or name == "GROUPING":
            raise fault("aggregate_place", function=name, name=text_of(operand))
        raise self._misplaced(operand, known)

    def _misplaced(self, operand: ast.Operand, name: str) -> Exception:
        shown = name if name.isupper() else f"{name}()"
        return fault_at(self._source, operand, "function_place", function=shown, name=text_of(operand))

    def _column(self, call: ast.Call, takes: Callable[[FieldType], bool]) -> FieldColumn:
        """The field of a function that takes fields of some types."""
        column = self._field(call)
        if isinstance(column, AddressColumn) or not takes(column.type):
            raise self._wrong_type(call, column.field, call.function)
        return column

    def _field(self, call: ast.Call) -> FieldColumn | AddressColumn:
        if isinstance(call.argument, ast.Path):
            return self._scope.column(call.argument)
        inner = call.argument or call
        known = _NAMES.get(inner.function)
        if known is None:
            raise fault_at(self._source, inner, "unknown_function", name=text_of(inner))
        raise self._misplaced(inner, known)

    def _wrong_type(self, call: ast.Call, field: Field, function: str) -> Exception:
        known = _NAMES[function]
        shown = known if known.isupper() else f"{known}()"
        return fault_at(self._source, call, "function_type", name=field.name, function=shown)

    def _aggregate(self, call: ast.Call) -> Aggregate:
        column = self._field(call)
        if isinstance(column, AddressColumn) or not functions.aggregates(call.function, column.field):
            raise fault("aggregate_type", name=column.field.name, function=call.function)
        return Aggregate(call.function, column, f"{call.function}({column.key})")

    def _date_call(self, call: ast.Call) -> DateCall:
        inner = call
        local = isinstance(call.argument, ast.Call) and call.argument.function == "CONVERTTIMEZONE"
        if isinstance(call.argument, ast.Call) and local:
            inner = call.argument
            if not isinstance(inner.argument, ast.Path):
                raise self._misplaced(inner, "convertTimezone")
        column = self._field(inner)
        if isinstance(column, AddressColumn):
            raise self._wrong_type(call, column.field, call.function)
        for function in (call.function, inner.function):
            if not functions.takes_date(function, column.type):
                raise self._wrong_type(call, column.field, function)
        argument = f"convertTimezone({column.key})" if local else column.key
        return DateCall(call.function, column, f"{call.function}({argument})", local)

    def _grouping(self, call: ast.Call) -> Grouping:
        argument: FieldColumn | DateCall
        if isinstance(call.argument, ast.Call) and call.argument.function in functions.DATE_FUNCTIONS:
            argument = self._date_call(call.argument)
        else:
            argument = self._column(call, lambda kind: True)
        return Grouping(argument, f"GROUPING({argument.key})")

    def _formatted(self, call: ast.Call) -> Formatted:
        inner = call.argument
        if isinstance(inner, ast.Call) and inner.function in functions.AGGREGATES:
            argument: FieldColumn | Aggregate = self._aggregate(inner)
        elif isinstance(inner, ast.Call) and inner.function == "CONVERTCURRENCY":
            argument = self._plain(inner)
        else:
            argument = self._column(call, functions.takes_format)
        if not functions.takes_format(argument.type):
            raise self._wrong_type(call, _field_of(argument), "FORMAT")
        return Formatted(argument, f"FORMAT({argument.key})")

    def _plain(self, call: ast.Call) -> FieldColumn:
        """What is the field's own value here: labels are values, and all amounts are in one currency."""
        if call.function == "TOLABEL":
            return self._column(call, functions.takes_label)
        if call.function == "CONVERTCURRENCY":
            return self._column(call, functions.takes_currency)
        raise self._misplaced(call, _NAMES[call.function])

    def _distance(self, node: ast.Distance) -> Distance:
        address = self._scope.column(node.place)
        if not isinstance(address, AddressColumn):
            raise fault_at(self._source, node.place, "distance_field")
        key = f"DISTANCE({address.key},{node.latitude},{node.longitude},{node.unit})"
        return Distance(address, node.latitude, node.longitude, EARTH_RADIUS[node.unit], key)


def _field_of(expression: FieldColumn | Aggregate) -> Field:
    return expression.argument.field if isinstance(expression, Aggregate) else expression.field


def text_of(operand: ast.Operand) -> str:
    """An operand as written."""
    if isinstance(operand, ast.Path):
        return operand.text
    if isinstance(operand, ast.Distance):
        return f"DISTANCE({operand.place.text})"
    name = _NAMES.get(operand.function, operand.function)
    return f"{name}({text_of(operand.argument) if operand.argument else ''})"

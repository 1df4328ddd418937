"""What the columns of a query's answer are: the payload behind `columns=true`."""

from __future__ import annotations

import itertools
from typing import Any

from crmarena.schema.fields import ID_TYPES, NUMBER_TYPES, TEXT_TYPES, Field, FieldType
from crmarena.schema.objects import Schema
from crmarena.soql.bound import (
    Aggregate,
    BoundQuery,
    Branches,
    Children,
    Column,
    Expression,
    Formatted,
    Output,
    Selected,
    Step,
)
from crmarena.soql.grouping import output_key
from crmarena.soql.parse import parse
from crmarena.soql.resolve import resolve
from crmarena.soql.tokens import Source

_APEX_TYPES = {
    **dict.fromkeys(ID_TYPES, "Id"),
    **dict.fromkeys(TEXT_TYPES, "String"),
    **dict.fromkeys(NUMBER_TYPES, "Double"),
    FieldType.INT: "Integer",
    FieldType.BOOLEAN: "Boolean",
    FieldType.DATE: "Date",
    FieldType.DATETIME: "Datetime",
    FieldType.ADDRESS: "Address",
}


def describe_columns(schema: Schema, text: str, api_version: int = 62) -> dict[str, Any]:
    """The columns of a query, parents and children as columns that hold columns. Raises SalesforceError."""
    source = Source(text, api_version)
    query = resolve(schema, parse(source), source)
    outputs = (item.expression for item in query.select if isinstance(item, Output))
    return {
        "columnMetadata": _columns(query),
        "entityName": query.sobject.name,
        "groupBy": query.grouped,
        "idSelected": any(isinstance(one, Column) and one.key == "Id" for one in outputs),
        "keyPrefix": query.sobject.key_prefix,
    }


def _columns(query: BoundQuery) -> list[dict[str, Any]]:
    unnamed = itertools.count()
    columns: list[dict[str, Any]] = []
    for item in query.select:
        name = output_key(item, unnamed) if isinstance(item, Output) else ""
        if isinstance(item, Output) and query.kind == "aggregate":
            # The rows of a grouped query have no parents: `Account.Name` is `Name` there.
            columns.append(_computed(item.expression, name))
        else:
            _add(columns, item, name)
    return columns


def _add(columns: list[dict[str, Any]], item: Selected, name: str) -> None:
    if isinstance(item, Children):
        columns.append(_column(item.relationship, aggregate=True, inside=_columns(item.query)))
    elif isinstance(item, Branches):
        inside = [column for _, outputs in item.branches for column in _named(outputs)]
        columns.append(_parent(item.step, [*inside, *_named(item.otherwise)]))
    elif item.alias is None and isinstance(field := getattr(item.expression, "field", None), Field):
        _add_field(columns, item.expression, field, name)
    else:
        columns.append(_computed(item.expression, name))


def _named(outputs: tuple[Output, ...]) -> list[dict[str, Any]]:
    columns: list[dict[str, Any]] = []
    for output in outputs:
        _add(columns, output, output.expression.key.rpartition(".")[2])
    return columns


def _add_field(columns: list[dict[str, Any]], expression: Expression, field: Field, name: str) -> None:
    """A field stands inside the columns of the parents that lead to it."""
    for step in getattr(expression, "steps", ()):
        found = next((one for one in columns if one["columnName"] == step.relationship), None)
        if found is None:
            found = _parent(step, [])
            columns.append(found)
        columns = found["joinColumns"]
    columns.append(_of_field(field, name))


def _of_field(field: Field, name: str) -> dict[str, Any]:
    return {
        **_column(name, kind=field.type),
        "apexType": _APEX_TYPES[field.type],
        "custom": field.custom,
        "insertable": field.createable,
        "updatable": field.updateable,
    }


def _computed(expression: Expression, name: str) -> dict[str, Any]:
    """A function: shown as `count(Id)`, keyed by its alias or its number."""
    field = getattr(expression, "field", None)
    if isinstance(field, Field):
        return {**_of_field(field, name), "displayName": field.name}
    if isinstance(expression, Formatted) and not isinstance(expression.argument, Aggregate):
        return _column(name, kind=expression.type)
    function, bracket, rest = expression.key.partition("(")
    shown = f"{function.lower()}{bracket}{rest}"
    return {**_column(name, aggregate=True, kind=expression.type), "displayName": shown}


def _parent(step: Step, inside: list[dict[str, Any]]) -> dict[str, Any]:
    return {**_column(step.relationship, inside=inside), "foreignKeyName": step.joins[0].on_field}


def _column(
    name: str,
    *,
    aggregate: bool = False,
    kind: FieldType | None = None,
    inside: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    return {
        "aggregate": aggregate,
        "apexType": None,
        "booleanType": kind is FieldType.BOOLEAN,
        "columnName": name,
        "custom": False,
        "displayName": name,
        "foreignKeyName": None,
        "insertable": False,
        "joinColumns": inside or [],
        "numberType": kind in NUMBER_TYPES,
        "textType": kind in TEXT_TYPES,
        "updatable": False,
    }

"""The labels of the fields that a search gives: what `WITH METADATA = 'LABELS'` adds to the answer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from crmarena.schema.objects import Schema, SObject
from crmarena.soql import ast as soql
from crmarena.sosl.ast import Returning


def labels_of(schema: Schema, objects: Iterable[tuple[Returning, SObject]]) -> dict[str, Any]:
    """The `metadata` member of an answer: for each object the names and labels of its listed fields."""
    return {"entityMetadata": [_entity(schema, entry, sobject) for entry, sobject in objects]}


def _entity(schema: Schema, entry: Returning, sobject: SObject) -> dict[str, Any]:
    fields = [_label(schema, sobject, item.expression) for item in entry.query.select]
    return {"entityName": sobject.name, "fieldMetadata": fields}


def _label(schema: Schema, sobject: SObject, expression: object) -> dict[str, str]:
    while isinstance(expression, soql.Call):
        expression = expression.argument
    if not isinstance(expression, soql.Path):
        raise TypeError(f"{expression!r} is no field")
    *parents, last = expression.parts
    if parents and parents[0].lower() == sobject.name.lower() and sobject.parent(parents[0]) is None:
        parents = parents[1:]
    names = []
    target: SObject | None = sobject
    for part in parents:
        reference = target.parent(part) if target else None
        names.append(part if reference is None else reference.relationship_name or part)
        several = reference is None or reference.polymorphic
        target = None if several or reference is None else schema.objects[reference.reference_to[0]]
    field = target.field(last) if target else None
    name = last if field is None else field.name
    return {"name": ".".join([*names, name]), "label": name if field is None else field.label}

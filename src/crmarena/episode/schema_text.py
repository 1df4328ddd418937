"""The schema as an agent reads it: every object with its fields, one line each."""

from __future__ import annotations

from crmarena.schema.fields import Field
from crmarena.schema.objects import Schema


def describe(schema: Schema) -> str:
    """One line an object: its published fields, Id first, with the object a reference points to."""
    lines = []
    for sobject in schema.objects.values():
        if sobject.published:
            fields = [_field(schema, f) for f in sobject.fields.values() if f.published or f.name == "Id"]
            lines.append(f"{sobject.name}: {', '.join(fields)}")
    return "\n".join(lines)


def _field(schema: Schema, field: Field) -> str:
    known = map(schema.objects.get, field.reference_to)
    targets = [sobject.name for sobject in known if sobject is not None and sobject.published]
    return f"{field.name} -> {' or '.join(targets)}" if targets else field.name

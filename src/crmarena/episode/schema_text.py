"""The schema as an agent reads it: every object with its fields, one line each."""

from __future__ import annotations

from crmarena.schema.fields import Field
from crmarena.schema.objects import Schema


def describe(schema: Schema) -> str:
    """One line an object: its published fields, Id first, with the object a reference points to."""
    lines = []
    for sobject in schema.objects.values():
        if sobject.published:
            fields = [_field(f) for f in sobject.fields.values() if f.published or f.name == "Id"]
            lines.append(f"{sobject.name}: {', '.join(fields)}")
    return "\n".join(lines)


def _field(field: Field) -> str:
    if not field.reference_to:
        return field.name
    return f"{field.name} -> {' or '.join(field.reference_to)}"

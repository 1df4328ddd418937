"""The names and words that may be offered at a cursor, without regard to where it is."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from crmarena import resources
from crmarena.cli.shell.names import MAX_LEVELS, Subject
from crmarena.schema.fields import DATE_TYPES, ID_TYPES, NUMBER_TYPES, Field, FieldType
from crmarena.schema.objects import Schema

Offer = tuple[str, str, str]
"""Text, kind and note of a candidate."""

_CHOICES = frozenset({FieldType.PICKLIST, FieldType.MULTIPICKLIST, FieldType.COMBOBOX})


@functools.cache
def words() -> dict[str, Any]:
    """The words of SOQL and SOSL that are no names of the org."""
    found: dict[str, Any] = resources.read_json("cli/shell/words.json")
    return found


def keywords(names: Iterable[str]) -> Iterator[Offer]:
    """Words of the language."""
    return ((name, "keyword", "") for name in names)


def functions(names: Iterable[str]) -> Iterator[Offer]:
    """Functions, with the parenthesis that always follows."""
    return ((f"{name}(", "function", "") for name in names)


def objects(schema: Schema, *, searchable: bool = False) -> Iterator[Offer]:
    """The objects of the org."""
    for sobject in schema.objects.values():
        if sobject.searchable or not searchable:
            yield sobject.name, "object", sobject.label


def relationships(schema: Schema, owner: Subject | None) -> Iterator[Offer]:
    """The child relationships of an object; of all, while it is not known which object is meant."""
    for sobject in [owner.sobject] if owner else schema.objects.values():
        for child in sobject.child_relationships:
            yield child.name, "children", f"{child.child} by {child.field}"


def fields(subject: Subject | None, typed: str, wanted: Callable[[Field], bool]) -> Iterator[Offer]:
    """The fields at the end of the path being typed, then the parents that it may go on to."""
    path, dot, _ = typed.rpartition(".")
    owner = subject.owner(path) if subject else None
    if subject is not None and path and subject.several(path):
        yield from name_fields(f"{path}.")
    elif owner is not None:
        for field in owner.fields.values():
            if wanted(field):
                yield f"{path}{dot}{field.name}", "field", note(field)
        yield from parents(subject, typed, "." if path.count(".") + 1 < MAX_LEVELS else None)


def name_fields(prefix: str = "") -> Iterator[Offer]:
    """What is read through a reference to several objects: the fields of Salesforce's Name object."""
    return ((prefix + name, "field", "") for name in words()["name_fields"])


def any_fields(schema: Schema, typed: str) -> Iterator[Offer]:
    """The fields of all objects, while it is not known which object is meant."""
    if typed and "." not in typed:
        names = {field.name for sobject in schema.objects.values() for field in sobject.fields.values()}
        yield from ((name, "field", "") for name in sorted(names))


def parents(subject: Subject | None, typed: str, end: str | None) -> Iterator[Offer]:
    """The parents that the path being typed may go on to; `end` is what stands behind each."""
    path, dot, _ = typed.rpartition(".")
    owner = subject.owner(path) if subject else None
    if subject is None or owner is None or end is None:
        return
    for field in owner.fields.values():
        if field.relationship_name:
            yield f"{path}{dot}{field.relationship_name}{end}", "parent", note(field)
    if not path:
        yield from ((f"{alias}.", "parent", "") for alias in subject.aliases)


def values(field: Field) -> Iterator[Offer]:
    """The values that a picklist lists, as they are written."""
    for value in field.picklist:
        yield f"'{escaped(value)}'", "value", ""


def escaped(value: str) -> str:
    """A text as it is written between quotes."""
    return value.replace("\\", "\\\\").replace("'", "\\'")


def literals(field: Field | None) -> Iterator[Offer]:
    """What may be compared with a field, or with something that is not known."""
    if field is None or field.type in DATE_TYPES:
        yield from ((name, "literal", "") for name in words()["date_literals"])
    if field is not None and field.type in _CHOICES:
        yield from values(field)
    if field is None or field.type is FieldType.BOOLEAN:
        yield from keywords(["TRUE", "FALSE"])
    yield from keywords(["NULL"])


def operators(field: Field | None) -> Iterator[Offer]:
    """The operators that a field may be compared by."""
    if field is not None and field.type is FieldType.MULTIPICKLIST:
        return keywords(words()["list_operators"])
    if field is not None and field.type is FieldType.BOOLEAN:
        return keywords(["=", "!="])
    exact = field is not None and field.type in NUMBER_TYPES | DATE_TYPES | ID_TYPES
    return keywords(name for name in words()["operators"] if not (exact and name == "LIKE"))


def argument(function: str) -> Callable[[Field], bool]:
    """Which fields a function takes, by its name in upper case."""
    if function in {"DAY_ONLY", "HOUR_IN_DAY", "CONVERTTIMEZONE"}:
        return lambda field: field.type is FieldType.DATETIME
    if function in words()["date_functions"]:
        return lambda field: field.type in DATE_TYPES
    if function in {"SUM", "AVG"}:
        return lambda field: field.type in NUMBER_TYPES
    if function == "TOLABEL":
        return lambda field: field.type in _CHOICES
    if function == "CONVERTCURRENCY":
        return lambda field: field.type is FieldType.CURRENCY
    if function in {"ROLLUP", "CUBE", "GROUPING"}:
        return lambda field: field.groupable
    return lambda field: not field.long_text


def note(field: Field) -> str:
    """A field's type, and what it points to."""
    return f"to {', '.join(field.reference_to)}" if field.reference_to else field.type.value

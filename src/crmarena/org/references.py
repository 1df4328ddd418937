"""What a written record must satisfy among the others: parents that are there, values that are its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crmarena.errors import SalesforceError
from crmarena.org.faults import fault
from crmarena.org.records import Records
from crmarena.org.rules import ForeignKey, Given
from crmarena.schema.fields import Field, FieldType
from crmarena.schema.ids import to_18
from crmarena.schema.objects import SObject


def settle_parents(records: Records, sobject: SObject, given: Given) -> dict[str, Any]:
    """What was given, each parent that was named by a key replaced with its Id. Raises SalesforceError."""
    return {
        name: _parent_id(records, sobject.fields[name], value) if isinstance(value, ForeignKey) else value
        for name, value in given.items()
    }


def check_parents(records: Records, sobject: SObject, written: Mapping[str, Any]) -> None:
    """Raises SalesforceError for a reference to no record, or to one of another object."""
    for name, value in written.items():
        field = sobject.fields[name]
        if value is not None and field.type is FieldType.REFERENCE and not _leads(records, field, value):
            raise _no_parent(records, field, value)


def check_unique(records: Records, sobject: SObject, written: Mapping[str, Any], own_id: str | None) -> None:
    """Raises SalesforceError DUPLICATE_VALUE for a value that another record has."""
    for name, value in written.items():
        if value is None or not sobject.fields[name].unique:
            continue
        for record_id in records.table(sobject.name).ids_where(name, value):
            if record_id != own_id:
                raise fault("duplicate", name=name, id=record_id)


def find_by_key(records: Records, sobject: SObject, field: Field, value: str) -> str | None:
    """The Id of the record with a value in a key field; None without one.

    Raises SalesforceError with HTTP status 300 for several.
    """
    if field.name == "Id":
        wanted = to_18(value) or value
        return wanted if records.table(sobject.name).holds(wanted) else None
    found = records.table(sobject.name).ids_where(field.name, value)
    if len(found) > 1:
        raise fault("several", record_ids=tuple(found), name=field.name, ids=", ".join(found))
    return found[0] if found else None


def key_field(sobject: SObject, name: str) -> Field:
    """The field of a name, if records may be found by it. Raises SalesforceError NOT_FOUND."""
    field = sobject.field(name)
    if field is None or not field.id_lookup:
        raise fault("no_external_id", name=name)
    return field


def _leads(records: Records, field: Field, value: str) -> bool:
    known = [name for name in field.reference_to if name in records.schema.objects]
    by_prefix = records.schema.object_of_id(value)
    if by_prefix is not None and by_prefix.name in known:
        # The object whose prefix the Id has is the likely one: look there first.
        known.sort(key=lambda name: name != by_prefix.name)
    return any(records.table(name).holds(value) for name in known)


def _no_parent(records: Records, field: Field, value: str) -> SalesforceError:
    sobject = records.schema.object_of_id(value)
    elsewhere = sobject is not None and sobject.name not in field.reference_to
    if to_18(value) is None or elsewhere:
        return fault("wrong_reference", fields=(field.name,), label=field.label, value=value)
    return fault("no_reference")


def _parent_id(records: Records, field: Field, key: ForeignKey) -> str:
    for name in _parents(records, field, key):
        sobject = records.schema.objects[name]
        named = sobject.field(key.field)
        if named is None or not named.id_lookup:
            continue
        found = find_by_key(records, sobject, named, key.value)
        if found is None:
            raise fault("no_foreign_key", value=key.value, name=named.name, object=sobject.name)
        return found
    target = key.object or field.reference_to[0]
    raise fault("unknown_field", name=key.field, object=target)


def _parents(records: Records, field: Field, key: ForeignKey) -> list[str]:
    """The objects that a parent named by a key may belong to."""
    known = [name for name in field.reference_to if name in records.schema.objects]
    if key.object is None:
        return known
    return [name for name in known if name.lower() == key.object.lower()]

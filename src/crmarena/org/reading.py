"""One record by its Id or by an external id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from crmarena.org.faults import fault
from crmarena.org.references import key_field
from crmarena.org.table import Record, Table
from crmarena.schema.fields import Field, FieldType
from crmarena.schema.ids import to_18
from crmarena.schema.objects import SObject
from crmarena.storage.database import Database


def get(database: Database, object_name: str, record_id: str, fields: Sequence[str] | None) -> Record:
    """The fields of a record, all unless named, by an Id of either length. Raises SalesforceError."""
    sobject = _object(database, object_name)
    wanted = _fields(sobject, fields)
    table = Table(database.connection, sobject)
    # An imported org may hold Ids that Salesforce would not make.
    whole = to_18(record_id)
    found = table.find(whole or record_id)
    if found is not None:
        return _shown(sobject, found[1], wanted)
    if table.find_deleted(whole or record_id) is not None:
        raise fault("deleted")
    raise fault("no_external_id", name=record_id) if whole is None else fault("no_resource")


def get_by(
    database: Database, object_name: str, field_name: str, value: str, fields: Sequence[str] | None
) -> Record:
    """The fields of the record with a value in an external id field. Raises SalesforceError.

    HTTP status 300 with `record_ids` where several have it.
    """
    sobject = _object(database, object_name)
    key = key_field(sobject, field_name)
    if key.name == "Id":
        return get(database, object_name, value, fields)
    found = Table(database.connection, sobject).ids_where(key.name, value)
    if len(found) > 1:
        raise fault("several", record_ids=tuple(found), name=key.name, ids=", ".join(found))
    if not found:
        raise fault("no_resource")
    return get(database, object_name, found[0], fields)


def _object(database: Database, name: str) -> SObject:
    sobject = database.schema.object(name)
    if sobject is None:
        raise fault("no_resource")
    return sobject


def _fields(sobject: SObject, names: Sequence[str] | None) -> list[Field]:
    if names is None:
        return list(sobject.fields.values())
    fields = []
    for name in names:
        field = sobject.field(name)
        if field is None:
            raise fault("unknown_field", name=name, object=sobject.name)
        fields.append(field)
    return fields


def _shown(sobject: SObject, record: Record, fields: Sequence[Field]) -> Record:
    return {f.name: record[f.name] if f.stored else _compound(sobject, f, record) for f in fields}


def _compound(sobject: SObject, field: Field, record: Mapping[str, Any]) -> Record | None:
    """A compound field put together from its parts: `BillingCity` is its `city`."""
    prefix = field.name.removesuffix("Address") if field.type is FieldType.ADDRESS else ""
    parts = [f for f in sobject.fields.values() if f.compound == field.name]
    names = {part.name.removeprefix(prefix): record[part.name] for part in parts}
    if all(value is None for value in names.values()):
        return None
    return {name[0].lower() + name[1:]: names[name] for name in sorted(names)}

"""The records that a path of relationships leads to: `Contact/003.../Account/Owner`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from crmarena.errors import SalesforceError
from crmarena.org.faults import fault as record_fault
from crmarena.schema.fields import Field
from crmarena.schema.objects import ChildRelationship, SObject
from crmarena.server.caller import Caller
from crmarena.server.faults import fault
from crmarena.server.settings import PAGE_SIZE
from crmarena.soql.ast import Literal, LiteralKind
from crmarena.soql.print import literal


@dataclass(frozen=True)
class Found:
    """A record, or the children of one through a relationship."""

    sobject: SObject
    record_id: str
    children: ChildRelationship | None = None


def follow(by: Caller, object_name: str, record_id: str, path: str) -> Found:
    """What relationships lead to, parents first; children end the path. Raises SalesforceError NOT_FOUND."""
    sobject = by.desk.schema.object(object_name)
    if sobject is None:
        raise fault("no_resource")
    found = Found(sobject, record_id)
    for name in path.split("/"):
        if found.children is not None:
            raise fault("no_resource")
        found = _step(by, found, name)
    return found


def children(by: Caller, found: Found, fields: list[str] | None) -> dict[str, Any]:
    """The first page of some children, as of a query. Raises SalesforceError."""
    relationship = found.children
    assert relationship is not None
    child = by.desk.schema.objects[relationship.child]
    names = list(child.fields) if fields is None else [_name(child, name) for name in (*fields, "Id")]
    parent = literal(Literal(LiteralKind.STRING, found.record_id))
    selected = ", ".join(dict.fromkeys(names))
    return by.ask(f"SELECT {selected} FROM {child.name} WHERE {relationship.field} = {parent}", PAGE_SIZE)


def _step(by: Caller, found: Found, name: str) -> Found:
    parent = found.sobject.parent(name)
    if parent is not None:
        return _parent(by, found, parent)
    relationship = found.sobject.children(name)
    if relationship is None:
        raise fault("no_resource")
    # Raises what reading the record itself raises.
    record = by.session.get(found.sobject.name, found.record_id, ["Id"])
    return Found(found.sobject, record["Id"], relationship)


def _parent(by: Caller, found: Found, field: Field) -> Found:
    parent_id = by.session.get(found.sobject.name, found.record_id, [field.name])[field.name]
    for name in field.reference_to if parent_id else ():
        sobject = by.desk.schema.object(name)
        if sobject is not None and _holds(by, sobject, parent_id):
            return Found(sobject, parent_id)
    raise fault("no_resource")


def _holds(by: Caller, sobject: SObject, record_id: str) -> bool:
    try:
        by.session.get(sobject.name, record_id, ["Id"])
    except SalesforceError:
        return False
    return True


def _name(sobject: SObject, name: str) -> str:
    field = sobject.field(name)
    if field is None:
        raise record_fault("unknown_field", name=name, object=sobject.name)
    return field.name

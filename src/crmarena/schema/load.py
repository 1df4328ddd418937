"""The schema of an org type, read from `schema/data`."""

from __future__ import annotations

import functools
import re
from typing import Any

from crmarena import resources
from crmarena.errors import UsageError
from crmarena.schema.fields import Field, FieldType
from crmarena.schema.objects import ChildRelationship, Schema, SObject

_LENGTHS = {
    FieldType.ID: 18,
    FieldType.REFERENCE: 18,
    FieldType.EMAIL: 80,
    FieldType.PHONE: 40,
    FieldType.URL: 255,
    FieldType.PICKLIST: 255,
}
_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z0-9])")


def org_types() -> tuple[str, ...]:
    """The known org types."""
    return tuple(resources.read_json("schema/data/orgs.json"))


@functools.cache
def load_schema(org_type: str) -> Schema:
    """The schema of `original`, `b2b` or `b2c`; UsageError for any other name.

    It has the published objects (16, 27 and 27) and those that every live org has.
    """
    orgs = resources.read_json("schema/data/orgs.json")
    if org_type not in orgs:
        raise UsageError(f"Unknown org type {org_type!r}; the org types are: {', '.join(orgs)}.")
    names = orgs[org_type] + resources.read_json("schema/data/common_objects.json")
    raw = [resources.read_json(f"schema/data/objects/{name}.json") for name in names]
    fields = {entry["name"]: _fields(entry, org_type, names) for entry in raw}
    children = _children(fields)
    objects = {entry["name"]: _object(entry, fields, children) for entry in raw}
    return Schema(org_type=org_type, objects=objects)


def _object(
    entry: dict[str, Any],
    fields: dict[str, dict[str, Field]],
    children: dict[str, list[ChildRelationship]],
) -> SObject:
    name = entry["name"]
    return SObject(
        name=name,
        label=entry["label"],
        label_plural=entry["plural"],
        key_prefix=entry["keyPrefix"],
        fields=fields[name],
        child_relationships=tuple(children.get(name, ())),
        name_field=entry["nameField"],
        searchable=entry["searchable"],
        published=entry.get("published", True),
        createable=entry.get("createable", True),
        updateable=entry.get("updateable", True),
        deletable=entry.get("deletable", True),
    )


def _fields(entry: dict[str, Any], org_type: str, present: list[str]) -> dict[str, Field]:
    published_system = entry.get("publishedSystemFields", [])
    system = resources.read_json("schema/data/system_fields.json")
    record_id = Field(
        name="Id",
        label="Record ID",
        type=FieldType.ID,
        length=18,
        nillable=False,
        createable=False,
        updateable=False,
        published=True,
    )
    fields = {"Id": record_id}
    for raw in entry["fields"]:
        if org_type in raw.get("orgs", (org_type,)):
            fields[raw["name"]] = _field(raw, present)
    for raw in system:
        fields[raw["name"]] = _field({**raw, "published": raw["name"] in published_system}, present)
    return fields


def _field(raw: dict[str, Any], present: list[str]) -> Field:
    field_type = FieldType(raw["type"])
    targets = tuple(raw.get("referenceTo", ()))
    # A path can only lead to an object that this org type has.
    reachable = tuple(target for target in targets if target in present)
    return Field(
        name=raw["name"],
        label=raw.get("label", _label(raw["name"], field_type)),
        type=field_type,
        length=raw.get("length", _LENGTHS.get(field_type, 0)),
        reference_to=reachable or targets,
        relationship_name=raw.get("relationship") if reachable else None,
        child_relationship_name=raw.get("children"),
        picklist=tuple(raw.get("values", ())),
        restricted=raw.get("restricted", bool(raw.get("values"))),
        compound=raw.get("compound"),
        external_id=raw.get("externalId", False),
        unique=raw.get("unique", False),
        default=raw.get("default"),
        cascade_delete=raw.get("cascadeDelete", False),
        restricted_delete=raw.get("restrictedDelete", False),
        long_text=raw.get("longText", False),
        rich_text=raw.get("richText", False),
        auto_number=raw.get("autoNumber", False),
        custom=raw["name"].endswith("__c"),
        nillable=not raw.get("required", False) and field_type is not FieldType.BOOLEAN,
        createable=raw.get("createable", True),
        updateable=raw.get("updateable", True),
        searchable=raw.get("searchable", False),
        published=raw.get("published", False),
    )


def _label(name: str, field_type: FieldType) -> str:
    words = _WORDS.sub(" ", name.removesuffix("__c").replace("_", " "))
    return words.removesuffix(" Id") + " ID" if field_type is FieldType.REFERENCE else words


def _children(fields: dict[str, dict[str, Field]]) -> dict[str, list[ChildRelationship]]:
    children: dict[str, list[ChildRelationship]] = {}
    for child, own in fields.items():
        for field in own.values():
            for parent in field.reference_to:
                if field.child_relationship_name:
                    found = ChildRelationship(field.child_relationship_name, child, field.name)
                    children.setdefault(parent, []).append(found)
    return children

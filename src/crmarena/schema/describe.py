"""The payloads of Salesforce's describe calls, in Salesforce's keys."""

from __future__ import annotations

from typing import Any

from crmarena.errors import SalesforceError
from crmarena.schema.describe_fields import describe_field
from crmarena.schema.objects import Schema, SObject
from crmarena.schema.scopes import supported_scopes

DEFAULT_VERSION = "62.0"
MASTER_RECORD_TYPE = "012000000000000AAA"
"""The Id of the record type that every object has."""
_MERGEABLE = frozenset({"Account", "Case", "Contact", "Lead"})
_SYSTEM_OBJECTS = frozenset({"Group", "Organization", "Profile", "UserRole"})
"""Objects without a page layout or a tab of their own."""


def describe_global(schema: Schema, version: str = DEFAULT_VERSION) -> dict[str, Any]:
    """The list of all objects, with URLs of an API version."""
    return {
        "encoding": "UTF-8",
        "maxBatchSize": 200,
        "sobjects": [_summary(sobject, version) for sobject in schema.objects.values()],
    }


def describe_object(schema: Schema, name: str, version: str = DEFAULT_VERSION) -> dict[str, Any]:
    """An object with its fields and child relationships. Raises SalesforceError NOT_FOUND."""
    sobject = schema.object(name)
    if sobject is None:
        raise no_resource()
    return {
        "actionOverrides": [],
        **_summary(sobject, version),
        "childRelationships": _children(schema, sobject),
        "compactLayoutable": sobject.name not in _SYSTEM_OBJECTS,
        "defaultImplementation": None,
        "extendedBy": None,
        "extendsInterfaces": None,
        "fields": [describe_field(sobject, field) for field in sobject.fields.values()],
        "implementedBy": None,
        "implementsInterfaces": None,
        "listviewable": None,
        "lookupLayoutable": None,
        "namedLayoutInfos": [],
        "networkScopeFieldName": None,
        "recordTypeInfos": [_master_record_type(sobject, version)],
        "searchLayoutable": sobject.name not in _SYSTEM_OBJECTS,
        "sobjectDescribeOption": "FULL",
        "supportedScopes": [
            {"label": label, "name": name} for name, label in supported_scopes(sobject).items()
        ],
    }


def no_resource() -> SalesforceError:
    """The error for an object or record that is not there."""
    return SalesforceError("NOT_FOUND", "The requested resource does not exist", http_status=404)


def _summary(sobject: SObject, version: str) -> dict[str, Any]:
    place = _place(sobject, version)
    usual = sobject.name not in _SYSTEM_OBJECTS
    return {
        "activateable": False,
        "associateEntityType": None,
        "associateParentEntity": None,
        "createable": sobject.createable,
        "custom": sobject.custom,
        "customSetting": False,
        "deepCloneable": False,
        "deletable": sobject.deletable,
        "deprecatedAndHidden": False,
        "feedEnabled": False,
        "hasSubtypes": False,
        "isInterface": False,
        "isSubtype": False,
        "keyPrefix": sobject.key_prefix,
        "label": sobject.label,
        "labelPlural": sobject.label_plural,
        "layoutable": usual,
        "mergeable": sobject.name in _MERGEABLE,
        "mruEnabled": usual,
        "name": sobject.name,
        "queryable": True,
        "replicateable": True,
        "retrieveable": True,
        "searchable": sobject.searchable,
        "triggerable": usual,
        "undeletable": sobject.deletable,
        "updateable": sobject.updateable,
        "urls": {"sobject": place, "describe": f"{place}/describe", "rowTemplate": f"{place}/{{ID}}"},
    }


def _place(sobject: SObject, version: str) -> str:
    return f"/services/data/v{version}/sobjects/{sobject.name}"


def _master_record_type(sobject: SObject, version: str) -> dict[str, Any]:
    return {
        "active": True,
        "available": True,
        "defaultRecordTypeMapping": True,
        "developerName": "Master",
        "master": True,
        "name": "Master",
        "recordTypeId": MASTER_RECORD_TYPE,
        "urls": {"layout": f"{_place(sobject, version)}/describe/layouts/{MASTER_RECORD_TYPE}"},
    }


def _children(schema: Schema, sobject: SObject) -> list[dict[str, Any]]:
    """Every reference to the object; one that a child subquery cannot name has no relationship name."""
    named = {(child.child, child.field): child.name for child in sobject.child_relationships}
    return [
        {
            "cascadeDelete": field.cascade_delete,
            "childSObject": child.name,
            "deprecatedAndHidden": False,
            "field": field.name,
            "junctionIdListNames": [],
            "junctionReferenceTo": [],
            "relationshipName": named.get((child.name, field.name)),
            "restrictedDelete": field.restricted_delete,
        }
        for child in schema.objects.values()
        for field in child.fields.values()
        if sobject.name in field.reference_to
    ]

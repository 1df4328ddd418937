"""The payloads of Salesforce's describe calls, in Salesforce's keys."""

from __future__ import annotations

from typing import Any

from crmarena.errors import SalesforceError
from crmarena.schema.fields import NUMBER_TYPES, TEXT_TYPES, Field, FieldType
from crmarena.schema.objects import Schema, SObject

_SOAP_TYPES = {
    FieldType.ID: "tns:ID",
    FieldType.REFERENCE: "tns:ID",
    FieldType.BOOLEAN: "xsd:boolean",
    FieldType.INT: "xsd:int",
    FieldType.DATE: "xsd:date",
    FieldType.DATETIME: "xsd:dateTime",
    **dict.fromkeys(NUMBER_TYPES - {FieldType.INT}, "xsd:double"),
    **dict.fromkeys(TEXT_TYPES, "xsd:string"),
    FieldType.ADDRESS: "urn:address",
}
_INT_DIGITS = 8
_PRECISION = 18
_SCALE = 2


def describe_global(schema: Schema) -> dict[str, Any]:
    """The list of all objects."""
    return {
        "encoding": "UTF-8",
        "maxBatchSize": 200,
        "sobjects": [_summary(sobject) for sobject in schema.objects.values()],
    }


def describe_object(schema: Schema, name: str) -> dict[str, Any]:
    """An object with its fields and child relationships. Raises SalesforceError NOT_FOUND."""
    sobject = schema.object(name)
    if sobject is None:
        raise no_resource()
    return {
        **_summary(sobject),
        "childRelationships": _children(schema, sobject),
        "fields": [_field(sobject, field) for field in sobject.fields.values()],
        "recordTypeInfos": [],
        "supportedScopes": [{"label": f"All {sobject.label_plural}", "name": "everything"}],
    }


def no_resource() -> SalesforceError:
    """The error for an object or record that is not there."""
    return SalesforceError("NOT_FOUND", "The requested resource does not exist", http_status=404)


def _summary(sobject: SObject) -> dict[str, Any]:
    place = f"/services/data/v62.0/sobjects/{sobject.name}"
    return {
        "createable": True,
        "custom": sobject.custom,
        "customSetting": False,
        "deletable": True,
        "deprecatedAndHidden": False,
        "keyPrefix": sobject.key_prefix,
        "label": sobject.label,
        "labelPlural": sobject.label_plural,
        "layoutable": True,
        "mergeable": False,
        "name": sobject.name,
        "queryable": True,
        "replicateable": True,
        "retrieveable": True,
        "searchable": sobject.searchable,
        "triggerable": True,
        "undeletable": True,
        "updateable": True,
        "urls": {"sobject": place, "describe": f"{place}/describe", "rowTemplate": f"{place}/{{ID}}"},
    }


def _children(schema: Schema, sobject: SObject) -> list[dict[str, Any]]:
    """Every reference to the object; one that a child subquery cannot name has no relationship name."""
    named = {(child.child, child.field): child.name for child in sobject.child_relationships}
    return [
        {
            "cascadeDelete": False,
            "childSObject": child.name,
            "deprecatedAndHidden": False,
            "field": field.name,
            "junctionIdListNames": [],
            "junctionReferenceTo": [],
            "relationshipName": named.get((child.name, field.name)),
            "restrictedDelete": False,
        }
        for child in schema.objects.values()
        for field in child.fields.values()
        if sobject.name in field.reference_to
    ]


def _field(sobject: SObject, field: Field) -> dict[str, Any]:
    number = field.type in NUMBER_TYPES and field.type is not FieldType.INT
    return {
        "aggregatable": not field.long_text and field.type is not FieldType.BOOLEAN,
        "autoNumber": field.auto_number,
        "byteLength": field.length * 3,
        "calculated": False,
        "calculatedFormula": None,
        "caseSensitive": False,
        "createable": field.createable,
        "custom": field.custom,
        "defaultValue": False if field.type is FieldType.BOOLEAN else None,
        "defaultedOnCreate": field.type is FieldType.BOOLEAN or not field.createable,
        "deprecatedAndHidden": False,
        "digits": _INT_DIGITS if field.type is FieldType.INT else 0,
        "externalId": False,
        "extraTypeInfo": _extra_type(field),
        "filterable": field.filterable,
        "groupable": field.groupable,
        "htmlFormatted": field.rich_text,
        "idLookup": field.type is FieldType.ID,
        "label": field.label,
        "length": field.length,
        "name": field.name,
        "nameField": field.name == sobject.name_field,
        "namePointing": field.polymorphic,
        "nillable": field.nillable,
        "permissionable": field.nillable and field.createable,
        "picklistValues": [_choice(value) for value in field.picklist],
        "polymorphicForeignKey": field.polymorphic,
        "precision": _PRECISION if number else 0,
        "referenceTo": list(field.reference_to),
        "relationshipName": field.relationship_name,
        "restrictedPicklist": False,
        "scale": _SCALE if number else 0,
        "searchPrefilterable": False,
        "soapType": _SOAP_TYPES[field.type],
        "sortable": field.sortable,
        "type": field.type.value,
        "unique": False,
        "updateable": field.updateable,
        "writeRequiresMasterRead": False,
    }


def _extra_type(field: Field) -> str | None:
    if field.rich_text:
        return "richtextarea"
    return "plaintextarea" if field.type is FieldType.TEXTAREA else None


def _choice(value: str) -> dict[str, Any]:
    return {"active": True, "defaultValue": False, "label": value, "validFor": None, "value": value}

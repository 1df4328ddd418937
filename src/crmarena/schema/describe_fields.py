"""What a describe call tells of a field, in Salesforce's keys."""

from __future__ import annotations

from typing import Any

from crmarena.schema.fields import COMPOUND_TYPES, ID_TYPES, NUMBER_TYPES, TEXT_TYPES, Field, FieldType
from crmarena.schema.objects import SObject

_SOAP_TYPES = {
    **dict.fromkeys(ID_TYPES, "tns:ID"),
    **dict.fromkeys(NUMBER_TYPES, "xsd:double"),
    **dict.fromkeys(TEXT_TYPES, "xsd:string"),
    FieldType.BOOLEAN: "xsd:boolean",
    FieldType.INT: "xsd:int",
    FieldType.DATE: "xsd:date",
    FieldType.DATETIME: "xsd:dateTime",
    FieldType.ADDRESS: "urn:address",
}
_INT_DIGITS = 8
_PRECISION = 18
_SCALE = 2
_COORDINATE_SCALE = 15
_PERSON_NAME = "personname"

# What this org has no use for: every field says the same.
_SAME: dict[str, Any] = {
    "aiPredictionField": False,
    "calculated": False,
    "calculatedFormula": None,
    "caseSensitive": False,
    "controllerName": None,
    "defaultValueFormula": None,
    "dependentPicklist": False,
    "deprecatedAndHidden": False,
    "displayLocationInDecimal": False,
    "encrypted": False,
    "filteredLookupInfo": None,
    "formulaTreatNullNumberAsZero": False,
    "highScaleNumber": False,
    "inlineHelpText": None,
    "mask": None,
    "maskType": None,
    "referenceTargetField": None,
    "relationshipOrder": None,
    "searchPrefilterable": False,
    "writeRequiresMasterRead": False,
}


def describe_field(sobject: SObject, field: Field) -> dict[str, Any]:
    """A field, its keys in the order of the alphabet as in a live org's answer."""
    return dict(
        sorted(
            {
                **_SAME,
                **_identity(sobject, field),
                **_query_flags(field),
                **_write_flags(field),
                **_shape(field),
                **_reference(field),
                **_choices(field),
            }.items()
        )
    )


def _identity(sobject: SObject, field: Field) -> dict[str, Any]:
    return {
        "autoNumber": field.auto_number,
        "compoundFieldName": field.compound,
        "custom": field.custom,
        "externalId": field.external_id,
        "extraTypeInfo": _extra_type(sobject, field),
        # Upsert finds a record by these.
        "idLookup": field.id_lookup,
        "label": field.label,
        "name": field.name,
        "nameField": field.name == sobject.name_field,
        "type": field.type.value,
        "unique": field.unique,
    }


def _query_flags(field: Field) -> dict[str, Any]:
    compound = field.type in COMPOUND_TYPES
    return {
        "aggregatable": field.aggregatable,
        # A compound address is filtered by DISTANCE alone, and says so.
        "filterable": field.filterable or compound,
        "groupable": field.groupable,
        "queryByDistance": compound,
        "sortable": field.sortable,
    }


def _write_flags(field: Field) -> dict[str, Any]:
    return {
        "createable": field.createable,
        "defaultedOnCreate": _defaulted(field),
        "nillable": field.nillable,
        "permissionable": field.nillable and field.createable,
        "updateable": field.updateable,
    }


def _shape(field: Field) -> dict[str, Any]:
    number = field.type in NUMBER_TYPES and field.type is not FieldType.INT
    scale = _COORDINATE_SCALE if field.compound and number else _SCALE
    return {
        "byteLength": field.length * (1 if field.type in ID_TYPES else 3),
        "digits": _INT_DIGITS if field.type is FieldType.INT else 0,
        "htmlFormatted": field.rich_text,
        "length": field.length,
        "precision": _PRECISION if number else 0,
        "scale": scale if number else 0,
        "soapType": _SOAP_TYPES[field.type],
    }


def _reference(field: Field) -> dict[str, Any]:
    return {
        "cascadeDelete": field.cascade_delete,
        "namePointing": field.polymorphic,
        "polymorphicForeignKey": field.polymorphic,
        "referenceTo": list(field.reference_to),
        "relationshipName": field.relationship_name,
        "restrictedDelete": field.restricted_delete,
    }


def _choices(field: Field) -> dict[str, Any]:
    return {
        "defaultValue": _default(field),
        "picklistValues": [_choice(value, field.default) for value in field.picklist],
        "restrictedPicklist": bool(field.picklist) and field.restricted,
    }


def _defaulted(field: Field) -> bool:
    return field.type is FieldType.BOOLEAN or field.default is not None or not field.createable


def _default(field: Field) -> bool | str | None:
    """A checkbox's default; that of a picklist is marked among its values."""
    if field.type is FieldType.BOOLEAN:
        return bool(field.default)
    return None if field.default is None or field.picklist else str(field.default)


def _extra_type(sobject: SObject, field: Field) -> str | None:
    if field.rich_text:
        return "richtextarea"
    if field.type is FieldType.TEXTAREA:
        return "plaintextarea"
    person = field.name == "Name" and any(part.compound == "Name" for part in sobject.fields.values())
    return _PERSON_NAME if person else None


def _choice(value: str, default: object) -> dict[str, Any]:
    return {
        "active": True,
        "defaultValue": value == default,
        "label": value,
        "validFor": None,
        "value": value,
    }

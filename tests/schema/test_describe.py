from __future__ import annotations

import json

import pytest

from crmarena.errors import SalesforceError
from crmarena.schema.describe import describe_global, describe_object
from crmarena.schema.load import load_schema, org_types

SCHEMA = load_schema("b2b")


def fields(name: str) -> dict[str, dict[str, object]]:
    return {field["name"]: field for field in describe_object(SCHEMA, name)["fields"]}


def test_the_list_names_every_object() -> None:
    payload = describe_global(SCHEMA)
    listed = {entry["name"]: entry for entry in payload["sobjects"]}
    assert listed.keys() == SCHEMA.objects.keys()
    assert (payload["encoding"], payload["maxBatchSize"]) == ("UTF-8", 200)
    shown = {key: listed["Issue__c"][key] for key in ("custom", "labelPlural", "queryable", "searchable")}
    assert shown == {"custom": True, "labelPlural": "Issues", "queryable": True, "searchable": True}
    assert listed["Case"]["keyPrefix"] == "500"


GLOBAL_KEYS = """
    activateable associateEntityType associateParentEntity createable custom customSetting deepCloneable
    deletable deprecatedAndHidden feedEnabled hasSubtypes isInterface isSubtype keyPrefix label labelPlural
    layoutable mergeable mruEnabled name queryable replicateable retrieveable searchable triggerable
    undeletable updateable urls
"""
OBJECT_KEYS = """
    actionOverrides childRelationships compactLayoutable defaultImplementation extendedBy extendsInterfaces
    fields implementedBy implementsInterfaces listviewable lookupLayoutable namedLayoutInfos
    networkScopeFieldName recordTypeInfos searchLayoutable sobjectDescribeOption supportedScopes
"""
CHILD_KEYS = """
    cascadeDelete childSObject deprecatedAndHidden field junctionIdListNames junctionReferenceTo
    relationshipName restrictedDelete
"""
FIELD_KEYS = """
    aggregatable aiPredictionField autoNumber byteLength calculated calculatedFormula cascadeDelete
    caseSensitive compoundFieldName controllerName createable custom defaultValue defaultValueFormula
    defaultedOnCreate dependentPicklist deprecatedAndHidden digits displayLocationInDecimal encrypted
    externalId extraTypeInfo filterable filteredLookupInfo formulaTreatNullNumberAsZero groupable
    highScaleNumber htmlFormatted idLookup inlineHelpText label length mask maskType name nameField
    namePointing nillable permissionable picklistValues polymorphicForeignKey precision queryByDistance
    referenceTargetField referenceTo relationshipName relationshipOrder restrictedDelete restrictedPicklist
    scale searchPrefilterable soapType sortable type unique updateable writeRequiresMasterRead
"""


@pytest.mark.parametrize("org_type", org_types())
def test_every_payload_has_every_key_that_salesforce_has(org_type: str) -> None:
    schema = load_schema(org_type)
    for entry in describe_global(schema)["sobjects"]:
        assert entry.keys() == set(GLOBAL_KEYS.split())
        payload = describe_object(schema, entry["name"])
        assert payload.keys() == {*GLOBAL_KEYS.split(), *OBJECT_KEYS.split()}
        assert all(child.keys() == set(CHILD_KEYS.split()) for child in payload["childRelationships"])
        assert all(list(field) == sorted(FIELD_KEYS.split()) for field in payload["fields"])


def test_urls_are_those_of_the_version_asked_for() -> None:
    entry = describe_global(SCHEMA, "59.0")["sobjects"][0]
    place = f"/services/data/v59.0/sobjects/{entry['name']}"
    assert entry["urls"] == {
        "sobject": place,
        "describe": f"{place}/describe",
        "rowTemplate": f"{place}/{{ID}}",
    }
    (master,) = describe_object(SCHEMA, entry["name"], "59.0")["recordTypeInfos"]
    assert master["urls"]["layout"] == f"{place}/describe/layouts/012000000000000AAA"
    assert (master["name"], master["master"], master["available"]) == ("Master", True, True)
    assert describe_global(SCHEMA)["sobjects"][0]["urls"]["sobject"].startswith("/services/data/v62.0/")


@pytest.mark.parametrize(
    ("name", "scopes"),
    [
        ("Account", ["everything", "mine", "scopingRule", "MRU"]),
        ("Task", ["everything", "mine", "delegated", "scopingRule", "MRU"]),
        ("Product2", ["everything", "MRU"]),
    ],
)
def test_scopes_are_listed_with_labels(name: str, scopes: list[str]) -> None:
    listed = describe_object(SCHEMA, name)["supportedScopes"]
    assert [scope["name"] for scope in listed] == scopes
    assert listed[0]["label"] == f"All {SCHEMA.objects[name].label_plural.lower()}"


def test_an_object_is_found_in_any_letter_case() -> None:
    assert describe_object(SCHEMA, "case") == describe_object(SCHEMA, "Case")


def test_an_unknown_object_is_not_found() -> None:
    with pytest.raises(SalesforceError) as caught:
        describe_object(SCHEMA, "Cases")
    assert (caught.value.error_code, caught.value.http_status) == ("NOT_FOUND", 404)
    assert caught.value.message == "The requested resource does not exist"


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("Id", {"type": "id", "soapType": "tns:ID", "nillable": False, "length": 18}),
        ("Description", {"type": "textarea", "filterable": False, "sortable": False, "groupable": False}),
        ("OwnerId", {"type": "reference", "referenceTo": ["Group", "User"], "relationshipName": "Owner"}),
        (
            "CreatedDate",
            {"type": "datetime", "soapType": "xsd:dateTime", "groupable": False, "createable": False},
        ),
        ("CaseNumber", {"autoNumber": True, "nameField": True, "updateable": False}),
        (
            "IsClosed",
            {"type": "boolean", "soapType": "xsd:boolean", "nillable": False, "defaultValue": False},
        ),
        ("IssueId__c", {"custom": True, "relationshipName": "IssueId__r", "calculated": False}),
        ("External_ID__c", {"externalId": True, "unique": True, "idLookup": True, "length": 255}),
    ],
)
def test_a_field_says_what_it_is(field: str, expected: dict[str, object]) -> None:
    found = fields("Case")[field]
    assert {key: found[key] for key in expected} == expected


@pytest.mark.parametrize(
    ("name", "field", "expected"),
    [
        (
            "Account",
            "BillingAddress",
            {
                "type": "address",
                "soapType": "urn:address",
                "filterable": True,
                "queryByDistance": True,
                "sortable": False,
                "groupable": False,
                "aggregatable": False,
                "createable": False,
            },
        ),
        ("Account", "BillingCity", {"compoundFieldName": "BillingAddress", "queryByDistance": False}),
        ("Account", "BillingLatitude", {"type": "double", "scale": 15, "precision": 18}),
        ("Contact", "Name", {"extraTypeInfo": "personname", "nameField": True}),
        ("Contact", "LastName", {"compoundFieldName": "Name", "nillable": False}),
        (
            "Contact",
            "Languages__c",
            {"type": "multipicklist", "sortable": False, "groupable": False, "aggregatable": False},
        ),
        ("Order", "Status", {"restrictedPicklist": True, "defaultedOnCreate": True, "defaultValue": None}),
        ("User", "IsActive", {"defaultValue": True, "defaultedOnCreate": True}),
        ("Account", "NumberOfEmployees", {"type": "int", "digits": 8, "precision": 0, "scale": 0}),
        ("Account", "AnnualRevenue", {"type": "currency", "digits": 0, "precision": 18, "scale": 2}),
    ],
)
def test_a_field_of_another_object_says_what_it_is(
    name: str, field: str, expected: dict[str, object]
) -> None:
    found = fields(name)[field]
    assert {key: found[key] for key in expected} == expected


def test_a_polymorphic_reference_says_so() -> None:
    what = fields("Task")["WhatId"]
    assert (what["namePointing"], what["polymorphicForeignKey"]) == (True, True)
    assert what["referenceTo"] == ["Account", "Case", "Contract", "Opportunity", "Order", "Quote"]


def test_picklist_values_are_listed() -> None:
    values = fields("Order")["Status"]["picklistValues"]
    assert values == [
        {"active": True, "defaultValue": v == "Draft", "label": v, "validFor": None, "value": v}
        for v in ("Draft", "Activated")
    ]


def test_children_are_those_that_point_here() -> None:
    children = {
        (c["childSObject"], c["field"]): c["relationshipName"]
        for c in describe_object(SCHEMA, "Account")["childRelationships"]
    }
    assert children["Contact", "AccountId"] == "Contacts"
    assert children["Case", "AccountId"] == "Cases"
    users = describe_object(SCHEMA, "User")["childRelationships"]
    assert {"childSObject": "Case", "field": "OwnerId", "relationshipName": None}.items() <= next(
        child for child in users if (child["childSObject"], child["field"]) == ("Case", "OwnerId")
    ).items()


@pytest.mark.parametrize("org_type", org_types())
def test_every_describe_is_json_with_every_field(org_type: str) -> None:
    schema = load_schema(org_type)
    for name, sobject in schema.objects.items():
        payload = json.loads(json.dumps(describe_object(schema, name)))
        assert [field["name"] for field in payload["fields"]] == list(sobject.fields)

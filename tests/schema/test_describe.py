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
    ],
)
def test_a_field_says_what_it_is(field: str, expected: dict[str, object]) -> None:
    found = fields("Case")[field]
    assert {key: found[key] for key in expected} == expected


def test_a_polymorphic_reference_says_so() -> None:
    what = fields("Task")["WhatId"]
    assert (what["namePointing"], what["polymorphicForeignKey"]) == (True, True)
    assert what["referenceTo"] == ["Account", "Case", "Contract", "Opportunity", "Order", "Quote"]


def test_picklist_values_are_listed() -> None:
    values = fields("Order")["Status"]["picklistValues"]
    assert values == [
        {"active": True, "defaultValue": False, "label": v, "validFor": None, "value": v}
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

from __future__ import annotations

import pytest

from crmarena.errors import UsageError
from crmarena.schema.fields import FieldType
from crmarena.schema.load import load_schema, org_types
from crmarena.schema.objects import Schema

PUBLISHED = {
    "User": "FirstName LastName Email Phone Username Alias LanguageLocaleKey TimeZoneSidKey ProfileId",
    "Account": "Name Phone Industry Description NumberOfEmployees ShippingState",
    "Case": "Priority Subject Description Status ContactId CreatedDate ClosedDate OrderItemId__c IssueId__c",
    "OrderItem": "OrderId Product2Id Quantity UnitPrice PricebookEntryId",
    "Opportunity": "ContractID__c AccountId OwnerId Probability Amount StageName CreatedDate CloseDate",
    "VoiceCallTranscript__c": "OpportunityId__c LeadId__c Body__c CreatedDate EndTime__c",
    "CaseHistory__c": "CaseId__c OldValue__c NewValue__c CreatedDate Field__c",
}
SYSTEM = {"CreatedDate", "CreatedById", "LastModifiedDate", "LastModifiedById", "SystemModstamp", "IsDeleted"}
EVERY_ORG = pytest.mark.parametrize("schema", [load_schema(name) for name in org_types()], ids=org_types())


@pytest.mark.parametrize(("org_type", "objects"), [("original", 16), ("b2b", 27), ("b2c", 27)])
def test_an_org_type_has_its_objects(org_type: str, objects: int) -> None:
    found = load_schema(org_type).objects
    assert sum(sobject.published for sobject in found.values()) == objects
    assert {name for name, sobject in found.items() if not sobject.published} == {
        "Organization",
        "Group",
        "Profile",
        "UserRole",
    }


def test_an_unknown_org_type_lists_the_known() -> None:
    with pytest.raises(UsageError, match=r"'b2d'; the org types are: original, b2b, b2c"):
        load_schema("b2d")


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_fields_are_marked(name: str) -> None:
    fields = load_schema("b2b").objects[name].fields
    assert {f for f in PUBLISHED[name].split() if not fields[f].published} == set()


@pytest.mark.parametrize(("org_type", "person"), [("original", True), ("b2c", True), ("b2b", False)])
def test_only_consumer_orgs_have_person_accounts(org_type: str, person: bool) -> None:
    account = load_schema(org_type).objects["Account"]
    assert (account.field("PersonEmail") is not None) == person
    assert (account.field("FirstName") is not None) == person


@EVERY_ORG
def test_every_object_has_an_id_and_the_system_fields(schema: Schema) -> None:
    for sobject in schema.objects.values():
        assert next(iter(sobject.fields)) == "Id"
        assert sobject.fields.keys() >= SYSTEM
        assert sobject.name_field is None or sobject.name_field in sobject.fields


@EVERY_ORG
def test_key_prefixes_tell_objects_apart(schema: Schema) -> None:
    prefixes = {sobject.key_prefix for sobject in schema.objects.values()}
    assert len(prefixes) == len(schema.objects)
    assert schema.object_of_id("500000000000001AAA") is schema.objects["Case"]


@EVERY_ORG
def test_every_path_leads_to_an_object_of_the_org(schema: Schema) -> None:
    for sobject in schema.objects.values():
        for field in sobject.fields.values():
            if field.relationship_name:
                assert set(field.reference_to) <= set(schema.objects), (sobject.name, field.name)
                assert sobject.parent(field.relationship_name.upper()) is field


@EVERY_ORG
def test_child_relationships_lead_back(schema: Schema) -> None:
    for sobject in schema.objects.values():
        for child in sobject.child_relationships:
            assert sobject.name in schema.objects[child.child].fields[child.field].reference_to
        names = [child.name.lower() for child in sobject.child_relationships]
        assert len(names) == len(set(names)), (sobject.name, names)


@pytest.mark.parametrize(
    ("name", "field", "filterable", "groupable"),
    [
        ("Case", "Description", False, False),
        ("VoiceCallTranscript__c", "Body__c", False, False),
        ("EmailMessage", "TextBody", False, False),
        ("Knowledge__kav", "FAQ_Answer__c", False, False),
        ("Case", "CreatedDate", True, False),
        ("Case", "CaseNumber", True, False),
        ("OrderItem", "UnitPrice", True, False),
        ("Case", "Status", True, True),
        ("Contract", "CompanySignedDate", True, True),
        ("Case", "OwnerId", True, True),
    ],
)
def test_what_may_be_done_with_a_field(name: str, field: str, filterable: bool, groupable: bool) -> None:
    found = load_schema("b2b").objects[name].fields[field]
    assert (found.filterable, found.sortable, found.groupable) == (filterable, filterable, groupable)


def test_names_are_found_in_any_letter_case() -> None:
    schema = load_schema("b2b")
    case = schema.object("CASE")
    assert case is schema.objects["Case"]
    assert case.field("createddate") is case.fields["CreatedDate"]
    assert case.fields["CreatedDate"].type is FieldType.DATETIME
    assert case.field("Nmae") is None
    assert schema.object("Cases") is None


def test_picklist_values_are_salesforces() -> None:
    objects = load_schema("b2b").objects
    assert objects["Opportunity"].fields["StageName"].picklist == (
        "Qualification",
        "Discovery",
        "Quote",
        "Negotiation",
        "Closed",
    )
    assert "America/Los_Angeles" in objects["User"].fields["TimeZoneSidKey"].picklist
    assert objects["Knowledge__kav"].fields["Language"].picklist == ("en_US",)

"""Writes that go wrong, and the error of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.org.small import ACME, BIRCH, CASE, DEAL, INES, LEE, QUEUE, SHOE

NOT_FOUND = "The requested resource does not exist"
PERSON = {"LastName": "Lee"}
SECURITY = (
    "Please check the security settings of this field and verify that it is read/write for your profile or"
    " permission set."
)


@dataclass(frozen=True)
class Row:
    """A write and the error it gets."""

    operation: str
    object: str
    values: Mapping[str, Any]
    code: str
    text: str
    fields: tuple[str, ...] = ()
    status: int = 400
    id: str = ""
    key: tuple[str, str] = ("", "")

    def __str__(self) -> str:
        return f"{self.operation} {self.object}: {self.text[:50]}"


def insert(name: str, values: Mapping[str, Any], code: str, text: str, *fields: str) -> Row:
    return Row("insert", name, values, code, text, fields)


def update(name: str, record_id: str, values: Mapping[str, Any], code: str, text: str, *fields: str) -> Row:
    return Row("update", name, values, code, text, fields, id=record_id)


def wrong_type(kind: str, token: str, value: str) -> str:
    return (
        f"Cannot deserialize instance of {kind} from {token} value {value} or request may be missing a"
        " required field"
    )


def mistyped(name: str, field: str, raw: Any, kind: str, token: str, shown: str) -> Row:
    return insert(name, {field: raw}, JSON, wrong_type(kind, token, shown), field)


def blocked(record: str, children: str, names: str) -> str:
    return (
        f"Your attempt to delete {record} could not be completed because it is associated with the following"
        f" {children}.: {names}\n"
    )


def bad_choice(label: str, value: str) -> str:
    return f"{label}: bad value for restricted picklist field: {value}"


TOO_LONG = "x" * 81
JSON = "JSON_PARSER_ERROR"
READ_ONLY = "INVALID_FIELD_FOR_INSERT_UPDATE"
CHOICE = "INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST"
RANGE = "NUMBER_OUTSIDE_VALID_RANGE"
MISSING = "REQUIRED_FIELD_MISSING"
DANGLING = ("INVALID_CROSS_REFERENCE_KEY", "invalid cross reference id")

NAMES = [
    insert("Account", {"foo": 1}, "INVALID_FIELD", "No such column 'foo' on sobject of type Account"),
    insert("account", {"Foo": 1}, "INVALID_FIELD", "No such column 'Foo' on sobject of type Account"),
    insert(
        "Contact",
        {**PERSON, "Accounts": {}},
        "INVALID_FIELD",
        "No such column 'Accounts' on sobject of type Contact",
    ),
    insert("Account", {"Name": "a", "NAME": "b"}, JSON, "Duplicate field 'Name' in the record", "Name"),
    insert(
        "Account",
        {"Name": "a", "attributes": {"type": "Case"}},
        "INVALID_TYPE",
        "sObject type 'Case' is not supported.",
    ),
    insert(
        "Account", {"Id": ACME, "Name": "a"}, "INVALID_FIELD", "cannot specify Id in an insert call", "Id"
    ),
    update(
        "Account", ACME, {"Id": BIRCH}, READ_ONLY, f"Unable to create/update fields: Id. {SECURITY}", "Id"
    ),
    insert(
        "Account",
        {"Name": "a", "CreatedDate": "2020-01-01T00:00:00Z"},
        READ_ONLY,
        f"Unable to create/update fields: CreatedDate. {SECURITY}",
        "CreatedDate",
    ),
    update(
        "Account",
        ACME,
        {"CreatedDate": None, "IsDeleted": True},
        READ_ONLY,
        f"Unable to create/update fields: CreatedDate, IsDeleted. {SECURITY}",
        "CreatedDate",
        "IsDeleted",
    ),
    insert(
        "Contact", {"Name": "Ada Lee"}, READ_ONLY, f"Unable to create/update fields: Name. {SECURITY}", "Name"
    ),
    update(
        "Account",
        ACME,
        {"BillingAddress": {"city": "x"}},
        READ_ONLY,
        f"Unable to create/update fields: BillingAddress. {SECURITY}",
        "BillingAddress",
    ),
    insert(
        "Case",
        {"CaseNumber": "7"},
        READ_ONLY,
        f"Unable to create/update fields: CaseNumber. {SECURITY}",
        "CaseNumber",
    ),
    update(
        "Case",
        CASE,
        {"ClosedDate": None},
        READ_ONLY,
        f"Unable to create/update fields: ClosedDate. {SECURITY}",
        "ClosedDate",
    ),
]

REQUIRED = [
    insert("Contact", {}, MISSING, "Required fields are missing: [LastName]", "LastName"),
    insert(
        "Lead",
        {"FirstName": "Ada"},
        MISSING,
        "Required fields are missing: [LastName, Company]",
        "LastName",
        "Company",
    ),
    insert("Account", {"Name": ""}, MISSING, "Required fields are missing: [Name]", "Name"),
    insert("Account", {"Name": "   "}, MISSING, "Required fields are missing: [Name]", "Name"),
    insert("Task", {"Status": None}, MISSING, "Required fields are missing: [Status]", "Status"),
    update("Account", ACME, {"name": None}, MISSING, "Required fields are missing: [Name]", "Name"),
    update(
        "Opportunity",
        DEAL,
        {"CloseDate": ""},
        MISSING,
        "Required fields are missing: [CloseDate]",
        "CloseDate",
    ),
]

TYPES = [
    mistyped("Account", "Name", 5, "string", "VALUE_NUMBER_INT", "5"),
    mistyped("Account", "Name", 5.5, "string", "VALUE_NUMBER_FLOAT", "5.5"),
    mistyped("Account", "Name", True, "string", "VALUE_TRUE", "true"),
    mistyped("Account", "Name", False, "string", "VALUE_FALSE", "false"),
    mistyped("Account", "Name", ["a"], "string", "START_ARRAY", "["),
    mistyped("Account", "Name", {"a": 1}, "string", "START_OBJECT", "{"),
    mistyped("Account", "NumberOfEmployees", 1.5, "int", "VALUE_NUMBER_FLOAT", "1.5"),
    mistyped("Account", "NumberOfEmployees", "1.5", "int", "VALUE_STRING", "1.5"),
    mistyped("Opportunity", "Amount", "N01", "currency", "VALUE_STRING", "N01"),
    mistyped("Opportunity", "Amount", True, "currency", "VALUE_TRUE", "true"),
    mistyped("Opportunity", "Amount", float("nan"), "currency", "VALUE_NUMBER_FLOAT", "nan"),
    mistyped("Opportunity", "CloseDate", "30/06/2024", "date", "VALUE_STRING", "30/06/2024"),
    mistyped("Opportunity", "CloseDate", "2024-02-30", "date", "VALUE_STRING", "2024-02-30"),
    mistyped("Opportunity", "CloseDate", "2024-06-30T0Z", "date", "VALUE_STRING", "2024-06-30T0Z"),
    mistyped("Case", "IsEscalated", "yes", "boolean", "VALUE_STRING", "yes"),
    mistyped("Case", "IsEscalated", 1, "boolean", "VALUE_NUMBER_INT", "1"),
    mistyped("Contact", "AccountId", 1, "reference", "VALUE_NUMBER_INT", "1"),
    mistyped("Event", "StartDateTime", "2024-06-30", "datetime", "VALUE_STRING", "2024-06-30"),
    mistyped(
        "Event", "EndDateTime", "2024-06-30T10:00:00", "datetime", "VALUE_STRING", "2024-06-30T10:00:00"
    ),
    mistyped(
        "Event", "EndDateTime", "2024-06-30T25:00:00Z", "datetime", "VALUE_STRING", "2024-06-30T25:00:00Z"
    ),
    insert(
        "Account", {"Name": "a\x00b"}, JSON, "Name: text with a character that no record can hold", "Name"
    ),
    insert(
        "Account", {"Name": "a\ud800b"}, JSON, "Name: text with a character that no record can hold", "Name"
    ),
]

VALUES = [
    insert(
        "Contact",
        {"LastName": TOO_LONG},
        "STRING_TOO_LONG",
        f"Last Name: data value too large: {TOO_LONG} (max length=80)",
        "LastName",
    ),
    update(
        "Case",
        CASE,
        {"Description": "x" * 32_001},
        "STRING_TOO_LONG",
        f"Description: data value too large: {'x' * 32_001} (max length=32000)",
        "Description",
    ),
    update("Account", ACME, {"Rating": "Tepid"}, CHOICE, bad_choice("Rating", "Tepid"), "Rating"),
    insert(
        "Opportunity",
        {"Name": "d", "CloseDate": "2024-01-01", "StageName": "Won"},
        CHOICE,
        bad_choice("Stage Name", "Won"),
        "StageName",
    ),
    update(
        "Contact",
        LEE,
        {"Languages__c": "French;Klingon"},
        CHOICE,
        bad_choice("Languages", "Klingon"),
        "Languages__c",
    ),
    update(
        "Contact", LEE, {"Email": "x"}, "INVALID_EMAIL_ADDRESS", "Email: invalid email address: x", "Email"
    ),
    update(
        "Contact",
        LEE,
        {"Email": "a@b"},
        "INVALID_EMAIL_ADDRESS",
        "Email: invalid email address: a@b",
        "Email",
    ),
    update(
        "Contact",
        LEE,
        {"Email": "a b@c.example"},
        "INVALID_EMAIL_ADDRESS",
        "Email: invalid email address: a b@c.example",
        "Email",
    ),
    update(
        "Opportunity",
        DEAL,
        {"Amount": 1e17},
        RANGE,
        "Amount: value outside of valid range on numeric field: 1.0E17",
        "Amount",
    ),
    update(
        "Opportunity",
        DEAL,
        {"Amount": "-12345678901234567"},
        RANGE,
        "Amount: value outside of valid range on numeric field: -1.2345678901234568E16",
        "Amount",
    ),
    update(
        "Account",
        ACME,
        {"NumberOfEmployees": 100_000_000},
        RANGE,
        "Number Of Employees: value outside of valid range on numeric field: 100000000",
        "NumberOfEmployees",
    ),
    update(
        "Account",
        ACME,
        {"AnnualRevenue": 10**400},
        RANGE,
        "Annual Revenue: value outside of valid range on numeric field: Infinity",
        "AnnualRevenue",
    ),
    update(
        "Account",
        ACME,
        {"BillingLatitude": 90.5},
        RANGE,
        "Billing Latitude: value outside of valid range on numeric field: 90.5",
        "BillingLatitude",
    ),
    update(
        "Opportunity",
        DEAL,
        {"CloseDate": "1699-12-31"},
        RANGE,
        "Close Date: value outside of valid range on date field: 1699-12-31",
        "CloseDate",
    ),
]

REFERENCES = [
    insert(
        "Contact",
        {**PERSON, "AccountId": "abc"},
        "MALFORMED_ID",
        "Account ID: id value of incorrect type: abc",
        "AccountId",
    ),
    insert(
        "Contact",
        {**PERSON, "AccountId": LEE},
        "MALFORMED_ID",
        f"Account ID: id value of incorrect type: {LEE}",
        "AccountId",
    ),
    insert(
        "Contact",
        {**PERSON, "AccountId": LEE[:15]},
        "MALFORMED_ID",
        f"Account ID: id value of incorrect type: {LEE}",
        "AccountId",
    ),
    insert("Contact", {**PERSON, "AccountId": "001000000000009AAA"}, *DANGLING),
    insert("Task", {"WhatId": LEE}, "MALFORMED_ID", f"What ID: id value of incorrect type: {LEE}", "WhatId"),
    insert("Task", {"WhoId": "00Q000000000009EAA"}, *DANGLING),
    update(
        "Account",
        ACME,
        {"OwnerId": QUEUE},
        "MALFORMED_ID",
        f"Owner ID: id value of incorrect type: {QUEUE}",
        "OwnerId",
    ),
    insert(
        "Contact",
        {**PERSON, "Account": {"External_ID__c": "none"}},
        "INVALID_FIELD",
        "Foreign key external ID: none not found for field External_ID__c in entity Account",
    ),
    insert(
        "Contact",
        {**PERSON, "Account": {"Name": "Acme"}},
        "INVALID_FIELD",
        "No such column 'Name' on sobject of type Account",
    ),
    insert(
        "Contact",
        {**PERSON, "Account": {}},
        "INVALID_FIELD",
        "Account must name a parent record by exactly one external ID field",
        "AccountId",
    ),
    insert(
        "Account",
        {"Name": "a", "External_ID__c": "a-1"},
        "DUPLICATE_VALUE",
        f"duplicate value found: External_ID__c duplicates value on record with id: {ACME}",
    ),
    update(
        "Account",
        BIRCH,
        {"External_ID__c": "A-1"},
        "DUPLICATE_VALUE",
        f"duplicate value found: External_ID__c duplicates value on record with id: {ACME}",
    ),
]

ABSENT = "001000000000009AAA"
RECORDS = [
    Row("insert", "Accounts", {}, "NOT_FOUND", NOT_FOUND, status=404),
    Row("update", "Account", {}, *DANGLING, status=404, id=ABSENT),
    Row("update", "Account", {}, *DANGLING, status=404, id=LEE),
    Row(
        "update",
        "Account",
        {},
        "NOT_FOUND",
        "Provided external ID field does not exist or is not accessible: 001XYZ",
        status=404,
        id="001XYZ",
    ),
    Row("delete", "Account", {}, *DANGLING, status=404, id=ABSENT),
    Row("undelete", "Account", {}, *DANGLING, status=404, id=ABSENT),
    Row("undelete", "Account", {}, "UNDELETE_FAILED", "Entity is not in the recycle bin", id=ACME),
    Row(
        "insert",
        "Organization",
        {"Name": "x"},
        "INVALID_TYPE_FOR_OPERATION",
        "entity type cannot be inserted: Organization",
    ),
    Row("delete", "User", {}, "INVALID_TYPE_FOR_OPERATION", "entity type cannot be deleted: User", id=INES),
    Row(
        "delete",
        "Account",
        {},
        "DELETE_FAILED",
        blocked("Birch & Sons", "cases", "00001005"),
        id=BIRCH,
    ),
    Row(
        "delete",
        "Group",
        {},
        "DELETE_FAILED",
        blocked("Support", "tasks", "Call"),
        id=QUEUE,
    ),
    Row(
        "delete",
        "Product2",
        {},
        "DELETE_FAILED",
        blocked("Shoe", "opportunity products", "Spring deal Shoe"),
        id=SHOE,
    ),
    Row("get", "Account", {}, "NOT_FOUND", NOT_FOUND, status=404, id=ABSENT),
    Row(
        "upsert",
        "Account",
        {"Name": "a"},
        "NOT_FOUND",
        "Provided external ID field does not exist or is not accessible: Name",
        status=404,
        key=("Name", "x"),
    ),
    Row(
        "upsert",
        "Account",
        {"Name": "a", "external_id__c": "A-1"},
        "INVALID_FIELD",
        "The External_ID__c field should not be specified in the sobject data.",
        key=("External_ID__c", "A-1"),
    ),
    Row(
        "upsert",
        "Account",
        {"Name": "a"},
        "MISSING_ARGUMENT",
        "External_ID__c not specified",
        ("External_ID__c",),
        key=("External_ID__c", " "),
    ),
    Row("upsert", "Account", {"Name": "a"}, *DANGLING, status=404, key=("Id", ABSENT)),
]

ROWS = [*NAMES, *REQUIRED, *TYPES, *VALUES, *REFERENCES, *RECORDS]

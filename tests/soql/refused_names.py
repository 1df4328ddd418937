"""Queries that name what is not there, or select what may not be selected."""

from __future__ import annotations

from tests.soql.wording import FIELD, MALFORMED, TYPE, Case, no_column, no_object, no_relationship

NAMES: list[Case] = [
    ("SELECT Id FROM Accounts", TYPE, no_object("Accounts"), 1, 16),
    ("SELECT Id FROM Account__r", TYPE, no_object("Account__r"), 1, 16),
    ("SELECT Id, Nmae FROM Account", FIELD, no_column("Nmae", "Account"), 1, 12),
    ("SELECT Id,\n  Nmae FROM Account", FIELD, no_column("Nmae", "Account"), 2, 3),
    ("SELECT Account.Nmae FROM Contact", FIELD, no_column("Nmae", "Account"), 1, 8),
    ("SELECT Account FROM Contact", FIELD, no_column("Account", "Contact"), 1, 8),
    ("SELECT Acct.Name FROM Contact", FIELD, no_relationship("Acct", "field path"), 1, 8),
    ("SELECT IssueId__c.Name FROM Case", FIELD, no_relationship("IssueId__c", "field path"), 1, 8),
    ("SELECT What.Owner.Name FROM Task", FIELD, no_relationship("Owner", "field path"), 1, 8),
    ("SELECT What.Amount FROM Task", FIELD, no_column("Amount", "Name"), 1, 8),
    ("SELECT Id FROM Case WHERE Statuss = 'New'", FIELD, no_column("Statuss", "Case"), 1, 27),
    ("SELECT Id FROM Case ORDER BY Statuss", FIELD, no_column("Statuss", "Case"), 1, 30),
    (
        "SELECT (SELECT Id FROM Assetz) FROM Account",
        TYPE,
        no_relationship("Assetz", "FROM part of query call"),
        1,
        24,
    ),
    (
        "SELECT Parent.Parent.Parent.Parent.Parent.Parent.Name FROM Account",
        FIELD,
        "Relationship path 'Parent.Parent.Parent.Parent.Parent.Parent.Name' is longer than 5 levels",
        1,
        8,
    ),
    (
        "SELECT Id FROM Contact, Account",
        MALFORMED,
        "A driving SObject type has already been set, all other entity types in the FROM clause must be"
        " relationships to the initial object.  The driving object is Contact.",
        1,
        25,
    ),
    # The object is looked at before the fields, and the fields before the filters.
    ("SELECT Nope FROM Nothing WHERE Never = 1", TYPE, no_object("Nothing"), 1, 18),
    ("SELECT Nope FROM Case WHERE Never = 1", FIELD, no_column("Nope", "Case"), 1, 8),
]

SELECTS: list[Case] = [
    ("SELECT Id, Name, id FROM Account", FIELD, "duplicate field selected: Id", None, None),
    ("SELECT Id, FIELDS(ALL) FROM Account LIMIT 1", FIELD, "duplicate field selected: Id", None, None),
    (
        "SELECT DISTINCT Name FROM Account",
        MALFORMED,
        "only aggregate expressions use field aliasing",
        None,
        None,
    ),
    ("SELECT Id Name FROM Account", MALFORMED, "only aggregate expressions use field aliasing", None, None),
    (
        "SELECT FIELDS(ALL) FROM Account",
        MALFORMED,
        "The SOQL FIELDS function must have a LIMIT of at most 200",
        None,
        None,
    ),
    (
        "SELECT FIELDS(ALL) FROM Account LIMIT 201",
        MALFORMED,
        "The SOQL FIELDS function must have a LIMIT of at most 200",
        None,
        None,
    ),
    (
        "SELECT FIELDS(CUSTOM) FROM User LIMIT 1",
        MALFORMED,
        "'FIELDS(CUSTOM)' expansion function must result in at least one field being selected.",
        None,
        None,
    ),
    ("SELECT UPPER(Name) FROM Account", MALFORMED, "Unknown function: UPPER(Name)", 1, 8),
    (
        "SELECT Id FROM Case USING SCOPE team",
        "INVALID_QUERY_SCOPE",
        "Filter scope 'team' is not supported on entity 'Case'",
        None,
        None,
    ),
    (
        "SELECT Id FROM Knowledge__kav WITH DATA CATEGORY Geo__c AT asia__c",
        MALFORMED,
        "Data category group 'Geo__c' does not exist",
        1,
        50,
    ),
    (
        "SELECT TYPEOF Owner WHEN User THEN Id END FROM Account",
        FIELD,
        "TYPEOF needs a polymorphic relationship, and 'Owner' is not one",
        1,
        15,
    ),
    (
        "SELECT TYPEOF What WHEN Lead THEN Id END FROM Task",
        TYPE,
        "'Lead' is not one of the types of relationship 'What'",
        1,
        25,
    ),
    (
        "SELECT What.Name, TYPEOF What WHEN Case THEN Id END FROM Task",
        FIELD,
        "duplicate field selected: What",
        None,
        None,
    ),
    (
        "SELECT (SELECT COUNT(Id) FROM Contacts) FROM Account",
        MALFORMED,
        "only root queries support aggregate expressions",
        None,
        None,
    ),
    (
        "SELECT (SELECT Id FROM Contacts OFFSET 1) FROM Account LIMIT 2",
        MALFORMED,
        "OFFSET in a subquery needs LIMIT 1 on the parent query",
        None,
        None,
    ),
]

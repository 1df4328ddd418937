"""What is wrong with a query, as Salesforce words it: code, text, row and column."""

from __future__ import annotations

import pytest

from crmarena.clock import Clock
from crmarena.errors import SalesforceError
from crmarena.soql.run import run_query
from crmarena.storage.database import Database

MALFORMED = "MALFORMED_QUERY"
FIELD = "INVALID_FIELD"
FILTER = "INVALID_QUERY_FILTER_OPERATOR"
TYPE = "INVALID_TYPE"
HINT = " Please reference your WSDL or the describe call for the appropriate names."
TOP_LEVEL = (
    "Semi join sub-selects are only allowed at the top level WHERE expressions and not in nested WHERE"
    " expressions."
)


def _no_column(name: str, entity: str) -> str:
    return (
        f"No such column '{name}' on entity '{entity}'. If you are attempting to use a custom field, be sure"
        f" to append the '__c' after the custom field name.{HINT}"
    )


def _no_relationship(name: str, place: str) -> str:
    return (
        f"Didn't understand relationship '{name}' in {place}. If you are attempting to use a custom"
        f" relationship, be sure to append the '__r' after the custom relationship name.{HINT}"
    )


def _no_object(name: str) -> str:
    return (
        f"sObject type '{name}' is not supported. If you are attempting to use a custom object, be sure to"
        f" append the '__c' after the entity name.{HINT}"
    )


def _value(name: str, kind: str, quoted: bool) -> str:
    ending = "should be enclosed in quotes" if quoted else "should not be enclosed in quotes"
    return f"value of filter criterion for field '{name}' must be of type {kind} and {ending}"


Case = tuple[str, str, str, int | None, int | None]

SYNTAX: list[Case] = [
    ("", MALFORMED, "SOQL statements cannot be empty or null", None, None),
    (" \n ", MALFORMED, "SOQL statements cannot be empty or null", None, None),
    ("FIND {acme}", MALFORMED, "unexpected token: 'FIND'", None, None),
    ("SELECT", MALFORMED, "unexpected token: '<EOF>'", None, None),
    ("SELECT Id", MALFORMED, "unexpected token: '<EOF>'", None, None),
    ("SELECT Id FROM", MALFORMED, "unexpected token: '<EOF>'", None, None),
    ("SELECT Id FROM Contact WHERE", MALFORMED, "unexpected token: '<EOF>'", None, None),
    ("SELECT Id FROM Contact WHERE LastName", MALFORMED, "unexpected token: '<EOF>'", None, None),
    ("SELECT FROM Contact", MALFORMED, "unexpected token: 'SELECT FROM'", None, None),
    ("SELECT Id, From Contact", MALFORMED, "unexpected token: 'From'", None, None),
    ("SELECT * FROM Contact", MALFORMED, "unexpected token: '*'", None, None),
    ("SELECT COUNT(*) FROM Contact", MALFORMED, "unexpected token: '*'", None, None),
    ("SELECT Id FROM Contact;", MALFORMED, "unexpected token: ';'", None, None),
    ("SELECT Id FROM Contact LIMIT 5 ORDER BY Id", MALFORMED, "unexpected token: 'ORDER'", None, None),
    ("SELECT Id FROM Contact LIMIT -1", MALFORMED, "unexpected token: '-1'", None, None),
    ("SELECT Id FROM Contact LIMIT 1.5", MALFORMED, "unexpected token: '1.5'", None, None),
    (
        "SELECT Id FROM Contact LIMIT 3000000000",
        MALFORMED,
        "numeric value out of range: 3000000000",
        None,
        None,
    ),
    ("SELECT Id FROM Contact c JOIN Account a", MALFORMED, "unexpected token: 'JOIN'", None, None),
    (
        "SELECT Id FROM Contact WHERE LastName IS NULL",
        MALFORMED,
        "unexpected token: 'LastName IS'",
        None,
        None,
    ),
    (
        "SELECT Id FROM Contact WHERE LastName NOT LIKE 'A%'",
        MALFORMED,
        "unexpected token: 'LastName NOT LIKE'",
        None,
        None,
    ),
    ("SELECT Id FROM Contact WHERE LastName LIKE NULL", MALFORMED, "unexpected token: 'NULL'", None, None),
    ("SELECT Id FROM Contact WHERE Id IN ()", MALFORMED, "unexpected token: 'Id IN ()'", None, None),
    (
        "SELECT Id FROM Contact WHERE LastName BETWEEN 1",
        MALFORMED,
        "unexpected token: 'LastName BETWEEN'",
        None,
        None,
    ),
    (
        "SELECT Id FROM Case WHERE Status = 'a' OR Status = 'b' AND Subject = 'c'",
        MALFORMED,
        "unexpected token: 'AND'",
        None,
        None,
    ),
    (
        "SELECT Id FROM Contact WHERE LastName = :name",
        MALFORMED,
        "Bind variables only allowed in Apex code",
        None,
        None,
    ),
    (
        "SELECT Id FROM Contact WHERE Id IN :ids",
        MALFORMED,
        "Bind variables only allowed in Apex code",
        None,
        None,
    ),
    ("SELECT Id FROM Contact LIMIT :n", MALFORMED, "Bind variables only allowed in Apex code", None, None),
    (
        "SELECT Id FROM Contact WHERE LastName = Able",
        MALFORMED,
        "expecting a colon, found 'Able'",
        None,
        None,
    ),
    (
        "SELECT Id FROM Case WHERE CreatedDate = LAST_N_DAYS",
        MALFORMED,
        "expecting a colon, found '<EOF>'",
        None,
        None,
    ),
    (
        "SELECT Id FROM Case WHERE CreatedDate = LAST_N_DAYS 7",
        MALFORMED,
        "expecting a colon, found '7'",
        None,
        None,
    ),
    ("SELECT Id FROM Case WHERE CreatedDate = LAST_N_DAYS:x", MALFORMED, "unexpected token: 'x'", None, None),
    ('SELECT Id FROM Account WHERE Name = "Acme"', MALFORMED, "line 1:36 unexpected token: '\"'", 1, 36),
    (
        "SELECT Id FROM Account WHERE Name = 'Acme",
        MALFORMED,
        "line 1:41 mismatched character '<EOF>' expecting '''",
        1,
        41,
    ),
    ("SELECT Id, $x FROM Account", MALFORMED, "line 1:11 unexpected token: '$'", 1, 11),
    ("SELECT Id\nFROM Case WHERE Amount > 1 # 2", MALFORMED, "line 2:27 unexpected token: '#'", 2, 27),
    (
        r"SELECT Id FROM Account WHERE Name = 'a\-b'",
        MALFORMED,
        r"Invalid string literal 'a\-b'. Illegal character sequence '\-' in string literal.",
        None,
        None,
    ),
    (
        r"SELECT Id FROM Account WHERE Name = '5\%'",
        MALFORMED,
        r"Invalid string literal '5\%'. Illegal character sequence '\%' in string literal.",
        None,
        None,
    ),
    ("SELECT Id FROM Case WHERE CreatedDate > 2024-02-30", MALFORMED, "Invalid date: 2024-02-30", None, None),
    (
        "SELECT Id FROM Case WHERE CreatedDate > 2020-52-12t12:12:00-05:00",
        MALFORMED,
        "Invalid datetime: 2020-52-12t12:12:00-05:00",
        None,
        None,
    ),
    ("SELECT Id FROM Account USING everything", MALFORMED, "unexpected token: 'everything'", None, None),
    ("SELECT CALENDAR_YEAR(MAX(MIN(Id))) FROM Case", MALFORMED, "unexpected token: '('", None, None),
    ("SELECT Id FROM Case ALL ROWS", MALFORMED, "ALL ROWS not allowed in this context", None, None),
    ("SELECT Id FROM Case WITH", MALFORMED, "unexpected token: '<EOF>'", None, None),
    ("SELECT Id FROM Case FOR LUNCH", MALFORMED, "unexpected token: 'LUNCH'", None, None),
    ("SELECT Id FROM Case ORDER BY Id NULLS MIDDLE", MALFORMED, "unexpected token: 'MIDDLE'", None, None),
    ("SELECT FIELDS(SOME) FROM Case", MALFORMED, "unexpected token: 'SOME'", None, None),
]

NAMES: list[Case] = [
    ("SELECT Id FROM Accounts", TYPE, _no_object("Accounts"), 1, 16),
    ("SELECT Id FROM Account__r", TYPE, _no_object("Account__r"), 1, 16),
    ("SELECT Id, Nmae FROM Account", FIELD, _no_column("Nmae", "Account"), 1, 12),
    ("SELECT Id,\n  Nmae FROM Account", FIELD, _no_column("Nmae", "Account"), 2, 3),
    ("SELECT Account.Nmae FROM Contact", FIELD, _no_column("Nmae", "Account"), 1, 8),
    ("SELECT Account FROM Contact", FIELD, _no_column("Account", "Contact"), 1, 8),
    ("SELECT Acct.Name FROM Contact", FIELD, _no_relationship("Acct", "field path"), 1, 8),
    ("SELECT IssueId__c.Name FROM Case", FIELD, _no_relationship("IssueId__c", "field path"), 1, 8),
    ("SELECT What.Owner.Name FROM Task", FIELD, _no_relationship("Owner", "field path"), 1, 8),
    ("SELECT What.Amount FROM Task", FIELD, _no_column("Amount", "Name"), 1, 8),
    ("SELECT Id FROM Case WHERE Statuss = 'New'", FIELD, _no_column("Statuss", "Case"), 1, 27),
    ("SELECT Id FROM Case ORDER BY Statuss", FIELD, _no_column("Statuss", "Case"), 1, 30),
    (
        "SELECT (SELECT Id FROM Assetz) FROM Account",
        TYPE,
        _no_relationship("Assetz", "FROM part of query call"),
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
    ("SELECT Nope FROM Nothing WHERE Never = 1", TYPE, _no_object("Nothing"), 1, 18),
    ("SELECT Nope FROM Case WHERE Never = 1", FIELD, _no_column("Nope", "Case"), 1, 8),
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

GROUPS: list[Case] = [
    (
        "SELECT Name, COUNT(Id) FROM Account",
        MALFORMED,
        "Field must be grouped or aggregated: Name",
        None,
        None,
    ),
    (
        "SELECT Status, COUNT(Id) FROM Case GROUP BY Status ORDER BY Subject",
        MALFORMED,
        "Ordered field must be grouped or aggregated: Subject",
        None,
        None,
    ),
    (
        "SELECT Status, COUNT(Status) FROM Case GROUP BY Status",
        MALFORMED,
        "Grouped field should not be aggregated: Status",
        1,
        22,
    ),
    (
        "SELECT Status FROM Case GROUP BY Status HAVING COUNT(Status) > 1",
        MALFORMED,
        "Grouped field should not be aggregated: Status",
        1,
        54,
    ),
    (
        "SELECT Status FROM Case GROUP BY Status HAVING Priority = 'Low'",
        MALFORMED,
        "Field must be grouped or aggregated: Priority",
        None,
        None,
    ),
    (
        "SELECT COUNT(Id) FROM Opportunity GROUP BY Amount",
        FIELD,
        "field 'Amount' can not be grouped in a query call",
        1,
        44,
    ),
    (
        "SELECT COUNT(Id) FROM Case GROUP BY CreatedDate",
        FIELD,
        "field 'CreatedDate' can not be grouped in a query call",
        1,
        37,
    ),
    (
        "SELECT COUNT(Id) FROM Case GROUP BY CaseNumber",
        FIELD,
        "field 'CaseNumber' can not be grouped in a query call",
        1,
        37,
    ),
    (
        "SELECT COUNT(Id) FROM Case GROUP BY Status, status",
        MALFORMED,
        "duplicate grouping expression: Status",
        None,
        None,
    ),
    (
        "SELECT SUM(Name) FROM Account",
        MALFORMED,
        "field Name does not support aggregate operator SUM",
        None,
        None,
    ),
    (
        "SELECT MAX(IsClosed) FROM Case",
        MALFORMED,
        "field IsClosed does not support aggregate operator MAX",
        None,
        None,
    ),
    (
        "SELECT COUNT(Description) FROM Case",
        MALFORMED,
        "field Description does not support aggregate operator COUNT",
        None,
        None,
    ),
    (
        "SELECT COUNT(Id) FROM Case LIMIT 5",
        MALFORMED,
        "Non-grouped query that uses overall aggregate functions cannot also use LIMIT",
        None,
        None,
    ),
    (
        "SELECT COUNT(), Id FROM Case",
        MALFORMED,
        "COUNT() must be the only element of the SELECT list",
        None,
        None,
    ),
    ("SELECT COUNT() FROM Case ORDER BY Id", MALFORMED, "COUNT() does not go with ORDER BY", None, None),
    ("SELECT COUNT() FROM Case GROUP BY Status", MALFORMED, "COUNT() does not go with GROUP BY", None, None),
    ("SELECT Id FROM Case HAVING COUNT(Id) > 1", MALFORMED, "HAVING needs GROUP BY", None, None),
    (
        "SELECT Id FROM Case WHERE COUNT(Id) > 1",
        MALFORMED,
        "Aggregate function COUNT is not allowed here: COUNT(Id)",
        None,
        None,
    ),
    (
        "SELECT Account.Name, Owner.Name FROM Case GROUP BY Account.Name, Owner.Name",
        MALFORMED,
        "duplicate alias: Name",
        None,
        None,
    ),
    (
        "SELECT CALENDAR_YEAR(CreatedDate) FROM Case",
        MALFORMED,
        "Field must be grouped or aggregated: CreatedDate",
        None,
        None,
    ),
    (
        "SELECT DAY_ONLY(CloseDate), COUNT(Id) FROM Opportunity GROUP BY DAY_ONLY(CloseDate)",
        FIELD,
        "field 'CloseDate' does not support function DAY_ONLY",
        1,
        8,
    ),
    (
        "SELECT GROUPING(Status), COUNT(Id) FROM Case GROUP BY Status",
        MALFORMED,
        "GROUPING needs a field of GROUP BY ROLLUP or CUBE: Status",
        None,
        None,
    ),
    (
        "SELECT COUNT(Id) FROM Case GROUP BY CUBE(Status, Priority, OwnerId, AccountId)",
        MALFORMED,
        "GROUP BY CUBE takes 3 fields at most",
        None,
        None,
    ),
    (
        "SELECT Id FROM Case OFFSET 2001",
        "NUMBER_OUTSIDE_VALID_RANGE",
        "Maximum SOQL offset allowed for apiName Case is 2000",
        None,
        None,
    ),
]

VALUES: list[Case] = [
    ("SELECT Id FROM Case WHERE IsClosed = 'true'", FIELD, _value("IsClosed", "boolean", False), 1, 27),
    ("SELECT Id FROM Opportunity WHERE Amount > '10'", FIELD, _value("Amount", "double", False), 1, 34),
    (
        "SELECT Id FROM Account WHERE NumberOfEmployees = '1'",
        FIELD,
        _value("NumberOfEmployees", "int", False),
        1,
        30,
    ),
    (
        "SELECT Id FROM Opportunity WHERE CloseDate > '2024-01-01'",
        FIELD,
        _value("CloseDate", "date", False),
        1,
        34,
    ),
    (
        "SELECT Id FROM Opportunity WHERE CloseDate > 2024-01-01T00:00:00Z",
        FIELD,
        _value("CloseDate", "date", False),
        1,
        34,
    ),
    (
        "SELECT Id FROM Case WHERE CreatedDate > 2024-01-01",
        FIELD,
        _value("CreatedDate", "dateTime", False),
        1,
        27,
    ),
    ("SELECT Id FROM Case WHERE Subject = 5", FIELD, _value("Subject", "string", True), 1, 27),
    ("SELECT Id FROM Case WHERE Subject = true", FIELD, _value("Subject", "string", True), 1, 27),
    ("SELECT Id FROM Case WHERE Subject = TODAY", FIELD, _value("Subject", "string", True), 1, 27),
    ("SELECT Id FROM Case WHERE Status IN ('New', 5)", FIELD, _value("Status", "string", True), 1, 27),
    ("SELECT Id FROM Case WHERE Account.Name = 5", FIELD, _value("Name", "string", True), 1, 27),
    (
        "SELECT Id FROM Case WHERE CALENDAR_YEAR(CreatedDate) = '2024'",
        FIELD,
        _value("CALENDAR_YEAR(CreatedDate)", "int", False),
        1,
        41,
    ),
    ("SELECT Id FROM Case WHERE OwnerId = 'abc'", FILTER, "invalid ID field: abc", 1, 27),
    ("SELECT Id FROM Case WHERE Id IN ('500Wt0000000001IAA', 'x')", FILTER, "invalid ID field: x", 1, 27),
    ("SELECT Id FROM Case WHERE OwnerId LIKE '005%'", FILTER, "invalid operator on id field", 1, 27),
    (
        "SELECT Id FROM Case WHERE CreatedDate LIKE '2024%'",
        FILTER,
        "invalid operator on datetime field",
        1,
        27,
    ),
    ("SELECT Id FROM Case WHERE IsClosed > false", FILTER, "invalid operator on boolean field", 1, 27),
    (
        "SELECT Id FROM Case WHERE Status INCLUDES ('New')",
        FILTER,
        "invalid operator on picklist field",
        1,
        27,
    ),
    ("SELECT Id FROM Case WHERE Subject EXCLUDES ('a;b')", FILTER, "invalid operator on string field", 1, 27),
    (
        "SELECT Id FROM Case WHERE Description = 'x'",
        FIELD,
        "field 'Description' can not be filtered in a query call",
        1,
        27,
    ),
    (
        "SELECT Id FROM Case ORDER BY Description",
        FIELD,
        "field 'Description' can not be sorted in a query call",
        1,
        30,
    ),
    (
        "SELECT COUNT(Id) FROM Case GROUP BY Description",
        FIELD,
        "field 'Description' can not be grouped in a query call",
        1,
        37,
    ),
]

SEMI_JOINS: list[Case] = [
    (
        "SELECT Id FROM Account WHERE Name = 'a' OR Id IN (SELECT AccountId FROM Case)",
        MALFORMED,
        "Semi join sub-selects are not allowed with the 'OR' operator",
        1,
        51,
    ),
    (
        "SELECT Id FROM Account WHERE Name = 'a' AND (Phone = 'x' OR Id IN (SELECT AccountId FROM Case))",
        MALFORMED,
        TOP_LEVEL,
        1,
        68,
    ),
    ("SELECT Id FROM Account WHERE (NOT Id IN (SELECT AccountId FROM Case))", MALFORMED, TOP_LEVEL, 1, 42),
    (
        "SELECT Id FROM Account WHERE Id IN (SELECT AccountId FROM Case WHERE ContactId IN"
        " (SELECT Id FROM Contact))",
        MALFORMED,
        "Nesting of semi join sub-selects is not supported",
        1,
        84,
    ),
    (
        "SELECT Id FROM Account WHERE Id IN (SELECT AccountId FROM Case)"
        " AND Id IN (SELECT AccountId FROM Contact)"
        " AND Id IN (SELECT AccountId FROM Opportunity)",
        MALFORMED,
        "Maximum 2 semi join sub-selects are allowed.",
        1,
        118,
    ),
    (
        "SELECT Id FROM Account WHERE Id IN (SELECT Id FROM Account)",
        MALFORMED,
        "The inner and outer selects should not be on the same object type",
        1,
        37,
    ),
    (
        "SELECT Id FROM Account WHERE OwnerId IN (SELECT AccountId FROM Case)",
        MALFORMED,
        "The selected field 'AccountId' in the subquery and the left operand field in the where expression in"
        " the outer query 'OwnerId' should point to the same object type",
        1,
        42,
    ),
    (
        "SELECT Id FROM Account WHERE Name IN (SELECT AccountId FROM Case)",
        MALFORMED,
        "The left operand field in the where expression for outer query should be an id field, cannot use:"
        " 'Name'",
        1,
        30,
    ),
    (
        "SELECT Id FROM Contact WHERE Account.Id IN (SELECT AccountId FROM Case)",
        MALFORMED,
        "The left operand field in the where expression for outer query should be an id field, cannot use:"
        " 'Account.Id'",
        1,
        30,
    ),
    (
        "SELECT Id FROM Account WHERE Id IN (SELECT Subject FROM Case)",
        MALFORMED,
        "The inner select field of a semi join should be an id or reference field, cannot use: 'Subject'",
        1,
        37,
    ),
    (
        "SELECT Id FROM Account WHERE Id IN (SELECT AccountId, Id FROM Case)",
        MALFORMED,
        "The inner select of a semi join must have exactly one field",
        1,
        37,
    ),
    (
        "SELECT Id FROM Account WHERE Id IN (SELECT AccountId FROM Case LIMIT 5)",
        MALFORMED,
        "LIMIT is not allowed in a semi join sub-select",
        1,
        37,
    ),
    (
        "SELECT Id FROM Account WHERE Id IN (SELECT WhatId FROM Task)",
        MALFORMED,
        "Entity 'Task' is not supported for semi join inner selects",
        1,
        37,
    ),
    (
        "SELECT OwnerId FROM Case GROUP BY OwnerId HAVING OwnerId IN (SELECT OwnerId FROM Lead)",
        MALFORMED,
        "Semi join sub-selects are not allowed in HAVING",
        1,
        62,
    ),
]

TABLE = [*SYNTAX, *NAMES, *SELECTS, *GROUPS, *VALUES, *SEMI_JOINS]


@pytest.mark.parametrize(
    ("query", "code", "text", "row", "column"), TABLE, ids=[case[0] or "empty" for case in TABLE]
)
def test_wrong_queries_are_answered_as_salesforce_answers_them(
    database: Database, clock: Clock, query: str, code: str, text: str, row: int | None, column: int | None
) -> None:
    with pytest.raises(SalesforceError) as caught:
        run_query(database, query, clock)
    error = caught.value
    assert (error.error_code, error.text, error.row, error.column) == (code, text, row, column)


def _message(database: Database, clock: Clock, query: str, api_version: int = 62) -> str:
    with pytest.raises(SalesforceError) as caught:
        run_query(database, query, clock, api_version=api_version)
    return caught.value.message


def test_a_semantic_error_shows_the_query_with_a_caret_below_the_field(
    database: Database, clock: Clock
) -> None:
    message = _message(database, clock, "SELECT Id, Nmae FROM Account")
    assert message.startswith(
        "\nSELECT Id, Nmae FROM Account\n           ^\nERROR at Row:1:Column:12\nNo such column 'Nmae'"
    )


def test_the_window_shows_the_row_of_the_error_alone(database: Database, clock: Clock) -> None:
    message = _message(database, clock, "SELECT Id\nFROM Case\nWHERE Statuss = 'New'\nLIMIT 1")
    assert message.startswith("\nWHERE Statuss = 'New'\n      ^\nERROR at Row:3:Column:7\n")


def test_a_long_row_is_cut_at_blanks_around_the_error(database: Database, clock: Clock) -> None:
    query = "SELECT Id, Subject, Status, Priority, OwnerId, Nmae, AccountId, ContactId, CreatedDate FROM Case"
    _, window, caret, place, _ = _message(database, clock, query).split("\n")
    assert window == "Status, Priority, OwnerId, Nmae, AccountId, ContactId, CreatedDate"
    assert window[len(caret) - 1 :].startswith("Nmae")
    assert place == "ERROR at Row:1:Column:48"


def test_before_version_62_a_syntax_error_has_a_caret_and_bare_tokens(
    database: Database, clock: Clock
) -> None:
    query = "SELECT Id FROM Case WHERE Status = 'a' AND Status = 'b' OR Status = 'c'"
    with pytest.raises(SalesforceError) as caught:
        run_query(database, query, clock, api_version=58)
    assert caught.value.text == "unexpected token: OR"
    assert (caught.value.row, caught.value.column) == (1, query.index("OR"))
    assert f"ERROR at Row:1:Column:{query.index('OR')}\n" in caught.value.message


def test_a_version_changes_no_semantic_error(database: Database, clock: Clock) -> None:
    query = "SELECT Nmae FROM Account"
    assert _message(database, clock, query, 58) == _message(database, clock, query, 62)


def test_too_deep_and_too_wide_queries_are_refused_and_not_crashed_on(
    database: Database, clock: Clock
) -> None:
    deep = "SELECT Id FROM Case WHERE " + "(" * 5000 + "Status = 'New'" + ")" * 5000
    assert "too complicated" in _message(database, clock, deep)
    joins = ", ".join(f"{'Parent.' * depth}Owner.Name" for depth in range(1, 5))
    polymorphic = "SELECT What.Name, Who.Name FROM Task"
    assert run_query(database, polymorphic, clock).total_size == 4
    assert run_query(database, f"SELECT {joins} FROM Account", clock).total_size == 5
    assert "longer than 100000" in _message(
        database, clock, "SELECT Id FROM Case WHERE Subject = '" + "x" * 100_000
    )


def test_thousands_of_alternatives_run(database: Database, clock: Clock) -> None:
    terms = " OR ".join(f"NumberOfEmployees = {number}" for number in range(2000))
    assert run_query(database, f"SELECT Id FROM Account WHERE {terms}", clock).total_size == 4

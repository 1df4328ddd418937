"""What a search is refused with: code, text, place and HTTP status, by what was sent."""

from __future__ import annotations

import pytest

from crmarena.clock import Clock
from crmarena.errors import SalesforceError
from crmarena.sosl.faults import TEXTS
from crmarena.sosl.search import run_search
from crmarena.storage.database import Database
from tests.sosl.conftest import TODAY

SEARCH, TERM, OURS = "MALFORMED_SEARCH", "INVALID_SEARCH", "INVALID_TYPE_FOR_OPERATION"
FIELD, TYPE, FILTER, RANGE = (
    "INVALID_FIELD",
    "INVALID_TYPE",
    "INVALID_QUERY_FILTER_OPERATOR",
    "NUMBER_OUTSIDE_VALID_RANGE",
)
BRACES = "No search term found. The search term must be enclosed in braces."
SHORT = "search term must be longer than one character: "
NO_COLUMN = "No such column '{}' on entity '{}'."
NO_TYPE = "sObject type '{}' is not supported."

Row = tuple[str, str, str, tuple[int, int] | None]

# The texts end where the sheet's do; those that Salesforce ends with advice are given by their beginning.
ROWS: list[Row] = [
    # The frame
    ("FIND 'acme'", SEARCH, BRACES, None),
    ("FIND acme", SEARCH, BRACES, None),
    ("FIND", SEARCH, BRACES, None),
    ("FIND :acme IN ALL FIELDS", SEARCH, BRACES, None),
    ("", SEARCH, "unexpected token: '<EOF>'", None),
    ("SELECT Id FROM Case", SEARCH, "unexpected token: 'SELECT'", None),
    (
        "FIND {acme} " + " " * 100_000,
        SEARCH,
        "SOSL statements cannot be longer than 100000 characters.",
        None,
    ),
    # The search term
    (
        "FIND {John|jane} RETURNING Contact",
        SEARCH,
        "line 1:10 mismatched character '|' expecting '}'",
        (1, 10),
    ),
    ("FIND {AT&T}", SEARCH, "line 1:8 mismatched character '&' expecting '}'", (1, 8)),
    ("FIND {ann-marie}", SEARCH, "line 1:9 mismatched character '-' expecting '}'", (1, 9)),
    ("FIND {o'neil}", SEARCH, "line 1:7 mismatched character ''' expecting '}'", (1, 7)),
    ("FIND {acme!}", SEARCH, "line 1:10 mismatched character '!' expecting '}'", (1, 10)),
    ("FIND {[acme]}", SEARCH, "line 1:6 mismatched character '[' expecting '}'", (1, 6)),
    ("FIND {{acme}}", SEARCH, "line 1:6 mismatched character '{' expecting '}'", (1, 6)),
    ("FIND {acme^2}", SEARCH, "line 1:10 mismatched character '^' expecting '}'", (1, 10)),
    ("FIND {acme~}", SEARCH, "line 1:10 mismatched character '~' expecting '}'", (1, 10)),
    ("FIND {name:acme}", SEARCH, "line 1:10 mismatched character ':' expecting '}'", (1, 10)),
    ('FIND {"acme: bolts"}', SEARCH, "line 1:11 mismatched character ':' expecting '}'", (1, 11)),
    ("FIND {acme\nAT&T}", SEARCH, "line 2:2 mismatched character '&' expecting '}'", (2, 2)),
    ("FIND {acme", SEARCH, "line 1:10 mismatched character '<EOF>' expecting '}'", (1, 10)),
    ('FIND {"acme}', SEARCH, "line 1:11 mismatched character '}' expecting '}'", (1, 11)),
    ("FIND {acme\\", SEARCH, "line 1:11 mismatched character '<EOF>' expecting '}'", (1, 11)),
    ("FIND {a}", TERM, SHORT + "a", None),
    ("FIND {g*} RETURNING Case", TERM, SHORT + "g*", None),
    ("FIND {acme OR 7}", TERM, SHORT + "7", None),
    ("FIND {}", TERM, SHORT, None),
    ("FIND {*}", TERM, SHORT + "*", None),
    ("FIND {*acme}", TERM, "search term must not start with a wildcard: *acme", None),
    ('FIND {"?cme bolts"}', TERM, "search term must not start with a wildcard: ?cme bolts", None),
    ("FIND {acme AND}", SEARCH, "unexpected token: '<EOF>'", None),
    ("FIND {NOT acme}", SEARCH, "unexpected token: 'NOT'", None),
    ("FIND {acme OR NOT bolts}", SEARCH, "unexpected token: 'NOT'", None),
    ("FIND {(acme}", SEARCH, "unexpected token: '<EOF>'", None),
    ("FIND {acme)}", SEARCH, "unexpected token: ')'", None),
    (
        "FIND {" + "(" * 30 + "acme" + ")" * 30 + "}",
        SEARCH,
        "The search term nests too many operators and parentheses.",
        None,
    ),
    ('FIND {"refund * * * *"} RETURNING Case', TERM, "search term matches too many phrases: refund *", None),
    # IN
    ("FIND {name} IN ALL TYPE RETURNING Account(name)", SEARCH, "Malformed search token: TYPE", (1, 19)),
    ("FIND {acme} IN TITLE FIELDS", SEARCH, "Malformed search token: TITLE", (1, 15)),
    ("FIND {acme} IN NAME", SEARCH, "unexpected token: '<EOF>'", None),
    # RETURNING
    ("FIND {acme} RETURNING", SEARCH, "unexpected token: '<EOF>'", None),
    ("FIND {acme} RETURNING Accounts", TYPE, NO_TYPE.format("Accounts"), (1, 23)),
    ("FIND {acme} RETURNING Account__r", TYPE, NO_TYPE.format("Account__r"), (1, 23)),
    ("FIND {acme} RETURNING Account(Nmae)", FIELD, NO_COLUMN.format("Nmae", "Account"), (1, 31)),
    ("FIND {acme}\nRETURNING Account(Id,\n Nmae)", FIELD, NO_COLUMN.format("Nmae", "Account"), (3, 2)),
    ("FIND {acme} RETURNING Contact(Account.Nmae)", FIELD, NO_COLUMN.format("Nmae", "Account"), (1, 31)),
    ("FIND {acme} RETURNING Contact(Boss.Name)", FIELD, "Didn't understand relationship 'Boss'", (1, 31)),
    ("FIND {acme} RETURNING Account(Id, Id)", FIELD, "duplicate field selected: Id", None),
    ("FIND {acme} RETURNING Account(", SEARCH, "unexpected token: '<EOF>'", None),
    ("FIND {acme} RETURNING Account()", SEARCH, "unexpected token: ')'", None),
    ("FIND {acme} RETURNING Account(WHERE Name = 'x')", SEARCH, "unexpected token: '='", None),
    ("FIND {acme} RETURNING Account(Id", SEARCH, "unexpected token: '<EOF>'", None),
    ("FIND {acme} RETURNING Account(Name n)", SEARCH, "only aggregate expressions use field aliasing", None),
    ("FIND {acme} RETURNING Account(COUNT(Id))", SEARCH, "Malformed search token: COUNT", (1, 30)),
    ("FIND {acme} RETURNING Account(FIELDS(ALL))", SEARCH, "Malformed search token: FIELDS", (1, 30)),
    (
        "FIND {acme} RETURNING Account(Id, (SELECT Id FROM Contacts))",
        SEARCH,
        "Malformed search token: SELECT",
        (1, 35),
    ),
    (
        "FIND {acme} RETURNING Task(TYPEOF What WHEN Account THEN Name END)",
        SEARCH,
        "Malformed search token: TYPEOF",
        (1, 27),
    ),
    (
        "FIND {acme} RETURNING Account(Id WHERE Description = 'x')",
        FIELD,
        "field 'Description' can not be filtered in a query call",
        (1, 40),
    ),
    (
        "FIND {acme} RETURNING Account(Id WHERE Name = 3)",
        FIELD,
        "value of filter criterion for field 'Name' must be of type string and should be enclosed in quotes",
        (1, 40),
    ),
    ("FIND {acme} RETURNING Account(Id WHERE Id = 'abc')", FILTER, "invalid ID field: abc", (1, 40)),
    (
        "FIND {acme} RETURNING Account(Id WHERE Name = 'a' AND Id != null OR Phone = 'b')",
        SEARCH,
        "unexpected token: 'OR'",
        None,
    ),
    (
        "FIND {acme} RETURNING Account(Id ORDER BY Description)",
        FIELD,
        "field 'Description' can not be sorted in a query call",
        (1, 43),
    ),
    ("FIND {acme} RETURNING Account(Id LIMIT 1 ORDER BY Id)", SEARCH, "unexpected token: 'ORDER'", None),
    ("FIND {acme} RETURNING Account(Id LIMIT -1)", SEARCH, "unexpected token: '-1'", None),
    ("FIND {acme} RETURNING Account(Id OFFSET 2001)", RANGE, "SOSL offset should be between 0 to 2000", None),
    ("FIND {acme} RETURNING Account(Id OFFSET 1), Case", SEARCH, "OFFSET in RETURNING needs a single", None),
    ("FIND {acme} RETURNING Case, case", SEARCH, "duplicate object in RETURNING: Case", None),
    ("FIND {acme} RETURNING OrderItem", OURS, "entity type OrderItem does not support search", None),
    ("FIND {acme} RETURNING Account(Id USING ListView(Id = Recent))", SEARCH, "Invalid using expr", None),
    ("FIND {acme} RETURNING Account(Id USING SCOPE mine)", SEARCH, "Invalid using expr", None),
    (
        "FIND {acme} RETURNING Account(Id USING ListView=Mine)",
        TERM,
        "List view 'Mine' does not exist for Account",
        None,
    ),
    (
        "FIND {acme} RETURNING Account(Id USING ListView=Recent), Case(Id USING ListView=Recent)",
        SEARCH,
        "Only one list view can be specified in a search",
        None,
    ),
    # WITH
    ("FIND {acme} WITH MAGIC", SEARCH, "Malformed search token: MAGIC", (1, 17)),
    ("FIND {acme} WITH", SEARCH, "unexpected token: '<EOF>'", None),
    ("FIND {acme} WITH HIGHLIGHT WITH HIGHLIGHT", SEARCH, "duplicate clause in search: WITH HIGHLIGHT", None),
    ("FIND {acme} WITH DIVISION = Global", SEARCH, "Malformed search token: Global", (1, 28)),
    ("FIND {acme} WITH DIVISION = 'West'", TERM, "Division 'West' does not exist", None),
    (
        "FIND {acme} RETURNING Knowledge__kav WITH DATA CATEGORY Geo__c AT usa__c",
        TERM,
        "Data category group 'Geo__c' does not exist",
        None,
    ),
    ("FIND {acme} WITH DATA CATEGORY Geo__c NEAR usa__c", SEARCH, "unexpected token: 'NEAR'", None),
    ("FIND {acme} WITH SNIPPET(length=9)", SEARCH, "Malformed search token: length", (1, 25)),
    ("FIND {acme} WITH SNIPPET(target_length=9.5)", SEARCH, "Malformed search token: 9.5", (1, 39)),
    ("FIND {acme} WITH NETWORK = 'x'", FILTER, "invalid ID field: x", None),
    (
        "FIND {acme} WITH NETWORK '0DB000000000001'",
        SEARCH,
        "Malformed search token: '0DB000000000001'",
        (1, 25),
    ),
    ("FIND {acme} WITH PricebookId = 'x'", FILTER, "invalid ID field: x", None),
    (
        "FIND {acme} RETURNING Product2 WITH PriceBookId IN ('01s000000000001')",
        SEARCH,
        "IN cannot be used for WITH PriceBookId clause",
        None,
    ),
    ("FIND {acme} WITH METADATA = 'NAMES'", SEARCH, "Malformed search token: 'NAMES'", (1, 28)),
    ("FIND {acme} WITH SPELL_CORRECTION = maybe", SEARCH, "Malformed search token: maybe", (1, 36)),
    # The rest
    ("FIND {acme} FROM Account", SEARCH, "Malformed search token: FROM", (1, 12)),
    ("FIND {acme};", SEARCH, "Malformed search token: ;", (1, 11)),
    ("FIND {acme} {bolt}", SEARCH, "Malformed search token: {", (1, 12)),
    ("FIND {acme} LIMIT 3 RETURNING Account", SEARCH, "Malformed search token: RETURNING", (1, 20)),
    ("FIND {acme} LIMIT x", SEARCH, "unexpected token: 'x'", None),
    ("FIND {acme} LIMIT", SEARCH, "unexpected token: '<EOF>'", None),
    ("FIND {acme} UPDATE NOTHING", SEARCH, "Malformed search token: NOTHING", (1, 19)),
    ("FIND {acme} UPDATE TRACKING VIEWSTAT", SEARCH, "Malformed search token: VIEWSTAT", (1, 28)),
]


@pytest.mark.parametrize(("text", "code", "said", "place"), ROWS, ids=[row[0][:60] for row in ROWS])
def test_a_wrong_search_is_refused(
    searched: Database, text: str, code: str, said: str, place: tuple[int, int] | None
) -> None:
    with pytest.raises(SalesforceError) as caught:
        run_search(searched, text, Clock.at(TODAY))
    error = caught.value
    assert (error.error_code, error.http_status) == (code, 400)
    assert error.text.startswith(said)
    assert (None if error.row is None else (error.row, error.column)) == place
    if place is None:
        assert error.message == error.text
    else:
        assert error.message.endswith(f"^\nERROR at Row:{place[0]}:Column:{place[1]}\n{error.text}")


@pytest.mark.parametrize("version", [36, 51, 62, 67])
def test_a_word_no_clause_takes_stands_under_a_caret(searched: Database, version: int) -> None:
    with pytest.raises(SalesforceError) as caught:
        run_search(
            searched,
            "FIND {name} IN ALL TYPE RETURNING Account(name)",
            Clock.at(TODAY),
            api_version=version,
        )
    assert caught.value.message == (
        "\nFIND {name} IN ALL TYPE RETURNING Account(name)\n                  ^\n"
        "ERROR at Row:1:Column:19\nMalformed search token: TYPE"
    )


def test_a_character_that_must_be_escaped_stands_under_a_caret(searched: Database) -> None:
    with pytest.raises(SalesforceError) as caught:
        run_search(searched, "FIND {John|jane_gray@uoa.edu} RETURNING Contact", Clock.at(TODAY))
    assert caught.value.message == (
        "\nFIND {John|jane_gray@uoa.edu} RETURNING Contact\n         ^\n"
        "ERROR at Row:1:Column:10\nline 1:10 mismatched character '|' expecting '}'"
    )


def test_every_text_of_a_statement_is_in_the_table() -> None:
    of_parameters = {"parameter", "unknown_parameter", "needs_object"}
    for key in TEXTS.keys() - of_parameters:
        beginning = TEXTS[key][1].partition("{")[0]
        assert any(said.startswith(beginning[: len(said)]) for _, _, said, _ in ROWS), key

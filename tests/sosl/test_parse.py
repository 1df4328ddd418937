from __future__ import annotations

import pytest

from crmarena.errors import SalesforceError
from crmarena.soql.tokens import Source
from crmarena.sosl.ast import FieldGroup, Search, Term
from crmarena.sosl.parse import parse


def parsed(text: str) -> Search:
    return parse(Source(text))


@pytest.mark.parametrize(
    ("text", "group"),
    [
        ("FIND {acme}", FieldGroup.ALL),
        ("FIND {acme} IN ALL FIELDS", FieldGroup.ALL),
        ("find{acme}in name fields", FieldGroup.NAME),
        ("Find {acme}\nIN EMAIL FIELDS", FieldGroup.EMAIL),
        ("FIND {acme} IN PHONE FIELDS LIMIT 3", FieldGroup.PHONE),
        ("FIND {acme} IN SIDEBAR FIELDS RETURNING Account", FieldGroup.SIDEBAR),
    ],
)
def test_the_field_group_is_read(text: str, group: FieldGroup) -> None:
    assert parsed(text).group is group
    assert parsed(text).expression == Term("acme")


def test_every_clause_is_read() -> None:
    search = parsed(
        "FIND {acme} IN ALL FIELDS RETURNING Account(Id, Owner.Name WHERE Name LIKE 'A%' AND Phone != null"
        " ORDER BY Name DESC, Id LIMIT 5 OFFSET 2) WITH SPELL_CORRECTION = false LIMIT 10"
        " UPDATE TRACKING, VIEWSTAT"
    )
    (returning,) = search.returning
    query = returning.query
    assert returning.object_name == "Account"
    assert [item.expression.text for item in query.select if hasattr(item.expression, "text")] == [
        "Id",
        "Owner.Name",
    ]
    assert (len(query.order_by), query.limit, query.offset, search.limit) == (2, 5, 2, 10)
    assert query.where is not None


def test_an_object_without_fields_gives_ids() -> None:
    search = parsed("FIND {acme} RETURNING Account, Contact ( LastName ), Case")
    assert [entry.object_name for entry in search.returning] == ["Account", "Contact", "Case"]
    assert [len(entry.query.select) for entry in search.returning] == [1, 1, 1]


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (
            "FIND 'acme'",
            "MALFORMED_SEARCH",
            "No search term found. The search term must be enclosed in braces.",
        ),
        (
            "FIND acme",
            "MALFORMED_SEARCH",
            "No search term found. The search term must be enclosed in braces.",
        ),
        ("FIND", "MALFORMED_SEARCH", "No search term found. The search term must be enclosed in braces."),
        ("", "MALFORMED_SEARCH", "unexpected token: '<EOF>'"),
        ("SELECT Id FROM Case", "MALFORMED_SEARCH", "unexpected token: 'SELECT'"),
        ("FIND {acme} IN TITLE FIELDS", "MALFORMED_SEARCH", "Malformed search token: TITLE"),
        ("FIND {acme} IN NAME", "MALFORMED_SEARCH", "unexpected token: '<EOF>'"),
        ("FIND {acme} FROM Account", "MALFORMED_SEARCH", "Malformed search token: FROM"),
        ("FIND {acme};", "MALFORMED_SEARCH", "Malformed search token: ;"),
        ("FIND {acme} {bolt}", "MALFORMED_SEARCH", "Malformed search token: {"),
        ("FIND {acme} LIMIT 3 RETURNING Account", "MALFORMED_SEARCH", "Malformed search token: RETURNING"),
        ("FIND {acme} LIMIT x", "MALFORMED_SEARCH", "unexpected token: 'x'"),
        ("FIND {acme} RETURNING", "MALFORMED_SEARCH", "unexpected token: '<EOF>'"),
        ("FIND {acme} RETURNING Account(", "MALFORMED_SEARCH", "unexpected token: '<EOF>'"),
        ("FIND {acme} RETURNING Account()", "MALFORMED_SEARCH", "unexpected token: ')'"),
        ("FIND {acme} RETURNING Account(WHERE Name = 'x')", "MALFORMED_SEARCH", "unexpected token: '"),
        (
            "FIND {acme} RETURNING Account(Id LIMIT 1 ORDER BY Id)",
            "MALFORMED_SEARCH",
            "unexpected token: 'ORDER'",
        ),
        ("FIND {acme} RETURNING Account(COUNT(Id))", "MALFORMED_SEARCH", "Malformed search token: COUNT"),
        ("FIND {acme} RETURNING Account(FIELDS(ALL))", "MALFORMED_SEARCH", "Malformed search token: FIELDS"),
        (
            "FIND {acme} RETURNING Account((SELECT Id FROM Contacts))",
            "MALFORMED_SEARCH",
            "Malformed search token: (",
        ),
        (
            "FIND {acme} RETURNING Account(Id USING ListView=Mine)",
            "NOT_SUPPORTED",
            "USING ListView is not supported",
        ),
        (
            "FIND {acme} RETURNING Account(Id OFFSET 2001)",
            "NUMBER_OUTSIDE_VALID_RANGE",
            "SOSL offset should be",
        ),
        ("FIND {acme} RETURNING Account(Id OFFSET 1), Case", "MALFORMED_SEARCH", "OFFSET in RETURNING needs"),
        ("FIND {acme} WITH HIGHLIGHT", "NOT_SUPPORTED", "WITH HIGHLIGHT is not supported by this org yet"),
        ("FIND {acme} WITH SNIPPET(target_length=9)", "NOT_SUPPORTED", "WITH SNIPPET is not supported"),
        (
            "FIND {acme} WITH DATA CATEGORY Geo__c AT x__c",
            "NOT_SUPPORTED",
            "WITH DATA CATEGORY is not supported",
        ),
        ("FIND {acme} WITH DIVISION = 'x'", "NOT_SUPPORTED", "WITH DIVISION is not supported"),
        ("FIND {acme} WITH METADATA = 'LABELS'", "NOT_SUPPORTED", "WITH METADATA is not supported"),
        ("FIND {acme} WITH NETWORK = 'x'", "NOT_SUPPORTED", "WITH NETWORK is not supported"),
        ("FIND {acme} WITH PricebookId = 'x'", "NOT_SUPPORTED", "WITH PricebookId is not supported"),
        ("FIND {acme} WITH SPELL_CORRECTION = true", "NOT_SUPPORTED", "WITH SPELL_CORRECTION = true is not"),
        ("FIND {acme} WITH MAGIC", "MALFORMED_SEARCH", "Malformed search token: MAGIC"),
        ("FIND {acme} UPDATE NOTHING", "MALFORMED_SEARCH", "Malformed search token: NOTHING"),
        ("FIND {acme} " + " " * 100_000, "MALFORMED_SEARCH", "SOSL statements cannot be longer"),
    ],
)
def test_a_wrong_search_is_an_error(text: str, code: str, said: str) -> None:
    with pytest.raises(SalesforceError) as caught:
        parsed(text)
    assert caught.value.error_code == code
    assert caught.value.text.startswith(said)

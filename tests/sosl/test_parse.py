from __future__ import annotations

import pytest

from crmarena.errors import SalesforceError
from crmarena.soql.ast import CategoryFilter
from crmarena.soql.tokens import Source
from crmarena.sosl.ast import FieldGroup, Search, Term, With
from crmarena.sosl.parse import parse

PRICEBOOK = "01s000000000001AAA"
SITE = "0DB000000000001GAA"


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
    assert search.updates == ("TRACKING", "VIEWSTAT")
    assert query.where is not None


def test_an_object_without_fields_gives_ids() -> None:
    search = parsed("FIND {acme} RETURNING Account, Contact ( LastName ), Case")
    assert [entry.object_name for entry in search.returning] == ["Account", "Contact", "Case"]
    assert [len(entry.query.select) for entry in search.returning] == [1, 1, 1]
    assert [entry.listed for entry in search.returning] == [False, True, False]


@pytest.mark.parametrize(
    ("clauses", "options"),
    [
        ("DIVISION = 'Global'", With(division="Global")),
        (
            "DATA CATEGORY Geo__c AT (usa__c, uk__c) AND Line__c above_or_below all__c",
            With(
                categories=(
                    CategoryFilter("Geo__c", "AT", ("usa__c", "uk__c")),
                    CategoryFilter("Line__c", "ABOVE_OR_BELOW", ("all__c",)),
                )
            ),
        ),
        ("highlight", With(highlight=True)),
        ("SNIPPET", With(snippet=True)),
        ("SNIPPET(target_length=120)", With(snippet=True, target_length=120)),
        ("SNIPPET ( TARGET_LENGTH = -1 )", With(snippet=True, target_length=-1)),
        ("NETWORK = '000000000000000'", With(networks=("000000000000000AAA",))),
        ("NETWORK IN ('0DB000000000001', '000000000000000')", With(networks=(SITE, "000000000000000AAA"))),
        ("PricebookId = '01s000000000001'", With(pricebooks=(PRICEBOOK,))),
        (f"PricebookId = '{PRICEBOOK}' WITH pricebookid = '{PRICEBOOK}'", With(pricebooks=(PRICEBOOK,) * 2)),
        ("METADATA = 'LABELS'", With(labels=True)),
        ("METADATA='labels'", With(labels=True)),
        ("SPELL_CORRECTION = true", With(spell_correction=True)),
        ("SPELL_CORRECTION = false WITH HIGHLIGHT", With(spell_correction=False, highlight=True)),
    ],
)
def test_every_with_clause_is_read(clauses: str, options: With) -> None:
    assert parsed(f"FIND {{acme}} RETURNING Product2 WITH {clauses} LIMIT 3").options == options


def test_a_list_view_stands_between_where_and_order() -> None:
    text = (
        "FIND {acme} RETURNING Account(Id WHERE Name != null USING ListView = Recent ORDER BY Name LIMIT 51)"
    )
    (returning,) = parsed(text).returning
    assert (returning.list_view, returning.query.limit) == ("Recent", 51)
    assert returning.query.where is not None
    assert len(returning.query.order_by) == 1


@pytest.mark.parametrize(
    ("version", "text", "refused"),
    [
        (38, "FIND {acme} WITH HIGHLIGHT", "HIGHLIGHT"),
        (39, "FIND {acme} WITH SPELL_CORRECTION = true", "SPELL_CORRECTION"),
        (40, "FIND {acme} RETURNING Account(Id USING ListView = Recent)", "USING"),
    ],
)
def test_a_clause_is_unknown_before_its_version(version: int, text: str, refused: str) -> None:
    with pytest.raises(SalesforceError, match=f"Malformed search token: {refused}"):
        parse(Source(text, version))
    parse(Source(text, version + 1))

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crmarena.clock import parse_datetime
from crmarena.org import mend
from crmarena.org.mend import Mends, mend_text, read_value
from crmarena.schema.fields import FieldType
from crmarena.schema.load import load_schema

FIELDS = load_schema("b2b").objects
ID = "001Wt00000PFj4zIAD"


def read(name: str, raw: object) -> tuple[object, list[str]]:
    """A value read into the field `Object.Field`, and the kinds of mends."""
    object_name, field = name.split(".")
    kinds: list[str] = []
    return read_value(FIELDS[object_name].fields[field], raw, kinds.append), kinds


@pytest.mark.parametrize(
    ("field", "raw", "value", "kinds"),
    [
        # Ids
        ("Account.Id", ID, ID, []),
        ("Account.Id", f"#{ID}", ID, [mend.HASH]),
        ("Account.Id", f" {ID} ", ID, [mend.BLANKS]),
        ("Account.Id", f"#{ID}  ", ID, [mend.BLANKS, mend.HASH]),
        ("Account.Id", ID[:15], ID, [mend.SHORT_ID]),
        ("Account.Id", ID.upper(), ID, [mend.ID_CASE]),
        ("Account.Id", "a05Wt00000990001IA0", "a05Wt00000990001IA0", [mend.ODD_ID]),
        ("Contact.AccountId", f"#{ID}", ID, [mend.HASH]),
        ("Contact.AccountId", "", None, []),
        ("Contact.AccountId", "  ", None, []),
        ("Contact.AccountId", "nan", None, [mend.NULL_WORD]),
        ("Contact.AccountId", None, None, []),
        # Texts
        ("Account.Name", "Acme", "Acme", []),
        ("Account.Name", "Acme \t", "Acme", [mend.BLANKS]),
        ("Account.Name", " Acme", " Acme", []),
        ("Account.Name", "#1 Tools", "#1 Tools", []),
        ("Account.Name", "", None, []),
        ("Account.Name", "None", "None", []),
        ("Case.Description", f"See #{ID} and #3\n", f"See #{ID} and #3", [mend.BLANKS]),
        ("CaseHistory__c.OldValue__c", f"#{ID}", ID, [mend.HASH]),
        ("CaseHistory__c.OldValue__c", "#not-an-id-at-all", "#not-an-id-at-all", []),
        ("EmailMessage.ToIds", f"['#{ID}', '#{ID}']", f"['{ID}', '{ID}']", [mend.HASH]),
        ("EmailMessage.Subject", "Case #001Wt00000PFj4zIAX", "Case #001Wt00000PFj4zIAX", []),
        # Booleans
        ("Product2.IsActive", "true", True, []),
        ("Product2.IsActive", "False", False, []),
        ("Product2.IsActive", "1", True, []),
        ("Product2.IsActive", 0, False, []),
        ("Product2.IsActive", "", None, []),
        # Numbers
        ("Account.NumberOfEmployees", "7", 7, []),
        ("Account.NumberOfEmployees", 7, 7, []),
        ("Account.NumberOfEmployees", "3.0", 3, [mend.DECIMALS]),
        ("Account.NumberOfEmployees", "-12", -12, []),
        ("Account.NumberOfEmployees", " 5 ", 5, []),
        ("OrderItem.UnitPrice", "19.90", 19.9, []),
        ("OrderItem.UnitPrice", "1e3", 1000.0, []),
        ("OrderItem.UnitPrice", "NaN", None, [mend.NULL_WORD]),
        # Dates
        ("Order.EffectiveDate", "2021-06-07", "2021-06-07", []),
        ("Order.EffectiveDate", "2021-06-07T23:30:00.000-0800", "2021-06-08", [mend.DATE_CUT]),
        ("Order.EffectiveDate", "20210607", "2021-06-07", [mend.DATE_FORM]),
        # Datetimes
        ("Case.CreatedDate", "2021-06-07T10:50:00.000+0000", "2021-06-07T10:50:00.000+0000", []),
        ("Case.CreatedDate", "2021-06-07T10:50:00Z", "2021-06-07T10:50:00.000+0000", [mend.DATETIME_FORM]),
        (
            "Case.CreatedDate",
            "2021-06-07T10:50:00.000Z",
            "2021-06-07T10:50:00.000+0000",
            [mend.DATETIME_FORM],
        ),
        (
            "Case.CreatedDate",
            "2021-06-07T12:50:00+02:00",
            "2021-06-07T10:50:00.000+0000",
            [mend.DATETIME_FORM],
        ),
        (
            "Case.CreatedDate",
            "2021-06-07 10:50:00",
            "2021-06-07T10:50:00.000+0000",
            [mend.NO_ZONE, mend.DATETIME_FORM],
        ),
        ("Case.CreatedDate", "2021-06-07", "2021-06-07T00:00:00.000+0000", [mend.DATE_ONLY]),
        ("Case.ClosedDate", "", None, []),
        ("Case.ClosedDate", "None", None, [mend.NULL_WORD]),
    ],
)
def test_a_value_is_read_into_its_stored_form(
    field: str, raw: object, value: object, kinds: list[str]
) -> None:
    found, noted = read(field, raw)
    assert (found, type(found), noted) == (value, type(value), kinds)


@pytest.mark.parametrize(
    ("field", "raw", "said"),
    [
        ("Order.EffectiveDate", "next week", "it is no date"),
        ("Order.EffectiveDate", "2021-02-30", "it is no date"),
        ("Order.EffectiveDate", "07/06/2021", "it is no date"),
        ("Case.CreatedDate", "2021-06-07T25:00:00Z", "it is no datetime"),
        ("Case.CreatedDate", "yesterday", "it is no datetime"),
        ("Account.NumberOfEmployees", "3.5", "it is no whole number"),
        ("Account.NumberOfEmployees", "many", "it is no number"),
        ("Account.NumberOfEmployees", "1_000", "it is no number"),
        ("Account.NumberOfEmployees", "9" * 30, "it is too large a number"),
        ("OrderItem.UnitPrice", "$5", "it is no number"),
        ("OrderItem.UnitPrice", "1e999", "it is too large a number"),
        ("Product2.IsActive", "maybe", "it is neither true nor false"),
        ("Account.Name", b"Acme", "it is bytes, not text"),
    ],
)
def test_what_cannot_be_read_says_why(field: str, raw: object, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read(field, raw)


def test_mends_are_counted_by_field_and_kind() -> None:
    mends = Mends()
    for field, kind in (("B.x", "two"), ("A.x", "one"), ("B.x", "two"), ("B.x", "one")):
        mends.note(field, kind)
    assert [(m.field, m.kind, m.count) for m in mends.listed()] == [
        ("A.x", "one", 1),
        ("B.x", "one", 1),
        ("B.x", "two", 2),
    ]


@given(
    st.datetimes(datetime(1700, 1, 2), datetime(4000, 1, 1)),
    st.integers(-12 * 60, 14 * 60),
    st.sampled_from(["seconds", "milliseconds"]),
)
def test_an_instant_stays_the_same_instant(moment: datetime, offset: int, precision: str) -> None:
    moment = moment.replace(microsecond=0, tzinfo=timezone(timedelta(minutes=offset)))
    value, _ = read("Case.CreatedDate", moment.isoformat(timespec=precision))
    assert isinstance(value, str)
    assert parse_datetime(value) == moment.astimezone(UTC)
    assert read("Case.CreatedDate", value) == (value, [])


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_mending_a_text_twice_changes_nothing_more(text: str) -> None:
    once = mend_text(text, lambda kind: None)
    assert mend_text(once, lambda kind: None) == once
    assert not once or not once[-1].isspace()


@given(st.sampled_from(list(FieldType)), st.text(max_size=25))
def test_any_text_is_read_or_refused(field_type: FieldType, text: str) -> None:
    field = next(f for o in FIELDS.values() for f in o.fields.values() if f.type is field_type)
    try:
        value = read_value(field, text, lambda kind: None)
    except ValueError as error:
        value = str(error)
    assert value is None or isinstance(value, str | int | float)

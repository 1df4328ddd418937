"""JSON as Salesforce writes it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crmarena.errors import SalesforceError
from crmarena.server import faults
from crmarena.server.answers import PRETTY, java_double, to_json


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (12.0, "12.0"),
        (0.5, "0.5"),
        (-0.25, "-0.25"),
        (0.0, "0.0"),
        (9_999_999.5, "9999999.5"),
        (1e7, "1.0E7"),
        (1.15056052e8, "1.15056052E8"),
        (9.9213206e7, "9.9213206E7"),
        (-1.5e8, "-1.5E8"),
        (123_456_789.125, "1.23456789125E8"),
        (1e16, "1.0E16"),
        (1.5e22, "1.5E22"),
        (0.001, "0.001"),
        (0.0001, "1.0E-4"),
        (0.00012345, "1.2345E-4"),
        (1.2345e-7, "1.2345E-7"),
        (5e-324, "5.0E-324"),
        (1.7976931348623157e308, "1.7976931348623157E308"),
    ],
)
def test_doubles_are_written_as_java_writes_them(number: float, text: str) -> None:
    assert java_double(number) == text
    assert to_json({"a": [number, None]}).decode() == f'{{"a":[{text},null]}}'


def test_integers_and_texts_stay_as_they_are() -> None:
    kept = {"a": 150_000_000, "b": "150000000.0 and 1e16, 0.0001", "c": True, "d": "\u00e9\u4e2d"}
    assert to_json(kept).decode() == json.dumps(kept, separators=(",", ":"), ensure_ascii=False)


@given(st.recursive(st.floats(allow_nan=False, allow_infinity=False) | st.text(), st.lists, max_leaves=20))
def test_what_is_written_is_read_back(content: object) -> None:
    assert json.loads(to_json(content)) == content


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_pretty_numbers_are_the_same(number: float) -> None:
    plain = to_json([number]).decode()
    token = PRETTY.set(True)
    try:
        pretty = to_json([number]).decode()
    finally:
        PRETTY.reset(token)
    assert "".join(pretty.split()) == plain


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (SalesforceError("MALFORMED_QUERY", "x"), {"message": "x", "errorCode": "MALFORMED_QUERY"}),
        (
            SalesforceError("DELETE_FAILED", "x"),
            {"message": "x", "errorCode": "DELETE_FAILED", "fields": []},
        ),
        (
            SalesforceError("REQUIRED_FIELD_MISSING", "x", fields=("LastName",)),
            {"message": "x", "errorCode": "REQUIRED_FIELD_MISSING", "fields": ["LastName"]},
        ),
    ],
)
def test_an_error_is_an_array_of_one_and_a_records_names_its_fields(
    error: SalesforceError, shown: dict[str, object]
) -> None:
    assert faults.body(error) == [shown]

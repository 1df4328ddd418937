"""JSON that is none: what is wrong with it, and where."""

from __future__ import annotations

import pytest

from crmarena.errors import SalesforceError
from crmarena.server.bodies import parse_json


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        (b"", "The HTTP entity body is required, but this request has no entity body."),
        (b" \n", "The HTTP entity body is required, but this request has no entity body."),
        (b"{", "Unexpected end-of-input at [line:1, column:2]"),
        (b"[1,2", "Unexpected end-of-input at [line:1, column:5]"),
        (b'"abc', "Unexpected end-of-input at [line:1, column:5]"),
        (b'{"a":}', "Unexpected character ('}' (code 125)) at [line:1, column:6]"),
        (b'{"a":1,}', "Unexpected character (',' (code 44)) at [line:1, column:7]"),
        (b'{"a":\n  tru}', "Unexpected character ('t' (code 116)) at [line:2, column:3]"),
        (b"nope", "Unexpected character ('n' (code 110)) at [line:1, column:1]"),
        (b"NaN", "Unexpected character ('N' (code 78)) at [line:1, column:1]"),
        (b"1 2", "Unexpected character ('2' (code 50)) at [line:1, column:3]"),
        ('{"\u00e9":x}'.encode(), "Unexpected character ('x' (code 120)) at [line:1, column:6]"),
        (b'{"a":"\xff"}', "Invalid UTF-8 at [line:1, column:1]"),
        (b"[" * 2_000 + b"]" * 2_000, "JSON nesting is too deep at [line:1, column:1026]"),
        (b'{"a":' * 2_000, "JSON nesting is too deep at [line:1, column:5122]"),
    ],
)
def test_the_place_of_a_mistake_is_told(sent: bytes, message: str) -> None:
    with pytest.raises(SalesforceError) as caught:
        parse_json(sent)
    assert (caught.value.error_code, caught.value.http_status) == ("JSON_PARSER_ERROR", 400)
    assert caught.value.message == message


def test_json_is_read() -> None:
    assert parse_json(b'{"a": [1, 2.5, "\\u00e9", null, true]}') == {"a": [1, 2.5, "\u00e9", None, True]}

"""A value as a caller gives it, in JSON's types, into the stored value of a field.

`read` settles the type, `check` everything else that Salesforce asks of a value by itself.
A text that spells a number, a truth or an Id is taken as one, as the REST API does.
"""

from __future__ import annotations

import functools
import math
import re
from datetime import date, datetime
from typing import Any

from crmarena.clock import format_datetime
from crmarena.errors import SalesforceError, UsageError
from crmarena.org.faults import fault
from crmarena.schema.fields import ID_TYPES, NUMBER_TYPES, Field, FieldType
from crmarena.schema.ids import to_18

Value = str | int | float | bool | None

LARGEST_INT = 99_999_999
"""Whole numbers have 8 digits (describe: `digits`)."""
LARGEST_NUMBER = 10.0**16
"""Other numbers have 18 digits, two of them behind the point (describe: `precision`, `scale`)."""
FIRST_YEAR, LAST_YEAR = 1700, 4000

_LONGEST = 10**300
_DEGREES = {"Latitude": 90.0, "Longitude": 180.0}
_TRUTH = {"true": True, "false": False, "1": True, "0": False}
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?\Z", re.ASCII)
_INT = re.compile(r"[+-]?\d{1,30}\Z", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d\Z", re.ASCII)
_DATETIME = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:?\d\d)\Z", re.ASCII)
# What mail servers take: one @, no blanks or brackets, a domain with a point in it.
_EMAIL = re.compile(
    r"[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*@[\w-]+(\.[\w-]+)*\.[\w-]{2,}\Z", re.ASCII
)
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def read(field: Field, raw: Any) -> Value:
    """A value in the type of its field. Raises SalesforceError JSON_PARSER_ERROR for one of another type."""
    if raw is None:
        return False if field.type is FieldType.BOOLEAN else None
    kind = type(raw)
    if kind not in _TOKENS:
        raise UsageError(f"{field.name} was given a {kind.__name__}; give text, a number, a truth or None.")
    if kind is str:
        if _UNSTORABLE.search(raw):
            raise fault("bad_text", fields=(field.name,), label=field.label)
        return _from_text(field, raw)
    if kind is bool and field.type is FieldType.BOOLEAN:
        return bool(raw)
    if kind in (int, float) and field.type in NUMBER_TYPES:
        return _number(field, raw)
    raise _wrong_type(field, raw)


def check(field: Field, value: Value) -> Value:
    """A value as it is stored. Raises SalesforceError for one that its field does not take."""
    if value is None or field.type is FieldType.BOOLEAN or field.type in ID_TYPES:
        return value
    if field.type in NUMBER_TYPES:
        return _in_range(field, value)
    text = str(value)
    if field.type in (FieldType.DATE, FieldType.DATETIME):
        if not FIRST_YEAR <= int(text[:4]) <= LAST_YEAR:
            raise fault("date_range", fields=(field.name,), label=field.label, value=text)
        return text
    return _text(field, text)


def _from_text(field: Field, text: str) -> Value:
    reader = _READERS.get(field.type)
    if reader is None:
        # Texts end without blanks, and there is no empty text in the database.
        return text.rstrip() or None
    bare = text.strip()
    return reader(field, bare) if bare else None if field.type is not FieldType.BOOLEAN else False


def _read_boolean(field: Field, text: str) -> Value:
    if text.lower() not in _TRUTH:
        raise _wrong_type(field, text)
    return _TRUTH[text.lower()]


def _read_number(field: Field, text: str) -> Value:
    if not (_INT if field.type is FieldType.INT else _NUMBER).match(text):
        raise _wrong_type(field, text)
    return _number(field, int(text) if field.type is FieldType.INT else float(text))


def _read_date(field: Field, text: str) -> Value:
    try:
        if _DATE.match(text):
            return date.fromisoformat(text).isoformat()
    except ValueError:
        pass
    raise _wrong_type(field, text)


def _read_datetime(field: Field, text: str) -> Value:
    try:
        if _DATETIME.match(text):
            return format_datetime(datetime.fromisoformat(text.upper()))
    except (ValueError, OverflowError):
        pass
    raise _wrong_type(field, text)


def _read_id(field: Field, text: str) -> Value:
    # What is no Id may still be one that an imported org holds: references are looked up later.
    return to_18(text) or text


def _number(field: Field, number: float) -> Value:
    if isinstance(number, float) and not math.isfinite(number):
        raise _wrong_type(field, number)
    if field.type is not FieldType.INT:
        return _as_float(field, number)
    # chosen: a whole number may be written with a point, as JavaScript and spreadsheets do.
    if number != int(number):
        raise _wrong_type(field, number)
    return int(number)


def _as_float(field: Field, number: float) -> float:
    try:
        return float(number)
    except OverflowError:
        raise _out_of_range(field, number) from None


def _in_range(field: Field, value: Any) -> Value:
    if field.type is FieldType.INT:
        fits = abs(value) <= LARGEST_INT
    else:
        degrees = next((most for end, most in _DEGREES.items() if field.name.endswith(end)), None)
        fits = abs(value) < LARGEST_NUMBER if degrees is None else abs(value) <= degrees
    if not fits:
        raise _out_of_range(field, value)
    return value  # type: ignore[no-any-return]


def _text(field: Field, text: str) -> Value:
    if field.picklist and field.type is FieldType.MULTIPICKLIST:
        return _choices(field, text)
    if field.picklist and field.type is FieldType.PICKLIST:
        return _choice(field, text)
    if field.length and len(text) > field.length:
        raise fault("too_long", fields=(field.name,), label=field.label, value=text, length=field.length)
    if field.type is FieldType.EMAIL and not _EMAIL.match(text):
        raise fault("email", fields=(field.name,), label=field.label, value=text)
    return text


def _choice(field: Field, text: str) -> str:
    # chosen: the letter case of a listed value does not matter, and the listed one is stored.
    listed = text if text in field.picklist else _by_lower(field.picklist).get(text.lower())
    if listed is not None:
        return listed
    if field.restricted:
        raise fault("restricted_picklist", fields=(field.name,), label=field.label, value=text)
    return text


def _choices(field: Field, text: str) -> str | None:
    # chosen: stored in the order of the list, as they are shown.
    chosen = {_choice(field, part.strip()) for part in text.split(";") if part.strip()}
    order = {value: place for place, value in enumerate(field.picklist)}
    return ";".join(sorted(chosen, key=lambda value: (order.get(value, len(order)), value))) or None


@functools.lru_cache(maxsize=512)
def _by_lower(picklist: tuple[str, ...]) -> dict[str, str]:
    return {value.lower(): value for value in reversed(picklist)}


def _wrong_type(field: Field, raw: Any) -> SalesforceError:
    """As the JSON reader of the REST API words it, by the names of its tokens."""
    token = _TOKENS[type(raw)]
    shown = str(raw).lower() if isinstance(raw, bool) else raw
    if isinstance(raw, bool):
        token = f"VALUE_{str(raw).upper()}"
    elif isinstance(raw, dict | list):
        shown = "{" if isinstance(raw, dict) else "["
    return fault("wrong_type", fields=(field.name,), type=field.type.value, token=token, value=shown)


def _out_of_range(field: Field, value: float) -> SalesforceError:
    return fault("number_range", fields=(field.name,), label=field.label, value=_in_java(value))


def _in_java(number: float) -> str:
    """A number as Java writes it: `1.0E17`."""
    if isinstance(number, int):
        return str(number) if abs(number) <= _LONGEST else "Infinity"
    if abs(number) < 1e7:
        return str(number)
    from decimal import Decimal

    sign, digits, exponent = Decimal(repr(number)).normalize().as_tuple()
    text = "".join(map(str, digits))
    return f"{'-' * sign}{text[0]}.{text[1:] or '0'}E{len(text) - 1 + int(exponent)}"


_TOKENS: dict[type, str] = {
    str: "VALUE_STRING",
    bool: "VALUE_TRUE",
    int: "VALUE_NUMBER_INT",
    float: "VALUE_NUMBER_FLOAT",
    dict: "START_OBJECT",
    list: "START_ARRAY",
}
_READERS = {
    FieldType.BOOLEAN: _read_boolean,
    **dict.fromkeys(NUMBER_TYPES, _read_number),
    FieldType.DATE: _read_date,
    FieldType.DATETIME: _read_datetime,
    **dict.fromkeys(ID_TYPES, _read_id),
}

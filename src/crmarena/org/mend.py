"""One value of a published dump into its stored form, and a count of what was mended on the way."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from crmarena.clock import format_datetime
from crmarena.schema.fields import ID_TYPES, NUMBER_TYPES, Field, FieldType
from crmarena.schema.ids import to_18

Value = str | int | float | bool | None
Note = Callable[[str], None]
"""Called with the kind of a mend."""

HASH = "'#' before an Id taken away"
BLANKS = "blanks at the ends taken away"
SHORT_ID = "15-character Id made 18 characters"
ID_CASE = "letter case of an Id restored"
ODD_ID = "not a Salesforce Id, kept as it is"
NULL_WORD = "word for null read as null"
DATE_FORM = "date in another form"
DATE_ONLY = "date read as midnight UTC"
DATE_CUT = "datetime cut to its date in UTC"
DATETIME_FORM = "datetime in another form"
NO_ZONE = "datetime without a zone read as UTC"
DECIMALS = "whole number written with decimals"

_NULL_WORDS = frozenset({"null", "none", "nan", "nat", "na", "n/a", "<na>"})
_TRUTH = {"true": True, "false": False, "1": True, "0": False, "1.0": True, "0.0": False}
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\Z")
_STORED_DATETIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000\Z")
_DATE = re.compile(r"\d{4}-\d\d-\d\d\Z")
_HASHED_ID = re.compile(r"#([0-9A-Za-z]{18})(?![0-9A-Za-z])")
_LARGEST = 2**63


@dataclass(frozen=True)
class Mended:
    """How often one thing was mended in one field."""

    field: str
    """`Account.Name` in an org, `answer` in a task file."""
    kind: str
    count: int


class Mends:
    """A count of mends by field and kind."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()

    def note(self, field: str, kind: str) -> None:
        """Count one mend."""
        self._counts[field, kind] += 1

    def listed(self) -> tuple[Mended, ...]:
        """All mends, by field and kind."""
        return tuple(Mended(field, kind, count) for (field, kind), count in sorted(self._counts.items()))


def read_value(field: Field, raw: object, note: Note) -> Value:
    """The stored form of a dump's value. Raises ValueError for what cannot be read."""
    if raw is None:
        return None
    if isinstance(raw, bytes):
        raise ValueError("it is bytes, not text")
    text = str(raw)
    if field.type in ID_TYPES:
        return read_id(text, note)
    if field.type not in _TYPED:
        return _text(field, text, note)
    bare = text.strip()
    if not bare:
        return None
    if bare.lower() in _NULL_WORDS:
        note(NULL_WORD)
        return None
    return _TYPED[field.type](bare, note)


def read_id(text: str, note: Note) -> str | None:
    """An Id of 18 characters; what is no Id stays as it is, so that nothing is lost."""
    bare = _stripped(text, note)
    if bare.startswith("#"):
        bare = bare.lstrip("#").strip()
        note(HASH)
    if not bare:
        return None
    if bare.lower() in _NULL_WORDS:
        note(NULL_WORD)
        return None
    whole = to_18(bare)
    if whole is None:
        note(ODD_ID)
        return bare
    if whole != bare:
        note(SHORT_ID if len(bare) == 15 else ID_CASE)
    return whole


def mend_text(text: str, note: Note) -> str:
    """A short text without trailing blanks, and without the `#` before an Id that stands in it."""
    bare = text.rstrip()
    if bare != text:
        note(BLANKS)
    if "#" not in bare:
        return bare
    mended = _HASHED_ID.sub(_unhashed, bare)
    if mended != bare:
        note(HASH)
    return mended


def _unhashed(match: re.Match[str]) -> str:
    # Only where the checksum proves that it is an Id.
    return match[1] if to_18(match[1]) == match[1] else match[0]


def _text(field: Field, text: str, note: Note) -> str | None:
    if not field.long_text:
        return mend_text(text, note) or None
    bare = text.rstrip()
    if bare != text:
        note(BLANKS)
    return bare or None


def _stripped(text: str, note: Note) -> str:
    bare = text.strip()
    if bare != text and bare:
        note(BLANKS)
    return bare


def _boolean(text: str, note: Note) -> bool:
    if text.lower() not in _TRUTH:
        raise ValueError("it is neither true nor false")
    return _TRUTH[text.lower()]


def _int(text: str, note: Note) -> int:
    number = _number(text)
    if number != int(number):
        raise ValueError("it is no whole number")
    if not text.lstrip("+-").isdigit():
        note(DECIMALS)
        return int(number)
    return int(text)


def _double(text: str, note: Note) -> float:
    return _number(text)


def _number(text: str) -> float:
    if not _NUMBER.match(text):
        raise ValueError("it is no number")
    number = float(text)
    if not math.isfinite(number) or abs(number) >= _LARGEST:
        raise ValueError("it is too large a number")
    return number


def _date(text: str, note: Note) -> str:
    if _DATE.match(text):
        return _day(text).isoformat()
    moment = _moment(text, note)
    if moment is None:
        note(DATE_FORM)
        return _day(text).isoformat()
    note(DATE_CUT)
    return moment.date().isoformat()


def _datetime(text: str, note: Note) -> str:
    if _DATE.match(text):
        note(DATE_ONLY)
        return format_datetime(datetime.combine(_day(text), time(), UTC))
    moment = _moment(text, note)
    if moment is None:
        raise ValueError("it is no datetime")
    stored = format_datetime(moment)
    if not _STORED_DATETIME.match(text):
        note(DATETIME_FORM)
    return stored


def _moment(text: str, note: Note) -> datetime | None:
    """The instant in UTC; None where the text has no time of day."""
    if ":" not in text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError("it is no datetime") from None
    if moment.tzinfo is None:
        note(NO_ZONE)
        return moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("it is no datetime") from None


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError("it is no date") from None


_TYPED: dict[FieldType, Callable[[str, Note], Value]] = {
    FieldType.BOOLEAN: _boolean,
    **dict.fromkeys(NUMBER_TYPES, _double),
    FieldType.INT: _int,
    FieldType.DATE: _date,
    FieldType.DATETIME: _datetime,
}

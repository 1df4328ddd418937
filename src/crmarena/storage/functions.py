"""What SQLite lacks and the compiled queries call: folding and order of texts, zones, sets, distance."""

from __future__ import annotations

import functools
import math
import sqlite3
import unicodedata
from datetime import UTC, tzinfo

from crmarena.clock import format_datetime, parse_datetime
from crmarena.errors import UsageError

Value = str | bytes | int | float | None

EARTH_RADIUS = {"km": 6371.0088, "mi": 3958.7613}
"""The mean radius of the Earth in each unit of DISTANCE."""
# Letters that Unicode does not take apart, as an English dictionary files them.
_FILED_AS = str.maketrans(
    {
        "\u00df": "ss",
        "\u00e6": "ae",
        "\u0153": "oe",
        "\u00f8": "o",
        "\u0111": "d",
        "\u00f0": "d",
        "\u0142": "l",
        "\u00fe": "th",
        "\u0131": "i",
    }
)
_PART = "\x01"
"""Between a text without accents and the text itself; below every printable character."""


def whole(text: str) -> str:
    """A text that SQLite takes: half of a surrogate pair, which is no character, becomes a mark for one."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def lower(text: str) -> str:
    """Text in lower case, the Greek sigma alike at every place of a word."""
    return text.lower().replace("\u03c2", "\u03c3")


def fold(value: Value) -> Value:
    """Text in lower case, by Unicode; anything else as it is.

    Full case folding would make ß equal ss, which the ASCII collation of the columns does not.
    """
    return lower(value) if isinstance(value, str) else value


def compare(left: str, right: str) -> int:
    """Order two texts with their letter case ignored: -1, 0 or 1."""
    folded_left, folded_right = lower(left), lower(right)
    return (folded_left > folded_right) - (folded_left < folded_right)


def sort_key(value: Value) -> Value:
    """What a text is ordered by: its letters without accents, then with them (É stands between E and F).

    Only texts that are not all ASCII need it; the others are their own key, letter case ignored.
    """
    if not isinstance(value, str) or value.isascii():
        return value
    folded = lower(value)
    letters = unicodedata.normalize("NFKD", folded.translate(_FILED_AS))
    return "".join(c for c in letters if not unicodedata.combining(c)) + _PART + folded


def extreme_key(value: Value) -> Value:
    """A sort key from which MIN and MAX get the text back: it stands behind the last mark."""
    if not isinstance(value, str) or value.isascii():
        return value
    return f"{sort_key(value)!s}{_PART}{value}"


def extreme_text(key: Value) -> Value:
    """The text of an extreme key."""
    return key.rpartition(_PART)[2] if isinstance(key, str) else key


@functools.lru_cache(maxsize=64)
def time_zone(name: str) -> tzinfo:
    """The zone of an IANA name. Raises UsageError where the machine knows no such zone."""
    if name in {"UTC", "GMT"}:
        return UTC
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (LookupError, OSError, ValueError):
        raise UsageError(f"Unknown time zone {name!r}; give an IANA name such as Europe/London.") from None


def local_datetime(stored: Value, zone: str) -> Value:
    """A stored datetime on the wall clock of a zone, in the stored form."""
    if not isinstance(stored, str) or zone == "UTC":
        return stored
    local = parse_datetime(stored).astimezone(time_zone(zone))
    return format_datetime(local.replace(tzinfo=UTC))


def value_set(value: Value) -> Value:
    """The chosen values of a multi-select picklist in one order, so that equal sets are equal texts."""
    if not isinstance(value, str):
        return value
    return ";".join(sorted({lower(part.strip()) for part in value.split(";")}))


def distance(
    latitude: float | None,
    longitude: float | None,
    from_latitude: float,
    from_longitude: float,
    radius: float,
) -> float | None:
    """The great-circle distance of two places on a sphere of a radius; None without a place."""
    if latitude is None or longitude is None:
        return None
    first, second = math.radians(latitude), math.radians(from_latitude)
    half = math.sin((second - first) / 2) ** 2
    half += math.cos(first) * math.cos(second) * math.sin(math.radians(from_longitude - longitude) / 2) ** 2
    return 2 * radius * math.asin(min(1.0, math.sqrt(half)))


def register(connection: sqlite3.Connection) -> None:
    """Give a connection the collation SF_TEXT and the functions of this module."""
    connection.create_collation("SF_TEXT", compare)
    for name, arguments, function in (
        ("sf_fold", 1, fold),
        ("sf_sort", 1, sort_key),
        ("sf_extreme", 1, extreme_key),
        ("sf_extreme_text", 1, extreme_text),
        ("sf_local", 2, local_datetime),
        ("sf_set", 1, value_set),
        ("sf_distance", 5, distance),
    ):
        connection.create_function(name, arguments, function, deterministic=True)

"""The functions of SOQL: which there are, what fields they take, what they are in SQL."""

from __future__ import annotations

from crmarena.schema.fields import DATE_TYPES, NUMBER_TYPES, Field, FieldType

AGGREGATES = frozenset({"AVG", "COUNT", "COUNT_DISTINCT", "MAX", "MIN", "SUM"})
UNSUPPORTED = {"FORMAT": "FORMAT()", "CONVERTCURRENCY": "convertCurrency()"}
_DATETIME_ONLY = frozenset({"DAY_ONLY", "HOUR_IN_DAY", "CONVERTTIMEZONE"})

_YEAR = "CAST(substr({0}, 1, 4) AS INTEGER)"
_MONTH = "CAST(substr({0}, 6, 2) AS INTEGER)"
_DAY = "CAST(substr({0}, 9, 2) AS INTEGER)"
_DAY_OF_YEAR = "CAST(strftime('%j', substr({0}, 1, 10)) AS INTEGER)"

# In UTC, which is the running user's zone; fiscal years are calendar years.
DATE_SQL = {
    "CALENDAR_YEAR": _YEAR,
    "CALENDAR_QUARTER": f"({_MONTH} + 2) / 3",
    "CALENDAR_MONTH": _MONTH,
    "DAY_IN_MONTH": _DAY,
    "DAY_IN_WEEK": "CAST(strftime('%w', substr({0}, 1, 10)) AS INTEGER) + 1",
    "DAY_IN_YEAR": _DAY_OF_YEAR,
    "DAY_ONLY": "substr({0}, 1, 10)",
    "FISCAL_YEAR": _YEAR,
    "FISCAL_QUARTER": f"({_MONTH} + 2) / 3",
    "FISCAL_MONTH": _MONTH,
    "HOUR_IN_DAY": "CAST(substr({0}, 12, 2) AS INTEGER)",
    "WEEK_IN_MONTH": f"({_DAY} + 6) / 7",
    "WEEK_IN_YEAR": f"({_DAY_OF_YEAR} + 6) / 7",
}


def takes_date(function: str, kind: FieldType) -> bool:
    """Whether a date function, or convertTimezone, takes a field of a type."""
    return kind is FieldType.DATETIME if function in _DATETIME_ONLY else kind in DATE_TYPES


def aggregates(function: str, field: Field) -> bool:
    """Whether an aggregate function takes a field."""
    if field.long_text or field.type is FieldType.BOOLEAN:
        return False
    return field.type in NUMBER_TYPES if function in {"SUM", "AVG"} else True

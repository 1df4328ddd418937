"""The functions of SOQL: which there are, where they stand, what fields they take, what they are in SQL."""

from __future__ import annotations

from crmarena.schema.fields import DATE_TYPES, NUMBER_TYPES, Field, FieldType

# Where a function may stand. In SELECT a date function needs its like in GROUP BY.
_ANY = ("SELECT", "WHERE", "GROUP BY", "HAVING", "ORDER BY")
_GROUPED = ("SELECT", "HAVING", "ORDER BY")
SUPPORTED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("AVG", "COUNT", "COUNT_DISTINCT", "MAX", "MIN", "SUM", "GROUPING"), _GROUPED),
    **dict.fromkeys(
        (
            "CALENDAR_MONTH",
            "CALENDAR_QUARTER",
            "CALENDAR_YEAR",
            "DAY_IN_MONTH",
            "DAY_IN_WEEK",
            "DAY_IN_YEAR",
            "DAY_ONLY",
            "FISCAL_MONTH",
            "FISCAL_QUARTER",
            "FISCAL_YEAR",
            "HOUR_IN_DAY",
            "WEEK_IN_MONTH",
            "WEEK_IN_YEAR",
        ),
        _ANY,
    ),
    "convertTimezone": ("inside a date function",),
    "toLabel": ("SELECT", "WHERE", "GROUP BY", "HAVING"),
    "FORMAT": ("SELECT",),
    "convertCurrency": ("SELECT",),
    "DISTANCE": ("SELECT", "WHERE", "ORDER BY"),
    "GEOLOCATION": ("inside DISTANCE",),
}
"""Every function that runs, and the clauses it may stand in."""

AGGREGATES = frozenset({"AVG", "COUNT", "COUNT_DISTINCT", "MAX", "MIN", "SUM"})
_DATETIME_ONLY = frozenset({"DAY_ONLY", "HOUR_IN_DAY", "CONVERTTIMEZONE"})
_LABELLED = frozenset({FieldType.PICKLIST, FieldType.MULTIPICKLIST, FieldType.COMBOBOX})

_YEAR = "CAST(substr({0}, 1, 4) AS INTEGER)"
_MONTH = "CAST(substr({0}, 6, 2) AS INTEGER)"
_DAY = "CAST(substr({0}, 9, 2) AS INTEGER)"
_DAY_OF_YEAR = "CAST(strftime('%j', substr({0}, 1, 10)) AS INTEGER)"
_FISCAL_MONTH = f"({_MONTH} - {{start}} + 12) % 12"

# {0} is the field, in UTC unless convertTimezone stands around it.
DATE_SQL = {
    "CALENDAR_YEAR": _YEAR,
    "CALENDAR_QUARTER": f"({_MONTH} + 2) / 3",
    "CALENDAR_MONTH": _MONTH,
    "DAY_IN_MONTH": _DAY,
    "DAY_IN_WEEK": "CAST(strftime('%w', substr({0}, 1, 10)) AS INTEGER) + 1",
    "DAY_IN_YEAR": _DAY_OF_YEAR,
    "DAY_ONLY": "substr({0}, 1, 10)",
    "HOUR_IN_DAY": "CAST(substr({0}, 12, 2) AS INTEGER)",
    "WEEK_IN_MONTH": f"({_DAY} + 6) / 7",
    "WEEK_IN_YEAR": f"({_DAY_OF_YEAR} + 6) / 7",
}
# {start} is the month in which the org's fiscal year starts, {later} what it adds to the year from then on.
FISCAL_SQL = {
    "FISCAL_YEAR": f"{_YEAR} + {{later}} - ({_MONTH} < {{start}})",
    "FISCAL_QUARTER": f"({_FISCAL_MONTH}) / 3 + 1",
    "FISCAL_MONTH": f"{_FISCAL_MONTH} + 1",
}
DATE_FUNCTIONS = DATE_SQL.keys() | FISCAL_SQL.keys()


def takes_date(function: str, kind: FieldType) -> bool:
    """Whether a date function, or convertTimezone, takes a field of a type."""
    return kind is FieldType.DATETIME if function in _DATETIME_ONLY else kind in DATE_TYPES


def takes_label(kind: FieldType) -> bool:
    """Whether toLabel takes a field of a type."""
    return kind in _LABELLED


def takes_currency(kind: FieldType) -> bool:
    """Whether convertCurrency takes a field of a type."""
    return kind is FieldType.CURRENCY


def takes_format(kind: FieldType) -> bool:
    """Whether FORMAT takes a field of a type: numbers, currencies and dates."""
    return kind in NUMBER_TYPES or kind in DATE_TYPES


def aggregates(function: str, field: Field) -> bool:
    """Whether an aggregate function takes a field."""
    return field.aggregatable and (function not in {"SUM", "AVG"} or field.type in NUMBER_TYPES)

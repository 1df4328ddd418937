"""What FORMAT writes: numbers, currencies and dates as the en_US locale has them."""

from __future__ import annotations

from typing import Any

from crmarena.clock import parse_datetime
from crmarena.schema.fields import FieldType
from crmarena.storage.functions import time_zone


def format_value(value: Any, style: str, zone: str = "UTC") -> str | None:
    """A stored value of a field type as a user of the locale reads it; None for null."""
    if value is None:
        return None
    if style == FieldType.DATE:
        year, month, day = value.split("-")
        return f"{int(month)}/{int(day)}/{int(year)}"
    if style == FieldType.DATETIME:
        return _instant(value, zone)
    if style == FieldType.INT:
        return f"{value:,}"
    if style == FieldType.CURRENCY:
        return f"{'-' if value < 0 else ''}${abs(value):,.2f}"
    number = _decimals(value)
    return f"{number}%" if style == FieldType.PERCENT else number


def _instant(stored: str, zone: str) -> str:
    local = parse_datetime(stored).astimezone(time_zone(zone))
    hour = local.hour % 12 or 12
    half = "AM" if local.hour < 12 else "PM"
    return f"{local.month}/{local.day}/{local.year}, {hour}:{local.minute:02d} {half}"


def _decimals(value: float) -> str:
    """A number with the decimals it has, three at most."""
    whole, _, decimals = f"{value:,.3f}".partition(".")
    decimals = decimals.rstrip("0")
    return f"{whole}.{decimals}" if decimals else whole

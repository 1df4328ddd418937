"""Windows by calendar arithmetic, and the readings under which an answer must hold."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from crmarena.errors import UsageError
from crmarena.tasks.windows import (
    Named,
    On,
    Past,
    Reading,
    Unit,
    Window,
    Zone,
    parse_window,
    plain_reading,
    readings,
)

PAST = [
    # today, count, unit, first day, first and last day in full units
    ("2024-05-16", 1, "day", "2024-05-15", None),
    ("2024-05-16", 30, "day", "2024-04-16", None),
    ("2024-03-01", 1, "day", "2024-02-29", None),
    ("2024-05-16", 1, "week", "2024-05-09", ("2024-05-05", "2024-05-11")),
    ("2024-05-16", 6, "week", "2024-04-04", ("2024-03-31", "2024-05-11")),
    ("2024-05-12", 1, "week", "2024-05-05", ("2024-05-05", "2024-05-11")),
    ("2024-05-11", 1, "week", "2024-05-04", ("2024-04-28", "2024-05-04")),
    ("2024-05-16", 1, "month", "2024-04-16", ("2024-04-01", "2024-04-30")),
    ("2024-05-31", 1, "month", "2024-04-30", ("2024-04-01", "2024-04-30")),
    ("2024-03-31", 1, "month", "2024-02-29", ("2024-02-01", "2024-02-29")),
    ("2023-03-30", 1, "month", "2023-02-28", ("2023-02-01", "2023-02-28")),
    ("2024-01-15", 2, "month", "2023-11-15", ("2023-11-01", "2023-12-31")),
    ("2024-05-01", 3, "month", "2024-02-01", ("2024-02-01", "2024-04-30")),
    ("2024-05-16", 14, "month", "2023-03-16", ("2023-03-01", "2024-04-30")),
    ("2024-05-16", 1, "quarter", "2024-02-16", ("2024-01-01", "2024-03-31")),
    ("2024-05-16", 2, "quarter", "2023-11-16", ("2023-10-01", "2024-03-31")),
    ("2024-01-01", 1, "quarter", "2023-10-01", ("2023-10-01", "2023-12-31")),
    ("2024-05-31", 1, "quarter", "2024-02-29", ("2024-01-01", "2024-03-31")),
    ("2024-08-20", 6, "quarter", "2023-02-20", ("2023-01-01", "2024-06-30")),
]
NAMED = [
    ("February", 2024, "2024-02-01", "2024-02-29"),
    ("February", 2023, "2023-02-01", "2023-02-28"),
    ("December", 2023, "2023-12-01", "2023-12-31"),
    ("Q1", 2024, "2024-01-01", "2024-03-31"),
    ("Q2", 2024, "2024-04-01", "2024-06-30"),
    ("Q3", 2024, "2024-07-01", "2024-09-30"),
    ("Q4", 2024, "2024-10-01", "2024-12-31"),
    ("Spring", 2024, "2024-03-01", "2024-05-31"),
    ("Summer", 2024, "2024-06-01", "2024-08-31"),
    ("Autumn", 2024, "2024-09-01", "2024-11-30"),
    ("Fall", 2024, "2024-09-01", "2024-11-30"),
    ("Winter", 2023, "2023-12-01", "2024-02-29"),
    ("Winter", 2024, "2024-12-01", "2025-02-28"),
]


def past(today: str, count: int, unit: str) -> Past:
    return Past(count, Unit(unit), date.fromisoformat(today))


@pytest.mark.parametrize(("today", "count", "unit", "first", "full"), PAST)
def test_a_rolling_window_goes_back_by_the_calendar(
    today: str, count: int, unit: str, first: str, full: tuple[str, str] | None
) -> None:
    window = past(today, count, unit)
    assert window.days == (date.fromisoformat(first), date.fromisoformat(today))
    assert window.full_days == (full and tuple(map(date.fromisoformat, full)))


@pytest.mark.parametrize(("name", "year", "first", "last"), NAMED)
def test_a_named_window_has_its_first_and_last_day(name: str, year: int, first: str, last: str) -> None:
    assert Named(name, year).days == (date.fromisoformat(first), date.fromisoformat(last))


@pytest.mark.parametrize(
    ("window", "closed_too", "count"),
    [
        (past("2024-05-16", 5, "day"), False, 8),
        (past("2024-05-16", 5, "week"), False, 16),
        (past("2024-05-16", 5, "month"), True, 32),
        (past("2024-05-16", 5, "quarter"), True, 32),
        (Named("Q3", 2023), False, 8),
        (Named("Winter", 2023), True, 16),
    ],
)
def test_the_readings_are_those_listed_and_no_others(window: Window, closed_too: bool, count: int) -> None:
    ways = readings(window, closed_too=closed_too)
    assert len(set(ways)) == len(ways) == count
    assert ways[0] == plain_reading(window) == Reading(*window.days, Zone.UTC, On.CREATED)
    assert {way.zone for way in ways} == set(Zone)
    assert {way.on for way in ways} == ({On.CREATED, On.CLOSED} if closed_too else {On.CREATED})


def test_each_end_is_read_inclusive_and_exclusive() -> None:
    window = past("2024-05-16", 2, "month")
    one = timedelta(days=1)
    assert window.full_days is not None
    expected = {
        (first + a * one, last - b * one)
        for first, last in (window.days, window.full_days)
        for a in (0, 1)
        for b in (0, 1)
    }
    assert {(way.first, way.last) for way in readings(window)} == expected


@pytest.mark.parametrize(
    ("zone", "begins", "ends"),
    [
        (Zone.UTC, "2024-03-01T00:00:00.000+0000", "2024-04-01T00:00:00.000+0000"),
        (Zone.PACIFIC, "2024-03-01T08:00:00.000+0000", "2024-04-01T07:00:00.000+0000"),
    ],
)
def test_a_reading_begins_and_ends_at_its_zones_midnight(zone: Zone, begins: str, ends: str) -> None:
    reading = Reading(date(2024, 3, 1), date(2024, 3, 31), zone)
    assert (reading.begins, reading.ends) == (begins, ends)


@pytest.mark.parametrize("window", [past("2024-05-16", 2, "quarter"), Named("Winter", 2023)])
def test_a_window_is_kept_in_an_instances_parameters(window: Window) -> None:
    assert parse_window(window.as_dict()) == window


@pytest.mark.parametrize(
    "raw",
    [
        {"unit": "year", "count": 1, "today": "2024-01-01"},
        {"unit": "day", "count": 1},
        {"unit": "day", "count": "few", "today": "2024-01-01"},
        {"name": "Christmas", "year": 2023},
        {},
    ],
)
def test_what_is_no_window_is_refused(raw: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="is no time window; give unit, count and today"):
        parse_window(raw)

"""Working time: days, hours, closures; and the hours of the West Coast."""

from __future__ import annotations

from datetime import UTC, date, datetime, time

import pytest

from crmarena.clock import format_datetime, pacific_instant, to_pacific
from crmarena.generator.worktime import Worktime, at

WORK = Worktime(
    first=date(2023, 1, 1),
    launch=date(2023, 3, 1),
    last=date(2024, 12, 31),
    closures=((date(2023, 6, 5), date(2023, 6, 18)),),
)


@pytest.mark.parametrize(
    ("start", "minutes", "end"),
    [
        ("2023-05-02T09:00", 60, "2023-05-02T10:00"),
        ("2023-05-02T16:00", 90, "2023-05-03T08:30"),
        ("2023-05-05T16:00", 90, "2023-05-08T08:30"),
        ("2023-05-02T08:00", 540 * 3, "2023-05-05T08:00"),
        ("2023-06-02T16:30", 60, "2023-06-19T08:30"),
        ("2023-06-10T12:00", 30, "2023-06-19T12:30"),
    ],
    ids=["same day", "next day", "over a weekend", "whole days", "over a closure", "from inside one"],
)
def test_working_minutes_skip_nights_weekends_and_closures(start: str, minutes: float, end: str) -> None:
    begun, ends = datetime.fromisoformat(start), datetime.fromisoformat(end)
    moment = WORK.after(pacific_instant(begun.date(), begun.time()), minutes)
    assert moment == pacific_instant(ends.date(), ends.time())


def test_cases_come_on_working_days_between_launch_and_last_day() -> None:
    days = WORK.case_days(date(2023, 1, 1), date(2025, 12, 31))
    assert days[0] == date(2023, 3, 1)
    assert days[-1] == date(2024, 12, 31)
    assert all(day.weekday() < 5 for day in days)
    assert not [day for day in days if date(2023, 5, 31) <= day <= date(2023, 6, 18)]


@pytest.mark.parametrize(
    ("moment", "shown"),
    [
        ("2023-01-15T20:00+00:00", "2023-01-15T12:00-08:00"),
        ("2023-07-15T20:00+00:00", "2023-07-15T13:00-07:00"),
        ("2023-03-12T09:59+00:00", "2023-03-12T01:59-08:00"),
        ("2023-03-12T10:00+00:00", "2023-03-12T03:00-07:00"),
        ("2023-11-05T08:59+00:00", "2023-11-05T01:59-07:00"),
        ("2023-11-05T09:00+00:00", "2023-11-05T01:00-08:00"),
        ("2024-03-10T10:00+00:00", "2024-03-10T03:00-07:00"),
    ],
)
def test_the_west_coast_keeps_summer_time(moment: str, shown: str) -> None:
    local = to_pacific(datetime.fromisoformat(moment))
    assert local.isoformat(timespec="minutes") == shown


def test_a_day_begins_later_on_the_west_coast() -> None:
    assert format_datetime(pacific_instant(date(2023, 7, 1))) == "2023-07-01T07:00:00.000+0000"
    assert pacific_instant(date(2023, 12, 1), time(8)) == datetime(2023, 12, 1, 16, tzinfo=UTC)
    assert at(date(2023, 12, 1), 0) == datetime(2023, 12, 1, 16, tzinfo=UTC)

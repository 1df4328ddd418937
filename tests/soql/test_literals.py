"""Relative date literals as ranges of days, and fixed ones in stored form."""

from __future__ import annotations

from datetime import date

import pytest

from crmarena.clock import Clock
from crmarena.errors import UsageError
from crmarena.soql.ast import Relative
from crmarena.soql.late import Edge, FiscalEdge, FiscalYear, Moment, Runner, Zone
from crmarena.soql.literals import span, stored_date, stored_datetime
from crmarena.soql.viewer import Viewer

TODAY = date(2024, 5, 15)  # a Wednesday

SPANS: list[tuple[str, int | None, str, str]] = [
    ("YESTERDAY", None, "2024-05-14", "2024-05-15"),
    ("TODAY", None, "2024-05-15", "2024-05-16"),
    ("TOMORROW", None, "2024-05-16", "2024-05-17"),
    ("LAST_WEEK", None, "2024-05-05", "2024-05-12"),
    ("THIS_WEEK", None, "2024-05-12", "2024-05-19"),
    ("NEXT_WEEK", None, "2024-05-19", "2024-05-26"),
    ("LAST_MONTH", None, "2024-04-01", "2024-05-01"),
    ("THIS_MONTH", None, "2024-05-01", "2024-06-01"),
    ("NEXT_MONTH", None, "2024-06-01", "2024-07-01"),
    ("LAST_QUARTER", None, "2024-01-01", "2024-04-01"),
    ("THIS_QUARTER", None, "2024-04-01", "2024-07-01"),
    ("NEXT_QUARTER", None, "2024-07-01", "2024-10-01"),
    ("LAST_YEAR", None, "2023-01-01", "2024-01-01"),
    ("THIS_YEAR", None, "2024-01-01", "2025-01-01"),
    ("NEXT_YEAR", None, "2025-01-01", "2026-01-01"),
    ("LAST_90_DAYS", None, "2024-02-15", "2024-05-16"),
    ("NEXT_90_DAYS", None, "2024-05-16", "2024-08-14"),
    ("LAST_N_DAYS", 2, "2024-05-13", "2024-05-16"),
    ("LAST_N_DAYS", 0, "2024-05-15", "2024-05-16"),
    ("NEXT_N_DAYS", 2, "2024-05-16", "2024-05-18"),
    ("N_DAYS_AGO", 0, "2024-05-15", "2024-05-16"),
    ("N_DAYS_AGO", 15, "2024-04-30", "2024-05-01"),
    ("LAST_N_WEEKS", 2, "2024-04-28", "2024-05-12"),
    ("NEXT_N_WEEKS", 1, "2024-05-19", "2024-05-26"),
    ("N_WEEKS_AGO", 2, "2024-04-28", "2024-05-05"),
    ("LAST_N_MONTHS", 2, "2024-03-01", "2024-05-01"),
    ("NEXT_N_MONTHS", 8, "2024-06-01", "2025-02-01"),
    ("N_MONTHS_AGO", 5, "2023-12-01", "2024-01-01"),
    ("LAST_N_QUARTERS", 2, "2023-10-01", "2024-04-01"),
    ("NEXT_N_QUARTERS", 3, "2024-07-01", "2025-04-01"),
    ("N_QUARTERS_AGO", 1, "2024-01-01", "2024-04-01"),
    ("LAST_N_YEARS", 2, "2022-01-01", "2024-01-01"),
    ("NEXT_N_YEARS", 1, "2025-01-01", "2026-01-01"),
    ("N_YEARS_AGO", 4, "2020-01-01", "2021-01-01"),
    ("THIS_FISCAL_QUARTER", None, "2024-04-01", "2024-07-01"),
    ("LAST_FISCAL_YEAR", None, "2023-01-01", "2024-01-01"),
    ("LAST_N_FISCAL_QUARTERS", 1, "2024-01-01", "2024-04-01"),
    ("NEXT_N_FISCAL_YEARS", 2, "2025-01-01", "2027-01-01"),
    ("N_FISCAL_QUARTERS_AGO", 2, "2023-10-01", "2024-01-01"),
    # Beyond the calendar a range ends with it.
    ("LAST_N_DAYS", 2_000_000_000, "0001-01-01", "2024-05-16"),
    ("NEXT_N_YEARS", 100_000, "2025-01-01", "9999-12-31"),
]


@pytest.mark.parametrize(("name", "count", "start", "end"), SPANS, ids=[f"{n}:{c}" for n, c, _, _ in SPANS])
def test_relative_literals_are_ranges_of_days(name: str, count: int | None, start: str, end: str) -> None:
    found = span(Relative(name, count), TODAY)
    assert tuple(day.isoformat() for day in found) == (start, end)


def test_an_edge_is_a_day_or_its_first_instant() -> None:
    literal = Relative("LAST_N_DAYS", 2)
    assert Edge(literal, end=False, instant=False).at(Moment(TODAY)) == "2024-05-13"
    assert Edge(literal, end=True, instant=True).at(Moment(TODAY)) == "2024-05-16T00:00:00.000+0000"


# New York changed its clocks on 10 March 2024, S\u00e3o Paulo at midnight on 4 November 2018.
MIDNIGHTS = [
    ("America/New_York", date(2024, 3, 10), "2024-03-10T05:00:00.000+0000"),
    ("America/New_York", date(2024, 3, 11), "2024-03-11T04:00:00.000+0000"),
    ("America/Sao_Paulo", date(2018, 11, 4), "2018-11-04T03:00:00.000+0000"),
    ("Asia/Kolkata", date(2024, 5, 15), "2024-05-14T18:30:00.000+0000"),
    ("GMT", date(2024, 5, 15), "2024-05-15T00:00:00.000+0000"),
    ("Asia/Tokyo", date(1, 1, 1), "0001-01-01T00:00:00.000+0000"),
]


@pytest.mark.parametrize(("zone", "day", "instant"), MIDNIGHTS)
def test_an_instant_edge_is_midnight_in_the_viewers_zone(zone: str, day: date, instant: str) -> None:
    assert Edge(Relative("TODAY"), end=False, instant=True).at(Moment(day, Viewer(zone=zone))) == instant


# first month of the fiscal year, literal, start, end; today is 15 May 2024
FISCAL: list[tuple[int, str, int | None, str, str]] = [
    (2, "THIS_FISCAL_YEAR", None, "2024-02-01", "2025-02-01"),
    (7, "THIS_FISCAL_YEAR", None, "2023-07-01", "2024-07-01"),
    (5, "THIS_FISCAL_YEAR", None, "2024-05-01", "2025-05-01"),
    (6, "LAST_FISCAL_YEAR", None, "2022-06-01", "2023-06-01"),
    (7, "NEXT_FISCAL_YEAR", None, "2024-07-01", "2025-07-01"),
    (2, "THIS_FISCAL_QUARTER", None, "2024-05-01", "2024-08-01"),
    (3, "THIS_FISCAL_QUARTER", None, "2024-03-01", "2024-06-01"),
    (12, "LAST_FISCAL_QUARTER", None, "2023-12-01", "2024-03-01"),
    (3, "NEXT_N_FISCAL_QUARTERS", 2, "2024-06-01", "2024-12-01"),
    (3, "N_FISCAL_YEARS_AGO", 1, "2023-03-01", "2024-03-01"),
    (7, "THIS_YEAR", None, "2024-01-01", "2025-01-01"),
    (7, "LAST_QUARTER", None, "2024-01-01", "2024-04-01"),
]


@pytest.mark.parametrize(("month", "name", "count", "start", "end"), FISCAL)
def test_fiscal_literals_follow_the_orgs_first_month(
    month: int, name: str, count: int | None, start: str, end: str
) -> None:
    moment = Moment(TODAY, fiscal=FiscalYear(month))
    found = [FiscalEdge(Relative(name, count), side, instant=False).at(moment) for side in (False, True)]
    assert found == [start, end]


def test_the_viewer_is_known_when_a_plan_is_run() -> None:
    moment = Moment(TODAY, Viewer("005000000000001AAA", "Europe/London"))
    assert (Runner().at(moment), Zone().at(moment)) == ("005000000000001AAA", "Europe/London")
    assert Runner().at(Moment(TODAY)) is None


@pytest.mark.parametrize("zone", ["Mars/Olympus", "", "../etc"])
def test_an_unknown_zone_is_told(zone: str) -> None:
    with pytest.raises(UsageError, match="Unknown time zone"):
        Viewer(zone=zone).today(Clock.at(TODAY))


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("2024-02-29T08:15:00Z", "2024-02-29T08:15:00.000+0000"),
        ("2024-02-29t08:15:00z", "2024-02-29T08:15:00.000+0000"),
        ("2024-02-29T08:15:00+05:30", "2024-02-29T02:45:00.000+0000"),
        ("2024-02-29T20:15:00-0800", "2024-03-01T04:15:00.000+0000"),
        ("2024-02-29T08:15:00.1Z", "2024-02-29T08:15:00.100+0000"),
        ("2024-02-29T08:15:00.123456789+0000", "2024-02-29T08:15:00.123+0000"),
        ("2023-02-29T08:15:00Z", None),
        ("2024-02-29T25:15:00Z", None),
        ("1699-12-31T23:59:59Z", None),
        ("9999-12-31T23:59:59-10:00", None),
    ],
)
def test_datetimes_are_kept_in_utc(text: str, stored: str | None) -> None:
    assert stored_datetime(text) == stored


@pytest.mark.parametrize(
    ("text", "stored"), [("2024-02-29", "2024-02-29"), ("2023-02-29", None), ("4001-01-01", None)]
)
def test_dates_that_do_not_exist_are_none(text: str, stored: str | None) -> None:
    assert stored_date(text) == stored

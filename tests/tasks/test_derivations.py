"""What the rows say, family by family, on orgs small enough to count by hand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

import pytest

from crmarena.clock import format_datetime, pacific_instant
from crmarena.tasks.evidence import CaseRow, Evidence
from crmarena.tasks.fairness import Verdict
from crmarena.tasks.families import GENERATED
from crmarena.tasks.windows import Named, Reading, Zone, plain_reading

YEAR = plain_reading(Named("Q1", 2023))
USERS = {f"user {name}": name for name in "ABCDE"}
ISSUES = {f"issue {number}": str(number) for number in range(4)}


def case(
    given: str,
    *,
    on: str = "2023-02-01",
    hours: float | None = 10,
    issue: int = 0,
    product: str = "lamp",
    state: str | None = "TX",
) -> CaseRow:
    """A case given to users in turn ("AB": to A, who passed it on to B), closed after some hours."""
    users = tuple(f"user {name}" for name in given)
    created = pacific_instant(date.fromisoformat(on)) + timedelta(hours=9)
    closed = None if hours is None else format_datetime(created + timedelta(hours=hours))
    status = "Closed" if closed else "Working"
    return CaseRow(
        f"{given} {on}",
        users[-1],
        format_datetime(created),
        closed,
        status,
        f"issue {issue}",
        product,
        state,
        users,
        users[:-1],
    )


def judge(
    family: str, cases: Sequence[CaseRow], reading: Reading | None = YEAR, **parameters: Any
) -> Verdict:
    evidence = Evidence(
        org_type="b2b",
        cases=tuple(cases),
        names={"User": USERS, "Product2": {"lamp": "Lamp"}, "Issue__c": ISSUES},
        first_day=date(2022, 1, 1),
    )
    return GENERATED[family].derive(evidence, parameters, reading)


HANDLE_TIME = [
    # cases, more than, lowest, answer, clear
    ([case("A", hours=5), case("B", hours=6), case("C", hours=9)], 0, True, "user A", True),
    ([case("A", hours=5), case("B", hours=6), case("C", hours=9)], 0, False, "user C", True),
    ([case("A", hours=5.9), case("B", hours=6), case("C", hours=9)], 0, True, "user A", False),
    ([case("A", hours=1), case("A", hours=99), case("B"), case("C", hours=11)], 0, True, "user B", True),
    ([case("DA", hours=1), case("A", hours=20), case("B"), case("C", hours=11)], 0, True, "user B", True),
    ([case("A", hours=None), case("B"), case("C", hours=11), case("D", hours=12)], 0, True, "user B", True),
    ([case("A", hours=1), *[case(name, hours=ord(name) - 60) for name in "BBCCDD"]], 1, True, "user B", True),
    ([case("A", hours=1), case("AB", hours=9), *[case(n) for n in "BCCDD"]], 1, True, "user A", True),
    ([case("A", hours=1), case("A", hours=None), *[case(n) for n in "BBCC"]], 1, True, "user A", True),
    ([case("A"), case("B"), case("C")], 1, True, None, True),
    ([case("AB"), case("BA"), case("A", hours=None), case("B", hours=None)], 1, True, None, True),
    ([case("A", on="2023-04-02"), case("B", on="2022-12-30")], 0, True, None, True),
    ([], 0, True, None, True),
]  # fmt: skip


@pytest.mark.parametrize(("cases", "more_than", "lowest", "answer", "clear"), HANDLE_TIME)
def test_handle_time(
    cases: list[CaseRow], more_than: int, lowest: bool, answer: str | None, clear: bool
) -> None:
    verdict = judge("handle_time", cases, more_than=more_than, lowest=lowest)
    assert (verdict.answer, verdict.clear) == (answer, clear)


TRANSFERS = [
    # cases, more than, lowest, average, answer, clear
    ([case("AB"), case("AC"), case("BC"), case("D")], 0, False, False, "user A", True),
    ([case("AB"), case("BA"), case("C"), case("D")], 0, False, False, "user A", False),
    # Zero belongs to the minimum: who passed nothing on is level with others who did not.
    ([case("AB"), case("B"), case("C")], 0, True, False, "user B", False),
    ([case("AC"), case("BC"), case("C")], 0, True, False, "user C", True),
    ([case("ABA"), case("BA"), case("CA")], 0, False, False, "user B", True),
    ([case("AB"), case("AB"), case("A"), case("A"), case("BC"), case("CB")], 0, False, True, "user A", False),
    ([case("AB"), case("A"), case("A"), case("BC"), case("BC"), case("CD")], 0, False, True, "user B", True),
    ([case("AB"), case("AB"), case("C"), case("C"), case("D"), case("D")], 1, True, False, "user B", False),
    ([case("AB"), case("AB"), case("CD"), case("CD"), case("DA"), case("E")], 1, True, False, "user B", True),
    ([case("A"), case("B")], 1, True, False, None, True),
    ([], 0, False, False, None, True),
]


@pytest.mark.parametrize(("cases", "more_than", "lowest", "average", "answer", "clear"), TRANSFERS)
def test_transfer_count(
    cases: list[CaseRow], more_than: int, lowest: bool, average: bool, answer: str | None, clear: bool
) -> None:
    verdict = judge("transfer_count", cases, more_than=more_than, lowest=lowest, average=average)
    assert (verdict.answer, verdict.clear) == (answer, clear)


TOP_ISSUE = [
    ([case("A", issue=1), case("B", issue=1), case("C", issue=2)], "issue 1", True),
    ([case("A", issue=1), case("B", issue=1, hours=None)], "issue 1", True),
    ([case("A", issue=1), case("B", issue=2)], "issue 1", False),
    ([case("A", issue=1)], "issue 1", False),
    ([case("A", issue=1, product="desk"), case("B", issue=1, product="desk")], None, True),
    ([case("A", issue=1, on="2023-04-02"), case("B", issue=1, on="2022-12-30")], None, True),
]


@pytest.mark.parametrize(("cases", "answer", "clear"), TOP_ISSUE)
def test_top_issue(cases: list[CaseRow], answer: str | None, clear: bool) -> None:
    verdict = judge("top_issue_identification", cases, product="lamp")
    assert (verdict.answer, verdict.clear) == (answer, clear)


def by_month(**counts: int) -> list[CaseRow]:
    """Cases by month: `m2301=5` is five in January 2023."""
    return [
        case("A", on=f"20{name[1:3]}-{name[3:]}-{day + 5:02d}")
        for name, count in counts.items()
        for day in range(count)
    ]


QUARTER, TWO_YEARS = YEAR, Reading(date(2022, 1, 1), date(2023, 12, 31))
TREND = [
    (by_month(m2301=1, m2302=6, m2303=2), QUARTER, "February", True),
    (by_month(m2302=5), QUARTER, "February", True),
    (by_month(m2302=3), QUARTER, "February", False),
    (by_month(m2302=2), QUARTER, None, False),
    (by_month(m2302=1), QUARTER, None, True),
    (by_month(m2301=4, m2302=7), QUARTER, "February", False),
    (by_month(m2301=8, m2302=11), QUARTER, None, False),
    (by_month(m2301=8, m2302=10), QUARTER, None, True),
    (by_month(m2301=3, m2302=5), QUARTER, None, False),
    (by_month(m2301=5, m2302=5), QUARTER, None, True),
    ([], QUARTER, None, True),
    (by_month(m2302=9, m2304=9), QUARTER, "February", True),
    (by_month(m2202=5, m2302=5), TWO_YEARS, None, False),
    (by_month(m2202=7, m2302=1, m2305=2), TWO_YEARS, "February", True),
    (by_month(m2202=9, m2203=3, m2303=4), TWO_YEARS, "February", False),
    (by_month(m2202=3, m2302=3, m2207=2), TWO_YEARS, None, False),
]


@pytest.mark.parametrize(("cases", "reading", "answer", "clear"), TREND)
def test_monthly_trend(cases: list[CaseRow], reading: Reading, answer: str | None, clear: bool) -> None:
    verdict = judge("monthly_trend_analysis", cases, reading, product="lamp")
    assert verdict.clear == clear
    if clear:
        assert verdict.answer == answer


def test_months_end_at_the_midnight_of_the_reading() -> None:
    # Nine in the evening of 31 January on the West Coast is February in UTC.
    late = [case("A", on="2023-01-31", hours=1) for _ in range(5)]
    late = [CaseRow(**{**vars(row), "created": "2023-02-01T05:00:00.000+0000"}) for row in late]
    utc = judge("monthly_trend_analysis", late, YEAR, product="lamp")
    local = Reading(YEAR.first, YEAR.last, Zone.PACIFIC)
    assert utc.answer == "February"
    assert judge("monthly_trend_analysis", late, local, product="lamp").answer == "January"


REGION = [
    ([case("A", state="TX", hours=9), case("A", state="WA", hours=5), case("A", state="CA")], "WA", True),
    ([case("A", state="TX", hours=5.2), case("A", state="WA", hours=5), case("A", state="CA")], "WA", False),
    ([case("AB", state="TX", hours=2), case("A", state="WA", hours=5), case("A", state="CA")], "TX", True),
    ([case("A", state="TX", hours=None), case("A", state="WA"), case("A", state="CA", hours=11),
      case("A", state="NY", hours=12)], "WA", True),
    ([case("A", state=None)], None, True),
    ([case("A", hours=None)], None, True),
    ([case("A", on="2023-04-02")], None, True),
]  # fmt: skip


@pytest.mark.parametrize(("cases", "answer", "clear"), REGION)
def test_best_region(cases: list[CaseRow], answer: str | None, clear: bool) -> None:
    verdict = judge("best_region_identification", cases)
    assert (verdict.answer, verdict.clear) == (answer, clear)


TIED = [case("A", issue=1), case("B", issue=1), case("C", issue=2)]
ROUTING = [
    ([case("A", issue=1), case("A", issue=1), case("B", issue=1)], "user A", "issue", True),
    ([case("A", issue=1), case("CB", issue=1), case("CB", issue=1)], "user B", "issue", True),
    ([case("A", issue=1), case("B", issue=1, hours=None)], "user A", "issue", True),
    # C closed most on the product, but is not among those level on the issue.
    ([*TIED, *[case("C") for _ in range(5)], case("B", issue=3)], "user B", "product", True),
    ([*TIED, case("A", issue=3, product="desk"), case("B", hours=None)], "user A", "workload", True),
    (
        [*TIED, case("A", hours=None), case("B", hours=None), case("B", hours=None)],
        "user A",
        "workload",
        True,
    ),
    ([*TIED, case("A", hours=None), case("B", hours=None)], "user A", "workload", False),
]


@pytest.mark.parametrize(("cases", "answer", "decided_by", "clear"), ROUTING)
def test_case_routing(cases: list[CaseRow], answer: str, decided_by: str, clear: bool) -> None:
    verdict = judge("case_routing", cases, None, issue="issue 1", product="lamp")
    assert (verdict.decided_by, verdict.clear) == (decided_by, clear)
    if clear:
        assert verdict.answer == answer

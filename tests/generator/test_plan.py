"""Each latent variable shapes the records: without it, its mark on them is gone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from statistics import fmean

import pytest

from crmarena.clock import parse_datetime
from crmarena.generator.book import Book, Record
from crmarena.generator.build import write_records
from crmarena.generator.plan import Plan, make_plan
from crmarena.generator.profile import load_profile
from crmarena.generator.stages import catalog, staff


def even(weights: tuple[float, ...]) -> tuple[float, ...]:
    return (1.0,) * len(weights)


def without_shopping(plan: Plan) -> Plan:
    habits = (replace(h, products=even(h.products), months=even(h.months)) for h in plan.shopping)
    return replace(plan, shopping=tuple(habits))


def without_complaints(plan: Plan) -> Plan:
    habits = (replace(h, issues=even(h.issues), frequency=1.0) for h in plan.complaints)
    return replace(plan, complaints=tuple(habits))


def without_experts(plan: Plan) -> Plan:
    skills = (replace(s, issues=even(s.issues)) for s in plan.skills)
    return replace(plan, skills=tuple(skills), experts=((),) * len(plan.experts))


def without_passing(plan: Plan) -> Plan:
    return replace(plan, skills=tuple(replace(s, passing=even(s.passing)) for s in plan.skills))


def without_response_time(plan: Plan) -> Plan:
    times = (replace(t, usual=1.0, form=even(t.form)) for t in plan.response_times)
    return replace(plan, response_times=tuple(times))


def without_regions(plan: Plan) -> Plan:
    return replace(plan, regions=tuple(even(region) for region in plan.regions))


def without_surges(plan: Plan) -> Plan:
    return replace(plan, surges=())


def products_liked(plan: Plan, book: Book) -> float:
    """Share of order lines on the ten products that the account likes best."""
    accounts = {record["Id"]: k for k, record in enumerate(book.records["Account"])}
    buyer = {order["Id"]: accounts[order["AccountId"]] for order in book.records["Order"]}
    numbers = catalog.product_number(plan, book)
    return fmean(
        numbers[line["Product2Id"]] in best(plan.shopping[buyer[line["OrderId"]]].products, 10)
        for line in book.records["OrderItem"]
    )


def issues_raised(plan: Plan, book: Book) -> float:
    """Share of cases on the three issues that the account complains of most."""
    accounts = {record["Id"]: k for k, record in enumerate(book.records["Account"])}
    issues = {record["Id"]: k for k, record in enumerate(book.records["Issue__c"])}
    return fmean(
        issues[case["IssueId__c"]] in best(plan.complaints[accounts[case["AccountId"]]].issues, 3)
        for case in book.records["Case"]
    )


def solved_by_experts(plan: Plan, book: Book) -> float:
    """Share of closed cases that ended with an expert on their issue."""
    agents = agent_numbers(plan, book)
    issues = {record["Id"]: k for k, record in enumerate(book.records["Issue__c"])}
    closed = [case for case in book.records["Case"] if case["Status"] == "Closed"]
    return fmean(agents[c["OwnerId"]] in plan.experts[issues[c["IssueId__c"]]] for c in closed)


def passed_by_the_ready(plan: Plan, book: Book) -> float:
    """Share of transfers away from the quarter of agents readiest for it at that time."""
    agents = agent_numbers(plan, book)
    passed = [h for h in book.records["CaseHistory__c"] if h["OldValue__c"]]
    quarter = len(agents) // 4

    def ready(history: Record) -> bool:
        block = plan.block(parse_datetime(history["CreatedDate"]).date())
        weights = tuple(skill.passing[min(block, len(skill.passing) - 1)] for skill in plan.skills)
        return agents[history["OldValue__c"]] in best(weights, quarter)

    return fmean(ready(history) for history in passed)


def slowness(plan: Plan, book: Book) -> float:
    """How much longer the slow of a time take than the quick."""
    agents = agent_numbers(plan, book)

    def factor(case: Record, block: int) -> float:
        return plan.response_times[agents[case["OwnerId"]]].form[block]

    return ratio(plan, book, factor)


def regional_slowness(plan: Plan, book: Book) -> float:
    """How much longer cases of the slow states of a time take than those of the quick."""
    states = {record["Id"]: record["ShippingState"] for record in book.records["Account"]}

    def factor(case: Record, block: int) -> float:
        return plan.regions[plan.profile.states.index(states[case["AccountId"]])][block]

    return ratio(plan, book, factor)


def steepest_month(plan: Plan, book: Book) -> float:
    """The most cases that a product has in one month, ten products from the top."""
    product = {line["Id"]: line["Product2Id"] for line in book.records["OrderItem"]}
    months = Counter((product[c["OrderItemId__c"]], c["CreatedDate"][:7]) for c in book.records["Case"])
    return float(sorted(months.values())[-10])


def ratio(plan: Plan, book: Book, factor: Callable[[Record, int], float]) -> float:
    times: dict[bool, list[float]] = {True: [], False: []}
    for case in book.records["Case"]:
        if case["Status"] == "Closed":
            created = parse_datetime(case["CreatedDate"])
            took = (parse_datetime(case["ClosedDate"]) - created).total_seconds()
            if (by := factor(case, plan.block(created.date()))) != 1.0:
                times[by > 1.0].append(took)
    return fmean(times[True]) / fmean(times[False])


def agent_numbers(plan: Plan, book: Book) -> dict[str, int]:
    return {record["Id"]: k for k, record in enumerate(staff.agents(plan, book))}


def best(weights: tuple[float, ...], count: int) -> set[int]:
    return set(sorted(range(len(weights)), key=lambda k: -weights[k])[:count])


MARKS = {
    "ShoppingHabit": (products_liked, without_shopping, 1.5),
    "ComplaintHabit": (issues_raised, without_complaints, 1.3),
    "Skill, on issues": (solved_by_experts, without_experts, 2.0),
    "Skill, in passing on": (passed_by_the_ready, without_passing, 1.4),
    "ResponseTime": (slowness, without_response_time, 1.8),
    "ResponseTime, by region": (regional_slowness, without_regions, 1.3),
    "Surge": (steepest_month, without_surges, 1.5),
}


@pytest.mark.parametrize("variable", MARKS)
def test_a_latent_variable_leaves_a_mark(plan: Plan, book: Book, variable: str) -> None:
    mark, without, times = MARKS[variable]
    # The mark is looked for where the variable has it, in the records made with and without it.
    assert mark(plan, book) > times * mark(plan, write_records(without(plan)))


def test_no_case_is_opened_or_closed_while_the_desk_is_closed(plan: Plan, book: Book) -> None:
    for start, end in (*plan.worktime.closures, (plan.worktime.first, plan.worktime.launch)):
        first, last = start.isoformat(), end.isoformat()
        for case in book.records["Case"]:
            for day in (case["CreatedDate"][:10], (case["ClosedDate"] or "")[:10]):
                assert not first < day < last


@pytest.mark.parametrize("scale", [0.25, 1.0])
def test_experts_closed_equally_many_cases_and_anyone_else_fewer(scale: float) -> None:
    plan = make_plan(load_profile("original"), seed=5, scale=scale)
    made = write_records(plan)
    agents = staff.agents(plan, made)
    for issue, record in enumerate(made.records["Issue__c"]):
        counts = Counter(
            case["OwnerId"]
            for case in made.records["Case"]
            if case["IssueId__c"] == record["Id"] and case["Status"] == "Closed"
        )
        level = {agents[agent]["Id"] for agent in plan.experts[issue]}
        top = {user for user, count in counts.items() if count == max(counts.values())}
        assert top == level


def test_a_third_of_the_issues_has_several_best_agents(plan: Plan) -> None:
    sizes = Counter(map(len, plan.experts))
    assert sizes[1] == 10
    assert sizes[2] + sizes[3] == 5


def test_surges_touch_every_month_of_the_year_that_is_open(plan: Plan) -> None:
    months = {plan.worktime.months[surge.month].month for surge in plan.surges}
    assert len(months) >= 11


def test_plans_of_one_seed_are_equal() -> None:
    profile = load_profile("b2b")
    assert make_plan(profile, 1, 0.1) == make_plan(profile, 1, 0.1)
    assert make_plan(profile, 1, 0.1) != make_plan(profile, 2, 0.1)

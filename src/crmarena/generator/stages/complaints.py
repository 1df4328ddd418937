"""Who complains of what and when: the surges of the plan, and each account's complaint habit."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from crmarena.clock import add_months
from crmarena.generator import worktime
from crmarena.generator.book import Book
from crmarena.generator.plan import Plan, Surge
from crmarena.generator.stages import catalog

_LOYALTY = 0.85
"""Share of a surge's cases that have its issue."""
_LATE_SHARE = 0.2
"""Share of cases that come in after two in the afternoon."""


@dataclass(frozen=True)
class Purchase:
    """An ordered line as a complaint sees it."""

    day: date
    account: int
    state: str
    product: int
    item_id: str


@dataclass(frozen=True)
class Complaint:
    """A case before anyone works on it."""

    created: datetime
    purchase: Purchase
    issue: int


def draw(plan: Plan, book: Book, rng: random.Random) -> list[Complaint]:
    """All complaints of an org, earliest first."""
    total = plan.count("Case")
    bought = purchases(plan, book)
    found = list(itertools.islice(_surging(plan, bought, rng), total))
    found += itertools.islice(_habitual(plan, bought, rng), total - len(found))
    return sorted(found, key=lambda c: (c.created, c.purchase.item_id))


def purchases(plan: Plan, book: Book) -> list[Purchase]:
    """The lines of activated orders."""
    numbers = catalog.product_number(plan, book)
    accounts = {record["Id"]: number for number, record in enumerate(book.records["Account"])}
    states = [record["ShippingState"] for record in book.records["Account"]]
    orders = {order["Id"]: order for order in book.records["Order"] if order["Status"] == "Activated"}
    bought = []
    for line in book.records["OrderItem"]:
        if order := orders.get(line["OrderId"]):
            account, day = accounts[order["AccountId"]], date.fromisoformat(order["EffectiveDate"])
            product = numbers[line["Product2Id"]]
            bought.append(Purchase(day, account, states[account], product, line["Id"]))
    return bought


def _surging(plan: Plan, bought: list[Purchase], rng: random.Random) -> Iterator[Complaint]:
    by_product: dict[int, list[Purchase]] = {}
    for purchase in bought:
        by_product.setdefault(purchase.product, []).append(purchase)
    for surge in plan.surges:
        days = _surge_days(plan, surge)
        owned = [p for p in by_product.get(surge.product, ()) if p.day < days[0]]
        weights = [plan.complaints[p.account].frequency for p in owned]
        for _ in range(surge.size if owned else 0):
            purchase = rng.choices(owned, weights)[0]
            loyal = rng.random() < _LOYALTY
            issue = surge.issue if loyal else _issue(plan, purchase.account, rng)
            yield Complaint(_moment(rng.choice(days), rng), purchase, issue)


def _surge_days(plan: Plan, surge: Surge) -> list[date]:
    """The working days of a surge's month, its first and last days left out."""
    month = plan.worktime.months[surge.month]
    return plan.worktime.case_days(month + timedelta(days=2), add_months(month, 1) - timedelta(days=4))


def _habitual(plan: Plan, bought: list[Purchase], rng: random.Random) -> Iterator[Complaint]:
    by_account: dict[int, list[Purchase]] = {}
    for purchase in bought:
        by_account.setdefault(purchase.account, []).append(purchase)
    accounts = sorted(by_account)
    frequencies = [plan.complaints[account].frequency for account in accounts]
    days = plan.worktime.case_days(plan.worktime.launch, plan.worktime.last)
    while True:
        account = rng.choices(accounts, frequencies)[0]
        months = plan.complaints[account].months
        day = rng.choices(days, [months[day.month - 1] for day in days])[0]
        owned = [p for p in by_account[account] if p.day < day]
        if owned:
            yield Complaint(_moment(day, rng), rng.choice(owned), _issue(plan, account, rng))


def _issue(plan: Plan, account: int, rng: random.Random) -> int:
    weights = plan.complaints[account].issues
    return rng.choices(range(len(weights)), weights)[0]


def _moment(day: date, rng: random.Random) -> datetime:
    late = rng.random() < _LATE_SHARE
    return worktime.at(day, rng.uniform(360, 535) if late else rng.uniform(2, 300))

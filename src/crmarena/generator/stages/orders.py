"""Orders and their lines, as each account's shopping habit has it."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta

from crmarena.clock import format_datetime
from crmarena.generator import worktime
from crmarena.generator.book import Book, Record
from crmarena.generator.plan import Plan
from crmarena.generator.stages import staff
from crmarena.seeds import Seeds

_DRAFT_DAYS = 60
"""Orders of the last days may still be drafts."""
_FIRST_DAYS = 120
"""Each product is ordered within the first days, so that there is something to complain of."""


@dataclass
class _Draft:
    account: int
    day: date
    products: list[int]


def make(plan: Plan, book: Book, seeds: Seeds) -> None:
    """Add the orders, earliest first, with their lines."""
    rng = seeds.random("orders")
    drafts = _drafts(plan, rng)
    _order_each_product_early(plan, rng, drafts)
    for number, draft in enumerate(sorted(drafts, key=lambda d: (d.day, d.account)), start=1):
        _order(plan, book, rng, draft, number)


def _drafts(plan: Plan, rng: random.Random) -> list[_Draft]:
    work = plan.worktime
    days = [work.first + timedelta(days=k) for k in range((work.last - work.first).days + 1)]
    days = [day for day in days if day.weekday() < 5]
    frequencies = [habit.frequency for habit in plan.shopping]
    buyers = rng.choices(range(len(frequencies)), frequencies, k=plan.count("Order"))
    per_order = plan.count("OrderItem") / plan.count("Order")
    drafts = []
    for account in buyers:
        habit = plan.shopping[account]
        day = rng.choices(days, [habit.months[day.month - 1] for day in days])[0]
        size = max(1, round(rng.gauss(per_order * habit.items, 1)))
        drafts.append(_Draft(account, day, _products(rng, habit.products[:-1], size)))
    return drafts


def _products(rng: random.Random, weights: tuple[float, ...], size: int) -> list[int]:
    """Different products, the best liked most likely (the last one is no longer sold)."""
    keys = sorted((rng.random() ** (1 / weight), product) for product, weight in enumerate(weights))
    return [product for _, product in keys[-size:]]


def _order_each_product_early(plan: Plan, rng: random.Random, drafts: list[_Draft]) -> None:
    early = drafts[: max(10, len(drafts) // 5)]
    start = plan.worktime.first
    days = [start + timedelta(days=k) for k in range(_FIRST_DAYS)]
    for draft in early:
        draft.day = rng.choice([day for day in days if day.weekday() < 5])
    for product in range(len(plan.profile.products) - 1):
        holders = [draft for draft in early if product in draft.products]
        if len(holders) < 2:
            rng.choice([draft for draft in early if draft not in holders]).products.append(product)


def _order(plan: Plan, book: Book, rng: random.Random, draft: _Draft, number: int) -> None:
    created = worktime.at(draft.day, rng.randrange(60, 500))
    recent = (plan.worktime.last - draft.day).days < _DRAFT_DAYS
    drafted = recent and rng.random() < 0.5
    account = book.records["Account"][draft.account]
    order = book.add(
        "Order",
        created,
        AccountId=account["Id"],
        Status="Draft" if drafted else "Activated",
        StatusCode="Draft" if drafted else "Activated",
        EffectiveDate=draft.day.isoformat(),
        Pricebook2Id=book.records["Pricebook2"][-1]["Id"],
        OwnerId=rng.choice(staff.others(plan, book))["Id"],
        OrderNumber=f"{number:08d}",
        ActivatedDate=None if drafted else format_datetime(created),
        ShippingState=account["ShippingState"],
        ShippingCity=account["ShippingCity"],
    )
    lines = [_line(plan, book, rng, order, product) for product in draft.products]
    order["TotalAmount"] = round(sum(line["TotalPrice"] for line in lines), 2)


def _line(plan: Plan, book: Book, rng: random.Random, order: Record, product: int) -> Record:
    entry = book.records["PricebookEntry"][product]
    quantity = float(rng.choice(plan.profile.quantities))
    price = round(entry["UnitPrice"] * rng.choice((1, 1, 1, 0.95, 0.9)), 2)
    line = book.add(
        "OrderItem",
        worktime.at(date.fromisoformat(order["EffectiveDate"]), 500),
        OrderId=order["Id"],
        Product2Id=entry["Product2Id"],
        PricebookEntryId=entry["Id"],
        Quantity=quantity,
        UnitPrice=price,
        ListPrice=entry["UnitPrice"],
        TotalPrice=round(quantity * price, 2),
    )
    return line

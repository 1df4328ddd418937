"""Accounts and contacts: companies with their people, or persons."""

from __future__ import annotations

import random
from datetime import timedelta
from string import Template
from typing import Any

from faker import Faker

from crmarena.generator import worktime
from crmarena.generator.book import Book, Record
from crmarena.generator.plan import Plan
from crmarena.generator.stages import staff
from crmarena.seeds import Seeds

_DAYS_BEFORE = 300


def make(plan: Plan, book: Book, seeds: Seeds) -> None:
    """Add the accounts and their contacts."""
    rng = seeds.random("customers")
    fake = staff.names(seeds, "customers")
    if plan.profile.person_accounts:
        for number in range(plan.count("Account")):
            _person_account(plan, book, rng, fake, number)
        return
    _companies(plan, book, rng, fake)
    spare = plan.count("Contact") - len(book.records["Account"])
    owners = book.records["Account"] + rng.choices(book.records["Account"], k=max(0, spare))
    for number, account in enumerate(owners):
        _contact(plan, book, rng, fake, account, number)


def _companies(plan: Plan, book: Book, rng: random.Random, fake: Faker) -> None:
    taken: set[str] = set()
    for number in range(plan.count("Account")):
        name = fake.company()
        while name in taken:
            name = fake.company()
        taken.add(name)
        industry = rng.choice(plan.profile.account_industries)
        book.add(
            "Account",
            _signed_up(plan, rng),
            Name=name,
            Industry=industry,
            NumberOfEmployees=int(rng.lognormvariate(5, 1)) + 5,
            Type="Customer - Direct",
            **_place(plan, book, rng, fake, number, name=name, industry=industry.lower()),
        )


def _person_account(plan: Plan, book: Book, rng: random.Random, fake: Faker, number: int) -> None:
    created = _signed_up(plan, rng)
    person = _person(fake, "mail.example", number)
    contact_id = book.new_id("Contact")
    account = book.add(
        "Account",
        created,
        FirstName=person["FirstName"],
        LastName=person["LastName"],
        PersonEmail=person["Email"],
        PersonContactId=contact_id,
        IsPersonAccount=True,
        Industry=plan.profile.account_industries[0],
        **_place(plan, book, rng, fake, number),
    )
    owner = account["OwnerId"]
    book.add("Contact", created, Id=contact_id, AccountId=account["Id"], OwnerId=owner, **person)


def _contact(plan: Plan, book: Book, rng: random.Random, fake: Faker, account: Record, number: int) -> None:
    domain = "".join(c for c in account["Name"].lower() if c.isalpha())
    book.add(
        "Contact",
        _signed_up(plan, rng),
        AccountId=account["Id"],
        OwnerId=account["OwnerId"],
        Title=fake.job()[:128],
        **_person(fake, f"{domain}.example", number),
    )


def _place(
    plan: Plan, book: Book, rng: random.Random, fake: Faker, number: int, **names: str
) -> dict[str, Any]:
    """Where an account is and what it is; every state gets its share of the accounts."""
    states = plan.profile.states
    state = states[number % len(states)] if number < 2 * len(states) else rng.choice(states)
    city = plan.profile.cities[state]
    words = {"thing": rng.choice(plan.profile.account_things), "city": city, **names}
    return {
        "Phone": fake.numerify("(%##) 555-####"),
        "Description": Template(plan.profile.account_description).substitute(words),
        "ShippingState": state,
        "ShippingCity": city,
        "ShippingStreet": fake.street_address(),
        "ShippingCountry": "US",
        "OwnerId": rng.choice(staff.others(plan, book))["Id"],
    }


def _person(fake: Faker, domain: str, number: int) -> dict[str, str]:
    first, last = fake.first_name(), fake.last_name()
    return {
        "FirstName": first,
        "LastName": last,
        "Email": f"{first}.{last}{number}@{domain}".lower(),
    }


def _signed_up(plan: Plan, rng: random.Random) -> Any:
    day = plan.worktime.first - timedelta(days=rng.randrange(1, _DAYS_BEFORE))
    return worktime.at(day, rng.randrange(500))

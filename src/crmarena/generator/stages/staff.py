"""Users: an administrator, the agents of the service desk, and the rest of the company."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from faker import Faker

from crmarena.generator import worktime
from crmarena.generator.book import Book, Record
from crmarena.generator.plan import Plan
from crmarena.schema.ids import make_id
from crmarena.seeds import Seeds

_HIRING_DAYS = 700
_PROFILE_PREFIX = "00e"


def make(plan: Plan, book: Book, seeds: Seeds) -> None:
    """Add the users."""
    rng = seeds.random("staff")
    fake = names(seeds, "staff")
    profile_id = make_id(_PROFILE_PREFIX, book.new_id("User")[3:7], rng.randrange(62**6))
    book.author = book.new_id("User")
    for number in range(plan.count("User")):
        hired = plan.worktime.first - timedelta(days=rng.randrange(1, _HIRING_DAYS))
        person = {"Id": book.author} if number == 0 else {}
        book.add(
            "User",
            worktime.at(hired, rng.randrange(480)),
            **person,
            **_person(fake, plan.profile.email_domain, number),
            ProfileId=profile_id,
        )


def agents(plan: Plan, book: Book) -> list[Record]:
    """The users who work on cases, in the order of the plan."""
    return book.records["User"][1 : 1 + len(plan.skills)]


def others(plan: Plan, book: Book) -> list[Record]:
    """The users who do not work on cases."""
    return book.records["User"][1 + len(plan.skills) :]


def names(seeds: Seeds, stage: str) -> Faker:
    """A source of names and addresses for a stage."""
    fake = Faker("en_US")
    fake.seed_instance(seeds.random(stage, "names").getrandbits(64))
    return fake


def _person(fake: Faker, domain: str, number: int) -> dict[str, Any]:
    first, last = fake.first_name(), fake.last_name()
    address = f"{first}.{last}{number}@{domain}".lower()
    return {
        "FirstName": first,
        "LastName": last,
        "Email": address,
        "Username": address,
        "Phone": fake.numerify("(%##) 555-####"),
        "Alias": f"{first[0]}{last[:3]}{number}".lower()[:8],
        "LanguageLocaleKey": "en_US",
        "LocaleSidKey": "en_US",
        "EmailEncodingKey": "UTF-8",
        "TimeZoneSidKey": "America/Los_Angeles",
        "IsActive": True,
        "UserType": "Standard",
    }

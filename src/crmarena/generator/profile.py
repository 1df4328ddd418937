"""A company: what it sells, what goes wrong, how large its org is. Read from `generator/data`."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crmarena import resources
from crmarena.errors import UsageError

_FOLDER = "generator/data"
_FLOORS = {"User": 24, "Account": 20, "Contact": 20, "Order": 40, "OrderItem": 160, "Case": 60}
_YEAR = 2019


@dataclass(frozen=True)
class Product:
    """A thing the company sells."""

    name: str
    categories: tuple[str, ...]
    """The first is its own, a second one it is listed in too."""
    price: float
    description: str


@dataclass(frozen=True)
class Issue:
    """A kind of complaint, and how customers word it."""

    name: str
    description: str
    subjects: tuple[str, ...]
    problems: tuple[str, ...]
    details: tuple[str, ...]


@dataclass(frozen=True)
class Profile:
    """The settings of one company."""

    org_type: str
    company: str
    email_domain: str
    person_accounts: bool
    sizes: Mapping[str, int]
    """Records of each object that grows with the scale, at scale 1."""
    quantities: tuple[int, ...]
    account_industries: tuple[str, ...]
    account_description: str
    account_things: tuple[str, ...]
    cities: Mapping[str, str]
    """A city for each state that customers ship to."""
    categories: tuple[str, ...]
    products: tuple[Product, ...]
    issues: tuple[Issue, ...]
    openings: tuple[str, ...]
    closings: tuple[str, ...]

    @property
    def states(self) -> tuple[str, ...]:
        """The states that customers ship to."""
        return tuple(self.cities)

    def count(self, object_name: str, scale: float) -> int:
        """How many records of an object an org of this scale holds."""
        return max(_FLOORS[object_name], round(self.sizes[object_name] * scale))


def profile_names() -> tuple[str, ...]:
    """The org types that have a profile."""
    return resources.names(_FOLDER, ".json")


def first_year(seed: int) -> int:
    """The year in which an org's records begin."""
    return _YEAR + seed % 4


@functools.cache
def load_profile(org_type: str) -> Profile:
    """The profile of an org type; UsageError for one that cannot be generated."""
    if org_type not in profile_names():
        known = ", ".join(profile_names())
        raise UsageError(f"Cannot generate an org of type {org_type!r}; the types are: {known}.")
    return _profile(org_type, resources.read_json(f"{_FOLDER}/{org_type}.json"))


def _profile(org_type: str, raw: dict[str, Any]) -> Profile:
    return Profile(
        org_type=org_type,
        company=raw["company"],
        email_domain=raw["email_domain"],
        person_accounts=raw["person_accounts"],
        sizes=raw["sizes"],
        quantities=tuple(raw["quantities"]),
        account_industries=tuple(raw["account_industries"]),
        account_description=raw["account_description"],
        account_things=tuple(raw["account_things"]),
        cities=raw["states"],
        categories=tuple(raw["categories"]),
        products=tuple(_product(*entry) for entry in raw["products"]),
        issues=tuple(_issue(entry) for entry in raw["issues"]),
        openings=tuple(raw["openings"]),
        closings=tuple(raw["closings"]),
    )


def _product(name: str, own: str, other: str | None, price: float, description: str) -> Product:
    return Product(name, (own,) if other is None else (own, other), float(price), description)


def _issue(raw: dict[str, Any]) -> Issue:
    texts = {kind: tuple(raw[kind]) for kind in ("subjects", "problems", "details")}
    return Issue(name=raw["name"], description=raw["description"], **texts)

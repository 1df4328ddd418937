"""Compound addresses, and distances on the globe."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest

from crmarena.clock import Clock
from crmarena.soql.run import run_query
from crmarena.storage import rows
from crmarena.storage.database import Database
from tests.soql.conftest import record_id

# name, latitude, longitude
CITIES = [
    ("San Francisco", 37.7749, -122.4194),
    ("Oakland", 37.8044, -122.2712),
    ("New York", 40.7128, -74.006),
    ("Suva", -18.1248, 178.4501),
    ("Nowhere", None, None),
    ("Half", 10.0, None),
]
HERE = "GEOLOCATION(37.7749, -122.4194)"
PARTS = ["city", "country", "geocodeAccuracy", "latitude", "longitude", "postalCode", "state", "street"]


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """Accounts in some cities, and a contact of the first."""
    with Database.create(tmp_path_factory.mktemp("places") / "org.db", "b2b") as database:
        accounts = [
            {
                "Id": record_id("Account", number),
                "Name": name,
                "BillingCity": name if latitude else None,
                "BillingLatitude": latitude,
                "BillingLongitude": longitude,
            }
            for number, (name, latitude, longitude) in enumerate(CITIES, 1)
        ]
        rows.insert(database, "Account", accounts)
        contact = {
            "Id": record_id("Contact", 1),
            "LastName": "Able",
            "AccountId": record_id("Account", 1),
            "MailingStreet": "1 Main St",
            "MailingPostalCode": "94105",
        }
        rows.insert(database, "Contact", [contact])
        database.finish()
        yield database


def names(database: Database, clock: Clock, tail: str) -> list[Any]:
    return [r["Name"] for r in run_query(database, f"SELECT Name FROM Account {tail}", clock).records]


def miles(first: tuple[float, float], second: tuple[float, float], radius: float = 3958.76) -> float:
    """The angle between two places, by the law of cosines."""
    (lat1, lon1), (lat2, lon2) = [tuple(map(math.radians, place)) for place in (first, second)]
    cosine = math.sin(lat1) * math.sin(lat2) + math.cos(lat1) * math.cos(lat2) * math.cos(lon1 - lon2)
    return radius * math.acos(min(1.0, cosine))


def test_an_address_is_the_object_of_its_parts(places: Database, clock: Clock) -> None:
    (record,) = run_query(places, "SELECT Id, MailingAddress FROM Contact", clock).records
    address = record["MailingAddress"]
    assert list(address) == PARTS
    assert (address["street"], address["postalCode"], address["city"]) == ("1 Main St", "94105", None)
    (rest,) = run_query(places, "SELECT Id, MailingAddress FROM Contact", clock).to_rest()["records"]
    assert rest["MailingAddress"] == address


def test_an_address_without_any_part_is_null(places: Database, clock: Clock) -> None:
    records = run_query(places, "SELECT ShippingAddress FROM Account", clock).records
    assert {record["ShippingAddress"] for record in records} == {None}


def test_the_address_of_a_parent_stands_in_the_parent(places: Database, clock: Clock) -> None:
    query = "SELECT Account.Name, Account.BillingAddress FROM Contact"
    (record,) = run_query(places, query, clock).records
    assert list(record["Account"]) == ["Name", "BillingAddress"]
    assert record["Account"]["BillingAddress"]["latitude"] == 37.7749
    qualified = "SELECT Account.BillingAddress FROM Account LIMIT 1"
    (own,) = run_query(places, qualified, clock).records
    assert own["BillingAddress"]["city"] == "San Francisco"


def test_every_field_means_the_addresses_too(places: Database, clock: Clock) -> None:
    (record,) = run_query(places, "SELECT FIELDS(ALL) FROM Contact LIMIT 1", clock).records
    assert record["MailingAddress"]["postalCode"] == "94105"
    assert record["MailingPostalCode"] == "94105"
    (standard,) = run_query(places, "SELECT FIELDS(STANDARD) FROM Account LIMIT 1", clock).records
    assert standard["BillingAddress"]["city"] == "San Francisco"


@pytest.mark.parametrize(("unit", "radius"), [("mi", 3958.76), ("km", 6371.01), ("MI", 3958.76)])
def test_a_distance_is_along_a_great_circle(places: Database, clock: Clock, unit: str, radius: float) -> None:
    query = f"SELECT Name, DISTANCE(BillingAddress, {HERE}, '{unit}') FROM Account"
    found = {r["Name"]: r["expr0"] for r in run_query(places, query, clock).records}
    home = CITIES[0][1:]
    for name, latitude, longitude in CITIES:
        if latitude is None or longitude is None:
            assert found[name] is None
        else:
            expected = miles((latitude, longitude), home, radius)  # type: ignore[arg-type]
            assert found[name] == pytest.approx(expected, rel=1e-4, abs=0.01)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (f"DISTANCE(BillingAddress, {HERE}, 'mi') < 20", ["San Francisco", "Oakland"]),
        (f"DISTANCE(BillingAddress, {HERE}, 'mi') < 5", ["San Francisco"]),
        (f"DISTANCE(BillingAddress, {HERE}, 'km') > 100", ["New York", "Suva"]),
        (
            f"(NOT DISTANCE(BillingAddress, {HERE}, 'km') > 100)",
            ["San Francisco", "Oakland", "Nowhere", "Half"],
        ),
        (f"DISTANCE(BillingAddress, {HERE}, 'mi') < 20 AND Name LIKE 'O%'", ["Oakland"]),
        ("DISTANCE(BillingAddress, GEOLOCATION(-18.1, -179.9), 'km') < 400", ["Suva"]),
        (f"DISTANCE(ShippingAddress, {HERE}, 'mi') < 20", []),
    ],
)
def test_places_are_filtered_by_their_distance(
    places: Database, clock: Clock, condition: str, expected: list[str]
) -> None:
    assert names(places, clock, f"WHERE {condition}") == expected


def test_places_are_ordered_by_their_distance(places: Database, clock: Clock) -> None:
    order = f"ORDER BY DISTANCE(BillingAddress, {HERE}, 'mi')"
    near = ["San Francisco", "Oakland", "New York", "Suva"]
    assert names(places, clock, f"WHERE BillingLongitude != null {order}") == near
    assert names(places, clock, f"{order} DESC LIMIT 4") == near[::-1]
    assert names(places, clock, f"{order} NULLS LAST LIMIT 4") == near


def test_a_distance_to_a_parents_place(places: Database, clock: Clock) -> None:
    distance = f"DISTANCE(Account.BillingAddress, {HERE}, 'mi')"
    query = f"SELECT LastName, {distance} away FROM Contact WHERE {distance} < 1"
    assert run_query(places, query, clock).records == [{"LastName": "Able", "away": 0.0}]


def test_distances_without_an_alias_are_numbered(places: Database, clock: Clock) -> None:
    distance = f"DISTANCE(BillingAddress, {HERE}, 'mi')"
    query = f"SELECT {distance}, {distance} d, DISTANCE(ShippingAddress, {HERE}, 'km') FROM Account LIMIT 1"
    assert run_query(places, query, clock).records == [{"expr0": 0.0, "d": 0.0, "expr1": None}]

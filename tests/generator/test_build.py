"""The same seed gives the same file; the records of a file fit together."""

from __future__ import annotations

import hashlib
import itertools
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from crmarena.errors import UsageError
from crmarena.generator.book import Book
from crmarena.generator.build import build_org
from crmarena.generator.manifest import Manifest
from crmarena.generator.profile import load_profile
from crmarena.schema.load import load_schema

CASES = '"Case" c'
ASSIGNED = "SELECT * FROM CaseHistory__c WHERE Field__c = 'Owner Assignment'"
IMPOSSIBLE = {
    "a closed case without the date, or an open one with it": f"""
        SELECT 1 FROM {CASES} WHERE (Status = 'Closed') != (ClosedDate IS NOT NULL)""",
    "a mark that is not the status": f"SELECT 1 FROM {CASES} WHERE IsClosed != (Status = 'Closed')",
    "a case closed before it was opened": f"SELECT 1 FROM {CASES} WHERE ClosedDate <= CreatedDate",
    "a case on another account's order": f"""
        SELECT 1 FROM {CASES} LEFT JOIN OrderItem i ON i.Id = c.OrderItemId__c
        LEFT JOIN "Order" o ON o.Id = i.OrderId WHERE o.AccountId IS NOT c.AccountId""",
    "a case before its order": f"""
        SELECT 1 FROM {CASES} JOIN OrderItem i ON i.Id = c.OrderItemId__c
        JOIN "Order" o ON o.Id = i.OrderId WHERE substr(c.CreatedDate, 1, 10) <= o.EffectiveDate""",
    "a case on an order that was never activated": f"""
        SELECT 1 FROM {CASES} JOIN OrderItem i ON i.Id = c.OrderItemId__c
        JOIN "Order" o ON o.Id = i.OrderId WHERE o.Status != 'Activated'""",
    "a case by a stranger to the account": f"""
        SELECT 1 FROM {CASES} LEFT JOIN Contact p ON p.Id = c.ContactId
        WHERE p.AccountId IS NOT c.AccountId""",
    "a case without issue": f"""
        SELECT 1 FROM {CASES} WHERE IssueId__c NOT IN (SELECT Id FROM Issue__c)""",
    "a case without exactly one creation in its history": f"""
        SELECT 1 FROM {CASES} WHERE 1 != (SELECT count(*) FROM CaseHistory__c h
        WHERE h.CaseId__c = c.Id AND Field__c = 'Case Creation' AND h.CreatedDate = c.CreatedDate)""",
    "a closing that the history does not tell": f"""
        SELECT 1 FROM {CASES} WHERE (Status = 'Closed') != (SELECT count(*) FROM CaseHistory__c h
        WHERE h.CaseId__c = c.Id AND Field__c = 'Case Closed' AND h.CreatedDate = c.ClosedDate)""",
    "a case without exactly one first assignment": f"""
        SELECT 1 FROM {CASES} WHERE 1 != (SELECT count(*) FROM ({ASSIGNED}) h
        WHERE h.CaseId__c = c.Id AND OldValue__c IS NULL)""",
    "an owner who is not the one assigned last": f"""
        SELECT 1 FROM {CASES} WHERE c.OwnerId IS NOT (SELECT NewValue__c FROM ({ASSIGNED}) h
        WHERE h.CaseId__c = c.Id ORDER BY h.CreatedDate DESC LIMIT 1)""",
    "a transfer from someone who does not have the case": f"""
        SELECT 1 FROM (SELECT OldValue__c old, lag(NewValue__c)
        OVER (PARTITION BY CaseId__c ORDER BY CreatedDate) holder FROM ({ASSIGNED}))
        WHERE old IS NOT holder""",
    "a transfer to oneself": f"SELECT 1 FROM ({ASSIGNED}) WHERE OldValue__c = NewValue__c",
    "an assignment to nobody": f"""
        SELECT 1 FROM ({ASSIGNED}) WHERE NewValue__c NOT IN (SELECT Id FROM User)""",
    "an assignment outside the life of its case": f"""
        SELECT 1 FROM ({ASSIGNED}) h JOIN {CASES} ON c.Id = h.CaseId__c
        WHERE h.CreatedDate < c.CreatedDate OR h.CreatedDate >= c.ClosedDate""",
    "an order line at a price of another product": """
        SELECT 1 FROM OrderItem i LEFT JOIN PricebookEntry e ON e.Id = i.PricebookEntryId
        WHERE e.Product2Id IS NOT i.Product2Id""",
    "an order line from another price book": """
        SELECT 1 FROM OrderItem i JOIN "Order" o ON o.Id = i.OrderId
        JOIN PricebookEntry e ON e.Id = i.PricebookEntryId WHERE e.Pricebook2Id != o.Pricebook2Id""",
    "one product twice in an order": """
        SELECT 1 FROM OrderItem GROUP BY OrderId, Product2Id HAVING count(*) > 1""",
    "an order without lines": """
        SELECT 1 FROM "Order" WHERE Id NOT IN (SELECT OrderId FROM OrderItem)""",
    "an order by an unknown account": """
        SELECT 1 FROM "Order" WHERE AccountId NOT IN (SELECT Id FROM Account)
        OR OwnerId NOT IN (SELECT Id FROM User)""",
    "an order of a product that is not sold": """
        SELECT 1 FROM OrderItem i JOIN Product2 p ON p.Id = i.Product2Id WHERE NOT p.IsActive""",
    "an account without contact": """
        SELECT 1 FROM Account WHERE Id NOT IN (SELECT AccountId FROM Contact)""",
    "a product without category": """
        SELECT 1 FROM Product2 WHERE Id NOT IN (SELECT ProductId FROM ProductCategoryProduct)""",
    "two users of one name and address": "SELECT 1 FROM User GROUP BY Username HAVING count(*) > 1",
}


@pytest.fixture
def connection(org_file: Path) -> sqlite3.Connection:
    return sqlite3.connect(org_file)


def build(path: Path, seed: int = 3, scale: float = 0.1, org_type: str = "b2b") -> Manifest:
    return build_org(org_type=org_type, seed=seed, scale=scale, path=path)


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("org_type", ["b2b", "original"])
def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(tmp_path: Path, org_type: str) -> None:
    first = build(tmp_path / "a.db", org_type=org_type)
    again = build(tmp_path / "b.db", org_type=org_type)
    other = build(tmp_path / "c.db", seed=4, org_type=org_type)
    assert first == again
    assert digest(tmp_path / "a.db") == digest(tmp_path / "b.db")
    assert first.content_hash != other.content_hash


def test_two_org_types_of_one_seed_share_no_id(tmp_path: Path) -> None:
    found = []
    for org_type in ("b2b", "original"):
        build(tmp_path / f"{org_type}.db", org_type=org_type)
        with closing(sqlite3.connect(tmp_path / f"{org_type}.db")) as connection:
            found.append({row[0] for row in connection.execute("SELECT Id FROM User")})
    assert not found[0] & found[1]


@pytest.mark.parametrize("what", IMPOSSIBLE)
def test_what_cannot_be_is_not(connection: sqlite3.Connection, what: str) -> None:
    with closing(connection):
        assert connection.execute(IMPOSSIBLE[what]).fetchall() == []


def test_every_record_says_when_and_by_whom_it_was_made(connection: sqlite3.Connection) -> None:
    with closing(connection):
        users = {row[0] for row in connection.execute("SELECT Id FROM User")}
        for table, count in filled_tables(connection).items():
            made = connection.execute(f'SELECT CreatedDate, CreatedById, SystemModstamp FROM "{table}"')
            assert all(when and by in users and stamp >= when for when, by, stamp in made), table
            assert count


PUBLISHED = {name for name, sobject in load_schema("b2b").objects.items() if sobject.published}


def filled_tables(connection: sqlite3.Connection) -> dict[str, int]:
    names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    tables = [name for (name,) in names if name in PUBLISHED]
    counts = {name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in tables}
    return {name: count for name, count in counts.items() if count}


def test_the_manifest_counts_what_the_file_holds(tmp_path: Path) -> None:
    manifest = build(tmp_path / "org.db")
    with closing(sqlite3.connect(tmp_path / "org.db")) as connection:
        assert {k: n for k, n in manifest.counts.items() if n} == filled_tables(connection)


SIZES = {
    ("b2b", "User"): 212,
    ("b2b", "Account"): 101,
    ("b2b", "Contact"): 886,
    ("b2b", "ProductCategory"): 10,
    ("b2b", "Product2"): 51,
    ("b2b", "ProductCategoryProduct"): 100,
    ("b2b", "Pricebook2"): 2,
    ("b2b", "PricebookEntry"): 50,
    ("b2b", "Issue__c"): 15,
    ("original", "User"): 212,
    ("original", "ProductCategory"): 5,
    ("original", "Product2"): 51,
    ("original", "PricebookEntry"): 50,
    ("original", "Issue__c"): 15,
}


@pytest.fixture(scope="module")
def full_size(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Manifest]:
    folder = tmp_path_factory.mktemp("full")
    return {org: build(folder / f"{org}.db", scale=1.0, org_type=org) for org in ("b2b", "original")}


@pytest.mark.parametrize(("org_type", "name"), SIZES)
def test_a_full_size_org_has_the_published_counts(
    full_size: dict[str, Manifest], org_type: str, name: str
) -> None:
    expected = SIZES[org_type, name]
    assert abs(full_size[org_type].counts[name] - expected) <= expected * 0.1


@pytest.mark.parametrize("org_type", ["b2b", "original"])
def test_a_full_size_org_has_enough_cases_and_orders(full_size: dict[str, Manifest], org_type: str) -> None:
    counts = full_size[org_type].counts
    assert counts["Case"] >= 2000
    assert counts["Order"] >= 600
    assert counts["OrderItem"] >= 4 * counts["Order"]
    assert counts["CaseHistory__c"] >= 3 * counts["Case"]


def test_the_catalogue_does_not_grow_and_the_rest_does(
    full_size: dict[str, Manifest], tmp_path: Path
) -> None:
    small = build(tmp_path / "org.db", scale=0.05).counts
    large = full_size["b2b"].counts
    fixed = {"Product2", "ProductCategory", "Issue__c", "Pricebook2", "PricebookEntry"}
    for name, count in small.items():
        assert count == large[name] if name in fixed or not large[name] else count <= large[name]
    assert small["Case"] < large["Case"] / 10


LATENT = (
    "ShoppingHabit",
    "ComplaintHabit",
    "ResponseTime",
    "Skill",
    "Surge",
    "experts",
    "response_times",
    "closures",
)


@pytest.mark.parametrize("word", LATENT)
def test_no_latent_variable_is_named_in_the_file(org_file: Path, word: str) -> None:
    assert word.encode() not in org_file.read_bytes()


def test_ids_tell_neither_age_nor_place(connection: sqlite3.Connection) -> None:
    with closing(connection):
        dates = [row[0] for row in connection.execute('SELECT CreatedDate FROM "Case" ORDER BY Id')]
        stored = [row[0] for row in connection.execute('SELECT Id FROM "Case" ORDER BY rowid')]
    rises = sum(a < b for a, b in itertools.pairwise(dates))
    assert 0.4 < rises / (len(dates) - 1) < 0.6
    assert stored == sorted(stored)


def test_case_texts_name_the_product_and_not_the_issue(connection: sqlite3.Connection) -> None:
    with closing(connection):
        texts = connection.execute(
            """SELECT c.Description, p.Name, i.Name FROM "Case" c
            JOIN OrderItem o ON o.Id = c.OrderItemId__c JOIN Product2 p ON p.Id = o.Product2Id
            JOIN Issue__c i ON i.Id = c.IssueId__c"""
        ).fetchall()
    assert all(product in text for text, product, _ in texts)
    assert not [issue for text, _, issue in texts if issue in text]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"org_type": "b2c"}, "Cannot generate an org of type 'b2c'; the types are: b2b, original."),
        (
            {"seed": -1},
            "Seed -1 and scale 0.1: the seed must be 0 or more, the scale above 0 and at most 100.",
        ),
        (
            {"scale": float("nan")},
            "Seed 3 and scale nan: the seed must be 0 or more, the scale above 0 and at most 100.",
        ),
        (
            {"scale": 0.0},
            "Seed 3 and scale 0.0: the seed must be 0 or more, the scale above 0 and at most 100.",
        ),
    ],
    ids=["org type", "seed", "no number", "scale"],
)
def test_what_cannot_be_built_says_why(tmp_path: Path, arguments: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        build(tmp_path / "org.db", **arguments)  # type: ignore[arg-type]
    assert str(caught.value) == message
    assert not (tmp_path / "org.db").exists()


@pytest.mark.parametrize("org_type", ["b2b", "original"])
def test_product_names_do_not_hold_one_another(org_type: str) -> None:
    names = [product.name.lower() for product in load_profile(org_type).products]
    assert not [(a, b) for a in names for b in names if a != b and a in b]


def test_picklists_hold_only_their_values(book: Book) -> None:
    for name, records in book.records.items():
        lists = {f.name: f.picklist for f in book.schema.objects[name].fields.values() if f.picklist}
        for record in records:
            wrong = {
                field: record[field] for field in lists if record.get(field) not in (None, *lists[field])
            }
            assert not wrong, name


def test_texts_fit_their_fields(book: Book) -> None:
    for name, records in book.records.items():
        longest = {f.name: f.length for f in book.schema.objects[name].fields.values() if f.length}
        for record in records:
            assert not [field for field in longest if len(record.get(field) or "") > longest[field]]

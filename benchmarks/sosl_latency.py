"""SOSL latency on orgs of 10,000 and 100,000 records, as a ratio to raw FTS5 fetched as dicts.

Run: `python -m benchmarks.sosl_latency`. Raw FTS5 is what a person would write by hand over the same
full-text tables for the same records: the forms of each word spelled out, ranked by bm25, cut to the same
number. Target: the median ratio is 1.5 or less at both sizes.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import statistics
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.timing import fetched, median_time
from crmarena.clock import Clock
from crmarena.schema.ids import make_id
from crmarena.sosl.search import run_search
from crmarena.storage import rows
from crmarena.storage.database import Database

TODAY = date(2024, 6, 30)
SIZES = (10_000, 100_000)
"""Records: half of them cases, the others contacts, e-mails, accounts and articles."""
TARGET = 1.5
COMMON = ("order", "customer", "battery", "refund", "refunds", "login", "reset", "screen", "delivery")
RARE = tuple(
    f"{first}{last}" for first in ("gas", "fil", "val", "rot") for last in ("ket", "ter", "ve", "or")
)
STATUSES = ("New", "Working", "Closed", "Closed")


@dataclass(frozen=True)
class Pair:
    """One search, as SOSL and as the statements a person would write by hand."""

    name: str
    sosl: str
    raw: tuple[tuple[str, str], ...]
    """Statements, each with its MATCH."""


def record_id(prefix: str, number: int) -> str:
    return make_id(prefix, "Bn", number)


def build(path: Path, size: int) -> None:
    draw = random.Random(7)
    with Database.create(path, "b2b") as database:
        rows.insert(database, "Account", accounts(draw, size // 20))
        rows.insert(database, "Contact", contacts(draw, size // 5))
        rows.insert(database, "Case", cases(draw, size // 2))
        rows.insert(database, "EmailMessage", messages(draw, size // 5))
        rows.insert(database, "Knowledge__kav", articles(draw, size // 20))
        database.finish()


def text(draw: random.Random, words: int) -> str:
    """Words of which a few are common, some are seen now and then and most are rare."""
    found = []
    for _ in range(words):
        kind = draw.random()
        if kind < 0.2:
            found.append(draw.choice(COMMON))
        elif kind < 0.21:
            found.append(draw.choice(RARE))
        else:
            found.append(f"w{int(draw.paretovariate(0.6)) % 20_000:x}".translate(LETTERS))
    return " ".join(found)


LETTERS = str.maketrans("0123456789", "ghijklmnop")


def accounts(draw: random.Random, count: int) -> Iterator[dict[str, Any]]:
    for n in range(count):
        name = f"{draw.choice(RARE).title()} {draw.choice(COMMON).title()} Works"
        yield {"Id": record_id("001", n), "Name": name, "Description": text(draw, 20)}


def contacts(draw: random.Random, count: int) -> Iterator[dict[str, Any]]:
    for n in range(count):
        last = f"{draw.choice(RARE).title()}son"
        yield {
            "Id": record_id("003", n),
            "FirstName": draw.choice(("Ada", "Ben", "Cleo", "Dan", "Eve")),
            "LastName": last,
            "Email": f"contact.{n}@mail.example",
            "Phone": f"(415) 555-{n % 10_000:04d}",
            "AccountId": record_id("001", draw.randrange(max(count // 4, 1))),
        }


def cases(draw: random.Random, count: int) -> Iterator[dict[str, Any]]:
    for n in range(count):
        yield {
            "Id": record_id("500", n),
            "Subject": text(draw, 6),
            "Description": text(draw, 40),
            "Status": draw.choice(STATUSES),
            "CreatedDate": f"2024-0{1 + n % 6}-{1 + n % 28:02d}T08:00:00.000+0000",
        }


def messages(draw: random.Random, count: int) -> Iterator[dict[str, Any]]:
    for n in range(count):
        yield {"Id": record_id("02s", n), "Subject": text(draw, 6), "TextBody": text(draw, 60)}


def articles(draw: random.Random, count: int) -> Iterator[dict[str, Any]]:
    for n in range(count):
        answer = f"<p>{text(draw, 60)}</p><p>{text(draw, 60)}</p>"
        yield {"Id": record_id("ka0", n), "Title": text(draw, 5), "FAQ_Answer__c": answer}


def by_rank(table: str, columns: str, match: str, limit: int = 250) -> tuple[str, str]:
    """A statement over one object, the best match first."""
    names = ", ".join(f"r.{column}" for column in columns.split())
    texts = f'"{table}__search"'
    statement = (
        f'SELECT {names} FROM {texts} JOIN "{table}" AS r ON r.rowid = {texts}.rowid'
        f" WHERE {texts} MATCH ? ORDER BY rank LIMIT {limit}"
    )
    return statement, match


NEWEST_CLOSED = (
    'SELECT r.Id, r.Subject, r.CreatedDate FROM "Case__search" JOIN "Case" AS r'
    ' ON r.rowid = "Case__search".rowid WHERE "Case__search" MATCH ? AND r.Status = \'Closed\''
    " ORDER BY r.CreatedDate DESC, r.rowid DESC LIMIT 10"
)
PAIRS = [
    Pair(
        "rare word",
        "FIND {gasket} RETURNING Case(Id, Subject)",
        (by_rank("Case", "Id Subject", "gasket OR gaskets"),),
    ),
    Pair(
        "common word",
        "FIND {battery} RETURNING Case(Id, Subject, Status LIMIT 20)",
        (by_rank("Case", "Id Subject Status", "battery OR batteries", 20),),
    ),
    Pair(
        "forms of a word",
        "FIND {refunded} RETURNING Case(Id, Subject)",
        (by_rank("Case", "Id Subject", "refund OR refunds OR refunded OR refunding"),),
    ),
    Pair(
        "account by name",
        'FIND {"gasket battery works"} IN NAME FIELDS RETURNING Account(Id, Name)',
        (by_rank("Account", "Id Name", '{Name Site Website} : "gasket battery works"'),),
    ),
    Pair(
        "by e-mail",
        r"FIND {contact.41@mail.example} IN EMAIL FIELDS RETURNING Contact(Id, Name, Email)",
        (by_rank("Contact", "Id Name Email", 'Email : "contact 41 mail example"'),),
    ),
    Pair(
        "by phone",
        r"FIND {555\-0123} IN PHONE FIELDS RETURNING Contact(Id, Name, Phone)",
        (by_rank("Contact", "Id Name Phone", '{Phone MobilePhone HomePhone Fax} : "555 0123"'),),
    ),
    Pair(
        "beginning",
        "FIND {gask*} RETURNING Case(Id, Subject LIMIT 50)",
        (by_rank("Case", "Id Subject", "gask*", 50),),
    ),
    Pair(
        "two words",
        "FIND {filter rotor} RETURNING Case(Id, Subject, Status)",
        (by_rank("Case", "Id Subject Status", "(filter OR filters) AND (rotor OR rotors)"),),
    ),
    Pair(
        "phrase",
        'FIND {"battery reset"} RETURNING Case(Id, Subject)',
        (by_rank("Case", "Id Subject", '"battery reset"'),),
    ),
    Pair(
        "operators",
        "FIND {(valket OR valter) AND NOT refund} RETURNING Case(Id, Subject)",
        (by_rank("Case", "Id Subject", "(valket OR valter) NOT (refund OR refunds)"),),
    ),
    Pair(
        "articles",
        "FIND {screen filve} RETURNING Knowledge__kav(Id, Title, FAQ_Answer__c LIMIT 10)",
        (by_rank("Knowledge__kav", "Id Title FAQ_Answer__c", "(screen OR screens) AND filve", 10),),
    ),
    Pair(
        "three objects",
        "FIND {filter} RETURNING Account(Id, Name), Contact(Id, Name), Case(Id, Subject)",
        tuple(
            by_rank(table, f"Id {name}", "filter OR filters")
            for table, name in (("Account", "Name"), ("Contact", "Name"), ("Case", "Subject"))
        ),
    ),
    Pair(
        "newest closed",
        "FIND {rotor} RETURNING Case(Id, Subject, CreatedDate WHERE Status = 'Closed'"
        " ORDER BY CreatedDate DESC LIMIT 10)",
        ((NEWEST_CLOSED, "rotor OR rotors"),),
    ),
]


def by_hand(connection: sqlite3.Connection, pair: Pair) -> list[dict[str, Any]]:
    return [row for statement, match in pair.raw for row in fetched(connection, statement, (match,))]


def by_sosl(database: Database, pair: Pair, clock: Clock) -> list[dict[str, Any]]:
    return run_search(database, pair.sosl, clock).records


def measure(path: Path) -> float:
    """The median of the ratios over the searches."""
    clock = Clock.at(TODAY)
    ratios = []
    print(f"{'search':16} {'records':>7} {'raw FTS5':>9} {'SOSL':>9}   ratio")
    with Database.open(path) as database:
        for pair in PAIRS:
            found = len(by_sosl(database, pair, clock))
            if found != len(by_hand(database.connection, pair)):
                raise SystemExit(f"{pair.name}: SOSL and the raw statement find different numbers of records")
            raw = median_time(partial(by_hand, database.connection, pair), seconds=0.25)
            sosl = median_time(partial(by_sosl, database, pair, clock), seconds=0.25)
            ratios.append(sosl / raw)
            print(f"{pair.name:16} {found:7} {raw:7.0f}us {sosl:7.0f}us   {sosl / raw:5.2f}")
    return statistics.median(ratios)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit 1 if a target is missed")
    arguments = parser.parse_args()
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            path = Path(folder) / f"{size}.db"
            build(path, size)
            print(f"\n{size} records, {path.stat().st_size / 1e6:.0f} MB")
            median = measure(path)
            missed |= median > TARGET
            print(f"{size} records, median: {median:.2f} (target {TARGET} or less)")
    return 1 if missed and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())

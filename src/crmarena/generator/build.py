"""From a plan to an org file: the stages in order, then the insert."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from crmarena.errors import UsageError
from crmarena.generator import VERSION
from crmarena.generator.book import Book
from crmarena.generator.manifest import Manifest, content_hash
from crmarena.generator.plan import Plan, make_plan
from crmarena.generator.profile import load_profile
from crmarena.generator.stages import catalog, customers, orders, service, staff
from crmarena.progress import Progress
from crmarena.schema.load import load_schema
from crmarena.seeds import Seeds
from crmarena.storage import rows
from crmarena.storage.database import Database

Stage = Callable[[Plan, Book, Seeds], None]

STAGES: tuple[Stage, ...] = (staff.make, catalog.make, customers.make, orders.make, service.make)
"""Each adds records that may refer to those of the stages before it."""


MAX_SCALE = 100


def build_org(
    *, org_type: str, seed: int, scale: float, path: Path, on_progress: Progress | None = None
) -> Manifest:
    """Make the org file of a seed at `path`, which must not exist yet.

    Raises UsageError for an org type without a profile, a negative seed, a scale that is not above 0.
    """
    if seed < 0 or not 0 < scale <= MAX_SCALE:
        raise UsageError(
            f"Seed {seed} and scale {scale}: the seed must be 0 or more, "
            f"the scale above 0 and at most {MAX_SCALE}."
        )
    report = on_progress or (lambda stage, done, total: None)
    plan = make_plan(load_profile(org_type), seed, scale)
    book = write_records(plan, report)
    _store(book, path, report)
    counts = {name: len(records) for name, records in book.records.items()}
    return Manifest(VERSION, org_type, seed, scale, counts, content_hash(book))


def write_records(plan: Plan, report: Progress | None = None) -> Book:
    """The records that follow from a plan, in memory."""
    seeds = Seeds(plan.seed, plan.profile.org_type)
    book = Book(load_schema(plan.profile.org_type), seeds)
    for done, stage in enumerate(STAGES, start=1):
        stage(plan, book, seeds)
        if report is not None:
            report("Making records", done, len(STAGES))
    return book


def _store(book: Book, path: Path, report: Progress) -> None:
    with Database.create(path, book.schema.org_type) as database:
        for done, name in enumerate(book.records, start=1):
            rows.insert(database, name, book.ordered(name))
            report("Writing the org", done, len(book.records))
        database.finish()

"""A SOSL search over an org: each object's ranked Ids, then its records by SOQL."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from crmarena.clock import Clock
from crmarena.errors import SalesforceError
from crmarena.schema.objects import SObject
from crmarena.soql import ast as soql
from crmarena.soql.faults import fault_at
from crmarena.soql.fetch import fetch
from crmarena.soql.run import select_records
from crmarena.soql.shape import QueryResult
from crmarena.soql.tokens import Source
from crmarena.sosl.ast import Returning, Search
from crmarena.sosl.faults import fault, of_search
from crmarena.sosl.match import ALWAYS_ALL, full_text_query
from crmarena.sosl.parse import parse
from crmarena.storage import ddl
from crmarena.storage.database import Database

MAX_RECORDS = 2_000
MAX_UNFILTERED = 250
"""The most records of an object without WHERE and ORDER BY, and of each of several objects."""


@dataclass(frozen=True)
class SearchResult:
    """The records that were found, by object in the order of RETURNING, the best match first."""

    parts: tuple[tuple[QueryResult, int], ...]
    """Each object's records, and how many of them count."""

    @property
    def records(self) -> list[dict[str, Any]]:
        """The records as an agent sees them: no `attributes`."""
        return [record for part, count in self.parts for record in part.records[:count]]

    @property
    def total_size(self) -> int:
        """How many records were found."""
        return sum(count for _, count in self.parts)

    def to_rest(self, version: str = "62.0") -> dict[str, Any]:
        """The body of the REST API's answer."""
        found = (part.to_rest(version)["records"][:count] for part, count in self.parts)
        return {"searchRecords": [record for records in found for record in records]}


def run_search(database: Database, text: str, clock: Clock, *, api_version: int = 62) -> SearchResult:
    """Run a SOSL search. Raises SalesforceError, worded as the API version words it."""
    source = Source(text, api_version)
    search = parse(source)
    wanted = list(_wanted(database, search, source))
    try:
        found = [_found(database, search, entry, len(wanted), clock, source) for entry in wanted]
    except SalesforceError as error:
        raise of_search(error) from None
    limit = MAX_RECORDS if search.limit is None else min(search.limit, MAX_RECORDS)
    counts = _share([part.total_size for part in found], limit)
    return SearchResult(tuple(zip(found, counts, strict=True)))


def _wanted(database: Database, search: Search, source: Source) -> Iterator[tuple[Returning, SObject]]:
    """The objects to search; without RETURNING those that need not be named."""
    if not search.returning:
        for sobject in database.schema.objects.values():
            if ddl.search_fields(sobject) and sobject.name not in ALWAYS_ALL:
                yield _ids_of(sobject), sobject
    seen = set()
    for returning in search.returning:
        found = database.schema.object(returning.object_name)
        if found is None:
            raise fault_at(source, returning, "unknown_object", name=returning.object_name)
        if not ddl.search_fields(found):
            raise fault("not_searchable", object=found.name)
        if found.name in seen:
            raise fault("duplicate_object", object=found.name)
        seen.add(found.name)
        yield returning, found


def _ids_of(sobject: SObject) -> Returning:
    select = (soql.SelectItem(soql.Path(("Id",))),)
    return Returning(soql.Query(select, (soql.FromItem(soql.Path((sobject.name,))),)), 1, 1)


def _found(
    database: Database,
    search: Search,
    wanted: tuple[Returning, SObject],
    objects: int,
    clock: Clock,
    source: Source,
) -> QueryResult:
    returning, sobject = wanted
    ids = _ranked_ids(database, search, sobject)
    query = replace(returning.query, limit=_limit(returning.query, objects))
    return select_records(database, query, clock, ids, source)


def _limit(query: soql.Query, objects: int) -> int:
    """How many records an object may give."""
    most = MAX_RECORDS
    if objects > 1:
        most = min(MAX_RECORDS // objects, MAX_UNFILTERED)
    elif query.where is None and not query.order_by:
        most = MAX_UNFILTERED
    return most if query.limit is None else min(query.limit, most)


def _ranked_ids(database: Database, search: Search, sobject: SObject) -> list[str]:
    """The Ids of what matches, the best match first."""
    if search.expression is None:
        return []
    match = full_text_query(database, sobject, search.expression, search.group)
    if match is None:
        return []
    table, texts = ddl.quote(sobject.name), ddl.quote(ddl.search_table(sobject))
    statement = (
        f"SELECT record.Id FROM {texts} JOIN {table} AS record ON record.rowid = {texts}.rowid"
        f" WHERE {texts} MATCH ? ORDER BY bm25({texts}), record.rowid"
    )
    return [record_id for (record_id,) in fetch(database, statement, (match,))]


def _share(found: list[int], limit: int) -> list[int]:
    """A limit dealt evenly among objects; what one does not use, the others may."""
    counts = [0] * len(found)
    open_places = [place for place, size in enumerate(found) if size]
    while open_places and limit >= len(open_places):
        step = min(limit // len(open_places), min(found[place] - counts[place] for place in open_places))
        for place in open_places:
            counts[place] += step
        limit -= step * len(open_places)
        open_places = [place for place in open_places if counts[place] < found[place]]
    for place in open_places[:limit]:
        counts[place] += 1
    return counts

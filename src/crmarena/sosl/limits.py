"""How many records a search gives, and how many of each object."""

from __future__ import annotations

from crmarena.soql import ast as soql

MAX_RECORDS = 2_000
MAX_EARLY_RECORDS = 200
"""The same before API version 28."""
MAX_UNFILTERED = 250
"""The most records of an object without WHERE and ORDER BY, and of each of several objects."""


def most_records(limit: int | None, api_version: int) -> int:
    """How many records a search may give."""
    most = MAX_EARLY_RECORDS if api_version < 28 else MAX_RECORDS
    return most if limit is None else min(limit, most)


def object_limit(query: soql.Query, objects: int) -> int:
    """How many records an object may give, one of so many."""
    most = MAX_RECORDS
    if objects > 1:
        most = min(MAX_RECORDS // objects, MAX_UNFILTERED)
    elif query.where is None and not query.order_by:
        most = MAX_UNFILTERED
    return most if query.limit is None else min(query.limit, most)


def share(found: list[int], limit: int) -> list[int]:
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

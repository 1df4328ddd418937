"""What an agent reads after a query."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from crmarena.episode.ports import Result
from crmarena.errors import SalesforceError

Record = dict[str, Any]


@dataclass(frozen=True)
class Observation:
    """What a query found: records, a count, or an error."""

    text: str
    """What an agent that reads text is shown."""
    records: list[Record] | None = None
    """All records, those that `text` leaves out too; None after an error, empty beside a count."""
    count: int | None = None
    """The number that `SELECT COUNT()` gives."""
    error: str | None = None
    """`CODE: message`, as the org answered."""


def of_result(result: Result, limit: int) -> Observation:
    """The observation of a result, its text cut after about `limit` characters."""
    if getattr(result, "is_count", False):
        count = int(getattr(result, "total_size", 0))
        return Observation(json.dumps({"count": count}), records=[], count=count)
    return Observation(render(result.records, limit), records=result.records)


def of_error(error: SalesforceError) -> Observation:
    """The observation of an error."""
    return Observation(str(error), error=str(error))


def render(records: Sequence[Record], limit: int) -> str:
    """The records as a JSON list, without the keys that are null in every record.

    Whole records are shown as long as they fit into `limit` characters, of the first one
    as much as fits; a last line then says how many there are in all.
    """
    empty = _always_null(records)
    shown: list[str] = []
    room = limit
    for record in records:
        text = json.dumps({k: v for k, v in record.items() if k not in empty}, ensure_ascii=False)
        if len(text) > room:
            return _cut(shown, text[:limit], len(records), limit)
        room -= len(text)
        shown.append(text)
    return _listed(shown)


def _cut(shown: list[str], first: str, total: int, limit: int) -> str:
    if not shown:
        return (
            f"[{first}\n... cut here after {limit} characters, in the first of {total} records; "
            "select fewer fields."
        )
    return (
        f"{_listed(shown)}\n... {len(shown)} of {total} records are shown; "
        "select fewer fields or narrow the query to see the rest."
    )


def _listed(texts: Iterable[str]) -> str:
    return f"[{', '.join(texts)}]"


def _always_null(records: Sequence[Record]) -> set[str]:
    names = {name for record in records[:1] for name in record}
    return {name for name in names if all(record.get(name) is None for record in records)}

"""The answer to a search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crmarena.soql.shape import QueryResult

OBJECT_VERSION = 37
"""The first API version that puts the records into an object; before, the answer is their list."""

Extras = Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Part:
    """The records of one object."""

    result: QueryResult
    count: int
    """How many of them count."""
    extras: Extras = ()
    """What is added to each record: highlights and a snippet."""

    def records(self) -> list[dict[str, Any]]:
        """The records as an agent sees them."""
        return self._with_extras(self.result.records[: self.count])

    def to_rest(self, version: str) -> list[dict[str, Any]]:
        """The records as the REST API gives them."""
        return self._with_extras(self.result.rest_records(0, self.count, version))

    def _with_extras(self, records: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if not self.extras:
            return records
        return [{**record, **extra} for record, extra in zip(records, self.extras, strict=True)]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The records that were found, by object in the order of RETURNING, the best match first."""

    parts: tuple[Part, ...]
    metadata: dict[str, Any] | None = None
    """The labels of what was found, where the search asked for them."""

    @property
    def records(self) -> list[dict[str, Any]]:
        """The records as an agent sees them: no `attributes`."""
        return [record for part in self.parts for record in part.records()]

    @property
    def total_size(self) -> int:
        """How many records were found."""
        return sum(part.count for part in self.parts)

    def to_rest(self, version: str = "62.0") -> Any:
        """The body of the REST API's answer: `searchRecords`; before version 37 their list alone."""
        records = [record for part in self.parts for record in part.to_rest(version)]
        if float(version) < OBJECT_VERSION:
            return records
        return {"searchRecords": records} | ({} if self.metadata is None else {"metadata": self.metadata})

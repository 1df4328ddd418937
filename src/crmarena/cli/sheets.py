"""Nested records as a table: parents as dotted columns, children as rows of their own or one cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import Enum
from itertools import zip_longest
from typing import Any

Record = Mapping[str, Any]


class Cell(Enum):
    """A cell that holds no value of a field."""

    NOTHING = ""
    """The row has no such field: it is another child's, or another object's."""


@dataclass(frozen=True)
class Sheet:
    """Records as a table."""

    headings: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    records: int
    """How many records there are; a record with children may take several rows."""


@dataclass(frozen=True)
class Columns:
    """The columns that were asked for, where they are known without a record."""

    names: tuple[str, ...] = ()
    """Fields and parents' fields; below a child relationship, the children's fields too."""
    lists: frozenset[str] = frozenset()
    """The child relationships among their prefixes."""

    def below(self, key: str) -> Columns:
        """What is below a child relationship, named from there."""
        start = f"{key}."
        names = tuple(name.removeprefix(start) for name in self.names if name.startswith(start))
        lists = (name.removeprefix(start) for name in self.lists if name.startswith(start))
        return Columns(names, frozenset(lists))


UNKNOWN = Columns()


def sheet(records: Sequence[Record], *, children: bool, columns: Columns = UNKNOWN) -> Sheet:
    """Records as a table; `children` gives every child a row, else a list of children is one cell."""
    flat = [_flat(record) for record in records]
    lists = {key for row in flat for key, value in row.items() if isinstance(value, list)}
    lists |= {name for name in columns.lists if not any(part in columns.lists for part in _prefixes(name))}
    if children:
        rows = [row for one in flat for row in _spread(one, sorted(lists), columns)]
        names: Sequence[str] = columns.names
    else:
        rows, names = flat, [_listed(name, lists) for name in columns.names]
    seen = dict.fromkeys([*names, *(key for row in [*flat, *rows] for key in row)])
    headings = _headings(seen, frozenset(lists) if children else frozenset())
    return Sheet(headings, tuple(tuple(_cell(row, name) for name in headings) for row in rows), len(records))


def _listed(name: str, lists: Set[str]) -> str:
    """The column that a name is shown in where a list of children is one cell."""
    return next((part for part in _prefixes(name) if part in lists), name)


def _headings(seen: Mapping[str, Any], lists: frozenset[str]) -> tuple[str, ...]:
    """The columns for the keys that were seen, each where it or what it is part of was first seen.

    A parent that is null in one record and there in another has columns for its fields alone.
    """
    place = {key: index for index, key in enumerate(seen)}
    parts = {prefix for key in seen for prefix in _prefixes(key)}
    # Of children that nobody has, and whose fields are not known, the name alone is left.
    parts |= {key for key in lists if any(other.startswith(f"{key}.") for other in seen)}
    first = {key: min(place.get(part, len(place)) for part in (*_prefixes(key), key)) for key in seen}
    return tuple(sorted((key for key in seen if key not in parts), key=lambda key: first[key]))


def _flat(record: Record, prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in record.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = value
    return flat


def _spread(row: dict[str, Any], lists: Sequence[str], columns: Columns) -> list[dict[str, Any]]:
    """The rows of a record: its own values beside its first children, the other children below."""
    own = {key: value for key, value in row.items() if key not in lists}
    below = [_below(key, row.get(key) or (), columns.below(key)) for key in lists]
    beside = [_joined(rows) for rows in zip_longest(*below, fillvalue={})]
    return [own | beside[0], *beside[1:]] if beside else [own]


def _below(key: str, children: Sequence[Record], columns: Columns) -> list[dict[str, Any]]:
    """The rows of a list of children, by the columns they have beside their parent."""
    page = sheet(children, children=True, columns=columns)
    names = [f"{key}.{heading}" for heading in page.headings]
    return [dict(zip(names, row, strict=True)) for row in page.rows]


def _joined(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {name: cell for row in rows for name, cell in row.items()}


def _cell(row: Mapping[str, Any], heading: str) -> Any:
    """A row's value of a column; null where the parent is, and nothing where it has no such field."""
    if heading in row:
        return row[heading]
    return (
        None if any(row.get(prefix, Cell.NOTHING) is None for prefix in _prefixes(heading)) else Cell.NOTHING
    )


def _prefixes(heading: str) -> Iterator[str]:
    parts = heading.split(".")
    return (".".join(parts[:length]) for length in range(1, len(parts)))

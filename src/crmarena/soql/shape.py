"""Rows of a statement into nested records, for an agent or as the REST API gives them.

Each plan gets a shaper of its own: the record as one Python expression over a row's
columns, which is as fast as hand-written code. The expression holds nothing but column
numbers and names that were checked before, and sees no built-ins.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from crmarena.schema.fields import FieldType
from crmarena.soql.formats import format_value

Row = tuple[Any, ...]
ChildRecords = Callable[[str], Any]
Shaper = Callable[..., list[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Value:
    """One column."""

    index: int
    flag: bool = False
    """Whether the column is a checkbox, stored as 0 or 1."""
    optional: bool = False
    """Whether a checkbox may be null all the same: on the subtotal row over it."""
    style: FieldType | None = None
    """The type by which FORMAT writes the value; None where nothing is formatted."""


@dataclass(frozen=True, slots=True)
class Address:
    """A compound address of some columns; None where all of them are null."""

    parts: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Record:
    """A record of some columns; None where the column of its Id is null."""

    type_name: str
    id_index: int | None
    """The column of the record's Id; None for an aggregate result."""
    entries: tuple[tuple[str, Node], ...]
    optional: bool = True
    types: tuple[tuple[str, str], ...] = ()
    """Of a polymorphic parent: the objects it may be, by Id prefix; its URL shows which it is."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The first of some records that is there."""

    records: tuple[Record, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """The records of a child query, by its number and the column of the parent's Id."""

    number: int
    id_index: int


Node = Value | Address | Record | Choice | Rows


@functools.lru_cache(maxsize=512)
def shaper(record: Record, width: int, children: int, rest: bool) -> Shaper:
    """The function from rows, URL prefix, what FORMAT writes and the children's records to records."""
    columns = "".join(f"a{index}, " for index in range(width))
    numbers = "".join(f", c{number}" for number in range(children))
    text = f"lambda rows, url, written{numbers}: [{_record(record, rest)} for ({columns}) in rows]"
    made: Shaper = eval(text, {"__builtins__": {}})
    return made


def _record(record: Record, rest: bool) -> str:
    entries = [f"{key!r}: {_node(node, rest)}" for key, node in record.entries]
    if rest:
        entries.insert(0, f"'attributes': {_attributes(record)}")
    return "{" + ", ".join(entries) + "}"


def _attributes(record: Record) -> str:
    if record.id_index is None:
        return "{'type': 'AggregateResult'}"
    place = repr(f"{record.type_name}/")
    if record.types:
        known = {prefix: f"{name}/" for prefix, name in record.types}
        place = f"{known!r}.get(a{record.id_index}[:3], {place})"
    url = f"url + {place} + a{record.id_index}"
    return f"{{'type': {record.type_name!r}, 'url': {url}}}"


def _node(node: Node, rest: bool) -> str:
    if isinstance(node, Value):
        return _value(node)
    if isinstance(node, Address):
        return _address(node)
    if isinstance(node, Rows):
        return f"c{node.number}(a{node.id_index})"
    if isinstance(node, Record):
        shown = _record(node, rest)
        return f"({shown} if a{node.id_index} is not None else None)" if node.optional else shown
    shown = "None"
    for record in reversed(node.records):
        shown = f"({_record(record, rest)} if a{record.id_index} is not None else {shown})"
    return shown


def _value(value: Value) -> str:
    column = f"a{value.index}"
    if value.style is not None:
        return f"written({column}, {value.style.value!r})"
    if not value.flag:
        return column
    return f"({column} == 1 if {column} is not None else None)" if value.optional else f"{column} == 1"


def _address(node: Address) -> str:
    empty = " is ".join(f"a{index}" for _, index in node.parts)
    parts = ", ".join(f"{name!r}: a{index}" for name, index in node.parts)
    return f"(None if {empty} is None else {{{parts}}})"


@dataclass(frozen=True, slots=True)
class Fetched:
    """What the statements of a plan gave: rows, and the same for each child query."""

    record: Record
    width: int
    rows: Sequence[Row]
    parent_index: int | None = None
    """In a child query, the column of the reference to the parent."""
    children: tuple[Fetched, ...] = ()
    zone: str = "UTC"
    """The zone in which FORMAT writes an instant."""

    def shape(self, url: str | None = None) -> list[dict[str, Any]]:
        """The records; with a URL prefix, as the REST API gives them."""
        make = shaper(self.record, self.width, len(self.children), url is not None)
        written = functools.partial(format_value, zone=self.zone)
        return make(self.rows, url, written, *(child.by_parent(url) for child in self.children))

    def part(self, rows: Sequence[Row]) -> Fetched:
        """The same with some of the rows, and of the children those of these rows."""
        columns = {node.number: node.id_index for _, node in self.record.entries if isinstance(node, Rows)}
        children = []
        for number, child in enumerate(self.children):
            parents = {row[columns[number]] for row in rows}
            index = child.parent_index or 0
            children.append(child.part([row for row in child.rows if row[index] in parents]))
        return replace(self, rows=rows, children=tuple(children))

    @property
    def count(self) -> int:
        """The rows, those of children included."""
        return len(self.rows) + sum(child.count for child in self.children)

    def by_parent(self, url: str | None) -> ChildRecords:
        """The records of a child query by the Id of the parent; None for a parent without any."""
        groups: dict[str, list[dict[str, Any]]] = {}
        index = self.parent_index or 0
        for row, record in zip(self.rows, self.shape(url), strict=True):
            groups.setdefault(row[index], []).append(record)
        if url is None:
            return groups.get
        return {parent: _page(records) for parent, records in groups.items()}.get


class QueryResult:
    """The answer to a query. Its records are made when they are first asked for."""

    __slots__ = ("_fetched", "_records", "is_count", "total_size")

    done = True
    """All records are there: in process nothing is paged."""

    def __init__(self, fetched: Fetched | None, total_size: int) -> None:
        self._fetched = fetched
        self._records: list[dict[str, Any]] | None = None if fetched else []
        self.total_size = total_size
        self.is_count = fetched is None

    def __len__(self) -> int:
        return len(self.records)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.records)

    def __repr__(self) -> str:
        shown = [*map(repr, self.records[:3]), *(["..."] if len(self) > 3 else [])]
        return f"QueryResult(total_size={self.total_size}, records=[{', '.join(shown)}])"

    @property
    def records(self) -> list[dict[str, Any]]:
        """The records as an agent sees them: parents as dicts, children as lists or None, no `attributes`."""
        if self._records is None:
            self._records = self._fetched.shape() if self._fetched else []
        return self._records

    def to_rest(self, version: str = "62.0") -> dict[str, Any]:
        """The body of the REST API's answer."""
        if self._fetched is None:
            return {"totalSize": self.total_size, "done": True, "records": []}
        return _page(self._fetched.shape(f"/services/data/v{version}/sobjects/"))

    @property
    def rows(self) -> int:
        """How many rows the result holds, those of children included."""
        return self._fetched.count if self._fetched else 0

    def rest_records(self, start: int, stop: int, version: str = "62.0") -> list[dict[str, Any]]:
        """Some of the records as the REST API gives them; only these are made."""
        if self._fetched is None:
            return []
        some = self._fetched.part(self._fetched.rows[start:stop])
        return some.shape(f"/services/data/v{version}/sobjects/")


def _page(records: list[dict[str, Any]]) -> dict[str, Any]:
    return {"totalSize": len(records), "done": True, "records": records}

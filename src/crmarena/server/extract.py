"""Query jobs: which queries Bulk API takes, and their records as CSV."""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

from crmarena.org.session import Session
from crmarena.schema.fields import NUMBER_TYPES, FieldType
from crmarena.schema.objects import Schema
from crmarena.server.answers import java_double
from crmarena.server.csv_records import Dialect
from crmarena.server.faults import fault
from crmarena.soql.bound import AddressColumn, BoundQuery, Branches, Children, Output
from crmarena.soql.grouping import output_key
from crmarena.soql.parse import parse
from crmarena.soql.resolve import resolve
from crmarena.soql.run import stream_query
from crmarena.soql.tokens import Source
from crmarena.storage.database import Database

PIECE = 1_000
"""Records that are held at once."""
_CHUNK = 262_144

Cell = Callable[[Any], Any]


@dataclass(frozen=True)
class Column:
    """A column of a query's CSV."""

    path: tuple[str, ...]
    """Where its value is in a record."""
    type: FieldType

    @property
    def name(self) -> str:
        """Its name in the header."""
        return ".".join(self.path)

    def value(self, record: Mapping[str, Any]) -> Any:
        """Its value in a record; None behind a parent that is not there."""
        found: Any = record
        for name in self.path:
            if found is None:
                return None
            found = found[name]
        return found


@dataclass(frozen=True)
class Extract:
    """A query that Bulk API takes."""

    object_name: str
    columns: tuple[Column, ...]

    @classmethod
    def of(cls, schema: Schema, text: str, api_version: int) -> Extract:
        """A query by its text. Raises SalesforceError for a wrong one, and one that Bulk does not take."""
        source = Source(text, api_version)
        query = resolve(schema, parse(source), source)
        _check(query)
        unnamed = itertools.count()
        columns = [_column(item, unnamed) for item in query.select if isinstance(item, Output)]
        return cls(query.sobject.name, tuple(columns))

    @cached_property
    def row(self) -> Callable[[Mapping[str, Any]], list[Any]]:
        """The cells of a record."""
        places = [(column.path[0], _CELLS.get(column.type)) for column in self.columns]
        if any(len(column.path) > 1 for column in self.columns):
            deep = [(column.value, _CELLS.get(column.type)) for column in self.columns]
            return lambda record: [cell(value(record)) if cell else value(record) for value, cell in deep]
        return lambda record: [cell(record[name]) if cell else record[name] for name, cell in places]


@dataclass(frozen=True)
class ExtractFile:
    """The CSV of a query, and beside it the place of each row: so that a page costs what is on it."""

    path: Path

    @property
    def places(self) -> Path:
        """The file of the places: where the header ends, then where each row does."""
        return self.path.with_suffix(".places")

    def page(self, start: int, stop: int) -> tuple[int, Iterator[bytes]]:
        """The header and some rows: how many bytes, and the bytes."""
        header, begin, end = (self._place(row) for row in (0, start, stop))
        # Opened now: what is read stays even if the job is deleted meanwhile.
        return header + end - begin, _read(self.path.open("rb"), header, begin, end)

    def write(self, session: Session, asked: ExtractQuestion, watch: Callable[[int], None]) -> int:
        """Write the records of a query; `watch` is told how many there are so far, and may raise."""
        done = 0
        with ExitStack() as stack:
            file, places = (stack.enter_context(path.open("wb")) for path in (self.path, self.places))
            database = stack.enter_context(session.searching())
            extract = Extract.of(database.schema, asked.text, asked.api_version)
            sink, pieces = _Sink(file), stack.enter_context(closing(_pieces(session, database, asked)))
            writer = asked.dialect.writer(sink)
            writer.writerow([column.name for column in extract.columns])
            places.write(array("Q", [sink.size]).tobytes())
            for records in pieces:
                ends = array("Q")
                for record in records:
                    writer.writerow(extract.row(record))
                    ends.append(sink.size)
                places.write(ends.tobytes())
                done += len(ends)
                watch(done)
        return done

    def _place(self, row: int) -> int:
        with self.places.open("rb") as file:
            file.seek(row * 8)
            return array("Q", file.read(8))[0]


@dataclass(frozen=True)
class ExtractQuestion:
    """What a query job asks."""

    text: str
    all_rows: bool
    api_version: int
    dialect: Dialect


class _Sink:
    """A file that knows how much was written."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.size = 0

    def write(self, text: str, /) -> None:
        """Write a row."""
        data = text.encode()
        self.size += len(data)
        self._file.write(data)


def _pieces(session: Session, database: Database, asked: ExtractQuestion) -> Generator[list[dict[str, Any]]]:
    """The records of a query, some at a time."""
    found = stream_query(
        database,
        asked.text,
        session.clock,
        PIECE,
        api_version=asked.api_version,
        viewer=session.viewer,
        all_rows=asked.all_rows,
    )
    with closing(found):
        for piece in found:
            yield piece.records


def _read(file: BinaryIO, header: int, begin: int, end: int) -> Iterator[bytes]:
    with file:
        yield file.read(header)
        file.seek(begin)
        while begin < end:
            piece = file.read(min(_CHUNK, end - begin))
            begin += len(piece)
            yield piece


def _check(query: BoundQuery) -> None:
    form = None
    if query.kind != "records":
        form = "Aggregate functions and GROUP BY"
    elif query.offset is not None:
        form = "OFFSET"
    else:
        form = next(filter(None, map(_form, query.select)), None)
    if form is not None:
        raise fault("bulk_query_form", form=form)


def _form(item: object) -> str | None:
    """What of a selected item Bulk does not take. Salesforce calls child queries aggregate relationships."""
    if isinstance(item, Children):
        return "Aggregate Relationships"
    if isinstance(item, Branches):
        return "TYPEOF"
    compound = isinstance(item, Output) and isinstance(item.expression, AddressColumn)
    return "Selecting compound data" if compound else None


def _column(item: Output, unnamed: itertools.count[int]) -> Column:
    steps = () if item.alias is not None else getattr(item.expression, "steps", ())
    path = (*(step.relationship for step in steps), output_key(item, unnamed))
    return Column(path, item.expression.type)


def _truth(value: Any) -> str | None:
    return None if value is None else "true" if value else "false"


def _number(value: Any) -> Any:
    return java_double(value) if isinstance(value, float) else value


def _instant(value: Any) -> Any:
    # chosen: as Bulk writes it, with Z for UTC, where the REST API writes +0000.
    return value.replace("+0000", "Z") if isinstance(value, str) else value


_CELLS: dict[FieldType, Cell] = {
    FieldType.BOOLEAN: _truth,
    FieldType.DATETIME: _instant,
    **dict.fromkeys(NUMBER_TYPES - {FieldType.INT}, _number),
}

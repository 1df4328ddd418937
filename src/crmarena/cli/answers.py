"""What a query or a search found, as a table, JSON, CSV or line by line."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, TextIO

from crmarena.cli import render
from crmarena.cli.formats import Format, format_of, new_file
from crmarena.cli.sheets import UNKNOWN, Cell, Columns, Record, Sheet, sheet
from crmarena.org.session import looks_like_sosl, unfenced
from crmarena.schema.objects import Schema
from crmarena.soql.columns import describe_columns
from crmarena.soql.shape import QueryResult
from crmarena.sosl.result import SearchResult

_VERSION = "62.0"
_OBJECT = "attributes.type"
"""The column that tells which object a found record is of, named as the REST API has it."""


@dataclass(frozen=True)
class Answer:
    """What was found, whichever language asked for it."""

    groups: tuple[tuple[str, Sequence[Record]], ...]
    """The records; those of a search by object, in the order in which they came."""
    total: int
    is_count: bool = False
    by_object: bool = False
    """Whether the records may be of several objects."""
    columns: Columns = UNKNOWN

    @property
    def records(self) -> list[Record]:
        """All records."""
        return [record for _, records in self.groups for record in records]


def answer(result: QueryResult | SearchResult, columns: Columns = UNKNOWN) -> Answer:
    """The answer that a session's result holds."""
    if isinstance(result, QueryResult):
        groups: tuple[tuple[str, Sequence[Record]], ...] = (("", result.records),)
        return Answer(groups, result.total_size, result.is_count, columns=columns)
    found = [record for part in result.parts for record in part.to_rest(_VERSION)]
    by_object = groupby(found, lambda record: str(record["attributes"]["type"]))
    groups = tuple((name, [_bare(record) for record in records]) for name, records in by_object)
    return Answer(groups, len(found), by_object=len(result.parts) != 1)


def columns_of(schema: Schema, text: str, api_version: int) -> Columns:
    """The columns that a good query asks for; for a search they are not known."""
    if looks_like_sosl(text):
        return UNKNOWN
    names: list[str] = []
    lists: set[str] = set()
    _add_columns(describe_columns(schema, unfenced(text), api_version)["columnMetadata"], "", names, lists)
    return Columns(tuple(names), frozenset(lists))


def _add_columns(described: Sequence[Record], prefix: str, names: list[str], lists: set[str]) -> None:
    for column in described:
        name = f"{prefix}{column['columnName']}"
        if column["joinColumns"]:
            if column["aggregate"]:
                lists.add(name)
            _add_columns(column["joinColumns"], f"{name}.", names, lists)
        else:
            names.append(name)


def show(found: Answer, form: Format, out: TextIO) -> None:
    """Print an answer."""
    if found.is_count:
        print(found.total, file=out)
    elif form is Format.JSON:
        render.as_json(found.records, out)
    elif form is Format.CSV:
        _csv(found, out)
    else:
        for place, (name, records) in enumerate(found.groups):
            if found.by_object:
                print(f"\n{name}" if place else name, file=out)
            _page(records, found.columns, form, out)
        print(f"({_count(found.total)})", file=out)


def show_rest(result: Any, api_version: int, out: TextIO) -> None:
    """Print what the REST API returns."""
    render.as_json(result.to_rest(f"{api_version}.0"), out)


def write(found: Answer, path: Path) -> None:
    """Write an answer to a new file, in the format that its name ends in."""
    form = format_of(path)
    with new_file(path) as out:
        show(found, form, out)
    print(f"{_count(found.total)} in {path}", file=sys.stderr)


def _page(records: Sequence[Record], columns: Columns, form: Format, out: TextIO) -> None:
    page = sheet(records, children=form is Format.TABLE, columns=columns)
    fits = render.fits(page.headings, page.rows, out)
    if form is Format.TABLE and fits and page.rows:
        render.table(page.headings, page.rows, right=_numbers(page), out=out)
        return
    if not fits and form is Format.TABLE:
        print(f"{len(page.headings)} columns do not fit the terminal; shown line by line.", file=sys.stderr)
        page = sheet(records, children=False, columns=columns)
    _lines(page, out)


def _lines(page: Sheet, out: TextIO) -> None:
    """A line a field, an empty line between records; children are numbered."""
    for place, row in enumerate(page.rows):
        if place:
            print(file=out)
        fields = [field for pair in zip(page.headings, row, strict=True) for field in _field(*pair)]
        width = max((len(name) for name, _ in fields), default=0)
        for name, value in fields:
            print(f"{name:>{width}} = {render.text(value, one_line=True)}", file=out)


def _field(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """A field, or the fields of all its children."""
    if isinstance(value, list):
        for place, child in enumerate(value, start=1):
            page = sheet([child], children=False)
            for pair in zip(page.headings, page.rows[0], strict=True):
                yield from _field(f"{name}[{place}].{pair[0]}", pair[1])
    elif value is not Cell.NOTHING:
        yield name, value


def _csv(found: Answer, out: TextIO) -> None:
    """As Bulk API 2.0 writes it, a null being empty; a list of children is JSON in its cell."""
    records = [
        {_OBJECT: name, **record} if found.by_object else record
        for name, group in found.groups
        for record in group
    ]
    page = sheet(records, children=False, columns=found.columns)
    writer = csv.writer(out, lineterminator="\n")
    if page.headings:
        writer.writerow(page.headings)
    writer.writerows([[_raw(value) for value in row] for row in page.rows])


def _raw(value: object) -> str:
    if value is None or value is Cell.NOTHING:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else str(value)


def _numbers(page: Sheet) -> frozenset[str]:
    """The columns that hold numbers alone."""
    columns = zip(page.headings, zip(*page.rows, strict=True), strict=True)
    return frozenset(heading for heading, cells in columns if _all_numbers(cells))


def _all_numbers(cells: Sequence[object]) -> bool:
    held = [cell for cell in cells if cell is not None and cell is not Cell.NOTHING]
    return bool(held) and all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in held)


def _bare(record: Record) -> Record:
    """A record without the `attributes` of the REST API, at every level."""
    return {key: _bare_value(value) for key, value in record.items() if key != "attributes"}


def _bare_value(value: Any) -> Any:
    if isinstance(value, dict):
        return [_bare(r) for r in value["records"]] if "records" in value else _bare(value)
    return value


def _count(total: int) -> str:
    return f"{total} record{'' if total == 1 else 's'}"

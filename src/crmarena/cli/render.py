"""Tables, JSON and describes as text: drawn by rich on a terminal, plain elsewhere."""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from crmarena.cli.sheets import Cell

if TYPE_CHECKING:
    from rich.console import JustifyMethod

    from crmarena.org.org import Org

Row = Sequence[object]
NULL = "NULL"
_GAP = 2
_NARROW = 18
"""A column is not made narrower than an Id to fit a table into a terminal."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_BREAK = {"\n": "\\n", "\t": "\\t"}


def table(
    headings: Sequence[str],
    rows: Iterable[Row],
    *,
    right: frozenset[str] = frozenset(),
    out: TextIO | None = None,
) -> None:
    """Print a table; only on a terminal is a long cell wrapped."""
    out = sys.stdout if out is None else out
    if out.isatty():
        _drawn(headings, rows, right, out)
    else:
        _plain(headings, [[text(value, one_line=True) for value in row] for row in rows], right, out)


def fits(headings: Sequence[str], rows: Iterable[Row], out: TextIO) -> bool:
    """Whether a table can be read where it is to be printed; one that is not for a terminal always can."""
    if not out.isatty():
        return True
    from rich.console import Console

    widths = _least_widths(headings, [[text(value) for value in row] for row in rows])
    return sum(widths) + _GAP * (len(widths) - 1) <= Console(file=out).width


def text(value: object, *, one_line: bool = False) -> str:
    """A value as people read it; what would steer the terminal is shown, not obeyed."""
    if value is None:
        return NULL
    if value is Cell.NOTHING:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    shown = json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else str(value)
    shown = _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", shown.replace("\r\n", "\n"))
    return "".join(_BREAK.get(mark, mark) for mark in shown) if one_line else shown


def as_json(value: object, out: TextIO | None = None) -> None:
    """Print a value as JSON; characters the terminal's encoding lacks as JSON escapes."""
    out = sys.stdout if out is None else out
    readable = (out.encoding or "").lower().replace("-", "") == "utf8"
    print(json.dumps(value, indent=2, ensure_ascii=not readable), file=out)


def objects(payload: Mapping[str, Any], org: Org) -> None:
    """Print an org's objects with how many records each holds."""
    rows = []
    for entry in payload["sobjects"]:
        count = org.query(f"SELECT COUNT() FROM {entry['name']}").total_size
        rows.append((entry["name"], entry["label"], entry["keyPrefix"], count))
    table(("object", "label", "prefix", "records"), rows, right=frozenset({"records"}))


def fields(payload: Mapping[str, Any], out: TextIO | None = None) -> None:
    """Print an object's fields and child relationships."""
    rows = [(f["name"], f["type"], _points_to(f), f["label"], _limits(f)) for f in payload["fields"]]
    table(("field", "type", "points to", "label", "not for"), rows, out=out)
    children = [c for c in payload["childRelationships"] if c.get("relationshipName")]
    if children:
        print(file=out)
        table(
            ("child relationship", "object", "field"),
            [(c["relationshipName"], c["childSObject"], c["field"]) for c in children],
            out=out,
        )


def _drawn(headings: Sequence[str], rows: Iterable[Row], right: frozenset[str], out: TextIO) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    rows = list(rows)
    shown = [[text(value) for value in row] for row in rows]
    grid = Table(box=None, header_style="bold", pad_edge=False)
    for heading, width in zip(headings, _least_widths(headings, shown), strict=True):
        side: JustifyMethod = "right" if heading in right else "left"
        grid.add_column(heading, justify=side, overflow="fold", min_width=width)
    for row, cells in zip(rows, shown, strict=True):
        styles = ("dim" if value is None else "" for value in row)
        grid.add_row(*(Text(cell, style=style) for cell, style in zip(cells, styles, strict=True)))
    Console(file=out, highlight=False, markup=False, emoji=False).print(grid)


def _least_widths(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """The least width of each column of a table on a terminal."""
    return [min(_NARROW, max(map(_widest, column))) for column in zip(headings, *rows, strict=True)]


def _plain(
    headings: Sequence[str], rows: Sequence[Sequence[str]], right: frozenset[str], out: TextIO
) -> None:
    widths = [max(map(_width, column)) for column in zip(headings, *rows, strict=True)]
    for row in [headings, *rows]:
        cells = [
            " " * (width - _width(cell)) + cell if heading in right else cell + " " * (width - _width(cell))
            for cell, width, heading in zip(row, widths, headings, strict=True)
        ]
        print((" " * _GAP).join(cells).rstrip(), file=out)


def _widest(cell: str) -> int:
    return max(map(_width, cell.splitlines()), default=0)


def _width(line: str) -> int:
    """How many columns of a terminal a line takes."""
    if line.isascii():
        return len(line)
    wide = sum(unicodedata.east_asian_width(mark) in "WF" for mark in line)
    return len(line) + wide - sum(unicodedata.combining(mark) != 0 for mark in line)


def _points_to(field: Mapping[str, Any]) -> str:
    targets = ", ".join(field["referenceTo"])
    return f"{targets} as {field['relationshipName']}" if field.get("relationshipName") else targets


def _limits(field: Mapping[str, Any]) -> str:
    uses = (("filterable", "WHERE"), ("sortable", "ORDER BY"), ("groupable", "GROUP BY"))
    return ", ".join(clause for flag, clause in uses if not field[flag])

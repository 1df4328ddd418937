"""Records, describes and families as text on a terminal."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from crmarena.org.org import Org

Row = Sequence[object]
_WIDEST = 10_000


def table(headings: Sequence[str], rows: Iterable[Row], *, right: frozenset[str] = frozenset()) -> None:
    """Print a table; on a pipe it keeps its natural width."""
    grid = Table(box=None, header_style="bold", pad_edge=False)
    for heading in headings:
        grid.add_column(heading, justify="right" if heading in right else "left", overflow="fold")
    for row in rows:
        grid.add_row(*(_cell(value) for value in row))
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = max(
            80, console.measure(grid, options=console.options.update(max_width=_WIDEST)).maximum
        )
    console.print(grid)


def as_json(value: object) -> None:
    """Print a value as JSON; characters the terminal's encoding lacks as JSON escapes."""
    readable = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    print(json.dumps(value, indent=2, ensure_ascii=not readable))


def records(found: Sequence[Mapping[str, Any]], *, as_csv: bool = False) -> None:
    """Print records, one row each, parents as dotted columns, then how many there are."""
    flat = [_flatten(record) for record in found]
    headings = list(dict.fromkeys(key for record in flat for key in record))
    rows = [[record.get(heading) for heading in headings] for record in flat]
    if as_csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(headings)
        writer.writerows([["" if v is None else _cell(v) for v in row] for row in rows])
        return
    if rows:
        table(headings, rows)
    print(f"({len(rows)} record{'' if len(rows) == 1 else 's'})")


def objects(payload: Mapping[str, Any], org: Org) -> None:
    """Print an org's objects with how many records each holds."""
    rows = []
    for entry in payload["sobjects"]:
        count = org.query(f"SELECT COUNT() FROM {entry['name']}").total_size
        rows.append((entry["name"], entry["label"], entry["keyPrefix"], count))
    table(("object", "label", "prefix", "records"), rows, right=frozenset({"records"}))


def fields(payload: Mapping[str, Any]) -> None:
    """Print an object's fields and child relationships."""
    rows = [(f["name"], f["type"], _points_to(f), f["label"], _limits(f)) for f in payload["fields"]]
    table(("field", "type", "points to", "label", "not for"), rows)
    children = [c for c in payload["childRelationships"] if c.get("relationshipName")]
    if children:
        print()
        table(
            ("child relationship", "object", "field"),
            [(c["relationshipName"], c["childSObject"], c["field"]) for c in children],
        )


def _points_to(field: Mapping[str, Any]) -> str:
    targets = ", ".join(field["referenceTo"])
    return f"{targets} as {field['relationshipName']}" if field.get("relationshipName") else targets


def _limits(field: Mapping[str, Any]) -> str:
    uses = (("filterable", "WHERE"), ("sortable", "ORDER BY"), ("groupable", "GROUP BY"))
    return ", ".join(clause for flag, clause in uses if not field[flag])


def _flatten(record: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in record.items():
        if isinstance(value, Mapping):
            flat.update(_flatten(value, f"{prefix}{key}."))
        else:
            flat[prefix + key] = value
    return flat


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else str(value)

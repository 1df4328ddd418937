"""The commands that change records, on a session that nobody else sees."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crmarena.cli import asking, render
from crmarena.cli.formats import Format
from crmarena.cli.shell.desk import Desk
from crmarena.errors import UsageError

if TYPE_CHECKING:
    from crmarena.org.changes import Change

_STAMPS = frozenset(
    {"Id", "CreatedDate", "CreatedById", "LastModifiedDate", "LastModifiedById", "SystemModstamp"}
)
"""What tells nothing of a new record but that it is new."""


def insert(desk: Desk, rest: str) -> None:
    """`.insert OBJECT {JSON}`: prints the new Id."""
    (name,), values = _split(rest, 1, ".insert OBJECT {JSON}")
    sobject = asking.find_object(desk.session.schema, name)
    print(desk.writes.insert(sobject.name, _values(values)), file=desk.out)


def update(desk: Desk, rest: str) -> None:
    """`.update OBJECT ID {JSON}`"""
    (name, record_id), values = _split(rest, 2, ".update OBJECT ID {JSON}")
    sobject = asking.find_object(desk.session.schema, name)
    desk.writes.update(sobject.name, record_id, _values(values))
    print(f"{record_id} updated", file=desk.out)


def delete(desk: Desk, rest: str) -> None:
    """`.delete OBJECT ID`"""
    (name, record_id), more = _split(rest, 2, ".delete OBJECT ID")
    if more:
        raise UsageError(f".delete takes an object and an Id, not {more!r} too.")
    sobject = asking.find_object(desk.session.schema, name)
    desk.writes.delete(sobject.name, record_id)
    print(f"{record_id} deleted", file=desk.out)


def changes(desk: Desk, rest: str) -> None:
    """`.changes`: record by record, field by field."""
    found = desk.writes.changes()
    if desk.form is Format.JSON:
        render.as_json([_as_dict(change) for change in found], desk.out)
        return
    for change in found:
        for line in _lines(desk, change):
            print(line, file=desk.out)
    print(f"({_count(len(found))} changed)", file=desk.out)


def begin(desk: Desk, rest: str) -> None:
    """`.begin`: a place to roll back to."""
    desk.begin()


def rollback(desk: Desk, rest: str) -> None:
    """`.rollback`: to the last `.begin`, or to how the org was."""
    desk.roll_back()
    print(f"({_count(desk.pending)} still changed)", file=desk.out)


def commit(desk: Desk, rest: str) -> None:
    """`.commit [FILE]`: into the org's own file, or a new one."""
    changed = len(desk.writes.changes())
    path = desk.commit(Path(rest) if rest else None)
    print(f"({_count(changed)} kept in {path})", file=desk.out)


def _split(rest: str, names: int, usage: str) -> tuple[list[str], str]:
    """The words before the values, and the values."""
    words = rest.split(maxsplit=names)
    if len(words) < names:
        raise UsageError(f"{usage.split()[0]} is used as: {usage}")
    return words[:names], words[names] if len(words) > names else ""


def _values(text: str) -> dict[str, Any]:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"The values are no JSON: {error}.") from None
    if not isinstance(values, dict):
        raise UsageError('The values are no JSON object; write them as {"Name": "Acme"}.')
    return values


def _lines(desk: Desk, change: Change) -> Iterator[str]:
    """A change as a person reads it: what was set, from what to what; of a deleted record its name."""
    before, after = change.before or {}, change.after or {}
    name = desk.session.schema.objects[change.object].name_field
    deleted = f" {_shown(before.get(name))}" if name and change.kind == "delete" else ""
    yield f"{change.kind} {change.object} {change.id}{deleted}"
    for field, value in after.items():
        if change.kind == "update":
            yield f"    {field}: {_shown(before[field])} -> {_shown(value)}"
        elif value is not None and field not in _STAMPS:
            yield f"    {field}: {_shown(value)}"


def _as_dict(change: Change) -> dict[str, Any]:
    return {
        "object": change.object,
        "id": change.id,
        "kind": change.kind,
        "before": change.before,
        "after": change.after,
    }


def _shown(value: object) -> str:
    return repr(value) if isinstance(value, str) else render.text(value)


def _count(number: int) -> str:
    return f"{number} record{'' if number == 1 else 's'}"

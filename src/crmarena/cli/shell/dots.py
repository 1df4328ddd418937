"""Completion of the shell's own commands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from crmarena.cli.formats import Format
from crmarena.cli.shell.commands import COMMANDS
from crmarena.cli.shell.completion import Candidate
from crmarena.cli.shell.desk import Desk
from crmarena.cli.shell.statements import is_command

_MOST_USERS = 500


def complete(desk: Desk, text: str) -> list[Candidate] | None:
    """The candidates at the end of a command line; None for a text that is none."""
    if not is_command(text):
        return None
    start = len(text) - len(text.split(" ")[-1]) if " " in text.lstrip() else len(text) - len(text.lstrip())
    before, typed = text[:start].split(), text[start:]
    if not before:
        return [
            Candidate(name, start, "command", command.help)
            for name, command in COMMANDS.items()
            if name.startswith(typed.lower())
        ]
    command = COMMANDS.get(before[0].lower())
    place = len(before) - 1
    if command is None or place >= len(command.takes):
        return []
    kind = command.takes[place]
    known = _known(desk, kind, before, typed)
    return [Candidate(name, start, kind) for name in known if name.lower().startswith(typed.lower())]


def _known(desk: Desk, kind: str, before: list[str], typed: str) -> Iterable[str]:
    if kind == "field":
        sobject = desk.session.schema.object(before[-1])
        return sobject.fields if sobject is not None else ()
    if kind == "file":
        return _files(typed)
    if kind == "user":
        users = desk.session.query(f"SELECT Username FROM User ORDER BY Username LIMIT {_MOST_USERS}").records
        return [str(user["Username"]) for user in users]
    fixed: dict[str, Iterable[str]] = {
        "command": COMMANDS,
        "object": desk.session.schema.objects,
        "mode": Format,
        "switch": ("on", "off"),
    }
    return fixed[kind]


def _files(typed: str) -> Iterator[str]:
    """The files that a path may go on to; folders end in a slash."""
    folder, slash, _ = typed.rpartition("/")
    try:
        entries = sorted(Path(folder or slash or ".").iterdir())
    except OSError:
        return
    for entry in entries:
        yield f"{folder}{slash}{entry.name}{'/' if entry.is_dir() else ''}"

"""The shell's own commands, which start with a dot."""

from __future__ import annotations

import difflib
import fnmatch
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from crmarena.cli import asking, render
from crmarena.cli.formats import Format
from crmarena.cli.shell import writes
from crmarena.cli.shell.desk import Desk
from crmarena.errors import UsageError

_OFF = {"none", "off", "now", "stdout"}


@dataclass(frozen=True)
class Command:
    """A command: what may follow its name, what it does."""

    usage: str
    help: str
    run: Callable[[Desk, str], None]
    takes: tuple[str, ...] = ()
    """What each word after it is, for completion."""


def run(desk: Desk, line: str) -> None:
    """Run a command line. Raises UsageError for one that does not exist or lacks something."""
    name, _, rest = line.strip().rstrip(";").partition(" ")
    command = COMMANDS.get(name.lower())
    if command is None:
        near = difflib.get_close_matches(name.lower(), COMMANDS, n=1, cutoff=0.5)
        raise UsageError(
            f"no command {name}{f', did you mean {near[0]}?' if near else ''}; .help lists them."
        )
    command.run(desk, rest.strip())


def _help(desk: Desk, rest: str) -> None:
    name = rest if rest.startswith(".") or not rest else f".{rest}"
    chosen = {name: COMMANDS[name]} if name in COMMANDS else COMMANDS
    width = max(len(f"{name} {command.usage}") for name, command in chosen.items())
    for name, command in chosen.items():
        print(f"{f'{name} {command.usage}':{width}}  {command.help}", file=desk.out)


def _tables(desk: Desk, rest: str) -> None:
    wanted = rest.replace("%", "*").lower() or "*"
    pattern = wanted if "*" in wanted else f"*{wanted}*"
    found = [sobject for sobject in desk.session.schema.objects.values() if _matches(sobject.name, pattern)]
    if not found:
        raise UsageError(f"no object is named like {rest!r}; .tables lists them all.")
    rows = [
        (s.name, s.label, s.key_prefix, desk.session.query(f"SELECT COUNT() FROM {s.name}").total_size)
        for s in found
    ]
    render.table(("object", "label", "prefix", "records"), rows, right=frozenset({"records"}), out=desk.out)


def _matches(name: str, pattern: str) -> bool:
    return fnmatch.fnmatchcase(name.lower(), pattern)


def _describe(desk: Desk, rest: str) -> None:
    words = _words(".describe", rest, 1, 2)
    sobject = asking.find_object(desk.session.schema, words[0])
    payload = desk.session.describe(sobject.name)
    if len(words) == 1:
        render.fields(payload, desk.out)
        return
    field = sobject.field(words[1])
    if field is None:
        near = difflib.get_close_matches(words[1], list(sobject.fields), n=2, cutoff=0.5)
        hint = f"; did you mean {' or '.join(near)}?" if near else "."
        raise UsageError(f"{sobject.name} has no field {words[1]!r}{hint}")
    shown = next(entry for entry in payload["fields"] if entry["name"] == field.name)
    for key, value in shown.items():
        if key == "picklistValues":
            value = [choice["value"] for choice in value]
        if value not in (None, [], False, 0, ""):
            print(f"{key:24} {render.text(value, one_line=True)}", file=desk.out)


def _mode(desk: Desk, rest: str) -> None:
    try:
        desk.form = Format(rest.lower())
    except ValueError:
        raise UsageError(f".mode takes {', '.join(Format)}; not {rest!r}.") from None


def _timing(desk: Desk, rest: str) -> None:
    if rest.lower() not in {"on", "off"}:
        raise UsageError(f".timing takes on or off; not {rest!r}.")
    desk.timing = rest.lower() == "on"


def _today(desk: Desk, rest: str) -> None:
    desk.as_of(_value(".today", rest))


def _user(desk: Desk, rest: str) -> None:
    desk.as_user(_value(".user", rest))


def _output(desk: Desk, rest: str) -> None:
    path = _value(".output", rest or "stdout")
    desk.print_to(Path(path) if path is not None else None)


def _quit(desk: Desk, rest: str) -> None:
    desk.done = True


def _read(desk: Desk, rest: str) -> None:
    from crmarena.cli.shell.script import run_file

    run_file(desk, Path(_words(".read", rest, 1, 1)[0]))


def _value(name: str, rest: str) -> str | None:
    """The one word after a command; None for the word that puts it back."""
    value = _words(name, rest, 1, 1)[0]
    return None if value.lower() in _OFF else value


def _words(name: str, rest: str, least: int, most: int) -> list[str]:
    try:
        words = shlex.split(rest)
    except ValueError:
        raise UsageError(f"{name}: a quotation mark is missing.") from None
    if not least <= len(words) <= most:
        raise UsageError(f"{name} is used as: {name} {COMMANDS[name].usage}")
    return words


COMMANDS = {
    ".help": Command("[COMMAND]", "This list.", _help, ("command",)),
    ".tables": Command("[PATTERN]", "The objects and how many records each holds.", _tables, ("object",)),
    ".describe": Command(
        "OBJECT [FIELD]",
        "An object's fields and children, or all of a field.",
        _describe,
        ("object", "field"),
    ),
    ".mode": Command("table|json|csv|line", "How answers are printed.", _mode, ("mode",)),
    ".timing": Command("on|off", "Say how long each statement took.", _timing, ("switch",)),
    ".today": Command("DATE|now", "The day TODAY means: 2024-05-31.", _today),
    ".user": Command("NAME|none", "Who asks: USING SCOPE mine, the time zone.", _user, ("user",)),
    ".output": Command("FILE|stdout", "Print answers into a new file.", _output, ("file",)),
    ".read": Command("FILE", "Run the statements and commands of a file.", _read, ("file",)),
    ".insert": Command("OBJECT {JSON}", "Make a record (with --writable).", writes.insert, ("object",)),
    ".update": Command(
        "OBJECT ID {JSON}", "Change a record's fields (with --writable).", writes.update, ("object",)
    ),
    ".delete": Command("OBJECT ID", "Delete a record (with --writable).", writes.delete, ("object",)),
    ".changes": Command("", "What was changed and is not committed.", writes.changes),
    ".begin": Command("", "Mark a place to roll back to.", writes.begin),
    ".rollback": Command("", "Undo to the last .begin; without one, everything.", writes.rollback),
    ".commit": Command("[FILE]", "Keep the changes: in the org, or in a new file.", writes.commit, ("file",)),
    ".quit": Command("", "Leave; what is not committed is given up. So does Ctrl-D.", _quit),
}

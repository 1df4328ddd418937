"""Statements and commands that are not typed: from standard input or a file."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from crmarena.cli.formats import read_text
from crmarena.cli.shell import commands
from crmarena.cli.shell.desk import Desk, told
from crmarena.cli.shell.statements import Statements, is_command
from crmarena.errors import UsageError

MAX_DEPTH = 20
"""How deep a file may read another."""


def run_one(desk: Desk, text: str) -> bool:
    """Run a statement or a command; print its error. Whether it worked."""
    failures: list[str] = []
    with told(failures):
        if is_command(text):
            commands.run(desk, text)
        else:
            desk.ask(text)
    desk.out.flush()
    for failure in failures:
        print(failure, file=sys.stderr, flush=True)
    return not failures


def run_lines(desk: Desk, lines: Iterable[str], *, bail: bool = False) -> bool:
    """Run the statements of lines until they end, `.quit`, or with `bail` one fails; whether all worked."""
    worked = True
    for text in _statements(lines):
        worked = run_one(desk, text) and worked
        if desk.done or (bail and not worked):
            break
    return worked


def run_file(desk: Desk, path: Path) -> None:
    """Run what is in a file. Raises UsageError where some of it failed, or where files read each other."""
    text = read_text(path)
    if desk.depth >= MAX_DEPTH:
        raise UsageError(f"{path} is read by a file that it reads; .read goes {MAX_DEPTH} files deep.")
    desk.depth += 1
    try:
        worked = run_lines(desk, text.splitlines(keepends=True))
    finally:
        desk.depth -= 1
    if not worked:
        raise UsageError(f"{path}: not everything in it worked.")


def _statements(lines: Iterable[str]) -> Iterator[str]:
    statements = Statements()
    for line in lines:
        yield from statements.add(line)
    yield from statements.end()

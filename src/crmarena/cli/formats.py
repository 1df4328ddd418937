"""The formats in which records are printed and written."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TextIO

from crmarena.errors import UsageError


class Format(StrEnum):
    """How records are printed."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    LINE = "line"


_ENDINGS = {".json": Format.JSON, ".csv": Format.CSV, ".txt": Format.TABLE}


def format_of(path: Path) -> Format:
    """The format that a file's name ends in."""
    form = _ENDINGS.get(path.suffix.lower())
    if form is None:
        raise UsageError(f"{path} does not say its format; end its name in {', '.join(_ENDINGS)}.")
    return form


def new_file(path: Path) -> TextIO:
    """A file to write text into, that is not there yet."""
    try:
        return path.open("x", encoding="utf-8", newline="")
    except FileExistsError:
        raise UsageError(f"{path} exists already; name another file or remove it first.") from None


def read_lines() -> Iterator[str]:
    """The lines of standard input."""
    try:
        yield from sys.stdin
    except UnicodeDecodeError:
        raise UsageError("Standard input is no text in UTF-8; convert it first.") from None


def read_text(path: Path) -> str:
    """The text of a file that a person named."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"{path} is no text in UTF-8; save it as such.") from None

"""CSV as Bulk API reads and writes it: six delimiters, two line endings, quotes as spreadsheets set them."""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, TextIO

from crmarena.server.faults import fault

DELIMITERS = {
    "BACKQUOTE": "`",
    "CARET": "^",
    "COMMA": ",",
    "PIPE": "|",
    "SEMICOLON": ";",
    "TAB": "\t",
}
LINE_ENDINGS = {"LF": "\n", "CRLF": "\r\n"}
MOST_CHARACTERS = 400_000
"""Characters of a record; those of a field are as many as Python's `csv` takes, 131,072."""
NULL = "#N/A"
"""A cell that sets its field to null; an empty one leaves it as it is."""
_BARE_QUOTE = "Found unescaped quote. A value with quote should be within a quote"


class Sink(Protocol):
    """What text is written to."""

    def write(self, text: str, /) -> Any:
        """Write some."""


class Writer(Protocol):
    """Writes rows."""

    def writerow(self, row: Any, /) -> Any:
        """Write one."""

    def writerows(self, rows: Any, /) -> Any:
        """Write several."""


@dataclass(frozen=True)
class Dialect:
    """How a job's CSV is written."""

    delimiter: str = "COMMA"
    line_ending: str = "LF"

    def writer(self, file: Sink) -> Writer:
        """What writes rows to a file; every cell stands in quotes."""
        return csv.writer(
            file,
            delimiter=DELIMITERS[self.delimiter],
            lineterminator=LINE_ENDINGS[self.line_ending],
            quoting=csv.QUOTE_ALL,
        )

    @cached_property
    def row(self) -> re.Pattern[str]:
        """A row in which each cell stands in quotes as a whole, or has none."""
        delimiter = re.escape(DELIMITERS[self.delimiter])
        cell = rf'(?:"[^"]*(?:""[^"]*)*"|[^"{delimiter}\r\n]*)'
        return re.compile(rf"{cell}(?:{delimiter}{cell})*(?:\r\n|\r|\n)?")


class Reader:
    """The rows of a CSV file, the header the first of them; empty lines are none."""

    def __init__(self, file: TextIO, dialect: Dialect) -> None:
        self._file = file
        self._dialect = dialect
        self._consumed: deque[str] = deque()
        """The lines of the row at hand."""
        self._width = self._row = 0
        self._rows = csv.reader(self._lines(), delimiter=DELIMITERS[dialect.delimiter], strict=True)

    def __iter__(self) -> Iterator[list[str]]:
        return self

    def __next__(self) -> list[str]:
        """The next row.

        Raises SalesforceError for what is no CSV, has another line ending, or is not as wide as the header.
        """
        while True:
            try:
                row = next(self._rows)
            except csv.Error as error:
                raise fault("batch_csv", text=_reason(error)) from None
            self._check("".join(self._consumed), row)
            self._consumed.clear()
            if row:
                return row

    def rest(self) -> Iterator[str]:
        """The text that was not read as rows: what was refused, and all behind it."""
        yield from self._consumed
        self._consumed.clear()
        while piece := self._file.read(MOST_CHARACTERS):
            yield piece

    def _lines(self) -> Iterator[str]:
        size = 0
        while line := self._file.readline(MOST_CHARACTERS + 1):
            size = len(line) + (size if self._consumed else 0)
            self._consumed.append(line)
            if size > MOST_CHARACTERS:
                raise fault("batch_csv", text=f"A record has more than {MOST_CHARACTERS} characters")
            yield line

    def _check(self, text: str, row: list[str]) -> None:
        ending = "\r\n" if text.endswith("\r\n") else text[-1:] if text.endswith(("\r", "\n")) else ""
        if ending not in ("", LINE_ENDINGS[self._dialect.line_ending]):
            raise fault("batch_line_ending", setting=self._dialect.line_ending)
        if '"' in text and not self._dialect.row.fullmatch(text):
            raise fault("batch_csv", text=_BARE_QUOTE)
        if row:
            self._width = self._width or len(row)
            if len(row) != self._width:
                raise fault("batch_width", row=self._row, found=len(row), wanted=self._width)
            self._row += 1


def check_text(path: Path) -> None:
    """Raise SalesforceError for a file that is not UTF-8 text."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            while file.read(MOST_CHARACTERS):
                pass
    except UnicodeDecodeError:
        raise fault("batch_csv", text="The data is not UTF-8") from None


def open_text(path: Path) -> TextIO:
    """A file of CSV to read: a byte order mark is no part of it."""
    return path.open(encoding="utf-8-sig", newline="")


def _reason(error: csv.Error) -> str:
    text = str(error)
    if "expected after" in text:
        return _BARE_QUOTE
    if "unexpected end" in text:
        return "A quoted value does not end"
    return text[:1].upper() + text[1:]

"""CSV as Bulk API reads and writes it."""

from __future__ import annotations

import io

import pytest

from crmarena.errors import SalesforceError
from crmarena.server.csv_records import DELIMITERS, LINE_ENDINGS, MOST_CHARACTERS, Dialect, Reader

ROWS = [
    ["Name", "Description"],
    ["plain", 'says "hi"'],
    ["", "two\nlines\r\nand three"],
    ["`^|;\t,", " blanks "],
    ["#N/A", "\u00e9\u4e2d\U0001f600"],
]


@pytest.mark.parametrize("ending", sorted(LINE_ENDINGS))
@pytest.mark.parametrize("delimiter", sorted(DELIMITERS))
def test_what_is_written_is_read(delimiter: str, ending: str) -> None:
    dialect, file = Dialect(delimiter, ending), io.StringIO(newline="")
    dialect.writer(file).writerows(ROWS)
    assert file.getvalue().startswith(f'"Name"{DELIMITERS[delimiter]}"Description"{LINE_ENDINGS[ending]}')
    file.seek(0)
    assert list(Reader(file, dialect)) == ROWS


def reader(text: str, ending: str = "LF") -> Reader:
    return Reader(io.StringIO(text, newline=""), Dialect(line_ending=ending))


@pytest.mark.parametrize(
    "text", ["a,b\n1,2", "a,b\n1,2\n", "a,b\n\n1,2\n\n\n", '"a",b\n1,"2"\n', "\na,b\n1,2\n"]
)
def test_empty_lines_and_ends_are_no_rows(text: str) -> None:
    assert list(reader(text)) == [["a", "b"], ["1", "2"]]


UNESCAPED = "Failed to parse CSV. Found unescaped quote. A value with quote should be within a quote"
WRONG = [
    ('a,b\n1,x"y"\n', "LF", UNESCAPED),
    ('a,b\n1,"x"y\n', "LF", UNESCAPED),
    ('a,b\n1, "x"\n', "LF", UNESCAPED),
    ('a,b\n1,"x\n', "LF", "Failed to parse CSV. A quoted value does not end"),
    ("a,b\r\n1,2\r\n", "LF", "LineEnding is invalid on user data. Current LineEnding setting is LF"),
    ("a,b\n1,2\r\n", "LF", "LineEnding is invalid on user data. Current LineEnding setting is LF"),
    ("a,b\n1,2\n", "CRLF", "LineEnding is invalid on user data. Current LineEnding setting is CRLF"),
    ("a,b\r1,2\r", "LF", "LineEnding is invalid on user data. Current LineEnding setting is LF"),
    ("a,b\n1,2,3\n", "LF", "Row 1 has 3 columns where the header has 2"),
    ("a,b\n1,2\n1\n", "LF", "Row 2 has 1 columns where the header has 2"),
    (f"a,b\n1,{'x' * 131_073}\n", "LF", "Failed to parse CSV. Field larger than field limit (131072)"),
    (
        f"a,b\n1,{'x' * MOST_CHARACTERS}\n",
        "LF",
        "Failed to parse CSV. A record has more than 400000 characters",
    ),
]


@pytest.mark.parametrize(("text", "ending", "message"), WRONG, ids=range(len(WRONG)))
def test_what_is_no_csv(text: str, ending: str, message: str) -> None:
    with pytest.raises(SalesforceError) as caught:
        list(reader(text, ending))
    assert caught.value.message == message


def test_the_rest_is_all_that_was_not_read() -> None:
    rows = reader('a,b\n1,2\n3,"4\n4",5\n6,7\n')
    assert [next(rows), next(rows)] == [["a", "b"], ["1", "2"]]
    with pytest.raises(SalesforceError):
        next(rows)
    assert "".join(rows.rest()) == '3,"4\n4",5\n6,7\n'


def test_the_rest_after_a_row_that_was_read() -> None:
    rows = reader("a,b\n1,2\n3,4\n")
    assert [next(rows), next(rows)] == [["a", "b"], ["1", "2"]]
    assert "".join(rows.rest()) == "3,4\n"

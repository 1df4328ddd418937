"""docs/soql.md: its tables are the code's, both ways, and every example does what its row says."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import crmarena.soql
import crmarena.sosl
from crmarena.clock import Clock
from crmarena.errors import SalesforceError
from crmarena.schema.scopes import SCOPES
from crmarena.soql import functions, literals, parse, texts
from crmarena.soql.run import run_query
from crmarena.sosl import faults, parse_with
from crmarena.sosl.ast import FieldGroup
from crmarena.sosl.search import run_search
from crmarena.storage import rows
from crmarena.storage.database import Database
from tests.soql.strategy_terms import paths

ROOT = Path(__file__).parents[2]
NONE = "\u2013"
BY_PARAMETER = {"no_query", "parameter", "unknown_parameter", "needs_object"}
"""Errors of requests that hold no query: the server's tests and those of parameterized searches have them."""
LIMITS = re.compile(r"MAX_\w+|\w+_VERSION|\w+_YEAR|\w+_LENGTH")


@dataclass(frozen=True)
class Row:
    """A row of a table: its cells by the heading of their column, and the section it stands in."""

    section: str
    cells: dict[str, str]

    def code(self, heading: str) -> str | None:
        """What a cell says in backticks; None for a dash."""
        cell = self.cells[heading]
        return None if cell == NONE else cell.strip("`").replace("\\|", "|")


def tables() -> Iterator[Row]:
    """The rows of the page."""
    section = ""
    headings: list[str] = []
    for line in (ROOT / "docs" / "soql.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            section = line.lstrip("# ")
        if not line.startswith("|"):
            headings = []
            continue
        cells = [cell.removeprefix(" ").removesuffix(" ") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if not headings:
            headings = cells
        elif not line.startswith("|---"):
            yield Row(section, dict(zip(headings, cells, strict=True)))


ROWS = list(tables())
EXAMPLES = [row for row in ROWS if row.code("example") is not None]


def of(section: str) -> list[Row]:
    """The rows of a section."""
    return [row for row in ROWS if row.section == section]


def whats(section: str) -> set[str]:
    """What the rows of a section are about, backticks taken off."""
    return {row.cells["what"].strip("`") for row in of(section)}


def written_out(example: str) -> str:
    """An example with its shorthands written out."""
    parents = [path.text for path in paths("Account", 4) if path.text.endswith(".Name")]
    found = re.sub(r"<(\d+) paths>", lambda mark: ", ".join(parents[: int(mark[1])]), example)
    return re.sub(r"<([^<>]+?)\*(\d+)>", lambda mark: mark[1] * int(mark[2]), found)


@pytest.fixture(scope="module")
def filled(database: Database) -> Iterator[Database]:
    """The small org, with more categories than a grouped query may give."""
    with database.copy() as copy:
        names = ({"Id": f"0ZG{number:012d}AAA", "Name": f"Category {number}"} for number in range(2_001))
        rows.insert(copy, "ProductCategory", names)
        yield copy


def ask(database: Database, clock: Clock, example: str) -> list[dict[str, object]]:
    """The records of an example."""
    text = written_out(example)
    if text.lstrip().upper().startswith("FIND"):
        return run_search(database, text, clock).records
    return run_query(database, text, clock).records


def test_every_row_has_a_state_and_an_outcome_that_goes_with_it() -> None:
    for row in ROWS:
        state, outcome = row.cells["state"], row.cells.get("outcome", "runs")
        assert state in {"exact", "chosen", "refused"}
        assert outcome in {"runs", NONE} or re.fullmatch(r"`[A-Z_]+`", outcome)
        assert (state != "refused") or outcome not in {"runs", NONE}


@pytest.mark.parametrize(
    "row", EXAMPLES, ids=lambda row: f"{row.section}: {row.cells.get('what', row.code('example'))}"
)
def test_an_example_does_what_its_row_says(filled: Database, clock: Clock, row: Row) -> None:
    example = row.code("example") or ""
    outcome = row.cells.get("outcome", "runs")
    if outcome == "runs":
        records = ask(filled, clock, example)
        if "same as" in row.cells:
            assert records == ask(filled, clock, row.code("same as") or "")
        return
    with pytest.raises(SalesforceError) as caught:
        ask(filled, clock, example)
    assert caught.value.error_code == outcome.strip("`")
    if "text" in row.cells:
        pattern = re.sub(r"\\{\w+\\}", "(.*)", re.escape(row.code("text") or ""))
        assert re.fullmatch(pattern, caught.value.text, re.DOTALL)


def test_an_example_is_missing_only_where_no_query_shows_it() -> None:
    silent = {row.cells.get("error", "").strip("`") for row in ROWS if row.code("example") is None} - {""}
    assert silent == BY_PARAMETER
    assert {row.section for row in ROWS if row.code("example") is None} <= {
        "Limits of SOQL",
        "Limits of SOSL",
        "Errors of SOQL",
        "Errors of SOSL",
    }


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ("Functions", set(functions.SUPPORTED)),
        ("Date literals", set(literals.PLAIN) | set(literals.COUNTED)),
        ("Scopes of USING SCOPE", set(SCOPES.values())),
        (
            "WITH of SOQL",
            {*parse.SECURITY, "RecordVisibilityContext", "UserId", "DATA CATEGORY"},
        ),
        ("Endings", {"FOR VIEW", "FOR REFERENCE", "UPDATE TRACKING", "UPDATE VIEWSTAT", "FOR UPDATE"}),
        ("Fields that are searched", set(FieldGroup)),
        ("WITH of SOSL", {"DATA CATEGORY" if word == "DATA" else word for word in parse_with.CLAUSES}),
    ],
)
def test_a_section_lists_what_the_code_has(section: str, words: set[str]) -> None:
    # What stands in small letters behind a word tells of a use of it that is refused.
    named = {word for word in whats(section) if not re.search(r"\s[a-z]|^[a-z]+ [a-z]+", word)}
    assert {word.upper() for word in named} == {word.upper() for word in words}


@pytest.mark.parametrize(
    ("section", "table"), [("Errors of SOQL", texts.TEXTS), ("Errors of SOSL", faults.TEXTS)]
)
def test_the_errors_are_those_of_the_code(section: str, table: dict[str, tuple[str, str]]) -> None:
    listed = {row.code("error"): (row.code("outcome"), row.code("text")) for row in of(section)}
    assert listed == table


def chosen_in(path: str, *, onwards: bool) -> set[str]:
    """The keys below a comment that says `chosen`: the next one, or all that follow."""
    text = (ROOT / "src" / "crmarena" / path).read_text(encoding="utf-8")
    if onwards:
        return set(re.findall(r'^    "(\w+)": \(', text[text.index("# chosen") :], re.MULTILINE))
    return set(re.findall(r'# chosen[^\n]*\n    "(\w+)": \(', text))


@pytest.mark.parametrize(
    ("section", "path", "onwards"),
    [("Errors of SOQL", "soql/texts.py", False), ("Errors of SOSL", "sosl/faults.py", True)],
)
def test_what_is_chosen_is_marked_so_in_the_code(section: str, path: str, onwards: bool) -> None:
    chosen = {row.code("error") for row in of(section) if row.cells["state"] == "chosen"}
    assert chosen == chosen_in(path, onwards=onwards)


def constants() -> Iterator[tuple[str, int]]:
    """The limits that the modules of both languages name."""
    for package in (crmarena.soql, crmarena.sosl):
        for found in pkgutil.iter_modules(package.__path__):
            module = importlib.import_module(f"{package.__name__}.{found.name}")
            source = Path(module.__file__ or "").read_text(encoding="utf-8")
            assigned = re.findall(r"^((?:[A-Z_]+, )*[A-Z_]+)(?:: \w+)? = ", source, re.MULTILINE)
            for name in ", ".join(assigned).split(", "):
                if LIMITS.fullmatch(name) and not name.startswith("_"):
                    yield (
                        f"{package.__name__}.{found.name}.{name}".removeprefix("crmarena."),
                        getattr(module, name),
                    )


def test_the_limits_are_those_of_the_code() -> None:
    listed = {
        row.code("constant"): int(row.cells["value"])
        for section in ("Limits of SOQL", "Limits of SOSL")
        for row in of(section)
    }
    assert listed == dict(constants())

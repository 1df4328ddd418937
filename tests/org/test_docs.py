"""docs/writes.md says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

from crmarena.org import faults
from crmarena.org.org import open_org
from crmarena.org.writable import WritableSession

PAGE = (Path(__file__).parents[2] / "docs" / "writes.md").read_text(encoding="utf-8")


def first_cells(heading: str) -> list[str]:
    section = PAGE.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return [line.split("|")[1] for line in section.splitlines() if line.startswith("| ")][1:]


def test_the_page_lists_every_error_code_and_no_other() -> None:
    listed = {code for cell in first_cells("Errors") for code in re.findall(r"[A-Z_]{5,}", cell)}
    assert listed == {code for code, _, _ in faults.TEXTS.values()}


def test_the_page_lists_every_call_that_writes() -> None:
    calls = set(re.findall(r"`(\w+)[(`]", PAGE.split("## Changes")[0]))
    writes = {name for name in vars(WritableSession) if not name.startswith("_")}
    assert writes - calls == {"close", "searching"}


def test_the_example_of_the_page_runs(written_org: Path) -> None:
    code = PAGE.split("```python\n", 1)[1].split("```", 1)[0]
    said: list[tuple[object, ...]] = []
    names = {"print": lambda *values: said.append(values)}
    exec(code.replace('"arenas/seven"', repr(str(written_org))), names)
    assert [line[:2] for line in said] == [("insert", "Account")]
    with open_org(written_org) as org:
        assert org.query("SELECT COUNT() FROM Account").total_size == 2

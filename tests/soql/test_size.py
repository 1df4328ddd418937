"""Queries as large and as deep as anybody sends them: answered or refused, in little memory and stack."""

from __future__ import annotations

import threading
import tracemalloc
from collections.abc import Callable, Iterator

import pytest

from crmarena.clock import Clock
from crmarena.errors import SalesforceError
from crmarena.org.session import Session
from crmarena.schema.ids import make_id
from crmarena.soql.parse import MAX_LENGTH
from crmarena.soql.run import clear_plan_cache, run_query
from crmarena.sosl.search import run_search
from crmarena.storage.database import Database
from tests.soql.strategy_terms import paths

STACK = 512 * 1024
"""The bytes of stack that a query may use: far less than any thread of a server has."""
MEMORY = 150 * 1024 * 1024
"""The bytes that a query may use while it is parsed and run."""
DEEP = 1_000
RAN = "ran"


def named(count: int) -> str:
    """So many different fields, through parents where the object has too few."""
    stored = [path.text for path in paths("Case", 3) if path.field.stored]
    return ", ".join(dict.fromkeys(stored[:count]))


def listed(count: int, value: Callable[[int], str]) -> str:
    """So many values."""
    return ", ".join(map(value, range(count)))


def quoted(number: int) -> str:
    """A text."""
    return f"'{number}'"


def filtered(condition: str) -> str:
    """A query with a condition."""
    return f"SELECT Id FROM Case WHERE {condition}"


def padded(length: int) -> str:
    """A query of so many characters."""
    text = "SELECT Id FROM Case WHERE Subject IN ('" + "', '".join(["x" * 996] * (length // 1_000))
    return f"{text[: length - 2]}')"


def children(depth: int) -> str:
    """Child queries within child queries."""
    inner = "SELECT Id FROM Cases"
    for _ in range(depth):
        inner = f"SELECT Id, ({inner}) FROM Cases"
    return f"SELECT Id, ({inner}) FROM Account"


TOO_MUCH = "QUERY_TOO_COMPLICATED"
MALFORMED = "MALFORMED_QUERY"
CASES: dict[str, tuple[str, str]] = {
    "100 kB of values": (padded(MAX_LENGTH), RAN),
    "one character more": (padded(MAX_LENGTH) + " ", MALFORMED),
    "1 MB": ("SELECT Id FROM Case WHERE Subject = '" + "x" * 1_000_000 + "'", MALFORMED),
    "100 kB of blanks": ("SELECT Id" + " \n" * 49_000 + "FROM Case", RAN),
    "100 kB of OR": (filtered(" OR ".join(["Subject = 'a'"] * 5_500)), RAN),
    "100 kB of AND NOT": (filtered(" AND ".join(["NOT Subject = 'a'"] * 4_400)), RAN),
    "100 kB of LIKE": (filtered(" OR ".join(["Subject LIKE '%a%b%'"] * 4_000)), RAN),
    "100 kB of words": ("SELECT " + "a " * 49_000, MALFORMED),
    "100 kB of one name": ("SELECT " + "a" * 99_000 + " FROM Case", "INVALID_FIELD"),
    "100 kB of one path": ("SELECT " + "a." * 49_000 + "a FROM Case", "INVALID_FIELD"),
    "100 kB of commas": ("SELECT Id" + "," * 99_000, MALFORMED),
    "100 kB of quotes": (filtered("Subject = " + "'" * 99_000), MALFORMED),
    "100 kB of backslashes": (filtered("Subject = '" + "\\" * 99_000), MALFORMED),
    "100 kB of digits": (filtered("Subject = " + "9" * 99_000), MALFORMED),
    "a LIMIT of 90,000 digits": ("SELECT Id FROM Case LIMIT " + "9" * 90_000, MALFORMED),
    "a count of 90,000 digits": (filtered("CreatedDate < N_DAYS_AGO:" + "9" * 90_000), RAN),
    "a text of 4,000 characters": (filtered(f"Subject = '{'x' * 4_000}'"), RAN),
    "a text of 4,001 characters": (filtered(f"Subject = '{'x' * 4_001}'"), MALFORMED),
    "a pattern of 4,000 marks": (filtered(f"Subject LIKE '{'%_' * 2_000}'"), RAN),
    "parentheses": (filtered("(" * DEEP + "Subject = 'a'" + ")" * DEEP), TOO_MUCH),
    "open parentheses": (filtered("(" * 90_000), TOO_MUCH),
    "NOT": (filtered("NOT " * DEEP + "Subject = 'a'"), TOO_MUCH),
    "NOT in parentheses": (filtered("(NOT " * DEEP + "Subject = 'a'" + ")" * DEEP), TOO_MUCH),
    "AND in OR": (filtered("(a = 1 OR (b = 2 AND " * DEEP + "c = 3" + "))" * DEEP), TOO_MUCH),
    "functions": (filtered("MAX(" * DEEP + "Subject" + ")" * DEEP + " = 'a'"), MALFORMED),
    "child queries": (children(DEEP), TOO_MUCH),
    "child queries of six levels": (children(5), MALFORMED),
    "semi-joins": (
        filtered("AccountId IN (SELECT Id FROM Account WHERE " * DEEP + "Name = 'a'" + ")" * DEEP),
        TOO_MUCH,
    ),
    "branches of TYPEOF": (
        f"SELECT TYPEOF What {' '.join(['WHEN Account THEN Name'] * DEEP)} END FROM Task",
        MALFORMED,
    ),
    "10,000 texts": (filtered(f"Subject IN ({listed(10_000, quoted)})"), RAN),
    "10,000 texts beyond ASCII": (filtered(f"Subject NOT IN ('\u00e9', {listed(9_900, quoted)})"), RAN),
    "10,000 numbers": ("SELECT Id FROM Opportunity WHERE Amount IN (" + listed(10_000, str) + ")", RAN),
    "4,000 Ids": (filtered(f"Id IN ({listed(4_000, lambda n: repr(make_id('500', 'Wt', n)))})"), RAN),
    "5,000 days": (
        f"SELECT Id FROM Opportunity WHERE CloseDate IN ({listed(5_000, lambda n: '2024-01-01')})",
        RAN,
    ),
    "5,000 relative days": (
        f"SELECT Id FROM Opportunity WHERE CloseDate IN ({listed(5_000, lambda n: f'N_DAYS_AGO:{n}')})",
        RAN,
    ),
    "5,000 choices": (
        f"SELECT Id FROM Contact WHERE Languages__c INCLUDES ({listed(5_000, quoted)})",
        RAN,
    ),
    "1,000 fields": (f"SELECT {named(1_000)} FROM Case", RAN),
    "2,500 fields": (f"SELECT {named(2_500)} FROM Case", MALFORMED),
    "one field 10,000 times": ("SELECT " + ", ".join(["Id"] * 10_000) + " FROM Case", "INVALID_FIELD"),
    "5,000 aggregates": (f"SELECT {listed(5_000, lambda n: f'COUNT(Id) c{n}')} FROM Case", TOO_MUCH),
    "5,000 sort keys": (f"SELECT Id FROM Case ORDER BY {', '.join(['Subject'] * 5_000)}", MALFORMED),
    "5,000 groups": (f"SELECT COUNT(Id) FROM Case GROUP BY {', '.join(['Status'] * 5_000)}", MALFORMED),
    "3,000 HAVING tests": (
        "SELECT COUNT(Id) FROM Case GROUP BY Status HAVING " + " OR ".join(["COUNT(Id) > 1"] * 3_000),
        RAN,
    ),
    "3,000 parents in FROM": ("SELECT Id FROM Case c" + ", c.Account a" * 3_000, RAN),
    "60 parents": ("SELECT " + ", ".join(f"{p}.Id" for p in ["a.b.c"] * 60) + " FROM Case", "INVALID_FIELD"),
    "3,500 child queries": ("SELECT Id" + ", (SELECT Id FROM Contacts)" * 3_500 + " FROM Account", MALFORMED),
    "4,000 data categories": (
        "SELECT Id FROM Knowledge__kav WITH DATA CATEGORY " + " AND ".join(["a AT b"] * 4_000),
        MALFORMED,
    ),
    "an alias of 90,000 characters": (f"SELECT COUNT(Id) {'a' * 90_000} FROM Case", RAN),
}
SEARCHES: dict[str, tuple[str, str]] = {
    "100 kB": ("FIND {" + "ab " * 33_000 + "}", RAN),
    "1 MB": ("FIND {" + "ab " * 330_000 + "}", "MALFORMED_SEARCH"),
    "parentheses": ("FIND {" + "(" * DEEP + "ab" + ")" * DEEP + "}", "MALFORMED_SEARCH"),
    "AND NOT": ("FIND {ab" + " AND NOT ab" * 300 + "}", "MALFORMED_SEARCH"),
    "OR": ("FIND {ab" + " OR ab" * 600 + "}", RAN),
    "wildcards": ("FIND {" + "a*b*" * 900 + "}", RAN),
    "a phrase": ('FIND {"' + "ab " * 1_300 + '"}', RAN),
    "objects": ("FIND {ab} RETURNING " + ", ".join(["Account(Id)"] * 5_000), "MALFORMED_SEARCH"),
    "10,000 values": (
        f"FIND {{ab}} RETURNING Account(Id WHERE Name IN ({listed(10_000, quoted)}))",
        RAN,
    ),
    "deep conditions": (
        "FIND {ab} RETURNING Account(Id WHERE " + "(" * DEEP + "Name = 'a'" + ")" * DEEP + ")",
        TOO_MUCH,
    ),
}


FENCED = {
    "blanks": ("```sql\n" + " \n" * 49_000 + "SELECT Id FROM Case\n```", RAN),
    "no end": ("```sql\n" + " \n" * 49_000 + "SELECT Id FROM Case", MALFORMED),
    "fences": ("```\n" * 24_000, MALFORMED),
    "ticks": ("`" * 99_000, MALFORMED),
}


@pytest.fixture(autouse=True)
def small_stack() -> Iterator[None]:
    """Threads of little stack, and no plan kept."""
    before = threading.stack_size(STACK)
    yield
    threading.stack_size(before)
    clear_plan_cache()


def ends(ask: Callable[[], object]) -> str:
    """How a request ends that has little stack, and is measured."""
    found: list[str] = []

    def run() -> None:
        try:
            ask()
            found.append(RAN)
        except SalesforceError as error:
            found.append(error.error_code)

    tracemalloc.start()
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < MEMORY
    (end,) = found
    return end


@pytest.mark.parametrize("name", CASES)
def test_a_large_query_is_answered_or_refused(database: Database, clock: Clock, name: str) -> None:
    text, expected = CASES[name]
    assert ends(lambda: run_query(database, text, clock).records) == expected


@pytest.mark.parametrize("name", SEARCHES)
def test_a_large_search_is_answered_or_refused(database: Database, clock: Clock, name: str) -> None:
    text, expected = SEARCHES[name]
    assert ends(lambda: run_search(database, text, clock).records) == expected


@pytest.mark.parametrize("name", FENCED)
def test_a_large_fence_is_taken_off_or_refused(database: Database, clock: Clock, name: str) -> None:
    text, expected = FENCED[name]
    assert ends(lambda: Session(database, clock).run(text).records) == expected

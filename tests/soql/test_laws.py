"""Laws of every query: it prints to what parses to its tree; it runs or is refused; it changes nothing."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import event, given

from crmarena.clock import Clock
from crmarena.errors import SalesforceError
from crmarena.soql.print import to_text
from crmarena.soql.run import parse_text, run_query
from crmarena.soql.viewer import Viewer
from crmarena.storage.database import Database
from tests.laws import law
from tests.soql.conftest import record_id
from tests.soql.strategies import mutated, queries

ANN = Viewer(user_id=record_id("User", 1), zone="America/New_York")


class Watched:
    """An org open for writing, of which every query leaves every byte as it was."""

    def __init__(self, database: Database) -> None:
        assert database.path is not None
        self.database = database
        self.path: Path = database.path
        self.before = self.path.read_bytes()

    def outcome(self, text: str, clock: Clock) -> str:
        """How a query ends."""
        changes = self.database.connection.total_changes
        try:
            found = run_query(self.database, text, clock, viewer=ANN)
            assert found.total_size >= len(found.records)
            assert found.to_rest()["totalSize"] == found.total_size
            ended = "ran"
        except SalesforceError as error:
            ended = error.error_code
        assert ended
        assert self.database.connection.total_changes == changes
        assert not self.database.connection.in_transaction
        assert self.path.read_bytes() == self.before
        return ended


@pytest.fixture
def watched(database: Database) -> Watched:
    """The small org, watched."""
    return Watched(database)


def check_print(text: str) -> None:
    """Assert that a query prints to what parses to its tree."""
    try:
        tree = parse_text(text)
    except SalesforceError:
        return
    assert parse_text(to_text(tree)) == tree


def test_a_drawn_query_prints_runs_or_is_refused_and_changes_nothing(watched: Watched, clock: Clock) -> None:
    ends: Counter[str] = Counter()

    @law(500)
    @given(text=queries())
    def drawn(text: str) -> None:
        check_print(text)
        ended = watched.outcome(text, clock)
        event(ended)
        ends[ended] += 1

    drawn()
    share = ends["ran"] / ends.total()
    print(f"{ends.total()} queries drawn, {share:.0%} ran: {ends.most_common()}")
    assert share >= 0.4


@law(200)
@given(text=mutated())
def test_a_spoilt_query_runs_or_is_refused_and_changes_nothing(
    watched: Watched, clock: Clock, text: str
) -> None:
    check_print(text)
    event(watched.outcome(text, clock))

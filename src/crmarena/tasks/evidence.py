"""The records of an org from which the answers of the service families follow, as plain rows."""

from __future__ import annotations

import itertools
import sqlite3
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property

from crmarena.clock import parse_datetime, to_pacific
from crmarena.storage.database import Database
from crmarena.tasks.windows import On, Reading, Zone

_CASES = """
SELECT c.Id, c.OwnerId, c.CreatedDate, c.ClosedDate, c.Status, c.IssueId__c, i.Product2Id, a.ShippingState
FROM "Case" c
LEFT JOIN OrderItem i ON i.Id = c.OrderItemId__c
LEFT JOIN Account a ON a.Id = c.AccountId
ORDER BY c.CreatedDate, c.Id
"""
_ASSIGNMENTS = """
SELECT CaseId__c, OldValue__c, NewValue__c FROM CaseHistory__c
WHERE Field__c = 'Owner Assignment' ORDER BY CreatedDate, Id
"""


@dataclass(frozen=True)
class CaseRow:
    """One case and what its history says of it."""

    id: str
    owner: str
    created: str
    closed: str | None
    status: str
    issue: str | None
    product: str | None
    state: str | None
    given_to: tuple[str, ...]
    """Who the case was assigned to, in order of time."""
    passed_by: tuple[str, ...]
    """Whom it was taken from, in order of time."""

    @property
    def is_closed(self) -> bool:
        """Whether the case was closed."""
        return self.status == "Closed"

    @cached_property
    def seconds(self) -> float:
        """How long a closed case was open."""
        if self.closed is None:
            raise ValueError(f"Case {self.id} is not closed.")
        return (parse_datetime(self.closed) - parse_datetime(self.created)).total_seconds()

    @cached_property
    def months(self) -> dict[Zone, tuple[int, int]]:
        """Year and month of its creation in each zone."""
        created = parse_datetime(self.created)
        local = to_pacific(created)
        return {Zone.UTC: (created.year, created.month), Zone.PACIFIC: (local.year, local.month)}


@dataclass(frozen=True, eq=False)
class Evidence:
    """The cases of an org, by creation, and the records that answers are chosen from."""

    org_type: str
    cases: tuple[CaseRow, ...]
    names: dict[str, dict[str, str]]
    """Of users, products and issues: Id to name, earliest record first."""
    first_day: date
    """The day of the first order: an org's records begin with it."""

    def within(self, reading: Reading) -> Sequence[CaseRow]:
        """The cases inside a window."""
        return self.stretch(*self.span(reading))

    def span(self, reading: Reading) -> tuple[On, int, int]:
        """Which stretch of the cases a window takes: readings with one span hold the same cases."""
        dates = self._by_date[reading.on][1]
        start = bisect_left(dates, reading.begins)
        return reading.on, start, max(start, bisect_left(dates, reading.ends))

    def stretch(self, on: On, start: int, end: int) -> Sequence[CaseRow]:
        """The cases of a stretch that `span` gave."""
        return self._by_date[on][0][start:end]

    def of_product(self, product: str, reading: Reading) -> list[CaseRow]:
        """The cases inside a window whose order line has a product."""
        return [case for case in self.within(reading) if case.product == product]

    @cached_property
    def peaks(self) -> dict[tuple[str, int, int], Counter[str]]:
        """For each product, year and month how often each issue came up."""
        found: dict[tuple[str, int, int], Counter[str]] = {}
        for case in self.cases:
            if case.product and case.issue:
                key = (case.product, *case.months[Zone.UTC])
                found.setdefault(key, Counter())[case.issue] += 1
        return found

    @cached_property
    def closers(self) -> Counter[str]:
        """How many cases each user closed."""
        return Counter(case.owner for case in self.cases if case.is_closed)

    @cached_property
    def last_day(self) -> date:
        """The day of the newest case."""
        return parse_datetime(self.cases[-1].created).date()

    @cached_property
    def quiet(self) -> list[tuple[date, date]]:
        """First and last day of each stretch of ten days or more without a case opened or closed.

        The year before the first order is one of them, joined to the time before the first case.
        """
        days = sorted({self.first_day - timedelta(days=366), *self._busy_days()})
        return [
            (before + timedelta(days=1), after - timedelta(days=1))
            for before, after in itertools.pairwise(days)
            if (after - before).days > 10
        ]

    def _busy_days(self) -> Iterable[date]:
        for case in self.cases:
            yield parse_datetime(case.created).date()
            if case.closed:
                yield parse_datetime(case.closed).date()

    @cached_property
    def _by_date(self) -> dict[On, tuple[list[CaseRow], list[str]]]:
        created = sorted(self.cases, key=lambda c: (c.created, c.id))
        closed = sorted((c for c in self.cases if c.closed), key=lambda c: (c.closed or "", c.id))
        return {
            On.CREATED: (created, [c.created for c in created]),
            On.CLOSED: (closed, [c.closed or "" for c in closed]),
        }


def read_evidence(database: Database) -> Evidence:
    """The evidence in an org file."""
    connection = database.connection
    given: dict[str, list[str]] = {}
    passed: dict[str, list[str]] = {}
    for case_id, old, new in connection.execute(_ASSIGNMENTS):
        given.setdefault(case_id, []).append(new)
        if old:
            passed.setdefault(case_id, []).append(old)
    cases = (
        CaseRow(*(*row, tuple(given.get(row[0], ())), tuple(passed.get(row[0], ()))))
        for row in connection.execute(_CASES)
    )
    (first,) = connection.execute('SELECT min(EffectiveDate) FROM "Order"').fetchone()
    return Evidence(
        org_type=database.schema.org_type,
        cases=tuple(cases),
        names={name: _names(connection, name) for name in ("User", "Product2", "Issue__c")},
        first_day=date.fromisoformat(first),
    )


def _names(connection: sqlite3.Connection, table: str) -> dict[str, str]:
    return dict(connection.execute(f'SELECT Id, Name FROM "{table}" ORDER BY CreatedDate, Id'))

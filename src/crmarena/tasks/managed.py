"""Cases that agents managed in a window: what handle_time and transfer_count have in common."""

from __future__ import annotations

import functools
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import partial
from typing import Any

from crmarena.tasks.draws import Shape, draw_window
from crmarena.tasks.evidence import CaseRow, Evidence
from crmarena.tasks.fairness import Draft, Verdict, agreed
from crmarena.tasks.windows import On, Past, Reading, Unit, Window, parse_window, plain_reading, readings

Ask = Callable[[str], list[dict[str, Any]]]
Derive = Callable[[Evidence, Mapping[str, Any], Reading], Verdict]

SHAPES: tuple[Shape, ...] = (
    (Unit.DAY, 20, 90),
    (Unit.WEEK, 2, 12),
    (Unit.MONTH, 1, 6),
    (Unit.QUARTER, 1, 4),
    "month",
    "quarter",
    "season",
)
_MOST = 12
"""The largest number in "managed more than N cases"."""
_TRIED = 2


@dataclass
class Tally:
    """What the cases of a window say of each agent."""

    managed: Counter[str] = field(default_factory=Counter)
    """Cases assigned to the agent, first or later."""
    passed: Counter[str] = field(default_factory=Counter)
    """Transfers away from the agent."""
    seconds: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """How long the agent's closed cases with a single assignment took."""


@functools.lru_cache(maxsize=64)
def tally(evidence: Evidence, on: On, start: int, end: int) -> Tally:
    """The tally of a stretch of the cases (`Evidence.span`)."""
    found = Tally()
    for case in evidence.stretch(on, start, end):
        found.managed.update(set(case.given_to))
        found.passed.update(case.passed_by)
        if case.is_closed and len(case.given_to) == 1:
            found.seconds[case.owner].append(case.seconds)
    return found


@dataclass(frozen=True)
class Question:
    """What the two families differ in."""

    derive: Derive
    closed_too: bool
    averages: tuple[bool | None, ...] = (None,)
    """Whether totals or averages are asked for; None where there is nothing to choose."""

    def parameters(
        self, window: Window, more_than: int, lowest: bool, average: bool | None
    ) -> dict[str, Any]:
        """The parameters of an instance."""
        chosen = {} if average is None else {"average": average}
        return {"window": window.as_dict(), "more_than": more_than, "lowest": lowest, **chosen}


def sample(question: Question, evidence: Evidence, rng: random.Random, kind: str) -> Iterator[Draft | None]:
    """Fair instances of a kind (`plain`, `none`) without end; None for each attempt that gave none."""
    while True:
        window, today = _window(evidence, rng, quiet=kind == "none" and rng.random() < 0.4)
        yield next(_fair(question, evidence, rng, kind, window, today), None)


def _fair(
    question: Question, evidence: Evidence, rng: random.Random, kind: str, window: Window, today: date
) -> Iterator[Draft]:
    ways = distinct(evidence, readings(window, closed_too=question.closed_too))
    for more_than, lowest, average in _filters(question, evidence, ways, rng, kind):
        parameters = question.parameters(window, more_than, lowest, average)
        verdict = agreed(partial(question.derive, evidence, parameters), ways)
        if verdict is not None and (verdict.answer is None) == (kind == "none"):
            yield _draft(evidence, parameters, verdict, window, today)


def distinct(evidence: Evidence, ways: Sequence[Reading]) -> list[Reading]:
    """One reading for each different set of cases, the plain one first."""
    found: dict[tuple[On, int, int], Reading] = {}
    for way in ways:
        found.setdefault(evidence.span(way), way)
    return list(found.values())


def shortcuts(evidence: Evidence, cases: Sequence[CaseRow]) -> dict[str, str | None]:
    """Guesses that need no reasoning: by Id, by date, by number of records."""
    users = [user for user in evidence.names["User"] if user in evidence.closers]
    owners = Counter(case.owner for case in cases)
    return {
        "first Id": min(users),
        "last Id": max(users),
        "oldest record": users[0],
        "newest record": users[-1],
        "most cases": max(evidence.closers, key=lambda user: (evidence.closers[user], user)),
        "most cases in the window": max(owners, key=lambda user: (owners[user], user), default=None),
        "first case in the window": cases[0].owner if cases else None,
        "last case in the window": cases[-1].owner if cases else None,
    }


def choices(evidence: Evidence) -> int:
    """How many answers a question could have."""
    return len(evidence.closers)


def ask_assignments(ask: Ask, way: Reading) -> list[dict[str, Any]]:
    """The Owner Assignments of the cases created in a window."""
    return ask(
        "SELECT CaseId__c, OldValue__c, NewValue__c FROM CaseHistory__c "
        "WHERE Field__c = 'Owner Assignment' "
        f"AND CaseId__r.CreatedDate >= {way.begins} AND CaseId__r.CreatedDate < {way.ends}"
    )


def ask_managed(assignments: Sequence[Mapping[str, Any]]) -> Counter[str]:
    """How many different cases each user was assigned, from the records of `ask_assignments`."""
    return Counter(user for user, _ in {(a["NewValue__c"], a["CaseId__c"]) for a in assignments})


def asked_window(parameters: Mapping[str, Any]) -> Reading:
    """The plain reading of an instance's window."""
    return plain_reading(parse_window(parameters["window"]))


def _window(evidence: Evidence, rng: random.Random, *, quiet: bool) -> tuple[Window, date]:
    if quiet and evidence.quiet:
        return quiet_window(evidence, rng, SHAPES)
    return draw_window(rng, SHAPES, *busy_days(evidence))


def quiet_window(evidence: Evidence, rng: random.Random, shapes: Sequence[Shape]) -> tuple[Window, date]:
    """A window in or near a stretch of days in which nothing happened."""
    first, last = rng.choice(evidence.quiet)
    start = max(first, evidence.first_day)
    window, today = draw_window(rng, shapes, start, last + timedelta(days=1))
    if not isinstance(window, Past) or window.days[0] >= first:
        return window, today
    # Too long by far: a shorter one of a unit drawn anew.
    today = min(today, last)
    room = (today - first).days + 1
    unit, length = rng.choice(((Unit.DAY, 1), (Unit.WEEK, 7), (Unit.MONTH, 31), (Unit.QUARTER, 92)))
    return Past(max(1, rng.randint(1, max(1, room // length))), unit, today), today


def busy_days(evidence: Evidence) -> tuple[date, date]:
    """The days between which windows with cases are drawn."""
    return date.fromisoformat(evidence.cases[0].created[:10]) + timedelta(days=20), evidence.last_day


def _filters(
    question: Question, evidence: Evidence, ways: Sequence[Reading], rng: random.Random, kind: str
) -> list[tuple[int, bool, bool | None]]:
    """Filters to try on a window: those that someone passes, or those that nobody does."""
    most = max((_most_managed(evidence, way) for way in ways), default=0)
    if kind == "none":
        numbers = [most + rng.randrange(2)] if most else [rng.randrange(4)]
        numbers = [number for number in numbers if number <= _MOST]
    else:
        numbers = rng.sample(range(min(most, _MOST)), min(most, _TRIED))
    directions = rng.sample((True, False), 2)
    return [(n, lowest, rng.choice(question.averages)) for n in numbers for lowest in directions]


def _most_managed(evidence: Evidence, way: Reading) -> int:
    return max(tally(evidence, *evidence.span(way)).managed.values(), default=0)


def _draft(
    evidence: Evidence, parameters: dict[str, Any], verdict: Verdict, window: Window, today: date
) -> Draft:
    cases = evidence.within(plain_reading(window))
    words = {"direction": "lowest" if parameters["lowest"] else "highest"}
    if "average" in parameters:
        words["measure"] = f"{words['direction']} {'average' if parameters['average'] else 'total'}"
    return Draft(
        parameters=parameters,
        verdict=verdict,
        today=today,
        words=words,
        shortcuts=shortcuts(evidence, cases),
    )

"""What makes an instance fair: one clear answer, the same under every reading, no shortcut to it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from crmarena.tasks.windows import Reading

NONE_SHARE = 0.2
NONE_BOUNDS = (0.15, 0.25)
TIE_BREAK_SHARE = 0.3
TIE_BREAK_BOUNDS = (0.2, 0.4)
CLEAR_SHARE = 0.05
"""By how much an average must lead."""
_SAME_PARAMETERS = 1
_FEWEST_CANDIDATES = 3


@dataclass(frozen=True)
class Verdict:
    """What the rows say."""

    answer: str | None
    runner_up: str | None = None
    margin: float = 0.0
    """How far the runner-up is behind: a count, or a share for averages."""
    clear: bool = True
    """Whether that is far enough."""
    value: float | None = None
    """What the answer scored at the deciding criterion."""
    rows: int = 0
    """How many records the answer rests on."""
    decided_by: str = ""
    """The criterion that decided, where there are several."""


@dataclass(frozen=True)
class Draft:
    """A fair instance before it is worded."""

    parameters: Mapping[str, Any]
    """What the oracle works from."""
    verdict: Verdict
    today: date
    words: Mapping[str, str]
    """What the wording's blanks are filled with."""
    shortcuts: Mapping[str, str | None] = field(default_factory=dict)
    """What each shortcut would answer."""
    evidence: Mapping[str, Any] = field(default_factory=dict)
    """Further facts of the derivation."""

    @property
    def key(self) -> str:
        """The parameters as one text."""
        return repr(sorted(self.parameters.items()))


def lead(values: Mapping[str, float], *, lowest: bool, by_count: bool) -> Verdict:
    """Who leads, and whether clearly: by 1 where values are counts, by 5% where they are averages.

    Among fewer than three it takes no looking: not clear. No candidate at all is a clear None.
    """
    if not values:
        return Verdict(None)
    ranked = sorted(values, key=lambda name: (values[name] if lowest else -values[name], name))
    best = values[ranked[0]]
    if len(ranked) < _FEWEST_CANDIDATES:
        return Verdict(ranked[0], clear=False, value=best)
    second = values[ranked[1]]
    low, high = sorted((best, second))
    margin = high - low if by_count else _share(low, high)
    clear = margin >= (1 if by_count else CLEAR_SHARE)
    return Verdict(ranked[0], ranked[1], margin, clear, best)


def agreed(judge: Callable[[Reading], Verdict], ways: Iterable[Reading]) -> Verdict | None:
    """The verdict of the first reading if every reading gives its answer, and clearly; else None."""
    first: Verdict | None = None
    for reading in ways:
        verdict = judge(reading)
        if not verdict.clear or (first is not None and verdict.answer != first.answer):
            return None
        first = first or verdict
    return first


def bound(choices: int) -> float:
    """The largest share of a family that one constant answer, or one shortcut, may get right."""
    return max(0.1, 1.5 / max(1, choices))


@dataclass(frozen=True)
class Quotas:
    """How many instances of each kind a family may hold."""

    asked: int
    choices: int
    """How many answers a question could have."""
    may_be_none: bool
    breaks_ties: bool = False
    """Whether a share of the instances must be decided at a tie-break."""

    @property
    def same(self) -> int:
        """How often one answer may be given, or one shortcut be right."""
        return max(1, math.floor(bound(self.choices) * self.asked + 1e-9))

    @property
    def none(self) -> int:
        """How many instances have no answer."""
        return round(NONE_SHARE * self.asked) if self.may_be_none else 0

    @property
    def tie_breaks(self) -> int:
        """How many instances are decided at a tie-break."""
        return round(TIE_BREAK_SHARE * self.asked) if self.breaks_ties else 0

    def kind_room(self, kind: str) -> int:
        """How many instances of a kind (`none`, `tie-break`, `plain`) there may be."""
        plain = self.asked - self.none - self.tie_breaks
        return {"none": self.none, "tie-break": self.tie_breaks, "plain": plain}[kind]


class Selection:
    """The instances chosen so far, held within the quotas."""

    def __init__(self, quotas: Quotas) -> None:
        self.quotas = quotas
        self.drafts: list[Draft] = []
        self._kinds: Counter[str] = Counter()
        self._answers: Counter[str] = Counter()
        self._shortcuts: Counter[str] = Counter()
        self._keys: Counter[str] = Counter()

    def lacks(self, kind: str) -> bool:
        """Whether there is room for another instance of a kind."""
        return self._kinds[kind] < self.quotas.kind_room(kind)

    @property
    def full(self) -> bool:
        """Whether all that was asked for is there."""
        return len(self.drafts) >= self.quotas.asked

    def offer(self, draft: Draft) -> bool:
        """Take an instance if no quota is against it."""
        answer, hits = draft.verdict.answer, shortcut_hits(draft)
        allowed = (
            self.lacks(kind_of(draft))
            and self._keys[draft.key] < _SAME_PARAMETERS
            and (answer is None or self._answers[answer] < self.quotas.same)
            and all(self._shortcuts[name] < self.quotas.same for name in hits)
        )
        if allowed:
            self.drafts.append(draft)
            self._kinds[kind_of(draft)] += 1
            self._keys[draft.key] += 1
            self._shortcuts.update(hits)
            if answer is not None:
                self._answers[answer] += 1
        return allowed


def kind_of(draft: Draft) -> str:
    """The kind of instance that quotas count: `none`, `tie-break` or `plain`."""
    if draft.verdict.answer is None:
        return "none"
    return "tie-break" if draft.verdict.decided_by in {"product", "workload"} else "plain"


def shortcut_hits(draft: Draft) -> list[str]:
    """The shortcuts that would give the right answer."""
    answer = draft.verdict.answer
    return [name for name, guess in draft.shortcuts.items() if guess == answer and answer is not None]


def choose(pool: Iterable[Draft], quotas: Quotas) -> list[Draft]:
    """As many instances of a pool as can be had with all quotas kept, up to what was asked for."""
    drafts = list(pool)
    for size in range(min(quotas.asked, len(drafts)), 0, -1):
        selection = Selection(replace(quotas, asked=size))
        for draft in drafts:
            selection.offer(draft)
        if selection.full:
            return selection.drafts
    return []


def _share(low: float, high: float) -> float:
    if low <= 0:
        return math.inf if high > 0 else 0.0
    return high / low - 1

"""The latent variables of an org: drawn from the seed, shaping the records, written nowhere."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from datetime import date, timedelta

from crmarena.clock import add_months
from crmarena.generator.profile import Profile, first_year
from crmarena.generator.worktime import Worktime
from crmarena.seeds import Seeds

_MONTHS_BEFORE_LAUNCH = 6
_MONTHS = 36
_CLOSURES = (14, 25)
"""The months, counted from the first, in which the service desk is closed."""
_BLOCK = 2
"""Months for which an agent's and a region's form holds."""
_SURGE_SHARE = 0.34
_TWIN_SHARE = 0.3


@dataclass(frozen=True)
class ShoppingHabit:
    """What, when and how much an account orders."""

    products: tuple[float, ...]
    """Weight of each product."""
    months: tuple[float, ...]
    """Weight of each month of the year."""
    frequency: float
    items: float
    """Mean number of lines of an order."""


@dataclass(frozen=True)
class ComplaintHabit:
    """What an account complains of, when and how often."""

    issues: tuple[float, ...]
    months: tuple[float, ...]
    frequency: float


@dataclass(frozen=True)
class Skill:
    """How well an agent solves each issue, and how readily the agent passes cases on."""

    issues: tuple[float, ...]
    passing: tuple[float, ...]
    """Weight of passing a case on, for each block of months."""
    load: float
    """Weight of being given cases that stay open."""


@dataclass(frozen=True)
class ResponseTime:
    """How long an agent works on a case, as a factor."""

    usual: float
    form: tuple[float, ...]
    """A further factor for each block of months."""


@dataclass(frozen=True)
class Surge:
    """A month in which many customers complain of one product, mostly for one reason."""

    product: int
    month: int
    """Counted from the launch."""
    issue: int
    size: int


@dataclass(frozen=True)
class Plan:
    """Every latent variable of one org."""

    profile: Profile
    seed: int
    scale: float
    worktime: Worktime
    shopping: tuple[ShoppingHabit, ...]
    complaints: tuple[ComplaintHabit, ...]
    skills: tuple[Skill, ...]
    response_times: tuple[ResponseTime, ...]
    regions: tuple[tuple[float, ...], ...]
    """How long cases of a state take, as a factor for each block of months."""
    experts: tuple[tuple[int, ...], ...]
    """For each issue the agents who solved most cases of it; several solved equally many."""
    surges: tuple[Surge, ...]

    def count(self, object_name: str) -> int:
        """How many records of an object the org gets."""
        return self.profile.count(object_name, self.scale)

    def block(self, day: date) -> int:
        """The block of months, counted from the launch, that a day falls into."""
        launch = self.worktime.launch
        months = (day.year - launch.year) * 12 + day.month - launch.month
        return max(0, months) // _BLOCK


def make_plan(profile: Profile, seed: int, scale: float) -> Plan:
    """Draw the latent variables of an org."""
    seeds = Seeds(seed, profile.org_type)
    worktime = _worktime(seed)
    agents = agent_count(profile.count("Case", scale))
    accounts = profile.count("Account", scale)
    blocks = math.ceil(len(worktime.months) / _BLOCK)
    experts = _experts(seeds.random("plan", "experts"), len(profile.issues), agents)
    return Plan(
        profile=profile,
        seed=seed,
        scale=scale,
        worktime=worktime,
        shopping=_shopping(seeds.random("plan", "shopping"), profile, accounts),
        complaints=_complaints(seeds.random("plan", "complaints"), profile, accounts),
        skills=_skills(seeds.random("plan", "skills"), experts, agents, blocks),
        response_times=_response_times(seeds.random("plan", "response"), agents, blocks),
        regions=_regions(seeds.random("plan", "regions"), len(profile.states), blocks),
        experts=experts,
        surges=_surges(seeds.random("plan", "surges"), profile, scale, worktime),
    )


def agent_count(cases: int) -> int:
    """How many users work on an org's cases."""
    return max(8, round(0.8 * math.sqrt(cases)))


def _worktime(seed: int) -> Worktime:
    first = date(first_year(seed), 1, 1)
    closures = []
    for month in _CLOSURES:
        start = add_months(first, month)
        closures.append((start - timedelta(days=4), add_months(start, 1) + timedelta(days=6)))
    return Worktime(
        first=first,
        launch=add_months(first, _MONTHS_BEFORE_LAUNCH),
        last=add_months(first, _MONTHS) - timedelta(days=1),
        closures=tuple(closures),
    )


def _shopping(rng: random.Random, profile: Profile, accounts: int) -> tuple[ShoppingHabit, ...]:
    habits = []
    for _ in range(accounts):
        liking = {category: rng.lognormvariate(0, 1) for category in profile.categories}
        products = tuple(max(liking[c] for c in product.categories) for product in profile.products)
        habits.append(
            ShoppingHabit(
                products=products,
                months=_season(rng),
                frequency=rng.lognormvariate(0, 0.6),
                items=rng.uniform(0.5, 1.5),
            )
        )
    return tuple(habits)


def _complaints(rng: random.Random, profile: Profile, accounts: int) -> tuple[ComplaintHabit, ...]:
    return tuple(
        ComplaintHabit(
            issues=_weights(rng, len(profile.issues), 1.0),
            months=_season(rng),
            frequency=rng.lognormvariate(0, 0.6),
        )
        for _ in range(accounts)
    )


def _skills(
    rng: random.Random, experts: tuple[tuple[int, ...], ...], agents: int, blocks: int
) -> tuple[Skill, ...]:
    return tuple(
        Skill(
            issues=tuple(rng.lognormvariate(0, 0.5) + 4 * (agent in best) for best in experts),
            passing=_weights(rng, blocks, 0.9),
            load=rng.uniform(0.4, 2.0),
        )
        for agent in range(agents)
    )


def _response_times(rng: random.Random, agents: int, blocks: int) -> tuple[ResponseTime, ...]:
    """In each block of months one agent is much quicker and another much slower than usual."""
    forms = _form(rng, agents, blocks, quick=0.15, slow=4.0)
    return tuple(ResponseTime(usual=rng.lognormvariate(0, 0.15), form=form) for form in forms)


def _regions(rng: random.Random, states: int, blocks: int) -> tuple[tuple[float, ...], ...]:
    return _form(rng, states, blocks, quick=0.15, slow=2.0)


def _form(
    rng: random.Random, members: int, blocks: int, *, quick: float, slow: float
) -> tuple[tuple[float, ...], ...]:
    factors = [[1.0] * blocks for _ in range(members)]
    turn = rng.sample(range(members), members)
    for block in range(blocks):
        factors[turn[2 * block % members]][block] = quick
        factors[turn[(2 * block + 1) % members]][block] = slow
    return tuple(map(tuple, factors))


def _experts(rng: random.Random, issues: int, agents: int) -> tuple[tuple[int, ...], ...]:
    """Two issues in three have one best agent; on the others two or three are level."""
    sizes = [1] * (issues - issues // 3) + [2, 3] * (issues // 3)
    sizes = sizes[:issues]
    rng.shuffle(sizes)
    turn: list[int] = []
    chosen = []
    for size in sizes:
        if len(turn) < size:
            turn = rng.sample(range(agents), agents)
        chosen.append(tuple(turn.pop() for _ in range(size)))
    return tuple(chosen)


def _surges(rng: random.Random, profile: Profile, scale: float, worktime: Worktime) -> tuple[Surge, ...]:
    """Surges, and for some of them a second one of like size soon after: neither stands out then."""
    cases = profile.count("Case", scale)
    months = [k for k, month in enumerate(worktime.months) if len(_days(worktime, month)) > 15]
    usual = cases * (1 - _SURGE_SHARE) / len(profile.products) / len(months)
    least = 5 + math.ceil(2.2 * usual)
    room = min(_SURGE_SHARE * cases, 75 * math.sqrt(scale) * (least + 1))
    surges: list[Surge] = []
    products, reasons, turns = (_Turns(rng, n) for n in (_sold(profile), len(profile.issues), len(months)))
    while room >= least:
        surge = Surge(products.next(), months[turns.next()], reasons.next(), least + rng.randrange(3))
        surges.append(surge)
        room -= surge.size
        if rng.random() < _TWIN_SHARE:
            later = surge.month + rng.randrange(1, 5)
            if later in months:
                surges.append(Surge(surge.product, later, reasons.next(), surge.size + rng.randrange(-1, 2)))
                room -= surges[-1].size
    return tuple(surges)


class _Turns:
    """Numbers below a bound, each as often as any other, in no set order."""

    def __init__(self, rng: random.Random, bound: int) -> None:
        self._rng, self._bound = rng, bound
        self._left: list[int] = []

    def next(self) -> int:
        """The next number."""
        if not self._left:
            self._left = self._rng.sample(range(self._bound), self._bound)
        return self._left.pop()


def _sold(profile: Profile) -> int:
    """All products but the last, which is no longer sold."""
    return len(profile.products) - 1


def _days(worktime: Worktime, month: date) -> list[date]:
    return worktime.case_days(month, add_months(month, 1) - timedelta(days=1))


def _season(rng: random.Random) -> tuple[float, ...]:
    return _weights(rng, 12, 0.5)


def _weights(rng: random.Random, count: int, spread: float) -> tuple[float, ...]:
    return tuple(rng.lognormvariate(0, spread) for _ in range(count))

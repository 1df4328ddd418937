"""Plainly told queries to draw from, over the records and values of an org."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from hypothesis import strategies as st

from crmarena.clock import Clock
from crmarena.schema.fields import Field, FieldType
from crmarena.schema.ids import make_id
from crmarena.soql.run import run_query
from crmarena.soql.viewer import Viewer
from crmarena.storage.database import Database
from tests.soql.plain import (
    IDS,
    Among,
    Chosen,
    Compare,
    Condition,
    Days,
    Expression,
    Like,
    Opposite,
    Part,
    Path,
    Row,
    Semi,
    Several,
    World,
    instant,
)
from tests.soql.plain_queries import Child, Grouped, Key, Records, Total

TEXTS = frozenset(
    {FieldType.STRING, FieldType.PICKLIST, FieldType.COMBOBOX, FieldType.EMAIL, FieldType.PHONE}
)
NUMBERS = frozenset({FieldType.INT, FieldType.DOUBLE, FieldType.CURRENCY, FieldType.PERCENT})
DAYS = frozenset({FieldType.DATE, FieldType.DATETIME})
DRIVING = ["Case", "Case", "Contact", "Account", "Opportunity", "Opportunity", "Task", "Order", "OrderItem"]
NAME_FIELDS = {"Id": FieldType.ID, "Name": FieldType.STRING, "Type": FieldType.STRING}


@dataclass(frozen=True)
class Arena:
    """An org with records in it, told twice: to the engine and in plain dicts."""

    database: Database
    world: World
    clock: Clock
    viewer: Viewer

    def ask(self, soql: str) -> list[Row]:
        """The engine's answer."""
        return run_query(self.database, soql, self.clock, viewer=self.viewer).records

    @functools.cached_property
    def paths(self) -> dict[str, list[Path]]:
        """The paths from each object that may be asked for, over two relationships at most."""
        return {name: list(self._paths(name, name, (), 2)) for name in set(DRIVING)}

    def _paths(self, first: str, name: str, hops: tuple[str, ...], left: int) -> Iterator[Path]:
        for field in self.world.schema.objects[name].columns:
            if field.long_text or (hops and field.name in {"LastModifiedDate", "SystemModstamp"}):
                continue
            yield Path(first, hops, field.name, field.type, field.picklist)
            if not left or not field.relationship_name:
                continue
            below = (*hops, field.relationship_name)
            if field.polymorphic:
                yield from (Path(first, below, *one) for one in NAME_FIELDS.items())
            else:
                yield from self._paths(first, field.reference_to[0], below, left - 1)

    @functools.cache  # noqa: B019 - an arena lives as long as the tests
    def some(self, name: str, kinds: frozenset[FieldType] = frozenset(FieldType)) -> list[Path]:
        """The paths to fields of some types, those that hold something three times over."""
        found = [path for path in self.paths[name] if path.type in kinds]
        return found + 3 * [path for path in found if len(self.values(path)) > 1]

    @functools.cache  # noqa: B019
    def values(self, expression: Expression) -> list[Any]:
        """The values there are, null aside."""
        name = expression.object_name if isinstance(expression, Path) else expression.path.object_name
        found = {expression.read(self.world, row) for row in self.world.tables[name]} - {None}
        return sorted(found)[:: max(1, len(found) // 40)]


def _plain_days() -> Iterator[Days]:
    yield from (Days(name, "day", n, 1) for n, name in ((-1, "YESTERDAY"), (0, "TODAY"), (1, "TOMORROW")))
    yield from (Days("LAST_90_DAYS", "day", -90, 91), Days("NEXT_90_DAYS", "day", 1, 90))
    for unit in UNITS[1:]:
        for n, word in ((-1, "LAST"), (0, "THIS"), (1, "NEXT")):
            yield Days(f"{word}_{unit.upper().replace(' ', '_')}", unit, n, 1)


UNITS = ["day", "week", "month", "quarter", "year", "fiscal quarter", "fiscal year"]
PLAIN_DAYS = list(_plain_days())


@st.composite
def days(draw: st.DrawFn) -> Days:
    """A relative date literal."""
    if draw(st.booleans()):
        return draw(st.sampled_from(PLAIN_DAYS))
    unit = draw(st.sampled_from(UNITS))
    n = draw(st.integers(0, 9 if "year" in unit else 40))
    name = f"{unit.upper().replace(' ', '_')}S"
    return draw(
        st.sampled_from(
            [
                Days(f"LAST_N_{name}:{n}", unit, -n, n + 1 if unit == "day" else n),
                Days(f"NEXT_N_{name}:{n}", unit, 1, n),
                Days(f"N_{name}_AGO:{n}", unit, -n, 1),
            ]
        )
    )


@st.composite
def values(draw: st.DrawFn, arena: Arena, left: Expression, *, relative: bool = True) -> Any:
    """A value that what stands on the left may be compared with."""
    kind = left.type
    known = arena.values(left)
    if draw(st.integers(0, 9)) == 0:
        return None
    if kind in DAYS:
        if relative and draw(st.booleans()):
            return draw(days())
        stored = draw(st.sampled_from(known)) if known else "2022-01-01T00:00:00.000+0000"
        shift = timedelta(days=draw(st.integers(-2, 2)))
        if kind is FieldType.DATE:
            return date.fromisoformat(stored[:10]) + shift
        return instant(stored).replace(microsecond=0) + shift
    if kind is FieldType.BOOLEAN:
        return draw(st.booleans())
    if kind in NUMBERS:
        near = draw(st.sampled_from([0, 1, 0.5, -1]))
        return (draw(st.sampled_from(known)) if known else 10) + near
    text = draw(st.sampled_from(known)) if known else make_id("001", "Zz", 1)
    if kind in IDS:
        return text
    return draw(st.sampled_from([text, text.swapcase(), text[: len(text) // 2], text + "x", "\u00c9", ""]))


@st.composite
def parts(draw: st.DrawFn, arena: Arena, name: str) -> Part:
    """A date function."""
    path = draw(st.sampled_from(arena.some(name, DAYS)))
    stamped = path.type is FieldType.DATETIME
    functions = sorted(PART_NAMES if stamped else PART_NAMES - {"DAY_ONLY", "HOUR_IN_DAY"})
    return Part(draw(st.sampled_from(functions)), path, stamped and draw(st.booleans()))


_PARTS = """
    CALENDAR_YEAR CALENDAR_QUARTER CALENDAR_MONTH DAY_IN_MONTH DAY_IN_WEEK DAY_IN_YEAR DAY_ONLY FISCAL_YEAR
    FISCAL_QUARTER FISCAL_MONTH HOUR_IN_DAY WEEK_IN_MONTH WEEK_IN_YEAR
"""
PART_NAMES = frozenset(_PARTS.split())
COMPARABLE = TEXTS | NUMBERS | DAYS | IDS | {FieldType.BOOLEAN}


@st.composite
def leaves(draw: st.DrawFn, arena: Arena, name: str) -> Condition:
    """One test of a field."""
    kind = draw(st.integers(0, 9))
    if kind < 2:
        return draw(likes(arena, name))
    if kind == 2 and name == "Contact":
        return draw(chosen(arena))
    left: Expression = (
        draw(parts(arena, name)) if kind == 3 else draw(st.sampled_from(arena.some(name, COMPARABLE)))
    )
    if kind < 7:
        signs = ["=", "!="] + ["<", "<=", ">", ">="] * (left.type not in IDS | {FieldType.BOOLEAN})
        return Compare(left, draw(st.sampled_from(signs)), draw(values(arena, left)))
    several = draw(st.lists(values(arena, left), min_size=1, max_size=4))
    return Among(left, draw(st.booleans()), tuple(several))


@st.composite
def likes(draw: st.DrawFn, arena: Arena, name: str) -> Like:
    """LIKE, its pattern cut from a value."""
    path = draw(st.sampled_from(arena.some(name, TEXTS)))
    known = arena.values(path)
    text = draw(st.sampled_from(known)) if known else "alpha"
    found: list[Any] = []
    for letter in text[: draw(st.integers(1, 12))]:
        found.append(draw(st.sampled_from([letter, letter, letter, letter.swapcase(), None, ...])))
    start = draw(st.sampled_from([[], [...]]))
    end = draw(st.sampled_from([[...], [...], []]))
    return Like(path, (*start, *found, *end))


@st.composite
def chosen(draw: st.DrawFn, arena: Arena) -> Condition:
    """INCLUDES, EXCLUDES, or a comparison of whole sets."""
    path = Path("Contact", (), "Languages__c", FieldType.MULTIPICKLIST)
    one = st.sampled_from(["English", "spanish", "FRENCH", "German", "Latin"])
    sets = st.lists(one, min_size=1, max_size=3, unique=True)
    if draw(st.booleans()):
        wanted = draw(st.lists(sets.map(tuple), min_size=1, max_size=3))
        return Chosen(path, draw(st.booleans()), tuple(wanted))
    value = draw(st.one_of(st.none(), sets.map(";".join)))
    return Compare(path, draw(st.sampled_from(["=", "!="])), value)


@st.composite
def conditions(draw: st.DrawFn, arena: Arena, name: str, deep: int = 2) -> Condition:
    """Tests joined by AND, OR and NOT."""
    kind = draw(st.integers(0, 5)) if deep else 0
    if kind < 3:
        return draw(leaves(arena, name))
    if kind == 3:
        return Opposite(draw(conditions(arena, name, deep - 1)))
    terms = draw(st.lists(conditions(arena, name, deep - 1), min_size=2, max_size=3))
    return Several(draw(st.sampled_from(["AND", "OR"])), tuple(terms))


SEMI_JOINS = [
    ("Account", (), "Id", "Contact", "AccountId"),
    ("Account", (), "Id", "Opportunity", "AccountId"),
    ("Contact", (), "AccountId", "Account", "Id"),
    ("Contact", (), "AccountId", "Opportunity", "AccountId"),
    ("Case", (), "ContactId", "Contact", "Id"),
    ("Case", (), "AccountId", "Order", "AccountId"),
    ("Opportunity", (), "AccountId", "Contact", "AccountId"),
]


@st.composite
def filters(draw: st.DrawFn, arena: Arena, name: str) -> Condition | None:
    """A WHERE clause: none, a condition, or semi-joins and a condition."""
    joins = [one for one in SEMI_JOINS if one[0] == name]
    if not joins or draw(st.integers(0, 4)):
        return draw(st.one_of(st.none(), conditions(arena, name), conditions(arena, name)))
    terms: list[Condition] = []
    for outer, hops, left, inner, selected in draw(st.lists(st.sampled_from(joins), min_size=1, max_size=2)):
        inner_where = draw(st.one_of(st.none(), conditions(arena, inner, 1)))
        path = Path(outer, hops, left, FieldType.REFERENCE)
        terms.append(Semi(path, draw(st.booleans()), inner, selected, inner_where))
    if draw(st.booleans()):
        terms.append(draw(conditions(arena, name, 1)))
    return terms[0] if len(terms) == 1 else Several("AND", tuple(terms))


@st.composite
def keys(draw: st.DrawFn, arena: Arena, by: Expression | Total) -> Key:
    """One entry of ORDER BY."""
    nulls = draw(st.sampled_from([None, None, True, False]))
    over_parent = isinstance(by, Path) and by.optional(arena.world.schema)
    return Key(by.text, draw(st.booleans()), nulls, over_parent)


CHILDREN = {
    "Account": [("Contacts", "Contact", "AccountId"), ("Opportunities", "Opportunity", "AccountId")],
    "Contact": [("Cases", "Case", "ContactId")],
    "Order": [("OrderItems", "OrderItem", "OrderId")],
    "Opportunity": [("Tasks", "Task", "WhatId")],
}


@st.composite
def records_queries(draw: st.DrawFn, arena: Arena, name: str, depth: int = 1) -> Records:
    """A query for records."""
    select = draw(st.lists(st.sampled_from(arena.some(name)), max_size=4, unique_by=lambda path: path.text))
    children = []
    if depth < 3 and name in CHILDREN and draw(st.integers(0, 2)) == 0:
        for one in draw(st.lists(st.sampled_from(CHILDREN[name]), min_size=1, max_size=2, unique=True)):
            children.append(Child(*one, draw(records_queries(arena, one[1], depth + 1))))
    order = []
    for _ in range(draw(st.integers(0, 3)) if draw(st.booleans()) else 0):
        path = draw(st.sampled_from(arena.some(name, COMPARABLE)))
        order.append((draw(keys(arena, path)), path))
    limit = draw(st.one_of(st.none(), st.none(), st.integers(0, 30)))
    offset = draw(st.one_of(st.none(), st.none(), st.integers(0, 30))) if depth == 1 else None
    where = draw(filters(arena, name) if depth == 1 else st.one_of(st.none(), conditions(arena, name, 1)))
    select = [path for path in select if (path.hops, path.name) != ((), "Id")]
    return Records(name, tuple(select), tuple(children), where, tuple(order), limit, offset)


@st.composite
def totals(draw: st.DrawFn, arena: Arena, name: str) -> Total:
    """An aggregate."""
    function = draw(st.sampled_from(["COUNT", "COUNT", "COUNT_DISTINCT", "MIN", "MAX", "SUM", "AVG"]))
    kinds = NUMBERS if function in {"SUM", "AVG"} else TEXTS | NUMBERS | DAYS | IDS
    found = arena.some(name, kinds)
    return (
        Total(function, draw(st.sampled_from(found))) if found else Total("COUNT", arena.some(name, IDS)[0])
    )


@st.composite
def grouped_queries(draw: st.DrawFn, arena: Arena, name: str) -> Grouped:
    """A query with aggregates."""
    groups = draw(st.lists(groups_of(arena, name), max_size=3, unique_by=lambda one: one.text))
    found = draw(st.lists(totals(arena, name), min_size=1, max_size=4))
    grouped = {one.text for one in groups} | {one.path.text for one in groups if isinstance(one, Part)}
    found = [one for one in found if one.path.text not in grouped] or [
        Total("COUNT", Path(name, (), "Id", FieldType.ID))
    ]
    where = draw(filters(arena, name))
    if not groups:
        return Grouped(name, (), tuple(found), where=where)
    sortable = [*groups, *found]
    places = draw(st.lists(st.integers(0, len(sortable) - 1), max_size=2))
    order = [(draw(keys(arena, sortable[place])), place) for place in places]
    # GROUPING() takes no call within a call.
    nested = any(isinstance(one, Part) and one.local for one in groups)
    kind = draw(st.sampled_from(["", "", *([] if nested else ["ROLLUP", "CUBE"])]))
    having = draw(st.one_of(st.none(), havings(arena, found)))
    limit = draw(st.one_of(st.none(), st.integers(0, 20)))
    offset = draw(st.one_of(st.none(), st.none(), st.integers(0, 5)))
    return Grouped(name, tuple(groups), tuple(found), kind, where, having, tuple(order), limit, offset)


@st.composite
def groups_of(draw: st.DrawFn, arena: Arena, name: str) -> Expression:
    """What GROUP BY may name."""
    if draw(st.integers(0, 2)) == 0:
        return draw(parts(arena, name))
    kinds = TEXTS | IDS | {FieldType.DATE, FieldType.BOOLEAN, FieldType.INT}
    fields = arena.world.schema.objects
    paths = [
        path for path in arena.some(name, kinds) if path.hops or _groupable(fields[name].field(path.name))
    ]
    return draw(
        st.sampled_from([one for one in paths if one.text != "Id" and not one.name.endswith("Number")])
    )


def _groupable(field: Field | None) -> bool:
    return field is not None and field.groupable


@st.composite
def havings(
    draw: st.DrawFn, arena: Arena, found: list[Total]
) -> tuple[str, tuple[tuple[int, str, Any], ...]]:
    """The condition of HAVING."""
    tests = []
    for _ in range(draw(st.integers(1, 2))):
        place = draw(st.integers(0, len(found) - 1))
        if found[place].function in {"MIN", "MAX"} and found[place].type not in NUMBERS:
            value = draw(values(arena, found[place].path, relative=False))
        else:
            value = draw(st.integers(0, 12))
        signs = ["=", "!="] + ["<", "<=", ">", ">="] * (found[place].type not in IDS)
        tests.append((place, draw(st.sampled_from(signs)), value))
    return draw(st.sampled_from(["AND", "OR"])), tuple(tests)

"""Fields, functions, values and conditions to draw from, over the names of a real schema."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from hypothesis import strategies as st

from crmarena.schema.fields import Field, FieldType
from crmarena.schema.ids import make_id
from crmarena.schema.load import load_schema
from crmarena.schema.objects import SObject
from crmarena.soql import functions, literals

T = TypeVar("T")

SCHEMA = load_schema("b2b")
TYPES = {kind.value: frozenset({kind}) for kind in FieldType} | {
    "text": frozenset(
        {FieldType.STRING, FieldType.PICKLIST, FieldType.COMBOBOX, FieldType.EMAIL, FieldType.PHONE}
    ),
    "number": frozenset({FieldType.INT, FieldType.DOUBLE, FieldType.CURRENCY, FieldType.PERCENT}),
    "ids": frozenset({FieldType.ID, FieldType.REFERENCE}),
    "day": frozenset({FieldType.DATE, FieldType.DATETIME}),
}
WRONG = ["Nope", "Name.Nope", "Account.Nope", "Nope__r.Name", "Id.Id", "X__c"]
ODD_TEXT = [
    "",
    " ",
    "%",
    "_",
    "\\",
    "'",
    "Acme",
    "closed",
    "a;b",
    "É",
    "ß",
    "ς",
    "\u202e",
    "\U0001f600",
    "\x00",
]
_NAME_FIELDS = {
    "Id": FieldType.ID,
    "Name": FieldType.STRING,
    "Type": FieldType.STRING,
    "Email": FieldType.EMAIL,
    "IsActive": FieldType.BOOLEAN,
}


@dataclass(frozen=True)
class Level:
    """Where a production stands: its driving object, the alias that names it, how deep."""

    sobject: SObject
    alias: str | None = None
    depth: int = 1


@dataclass(frozen=True)
class Named:
    """A path and the field it leads to."""

    text: str
    field: Field


@functools.cache
def paths(name: str, hops: int = 2) -> tuple[Named, ...]:
    """The fields of an object and, over some relationships, of its parents."""
    return tuple(_paths(SCHEMA.objects[name], hops))


def _paths(sobject: SObject, hops: int) -> Iterator[Named]:
    for field in sobject.fields.values():
        yield Named(field.name, field)
        if not hops or not field.relationship_name:
            continue
        if field.polymorphic:
            for name, kind in _NAME_FIELDS.items():
                yield Named(f"{field.relationship_name}.{name}", Field(name, name, kind, length=80))
        else:
            for below in paths(field.reference_to[0], hops - 1):
                yield Named(f"{field.relationship_name}.{below.text}", below.field)


@functools.cache
def fitting(name: str, kinds: str, use: str, hops: int) -> tuple[Named, ...]:
    """The paths to fields of some types that may be filtered, sorted or grouped, or just selected."""
    wanted = frozenset().union(*(TYPES[kind] for kind in kinds.split())) if kinds else frozenset(FieldType)
    return tuple(
        path
        for path in paths(name, hops)
        if path.field.type in wanted and (not use or getattr(path.field, use))
    )


@functools.cache
def _numbers(most: int) -> st.SearchStrategy[int]:
    return st.integers(0, most)


def pick(draw: st.DrawFn, choices: Sequence[T]) -> T:
    """One of some things; far cheaper than a strategy made for them."""
    return choices[draw(_numbers(len(choices) - 1))]


def rarely(draw: st.DrawFn, share: int) -> bool:
    """True once in so many."""
    return draw(_numbers(share - 1)) == share - 1


def case_of(draw: st.DrawFn, text: str) -> str:
    """A keyword or name, now and then in other letters."""
    return pick(draw, [text, text.lower(), text.upper()]) if rarely(draw, 12) else text


# Fields and functions


@st.composite
def field(draw: st.DrawFn, level: Level, kinds: str = "", use: str = "") -> Named:
    """A path to a field."""
    hops = pick(draw, [0, 0, 0, 1, 2])
    found = fitting(level.sobject.name, kinds, use, hops) or fitting(level.sobject.name, "", use, 0)
    path = pick(draw, found)
    if rarely(draw, 60):
        return Named(pick(draw, WRONG), path.field)
    text = case_of(draw, path.text)
    prefixes = [level.sobject.name, level.alias or level.sobject.name]
    return Named(f"{pick(draw, prefixes)}.{text}" if rarely(draw, 12) else text, path.field)


@st.composite
def date_function(draw: st.DrawFn, level: Level) -> Named:
    """A date function, at times over convertTimezone()."""
    name = pick(draw, sorted(functions.DATE_SQL))
    timed = name in {"DAY_ONLY", "HOUR_IN_DAY"} or draw(st.booleans())
    inner = draw(field(level, "datetime" if timed else "date datetime", "filterable"))
    kind = FieldType.DATE if name == "DAY_ONLY" else FieldType.INT
    argument = inner.text
    if inner.field.type is FieldType.DATETIME and rarely(draw, 4):
        argument = f"convertTimezone({argument})"
    return Named(f"{case_of(draw, name)}({argument})", Field(name, name, kind))


@st.composite
def aggregate(draw: st.DrawFn, level: Level) -> Named:
    """An aggregate function over a field."""
    name = pick(draw, sorted(functions.AGGREGATES))
    kinds = "number" if name in {"SUM", "AVG"} else "number ids text day"
    inner = draw(field(level, kinds, "filterable"))
    kind = FieldType.INT if name.startswith("COUNT") else inner.field.type
    return Named(f"{case_of(draw, name)}({inner.text})", Field(name, name, kind))


@st.composite
def label(draw: st.DrawFn, level: Level) -> str:
    """`toLabel(field)`."""
    return f"toLabel({draw(field(level, 'picklist')).text})"


@st.composite
def shown(draw: st.DrawFn, level: Level) -> str:
    """A function over a field that only changes how it is shown."""
    amount = f"convertCurrency({draw(field(level, 'currency')).text})"
    written = f"FORMAT({draw(field(level, 'number day')).text})"
    return pick(draw, [amount, written, f"FORMAT({amount})", draw(label(level))])


UNITS = st.sampled_from(["'mi'", "'km'", "'KM'"])
PLACES = st.tuples(st.floats(-90, 90).map(lambda x: f"{x:.4f}"), st.integers(-180, 180)).map(
    lambda place: f"GEOLOCATION({place[0]}, {place[1]})"
)


@st.composite
def distance(draw: st.DrawFn, level: Level) -> str:
    """`DISTANCE(BillingAddress, GEOLOCATION(...), 'mi')`."""
    return f"DISTANCE({draw(field(level, 'address')).text}, {draw(PLACES)}, {draw(UNITS)})"


@st.composite
def unknown_call(draw: st.DrawFn, level: Level) -> str:
    """A function that there is not, or that does not stand here."""
    name = pick(draw, ["LENGTH", "GROUPING", "COUNT", "convertTimezone", "f"])
    return f"{name}({draw(field(level)).text})"


# Values


@st.composite
def string(draw: st.DrawFn, *, pattern: bool = False) -> str:
    """Text in quotes, with escapes of every kind."""
    plain = st.characters(exclude_characters="'\\", exclude_categories=["Cs"])
    escapes = [r"\n", r"\R", r"\t", r"\b", r"\F", r"\"", r"\'", r"\\", r"\u00e9", r"\uD83D", r"\u0000"]
    part = st.one_of(plain, st.sampled_from(escapes + ([r"\%", r"\_", "%", "_"] if pattern else [])))
    if draw(st.booleans()):
        text = pick(draw, ODD_TEXT).replace("\\", "\\\\").replace("'", "\\'")
    else:
        text = "".join(draw(st.lists(part, max_size=6)))
    return f"'{text}'"


NUMBERS = st.one_of(
    st.integers(-200, 2_000).map(str),
    st.decimals(-1_000, 1_000, places=2).map(str),
    st.sampled_from(["+5", ".5", "-.25", "0", "007", "9223372036854775808", "1" * 30]),
)
DATES = st.one_of(
    st.dates().filter(lambda day: 1700 <= day.year <= 4000).map(str),
    st.sampled_from(["2024-05-15", "2024-02-29", "1700-01-01", "4000-12-31", "2023-02-29", "0001-01-01"]),
)
TIMES = st.sampled_from(["00:00:00", "10:30:00", "23:59:59", "12:00:00.5", "12:00:00.123456789", "24:00:00"])
ZONES = st.sampled_from(["Z", "z", "+05:30", "-08:00", "+0000"])
DATETIMES = st.builds(
    lambda day, t, time, zone: f"{day}{t}{time}{zone}", DATES, st.sampled_from("Tt"), TIMES, ZONES
)
IDS = st.builds(
    lambda prefix, number, short: make_id(prefix, "Wt", number)[: 15 if short else 18],
    st.sampled_from(["001", "003", "005", "500", "006", "00T"]),
    st.integers(0, 9),
    st.booleans(),
).map(lambda record_id: f"'{record_id}'")


FLAGS = st.sampled_from(["true", "FALSE", "False"])
MONEY = st.sampled_from(["USD5000", "usd12.5", "EUR-3", "XXX1"])


@st.composite
def relative_date(draw: st.DrawFn) -> str:
    """`TODAY`, `LAST_N_DAYS:7` and their kin."""
    if draw(st.booleans()):
        return case_of(draw, pick(draw, sorted(literals.PLAIN)))
    count = pick(draw, [0, 1, 2, 7, 90, 1000, 10**6, 10**12])
    return f"{case_of(draw, pick(draw, sorted(literals.COUNTED)))}:{count}"


def _of_kind(kind: FieldType) -> st.SearchStrategy[str]:
    if kind in TYPES["ids"]:
        return IDS
    if kind is FieldType.CURRENCY:
        return st.one_of(NUMBERS, NUMBERS, MONEY)
    if kind in TYPES["number"]:
        return NUMBERS
    if kind is FieldType.BOOLEAN:
        return FLAGS
    if kind is FieldType.DATE:
        return st.one_of(relative_date(), DATES)
    return st.one_of(relative_date(), DATETIMES) if kind is FieldType.DATETIME else string()


ANY_VALUE = st.one_of(
    *map(_of_kind, (FieldType.ID, FieldType.INT, FieldType.BOOLEAN)), DATES, string(), DATETIMES
)


@st.composite
def literal(draw: st.DrawFn, kind: FieldType) -> str:
    """A value that a field of a type may be compared with; now and then another."""
    if rarely(draw, 9):
        return case_of(draw, "null")
    text: str = draw(ANY_VALUE if rarely(draw, 60) else _of_kind(kind))
    return text


# Conditions


@st.composite
def left(draw: st.DrawFn, level: Level) -> Named:
    """What stands on the left of an operator in WHERE."""
    if rarely(draw, 6):
        return draw(date_function(level))
    if rarely(draw, 40):
        return Named(draw(unknown_call(level)), Field("x", "x", FieldType.STRING))
    return draw(field(level, "text number ids day boolean", "filterable"))


@st.composite
def comparison(draw: st.DrawFn, operand: Named) -> str:
    """`field operator literal`."""
    kind = operand.field.type
    operators = ["=", "!=", "<>"] + ["<", "<=", ">", ">="] * (kind is not FieldType.BOOLEAN)
    return f"{operand.text} {pick(draw, operators)} {draw(literal(kind))}"


@st.composite
def like(draw: st.DrawFn, level: Level) -> str:
    """`field LIKE pattern`."""
    operand = draw(field(level, "text", "filterable"))
    return f"{operand.text} {case_of(draw, 'LIKE')} {draw(string(pattern=True))}"


@st.composite
def membership(draw: st.DrawFn, operand: Named) -> str:
    """`field [NOT] IN (literal, ...)`."""
    values = draw(st.lists(literal(operand.field.type), min_size=1, max_size=4))
    return f"{operand.text} {case_of(draw, pick(draw, ['IN', 'NOT IN']))} ({', '.join(values)})"


@st.composite
def choices(draw: st.DrawFn, level: Level) -> str:
    """`field INCLUDES (...)`, and EXCLUDES."""
    operand = draw(field(level, "multipicklist", "filterable"))
    values = ", ".join(draw(st.lists(string(), min_size=1, max_size=3)))
    return f"{operand.text} {pick(draw, ['INCLUDES', 'EXCLUDES', 'excludes'])} ({values})"


@st.composite
def near(draw: st.DrawFn, level: Level) -> str:
    """`DISTANCE(...) < number`."""
    return f"{draw(distance(level))} {pick(draw, '<>')} {draw(NUMBERS)}"


@st.composite
def semi_join(draw: st.DrawFn, level: Level) -> str:
    """`field [NOT] IN (SELECT ...)`."""
    ids = [
        f
        for f in level.sobject.fields.values()
        if f.type in TYPES["ids"] and not f.polymorphic and set(f.reference_to) <= SCHEMA.objects.keys()
    ]
    outer = pick(draw, ids)
    target = outer.reference_to[0] if outer.reference_to else level.sobject.name
    pairs = [
        (name, inner.name)
        for name, sobject in SCHEMA.objects.items()
        for inner in sobject.fields.values()
        if name != level.sobject.name
        and name not in {"Task", "Event"}
        and target in (inner.reference_to or ())
    ]
    if outer.reference_to and target != level.sobject.name:
        pairs.append((target, "Id"))
    if not pairs or rarely(draw, 20):
        pairs = [(level.sobject.name, "Id"), ("Task", "WhatId"), ("Account", "Name")]
    name, inner_field = pick(draw, pairs)
    below = Level(SCHEMA.objects[name], depth=level.depth + 1)
    where = f" WHERE {draw(simple_condition(below))}" if draw(st.booleans()) else ""
    return f"{outer.name} {pick(draw, ['IN', 'NOT IN'])} (SELECT {inner_field} FROM {name}{where})"


@st.composite
def simple_condition(draw: st.DrawFn, level: Level) -> str:
    """One test of a field."""
    kind = draw(st.integers(0, 9))
    if kind < 2:
        return draw(like(level))
    if kind == 2 and fitting(level.sobject.name, "multipicklist", "filterable", 0):
        return draw(choices(level))
    if kind == 3 and fitting(level.sobject.name, "address", "", 0):
        return draw(near(level))
    operand = draw(left(level))
    return draw(membership(operand) if kind > 7 else comparison(operand))


@st.composite
def nested_condition(draw: st.DrawFn, level: Level, deep: int = 2) -> str:
    """Tests joined by AND, OR, NOT and brackets."""
    kind = draw(st.integers(0, 5)) if deep else 0
    if kind < 3:
        return draw(simple_condition(level))
    if kind == 3:
        return f"({case_of(draw, 'NOT')} {draw(nested_condition(level, deep - 1))})"
    return f"({draw(joined(level, deep - 1))})"


@st.composite
def joined(draw: st.DrawFn, level: Level, deep: int) -> str:
    """Conditions joined by one word."""
    terms = draw(st.lists(nested_condition(level, deep), min_size=2, max_size=3))
    return f" {case_of(draw, pick(draw, ['AND', 'OR']))} ".join(terms)


@st.composite
def condition(draw: st.DrawFn, level: Level) -> str:
    """The condition of a WHERE clause."""
    kind = draw(st.integers(0, 9))
    if kind < 4:
        return draw(simple_condition(level))
    if kind < 6:
        return draw(nested_condition(level))
    if kind < 7:
        return f"NOT {draw(nested_condition(level, 1))}"
    if kind < 9:
        return draw(joined(level, 2))
    semi = draw(st.lists(semi_join(level), min_size=1, max_size=2))
    return " AND ".join([*semi, draw(nested_condition(level, 1))])

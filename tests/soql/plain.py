"""Conditions told in plain data, and what they mean over records that are plain dicts.

Written from the rules of SOQL alone: nothing here asks the engine. What is described
writes itself as SOQL, and evaluates itself by Python's own means.
"""

from __future__ import annotations

import operator
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from crmarena.schema.fields import FieldType
from crmarena.schema.objects import Schema, SObject
from crmarena.storage.database import Database

Row = dict[str, Any]
COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
PICKED = frozenset({FieldType.PICKLIST})
IDS = frozenset({FieldType.ID, FieldType.REFERENCE})


class World:
    """The records of an org, who asks, and when."""

    def __init__(self, database: Database, today: date, zone: str = "UTC") -> None:
        self.schema: Schema = database.schema
        self.today = today
        self.zone = ZoneInfo(zone)
        self.tables = {name: self._read(database, sobject) for name, sobject in self.schema.objects.items()}
        self.by_id = {row["Id"]: (name, row) for name, rows in self.tables.items() for row in rows}
        organization = self.tables["Organization"][0]
        self.fiscal_month = int(organization["FiscalYearStartMonth"] or 1)
        self.named_by_start = bool(organization["UsesStartDateAsFiscalYearName"])

    def _read(self, database: Database, sobject: SObject) -> list[Row]:
        names = [f.name for f in sobject.columns]
        columns = ", ".join(f'"{name}"' for name in names)
        found = database.connection.execute(f'SELECT {columns} FROM "{sobject.name}" ORDER BY rowid')
        flags = {f.name for f in sobject.columns if f.type is FieldType.BOOLEAN}
        return [
            {name: bool(value) if name in flags else value for name, value in zip(names, row, strict=True)}
            for row in found
        ]

    def midnight(self, day: date) -> datetime:
        """When a day begins for who asks."""
        return datetime(day.year, day.month, day.day, tzinfo=self.zone).astimezone(UTC)


def alike(value: Any) -> Any:
    """A value such that texts which differ in letter case alone are equal."""
    return value.lower().replace("\u03c2", "\u03c3") if isinstance(value, str) else value


def filed(value: Any) -> Any:
    """A value in the order of a dictionary: the letters first, then their accents."""
    if not isinstance(value, str):
        return value
    bare = unicodedata.normalize("NFKD", alike(value).replace("\u00df", "ss"))
    return "".join(mark for mark in bare if not unicodedata.combining(mark)), alike(value)


def instant(text: str) -> datetime:
    """A stored datetime."""
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%f%z")


# What stands on the left


@dataclass(frozen=True)
class Path:
    """A field, at the end of some relationships."""

    object_name: str
    hops: tuple[str, ...]
    name: str
    type: FieldType
    picklist: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The path as SOQL writes it."""
        return ".".join([*self.hops, self.name])

    def read(self, world: World, row: Row) -> Any:
        """The value; null behind a reference that leads nowhere, false for a checkbox there."""
        name, found, key = self.object_name, row, self.name
        for hop in self.hops:
            reference = world.schema.objects[name].parent(hop)
            assert reference is not None
            below = world.by_id.get(found[reference.name] or "")
            if below is None:
                return False if self.type is FieldType.BOOLEAN else None
            name, found = below
            if reference.polymorphic and key == "Type":
                return name
            if reference.polymorphic and key == "Name":
                key = world.schema.objects[name].name_field or ""
        value = found.get(key)
        return False if value is None and self.type is FieldType.BOOLEAN else value

    def optional(self, schema: Schema) -> bool:
        """Whether a parent on the way may be missing."""
        name, found = self.object_name, False
        for hop in self.hops:
            reference = schema.objects[name].parent(hop)
            assert reference is not None
            found |= reference.nillable
            name = reference.reference_to[0]
        return found

    def rank(self, value: Any) -> Any:
        """A value as it is sorted: a picklist by the order of its list, Ids by their characters."""
        if self.type in IDS:
            return value
        if self.type in PICKED and self.picklist:
            place = self.picklist.index(value) if value in self.picklist else len(self.picklist)
            return place, filed(value)
        return filed(value)


@dataclass(frozen=True)
class Part:
    """A date function over a field."""

    function: str
    path: Path
    local: bool = False

    @property
    def text(self) -> str:
        """The call as SOQL writes it."""
        inner = f"convertTimezone({self.path.text})" if self.local else self.path.text
        return f"{self.function}({inner})"

    @property
    def type(self) -> FieldType:
        """A day, or a number."""
        return FieldType.DATE if self.function == "DAY_ONLY" else FieldType.INT

    def read(self, world: World, row: Row) -> Any:
        """The part of the date; null of null."""
        stored = self.path.read(world, row)
        if stored is None:
            return None
        moment = instant(stored) if "T" in stored else datetime.fromisoformat(stored)
        if self.local:
            moment = moment.astimezone(world.zone)
        return PARTS[self.function](moment, world)

    def rank(self, value: Any) -> Any:
        """A value as it is sorted."""
        return value


def _fiscal_year(moment: datetime, world: World) -> int:
    begun = moment.month >= world.fiscal_month > 1
    return moment.year + (begun if not world.named_by_start else (moment.month >= world.fiscal_month) - 1)


PARTS: dict[str, Callable[[datetime, World], Any]] = {
    "CALENDAR_YEAR": lambda m, w: m.year,
    "CALENDAR_QUARTER": lambda m, w: (m.month - 1) // 3 + 1,
    "CALENDAR_MONTH": lambda m, w: m.month,
    "DAY_IN_MONTH": lambda m, w: m.day,
    "DAY_IN_WEEK": lambda m, w: m.isoweekday() % 7 + 1,
    "DAY_IN_YEAR": lambda m, w: m.timetuple().tm_yday,
    "DAY_ONLY": lambda m, w: m.date().isoformat(),
    "FISCAL_YEAR": _fiscal_year,
    "FISCAL_QUARTER": lambda m, w: (m.month - w.fiscal_month) % 12 // 3 + 1,
    "FISCAL_MONTH": lambda m, w: (m.month - w.fiscal_month) % 12 + 1,
    "HOUR_IN_DAY": lambda m, w: m.hour,
    "WEEK_IN_MONTH": lambda m, w: (m.day - 1) // 7 + 1,
    "WEEK_IN_YEAR": lambda m, w: (m.timetuple().tm_yday - 1) // 7 + 1,
}

Expression = Path | Part


# What stands on the right


@dataclass(frozen=True)
class Days:
    """A relative date: a unit, which one is the first counted from the present one, how many."""

    text: str
    unit: str
    first: int
    count: int

    def span(self, world: World) -> tuple[date, date]:
        """The first day, and the first behind."""
        return self._day(world, self.first), self._day(world, self.first + self.count)

    def _day(self, world: World, number: int) -> date:
        today = world.today
        if self.unit == "day":
            return today + timedelta(days=number)
        if self.unit == "week":
            return today + timedelta(days=7 * number - today.isoweekday() % 7)
        fiscal = self.unit.startswith("fiscal")
        length = {"month": 1, "quarter": 3, "year": 12}[self.unit.removeprefix("fiscal ")]
        first = world.fiscal_month - 1 if fiscal else 0
        month = today.year * 12 + today.month - 1
        month = (month - first) // length * length + first + number * length
        return date(month // 12, month % 12 + 1, 1)


def written(value: Any) -> str:
    """A value as SOQL writes it."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, Days):
        return value.text
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return format(value, "f") if isinstance(value, float) else str(value)


def compared(world: World, kind: FieldType, stored: Any, sign: str, value: Any) -> bool:
    """Whether a stored value stands to another as the sign says; null is less or greater than nothing."""
    if sign == "!=":
        return not compared(world, kind, stored, "=", value)
    if isinstance(value, Days):
        return _within(world, kind, stored, sign, value)
    if kind is FieldType.BOOLEAN:
        value = bool(value)
    if kind in IDS and sign == "=":
        return bool(stored == value)
    if kind is FieldType.MULTIPICKLIST and stored and value:
        return {alike(one) for one in stored.split(";")} == {alike(one) for one in value.split(";")}
    if sign == "=":
        return bool(alike(_native(kind, stored)) == (alike(value) if value != "" else None))
    if stored is None or value is None or value == "":
        return False
    return COMPARE[sign](filed(_native(kind, stored)), filed(value))


def _native(kind: FieldType, stored: Any) -> Any:
    if stored is None or kind not in {FieldType.DATE, FieldType.DATETIME}:
        return stored
    return instant(stored) if kind is FieldType.DATETIME else date.fromisoformat(stored)


def _within(world: World, kind: FieldType, stored: Any, sign: str, days: Days) -> bool:
    if stored is None:
        return False
    start, end = days.span(world)
    if kind is FieldType.DATE:
        return _in_span(sign, date.fromisoformat(stored), start, end)
    return _in_span(sign, instant(stored), world.midnight(start), world.midnight(end))


def _in_span(sign: str, here: Any, start: Any, end: Any) -> bool:
    return bool(
        {
            "=": start <= here < end,
            "<": here < start,
            "<=": here < end,
            ">": here >= end,
            ">=": here >= start,
        }[sign]
    )


# Conditions


@dataclass(frozen=True)
class Compare:
    """`field operator value`."""

    left: Expression
    sign: str
    value: Any

    @property
    def text(self) -> str:
        """As SOQL writes it."""
        return f"{self.left.text} {self.sign} {written(self.value)}"

    def holds(self, world: World, row: Row) -> bool:
        """Whether it is true of a record."""
        return compared(world, self.left.type, self.left.read(world, row), self.sign, self.value)


@dataclass(frozen=True)
class Among:
    """`field [NOT] IN (value, ...)`."""

    left: Expression
    negated: bool
    values: tuple[Any, ...]

    @property
    def text(self) -> str:
        """As SOQL writes it."""
        values = ", ".join(map(written, self.values))
        return f"{self.left.text} {'NOT IN' if self.negated else 'IN'} ({values})"

    def holds(self, world: World, row: Row) -> bool:
        """Whether it is true of a record."""
        stored = self.left.read(world, row)
        return (
            any(compared(world, self.left.type, stored, "=", one) for one in self.values) is not self.negated
        )


@dataclass(frozen=True)
class Like:
    """`field LIKE pattern`; the pattern in parts: text, or None for one letter, or ... for any."""

    left: Path
    parts: tuple[Any, ...]

    @property
    def text(self) -> str:
        """As SOQL writes it."""
        marks = {None: "_", ...: "%"}
        pattern = "".join(marks[one] if one in marks else self._escaped(one) for one in self.parts)
        return f"{self.left.text} LIKE '{pattern}'"

    def _escaped(self, text: str) -> str:
        return re.sub(r"([\\%_'])", r"\\\1", text)

    def holds(self, world: World, row: Row) -> bool:
        """Whether it is true of a record."""
        stored = self.left.read(world, row)
        marks = {None: ".", ...: ".*"}
        pattern = "".join(marks[one] if one in marks else re.escape(alike(one)) for one in self.parts)
        return stored is not None and re.fullmatch(pattern, alike(stored), re.DOTALL) is not None


@dataclass(frozen=True)
class Chosen:
    """`field INCLUDES ('a;b', 'c')`, or EXCLUDES."""

    left: Path
    negated: bool
    sets: tuple[tuple[str, ...], ...]

    @property
    def text(self) -> str:
        """As SOQL writes it."""
        values = ", ".join(written(";".join(one)) for one in self.sets)
        return f"{self.left.text} {'EXCLUDES' if self.negated else 'INCLUDES'} ({values})"

    def holds(self, world: World, row: Row) -> bool:
        """Whether it is true of a record."""
        stored = self.left.read(world, row)
        has = {alike(one) for one in stored.split(";")} if stored else set()
        return any(has >= {alike(one) for one in wanted} for wanted in self.sets) is not self.negated


@dataclass(frozen=True)
class Semi:
    """`field [NOT] IN (SELECT field FROM object WHERE ...)`."""

    left: Path
    negated: bool
    object_name: str
    field: str
    where: Condition | None

    @property
    def text(self) -> str:
        """As SOQL writes it."""
        where = f" WHERE {self.where.text}" if self.where else ""
        inner = f"SELECT {self.field} FROM {self.object_name}{where}"
        return f"{self.left.text} {'NOT IN' if self.negated else 'IN'} ({inner})"

    def holds(self, world: World, row: Row) -> bool:
        """Whether it is true of a record; nulls inside count for nothing."""
        inner = {
            one[self.field]
            for one in world.tables[self.object_name]
            if self.where is None or self.where.holds(world, one)
        }
        return (self.left.read(world, row) in inner - {None}) is not self.negated


@dataclass(frozen=True)
class Opposite:
    """`NOT (...)`."""

    term: Condition

    @property
    def text(self) -> str:
        """As SOQL writes it."""
        return f"NOT ({self.term.text})"

    def holds(self, world: World, row: Row) -> bool:
        """Whether it is true of a record."""
        return not self.term.holds(world, row)


@dataclass(frozen=True)
class Several:
    """Conditions joined by AND or OR."""

    word: str
    terms: tuple[Condition, ...]

    @property
    def text(self) -> str:
        """As SOQL writes it."""
        return f" {self.word} ".join(
            one.text if isinstance(one, LEAVES) else f"({one.text})" for one in self.terms
        )

    def holds(self, world: World, row: Row) -> bool:
        """Whether it is true of a record."""
        found = (one.holds(world, row) for one in self.terms)
        return all(found) if self.word == "AND" else any(found)


LEAVES = Compare | Among | Like | Chosen | Semi
Condition = Compare | Among | Like | Chosen | Semi | Opposite | Several

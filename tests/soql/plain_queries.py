"""Queries told in plain data: records with their children, and groups with their totals."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from crmarena.schema.fields import FieldType
from tests.soql.plain import Condition, Expression, Path, Row, World, alike, compared, written

# Order


@dataclass(frozen=True)
class Key:
    """One entry of ORDER BY. NULLS LAST does not hold behind a parent that may be missing."""

    text: str
    descending: bool = False
    nulls_first: bool | None = None
    over_parent: bool = False

    @property
    def clause(self) -> str:
        """As SOQL writes it."""
        nulls = {None: "", True: " NULLS FIRST", False: " NULLS LAST"}[self.nulls_first]
        return f"{self.text}{' DESC' if self.descending else ''}{nulls}"


def ordered(items: Iterable[Any], keys: list[tuple[Key, Callable[[Any], Any]]]) -> list[Any]:
    """Things sorted by some keys, the first the weightiest; what reads a key gives None for null."""
    found = list(items)
    for key, read in reversed(keys):
        unsaid = key.nulls_first is None or (key.over_parent and not key.nulls_first)
        first = not key.descending if unsaid else key.nulls_first
        nulls = [one for one in found if read(one) is None]
        rest = [one for one in found if read(one) is not None]
        rest.sort(key=read, reverse=key.descending)
        found = nulls + rest if first else rest + nulls
    return found


# Queries


@dataclass(frozen=True)
class Child:
    """A child query."""

    relationship: str
    object_name: str
    reference: str
    query: Records


@dataclass(frozen=True)
class Records:
    """A query for records; it selects the Id as well."""

    object_name: str
    select: tuple[Path, ...]
    children: tuple[Child, ...] = ()
    where: Condition | None = None
    order: tuple[tuple[Key, Expression], ...] = ()
    limit: int | None = None
    offset: int | None = None

    def soql(self, source: str | None = None) -> str:
        """As SOQL writes it."""
        items = ["Id", *(path.text for path in self.select)]
        items += [f"({one.query.soql(one.relationship)})" for one in self.children]
        return f"SELECT {', '.join(items)} FROM {source or self.object_name}" + _clauses(
            self.where, None, [key for key, _ in self.order], self.limit, self.offset
        )

    def sort_keys(self, world: World) -> list[tuple[Key, Callable[[Row], Any]]]:
        """What the records are ordered by."""

        def reader(expression: Expression) -> Callable[[Row], Any]:
            def read(row: Row) -> Any:
                value = expression.read(world, row)
                return None if value is None else expression.rank(value)

            return read

        return [(key, reader(expression)) for key, expression in self.order]

    def rows(self, world: World, among: list[Row] | None = None) -> list[Row]:
        """The records that match, in order, before LIMIT and OFFSET."""
        table = world.tables[self.object_name] if among is None else among
        found = [row for row in table if self.where is None or self.where.holds(world, row)]
        return ordered(found, self.sort_keys(world))


@dataclass(frozen=True)
class Total:
    """An aggregate function."""

    function: str
    path: Path

    @property
    def text(self) -> str:
        """The call as SOQL writes it."""
        return f"{self.function}({self.path.text})"

    @property
    def type(self) -> FieldType:
        """A number, or what the field is."""
        counts = self.function.startswith("COUNT")
        return FieldType.INT if counts else FieldType.DOUBLE if self.function == "AVG" else self.path.type

    def of(self, world: World, rows: list[Row]) -> Any:
        """The value over a group; nulls count for nothing."""
        values = [value for row in rows if (value := self.path.read(world, row)) is not None]
        if self.function == "COUNT":
            return len(values)
        if self.function == "COUNT_DISTINCT":
            return len({alike(value) for value in values})
        if not values:
            return None
        if self.function in {"MIN", "MAX"}:
            return (min if self.function == "MIN" else max)(values, key=self.path.rank)
        total = sum(values)
        return total / len(values) if self.function == "AVG" else total

    def rank(self, value: Any) -> Any:
        """A value as it is sorted."""
        return self.path.rank(value) if self.function in {"MIN", "MAX"} else value


@dataclass(frozen=True)
class Group:
    """One row of a grouped query."""

    values: tuple[Any, ...]
    """Of the groups, null where rolled up."""
    rolled: tuple[bool, ...]
    totals: tuple[Any, ...]


@dataclass(frozen=True)
class Grouped:
    """A query with aggregates over groups: `g0`, `g1`... the groups, `t0`... the totals, `x0`... GROUPING."""

    object_name: str
    groups: tuple[Expression, ...]
    totals: tuple[Total, ...]
    kind: str = ""
    where: Condition | None = None
    having: tuple[str, tuple[tuple[int, str, Any], ...]] | None = None
    """A word that joins them, and tests: which total, operator, value."""
    order: tuple[tuple[Key, int], ...] = ()
    """Keys, and which group they sort by, or which total behind the groups."""
    limit: int | None = None
    offset: int | None = None

    def soql(self) -> str:
        """As SOQL writes it."""
        items = [f"{one.text} g{n}" for n, one in enumerate(self.groups)]
        items += [f"{one.text} t{n}" for n, one in enumerate(self.totals)]
        if self.kind:
            items += [f"GROUPING({one.text}) x{n}" for n, one in enumerate(self.groups)]
        names = ", ".join(one.text for one in self.groups)
        group = f" GROUP BY {f'{self.kind}({names})' if self.kind else names}" if self.groups else ""
        if self.having:
            word, tests = self.having
            texts = (f"{self.totals[n].text} {sign} {written(value)}" for n, sign, value in tests)
            group += f" HAVING {f' {word} '.join(texts)}"
        return f"SELECT {', '.join(items)} FROM {self.object_name}" + _clauses(
            self.where, group, [key for key, _ in self.order], self.limit, self.offset
        )

    def sort_keys(self) -> list[tuple[Key, Callable[[Group], Any]]]:
        """What the groups are ordered by."""

        def reader(place: int) -> Callable[[Group], Any]:
            ranked = [*self.groups, *self.totals][place]

            def read(group: Group) -> Any:
                value = [*group.values, *group.totals][place]
                return None if value is None else ranked.rank(value)

            return read

        return [(key, reader(place)) for key, place in self.order]

    def rows(self, world: World) -> list[Group]:
        """The groups, in order, before LIMIT and OFFSET."""
        table = world.tables[self.object_name]
        rows = [row for row in table if self.where is None or self.where.holds(world, row)]
        found = [group for kept in self._sets() for group in self._set(world, rows, kept)]
        return ordered((one for one in found if self._has(world, one)), self.sort_keys())

    def _sets(self) -> list[tuple[bool, ...]]:
        """Which groups are kept in each grouping set."""
        size = len(self.groups)
        if self.kind == "ROLLUP":
            return [tuple(n < kept for n in range(size)) for kept in range(size + 1)]
        if self.kind == "CUBE":
            return [tuple(bool(bits >> n & 1) for n in range(size)) for bits in range(2**size)]
        return [(True,) * size]

    def _set(self, world: World, rows: list[Row], kept: tuple[bool, ...]) -> list[Group]:
        groups: dict[tuple[Any, ...], list[Row]] = {}
        if not self.groups:
            groups[()] = []  # without GROUP BY there is one row, even over nothing
        for row in rows:
            key = tuple(
                alike(one.read(world, row)) if keep else None
                for one, keep in zip(self.groups, kept, strict=True)
            )
            groups.setdefault(key, []).append(row)
        return [
            Group(
                tuple(
                    one.read(world, members[0]) if keep else None
                    for one, keep in zip(self.groups, kept, strict=True)
                ),
                tuple(not keep for keep in kept),
                tuple(total.of(world, members) for total in self.totals),
            )
            for members in groups.values()
        ]

    def _has(self, world: World, group: Group) -> bool:
        if self.having is None:
            return True
        word, tests = self.having
        found = [
            compared(world, self.totals[n].type, group.totals[n], sign, value) for n, sign, value in tests
        ]
        return all(found) if word == "AND" else any(found)


def _clauses(
    where: Condition | None, group: str | None, order: list[Key], limit: int | None, offset: int | None
) -> str:
    text = f" WHERE {where.text}" if where else ""
    text += group or ""
    text += f" ORDER BY {', '.join(key.clause for key in order)}" if order else ""
    text += f" LIMIT {limit}" if limit is not None else ""
    return text + (f" OFFSET {offset}" if offset is not None else "")

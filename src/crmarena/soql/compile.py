"""A bound query into one SQL statement with bound parameters, and the shape of its rows.

A child query becomes a statement of its own, run once for all parents: their Ids are
its first parameter, as JSON. A query restricted to given records gets their Ids in the
same way, and keeps their order where it has none of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from crmarena.schema.fields import FieldType
from crmarena.soql.bound import (
    AddressColumn,
    BoundQuery,
    Branches,
    Children,
    Column,
    Formatted,
    Join,
    Output,
    Selected,
    Step,
)
from crmarena.soql.expressions import Parameter, Parameters
from crmarena.soql.grouping import directed, grouped_record, grouped_sql
from crmarena.soql.late import Late
from crmarena.soql.predicates import Sql
from crmarena.soql.selective import is_selective
from crmarena.soql.shape import Address, Choice, Node, Record, Rows, Value
from crmarena.storage.ddl import bin_table, quote

_BEHIND = 2**62
_GIVEN = "SELECT value FROM json_each(?1)"


@dataclass(frozen=True, slots=True)
class Plan:
    """A statement, its parameters, and what its rows become."""

    sql: str
    parameters: tuple[Parameter, ...]
    late: bool
    """Whether some parameters are known only when it is run."""
    fiscal: bool
    """Whether the org's fiscal year decides some of them."""
    kind: str
    record: Record
    width: int
    children: tuple[ChildPlan, ...] = ()


@dataclass(frozen=True, slots=True)
class ChildPlan:
    """A child query's plan; which column of the parent's rows, and of its own, holds the parent's Id."""

    plan: Plan
    id_index: int
    parent_index: int


@dataclass(frozen=True, slots=True)
class Given:
    """The records that a query is restricted to."""

    table: str
    """SQL that tells them: rows of `value` and `key`, their order where the query has none."""
    parameters: int = 1
    """How many parameters it has, numbered from 1."""
    column: str = "Id"
    """What `value` holds of each: its Id, or its `rowid`."""


IDS = Given("json_each(?1)")
"""Records by their Ids, a JSON list."""


def compile_query(query: BoundQuery, *, all_rows: bool = False) -> Plan:
    """The plan of a whole query; with `all_rows` over the records of the recycle bin too."""
    return _Compiler(query, Parameters(), all_rows=all_rows).compile()


def compile_restricted(query: BoundQuery, given: Given) -> Plan:
    """The plan of a query over given records; what tells them are its first parameters."""
    return _Compiler(query, Parameters((None,) * given.parameters), given=given).compile()


class _Compiler:
    """Compiles one query level. A child query has `parent_field`, its reference to the parent."""

    def __init__(
        self,
        query: BoundQuery,
        parameters: Parameters,
        *,
        given: Given | None = None,
        parent_field: str | None = None,
        all_rows: bool = False,
    ) -> None:
        self.query = query
        self.parameters = parameters
        self.all_rows = all_rows
        self.sql = Sql(parameters, self._subquery, bare=all_rows)
        self.given = given
        self.parent_field = parent_field
        self.columns: dict[str, int] = {}
        self.children: list[ChildPlan] = []

    def compile(self) -> Plan:
        if self.query.kind == "count":
            return self._plan(self._count_sql(), Record("", None, ()), 1)
        if self.query.kind == "aggregate":
            record = grouped_record(self.query)
            text = grouped_sql(self.query, self.sql, self._tables() + self._where())
            return self._plan(text, record, len(record.entries))
        record = self._record()
        if self.parent_field is not None:
            self._index(f"{self.query.alias}.{quote(self.parent_field)}")
        return self._plan(self._records_sql(), record, len(self.columns))

    def _plan(self, sql: str, record: Record, width: int) -> Plan:
        parameters = tuple(self.parameters.values)
        late = [value for value in parameters if isinstance(value, Late)]
        fiscal = any(value.fiscal for value in late)
        children = tuple(self.children)
        return Plan(sql, parameters, bool(late), fiscal, self.query.kind, record, width, children)

    # Statements

    def _count_sql(self) -> str:
        body = self._tables() + self._where()
        if self.query.limit is None and self.query.offset is None:
            return f"SELECT COUNT(*) {body}"
        return f"SELECT COUNT(*) FROM (SELECT 1 {body}{self._limits()})"

    def _records_sql(self) -> str:
        if self.parent_field is not None and (self.query.limit is not None or self.query.offset is not None):
            return self._limited_children_sql()
        columns = ", ".join(self.columns)
        body = self._tables() + self._where()
        return f"SELECT {columns} {body} ORDER BY {self._order()}{self._limits()}"

    def _limited_children_sql(self) -> str:
        """LIMIT and OFFSET count the children of each parent apart."""
        names = ", ".join(f"a{index}" for index in range(len(self.columns)))
        columns = ", ".join(f"{text} AS a{index}" for index, text in enumerate(self.columns))
        parent = f"{self.query.alias}.{quote(self.parent_field or '')}"
        body = self._tables() + self._where()
        window = f"row_number() OVER (PARTITION BY {parent} ORDER BY {self._order()}) AS place"
        first = self.query.offset or 0
        kept = f"place > {self.parameters.add(first)}"
        if self.query.limit is not None:
            kept += f" AND place <= {self.parameters.add(first + self.query.limit)}"
        return f"SELECT {names} FROM (SELECT {columns}, {window} {body}) WHERE {kept} ORDER BY place"

    def _subquery(self, query: BoundQuery, selected: Column) -> str:
        inner = _Compiler(query, self.parameters, all_rows=self.all_rows)
        column = inner.sql.column(selected)
        return f"SELECT {column} {inner._tables()}{inner._where()}"

    # Clauses

    def _tables(self) -> str:
        query = self.query
        table = f"{self._rows_of(query.sobject.name)} AS {query.alias}"
        if self.given is not None:
            # CROSS JOIN: start from the given records, whatever the planner thinks.
            table = f"{self.given.table} AS given CROSS JOIN {table}"
        joins = [
            f" LEFT JOIN {self._rows_of(join.object_name)} AS {join.alias}"
            f" ON {join.alias}.Id = {join.on_alias}.{quote(join.on_field)}"
            for join in query.joins
        ]
        return f"FROM {table}{''.join(joins)}"

    def _rows_of(self, name: str) -> str:
        table = quote(name)
        if not self.all_rows:
            return table
        deleted = quote(bin_table(self.query.schema.objects[name]))
        # What was deleted comes behind the rest.
        later = f"rowid + {_BEHIND}"
        return f"(SELECT rowid AS rowid, * FROM {table} UNION ALL SELECT {later}, * FROM {deleted})"

    def _where(self) -> str:
        terms = []
        if self.given is not None:
            terms.append(f"{self.query.alias}.{self.given.column} = given.value")
        if self.parent_field is not None:
            terms.append(f"{self.query.alias}.{quote(self.parent_field)} IN ({_GIVEN})")
        if self.query.where is not None:
            terms.append(self.sql.condition(self.query.where))
        return f" WHERE {' AND '.join(terms)}" if terms else ""

    def _order(self) -> str:
        """The sort keys; the place in the table settles ties, so that a result is always the same."""
        query = self.query
        keys: list[str] = []
        for item in query.order_by:
            keys.extend(directed(item, key) for key in self.sql.sort_keys(item.expression))
        if self.given is not None and not keys:
            return f"given.key, {query.alias}.rowid"
        # In the direction of the last key an index serves both.
        last = " DESC" if keys and query.order_by[-1].descending else ""
        return ", ".join([*keys, f"{self._row_place()}{last}"])

    def _row_place(self) -> str:
        """The row's number; behind a plus where a filter should choose the index rather than the order."""
        query = self.query
        selective = is_selective(query.where)
        limited = query.limit is not None and not query.joins
        return f"{'+' if selective and not limited else ''}{query.alias}.rowid"

    def _limits(self) -> str:
        query = self.query
        if query.limit is None and query.offset is None:
            return ""
        limit = self.parameters.add(-1 if query.limit is None else query.limit)
        return f" LIMIT {limit}" + (f" OFFSET {self.parameters.add(query.offset)}" if query.offset else "")

    # Records

    def _record(self) -> Record:
        builder = _RecordBuilder(self)
        for item in self.query.select:
            builder.add(item)
        id_index = self._index(f"{self.query.alias}.{quote('Id')}")
        return Record(self.query.sobject.name, id_index, builder.entries(), optional=False)

    def _index(self, text: str) -> int:
        return self.columns.setdefault(text, len(self.columns))

    def value(self, output: Output) -> Node:
        """The column of an output, or the columns of an address."""
        expression = output.expression
        if isinstance(expression, AddressColumn):
            columns = ((name, f"{expression.alias}.{quote(field)}") for name, field in expression.parts)
            return Address(tuple((name, self._index(text)) for name, text in columns))
        if isinstance(expression, Formatted):
            return Value(self._index(self.sql.value(expression.argument)), style=expression.style)
        return Value(self._index(self.sql.value(expression)), expression.type is FieldType.BOOLEAN)

    def marker(self, step: Step) -> int:
        """The column that is null where a relationship leads nowhere."""
        found = [f"{join.alias}.{quote('Id')}" for join in step.joins]
        return self._index(found[0] if len(found) == 1 else f"COALESCE({', '.join(found)})")

    def types(self, joins: tuple[Join, ...]) -> tuple[tuple[str, str], ...]:
        """The objects of a polymorphic relationship, by the prefix of their Ids."""
        objects = self.query.schema.objects
        return tuple((objects[join.object_name].key_prefix, join.object_name) for join in joins)

    def choice(self, branches: Branches) -> Choice:
        """The records a TYPEOF may give."""
        records = [
            Record(join.object_name, self._index(f"{join.alias}.{quote('Id')}"), self._entries(outputs))
            for join, outputs in branches.branches
        ]
        if branches.otherwise:
            entries = self._entries(branches.otherwise)
            marker = self.marker(branches.step)
            records.append(Record("Name", marker, entries, types=self.types(branches.step.joins)))
        return Choice(tuple(records))

    def _entries(self, outputs: tuple[Output, ...]) -> tuple[tuple[str, Node], ...]:
        builder = _RecordBuilder(self)
        for output in outputs:
            builder.add(output)
        return builder.entries()

    def rows(self, children: Children) -> Rows:
        """The records of a child query."""
        compiler = _Compiler(
            children.query, Parameters((None,)), parent_field=children.field, all_rows=self.all_rows
        )
        plan = compiler.compile()
        parent_index = compiler._index(f"{children.query.alias}.{quote(children.field)}")
        id_index = self._index(f"{self.query.alias}.{quote('Id')}")
        self.children.append(ChildPlan(plan, id_index, parent_index))
        return Rows(len(self.children) - 1, id_index)


class _RecordBuilder:
    """Collects the entries of a record; paths through one parent merge where the first one stood."""

    def __init__(self, compiler: _Compiler) -> None:
        self._compiler = compiler
        self._entries: dict[str, Node | tuple[Step, _RecordBuilder]] = {}

    def add(self, item: Selected) -> None:
        """Take a selected item."""
        if isinstance(item, Children):
            self._entries[item.relationship] = self._compiler.rows(item)
        elif isinstance(item, Branches):
            self._entries[item.step.relationship] = self._compiler.choice(item)
        elif item.alias is not None:
            self._entries[item.alias] = self._compiler.value(item)
        else:
            self._add_field(item)

    def _add_field(self, output: Output) -> None:
        builder = self
        expression = output.expression
        if isinstance(expression, Formatted):
            expression = expression.argument
        for step in getattr(expression, "steps", ()):
            builder = builder._below(step)
        builder._entries[expression.key.rpartition(".")[2]] = self._compiler.value(output)

    def _below(self, step: Step) -> _RecordBuilder:
        found = self._entries.setdefault(step.relationship, (step, _RecordBuilder(self._compiler)))
        if not isinstance(found, tuple):
            raise TypeError(f"{step.relationship} is no parent")
        return found[1]

    def entries(self) -> tuple[tuple[str, Node], ...]:
        """What was collected, parents last resolved."""
        return tuple((key, self._node(entry)) for key, entry in self._entries.items())

    def _node(self, entry: Node | tuple[Step, _RecordBuilder]) -> Node:
        if not isinstance(entry, tuple):
            return entry
        step, builder = entry
        marker = self._compiler.marker(step)
        if len(step.joins) == 1:
            return Record(step.joins[0].object_name, marker, builder.entries())
        return Record("Name", marker, builder.entries(), types=self._compiler.types(step.joins))

"""A syntax tree against the schema: every name bound, every rule of the clauses checked.

Checks come in Salesforce's order: the driving object, the selected fields from left to
right, then the filters, the groups and the order. The first error is the one reported.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

from crmarena.schema.fields import TEXT_TYPES
from crmarena.schema.objects import Schema
from crmarena.soql import ast, functions
from crmarena.soql.bound import (
    Aggregate,
    BoundQuery,
    Branches,
    Children,
    Column,
    DateCall,
    Expression,
    FieldColumn,
    Grouping,
    NameColumn,
    Order,
    Output,
    Selected,
)
from crmarena.soql.conditions import Conditions, text_of
from crmarena.soql.faults import fault, fault_at
from crmarena.soql.scope import Scope
from crmarena.soql.tokens import Source

MAX_OFFSET = 2_000
MAX_CHILD_QUERIES = 20
MAX_QUERY_DEPTH = 5
MAX_FIELDS_LIMIT = 200
MAX_GROUPING_FIELDS = 3


def resolve(schema: Schema, query: ast.Query, source: Source | None) -> BoundQuery:
    """The bound form of a whole query. Raises SalesforceError."""
    first = query.source[0].path
    sobject = schema.object(first.text)
    if sobject is None:
        raise fault_at(source, first, "unknown_object", name=first.text)
    scope = Scope(schema, source, sobject, itertools.count())
    return _Resolver(query, scope, depth=1).bind()


class _Resolver:
    """Binds one query level."""

    def __init__(self, query: ast.Query, scope: Scope, depth: int, parent: ast.Query | None = None) -> None:
        self.query = query
        self.scope = scope
        self.source = scope.source
        self.depth = depth
        self.parent = parent
        self.bound = BoundQuery(scope.sobject, scope.alias, scope.joins)
        self.outputs: dict[str, Expression] = {}

    def bind(self) -> BoundQuery:
        query, bound = self.query, self.bound
        self._name_sources()
        bound.grouped = bool(query.group_by)
        bound.kind = self._kind()
        bound.select = self._select()
        if query.where is not None:
            bound.where = Conditions(self.scope, self._filtered, self._semi_join).bind(query.where)
        if bound.kind == "aggregate":
            self._bind_groups()
        elif query.having is not None:
            raise fault("having")
        bound.order_by = tuple(self._order(item) for item in query.order_by)
        self._bind_limits()
        return bound

    # FROM

    def _name_sources(self) -> None:
        query = self.query
        if query.scope is not None and query.scope.lower() != "everything":
            raise fault("not_supported", what=f"USING SCOPE {query.scope}")
        first = query.source[0]
        if first.alias:
            self.scope.name(first.alias, ())
        for item in query.source[1:]:
            parts = item.path.parts
            known = {(first.alias or "").lower(), self.scope.sobject.name.lower()}
            if len(parts) == 1 or parts[0].lower() not in known:
                raise fault_at(self.source, item.path, "driving_object", object=self.scope.sobject.name)
            # Reading the reference's Id shows that the path leads somewhere.
            self.scope.column(ast.Path((*parts, "Id"), item.path.row, item.path.column))
            self.scope.name(item.alias or parts[-1], parts[1:])

    # SELECT

    def _kind(self) -> str:
        calls = [item.expression for item in self.query.select if isinstance(item.expression, ast.Call)]
        aggregates = [call for call in calls if call.function in functions.AGGREGATES]
        if any(call.function == "COUNT" and call.argument is None for call in aggregates):
            return self._count_kind()
        if not (aggregates or self.bound.grouped):
            return "records"
        if self.parent is not None:
            raise fault("children_aggregate")
        return "aggregate"

    def _count_kind(self) -> str:
        if self.parent is not None:
            raise fault("children_aggregate")
        if len(self.query.select) > 1 or self.query.select[0].alias:
            raise fault("count_alone")
        for clause, present in (("GROUP BY", self.query.group_by), ("ORDER BY", self.query.order_by)):
            if present:
                raise fault("count_clause", clause=clause)
        return "count"

    def _select(self) -> tuple[Selected, ...]:
        if self.bound.kind == "count":
            return ()
        selected: list[Selected] = []
        seen: set[str] = set()
        parents: set[str] = set()
        for item in self.query.select:
            for found in self._items(item):
                name = _record_name(found)
                parent, dot, _ = name.lower().rpartition(".")
                taken = name.lower() in seen | parents or (dot and parent in seen)
                if self.bound.kind == "records" and taken:
                    raise fault("duplicate_field", name=name)
                if dot:
                    parents.add(parent.partition(".")[0])
                seen.add(name.lower())
                selected.append(found)
        self._check_counts(selected)
        return tuple(selected)

    def _check_counts(self, selected: list[Selected]) -> None:
        if sum(isinstance(found, Children) for found in selected) > MAX_CHILD_QUERIES:
            raise fault("children_count")
        paths = {
            step.relationship
            for found in selected
            if isinstance(found, Output) and isinstance(found.expression, Column | NameColumn)
            for step in found.expression.steps[:1]
        }
        for found in selected:
            if isinstance(found, Branches) and found.step.relationship in paths:
                raise fault("duplicate_field", name=found.step.relationship)

    def _items(self, item: ast.SelectItem) -> list[Selected]:
        expression = item.expression
        if isinstance(expression, ast.Query):
            return [self._children(expression)]
        if isinstance(expression, ast.TypeOf):
            return [self._typeof(expression)]
        if isinstance(expression, ast.FieldsCall):
            return list(self._fields(expression))
        return [self._output(expression, item.alias)]

    def _output(self, operand: ast.Operand, alias: str | None) -> Output:
        grouped = self.bound.kind == "aggregate"
        labelled = isinstance(operand, ast.Call) and operand.function == "TOLABEL"
        if alias is not None and not grouped and not labelled:
            raise fault("alias")
        expression = self._expression(operand)
        if not grouped and isinstance(expression, DateCall):
            raise fault("not_grouped", name=expression.argument.key)
        if not grouped and isinstance(expression, Grouping):
            raise fault("grouping_argument", name=expression.argument.key)
        if alias is not None:
            self.outputs[alias.lower()] = expression
        return Output(expression, alias)

    def _fields(self, call: ast.FieldsCall) -> list[Output]:
        if self.bound.kind == "aggregate":
            raise fault("fields_grouped")
        limit = self.query.limit
        if call.group != "STANDARD" and (limit is None or limit > MAX_FIELDS_LIMIT):
            raise fault("fields_limit")
        wanted = {"ALL": (True, False), "CUSTOM": (True,), "STANDARD": (False,)}[call.group]
        found = [
            Output(Column(field, self.scope.alias, (), field.name))
            for field in self.scope.sobject.columns
            if field.custom in wanted
        ]
        if not found:
            raise fault("fields_empty", group=call.group)
        return found

    def _typeof(self, node: ast.TypeOf) -> Branches:
        if self.bound.kind == "aggregate":
            raise fault("typeof_grouped")
        reference, step = self.scope.relationship(node.relationship)
        joins = {join.object_name.lower(): join for join in step.joins}
        branches = []
        for branch in node.branches:
            join = joins.get(branch.object_name.lower())
            if join is None:
                name = reference.relationship_name
                raise fault_at(self.source, branch, "typeof_type", name=branch.object_name, relationship=name)
            below = self.scope.below(join)
            branches.append((join, tuple(Output(below.column(path)) for path in branch.fields)))
        parts = node.relationship.parts
        # The fields stand in the record itself, not below the relationship once more.
        otherwise = [
            Output(
                replace(self.scope.column(ast.Path((*parts, *path.parts), path.row, path.column)), steps=())
            )
            for path in node.otherwise
        ]
        return Branches(step, tuple(branches), tuple(otherwise))

    def _children(self, query: ast.Query) -> Children:
        if self.bound.kind == "aggregate":
            raise fault("children_grouped")
        if self.depth == MAX_QUERY_DEPTH:
            raise fault("children_depth")
        path = query.source[0].path
        relationship = self.scope.sobject.children(path.parts[-1])
        prefixes = {self.scope.sobject.name.lower(), (self.query.source[0].alias or "").lower()}
        qualified = len(path.parts) == 2 and path.parts[0].lower() in prefixes
        if relationship is None or not (len(path.parts) == 1 or qualified):
            raise fault_at(self.source, path, "unknown_children", name=path.text)
        scope = Scope(
            self.scope.schema,
            self.source,
            self.scope.schema.objects[relationship.child],
            itertools.count(),
        )
        bound = _Resolver(query, scope, self.depth + 1, self.query).bind()
        return Children(relationship.name, relationship.field, bound)

    # Expressions

    def _expression(self, operand: ast.Operand) -> Expression:
        if isinstance(operand, ast.Path):
            return self.scope.column(operand)
        name = operand.function
        if name in functions.AGGREGATES:
            return self._aggregate(operand)
        if name in functions.DATE_SQL:
            return self._date_call(operand)
        if name in functions.UNSUPPORTED:
            raise fault("not_supported", what=functions.UNSUPPORTED[name])
        if name == "TOLABEL":
            column = self._column(operand)
            if column.type not in TEXT_TYPES:
                raise fault_at(
                    self.source, operand, "function_type", name=column.field.name, function="toLabel()"
                )
            return column
        if name == "GROUPING":
            argument = self._group_expression(operand)
            return Grouping(argument, f"GROUPING({argument.key})")
        key = "function_place" if name == "CONVERTTIMEZONE" else "unknown_function"
        raise fault_at(self.source, operand, key, function=operand.function, name=text_of(operand))

    def _column(self, call: ast.Call) -> FieldColumn:
        if not isinstance(call.argument, ast.Path):
            raise fault_at(self.source, call, "function_place", function=call.function, name=text_of(call))
        return self.scope.column(call.argument)

    def _group_expression(self, call: ast.Call) -> FieldColumn | DateCall:
        if isinstance(call.argument, ast.Call) and call.argument.function in functions.DATE_SQL:
            return self._date_call(call.argument)
        return self._column(call)

    def _aggregate(self, call: ast.Call) -> Aggregate:
        column = self._column(call)
        if not functions.aggregates(call.function, column.field):
            raise fault("aggregate_type", name=column.field.name, function=call.function)
        return Aggregate(call.function, column, f"{call.function}({column.key})")

    def _date_call(self, call: ast.Call) -> DateCall:
        inner = call
        if isinstance(call.argument, ast.Call) and call.argument.function == "CONVERTTIMEZONE":
            inner = call.argument
        column = self._column(inner)
        for function in {call.function, inner.function}:
            if not functions.takes_date(function, column.type):
                raise fault_at(self.source, call, "function_type", name=column.field.name, function=function)
        return DateCall(call.function, column, f"{call.function}({column.key})")

    # WHERE

    def _filtered(self, operand: ast.Operand) -> Expression:
        expression = self._expression(operand)
        if isinstance(expression, Aggregate | Grouping):
            name = text_of(operand)
            raise fault("aggregate_place", function=name.partition("(")[0], name=name)
        if isinstance(expression, Column | NameColumn) and not expression.field.filterable:
            raise fault_at(self.source, operand, "not_filterable", name=expression.field.name)
        return expression

    def _semi_join(self, query: ast.Query) -> BoundQuery:
        path = query.source[0].path
        sobject = self.scope.schema.object(path.text)
        if sobject is None:
            raise fault_at(self.source, path, "unknown_object", name=path.text)
        return _SemiResolver(query, self.scope.inner(sobject), self.depth, self.query).bind()

    # GROUP BY, HAVING

    def _bind_groups(self) -> None:
        query, bound = self.query, self.bound
        bound.group_by = tuple(self._group(operand) for operand in query.group_by)
        bound.grouping = query.grouping
        keys = [expression.key for expression in bound.group_by]
        for place, key in enumerate(keys):
            if key in keys[:place]:
                raise fault("duplicate_group", name=key)
        if query.grouping and len(keys) > MAX_GROUPING_FIELDS:
            raise fault("grouping_fields", grouping=query.grouping)
        for node, item in zip(query.select, bound.select, strict=True):
            if isinstance(item, Output) and isinstance(node.expression, ast.Path | ast.Call):
                self._check_grouped(item.expression, node.expression, "not_grouped")
        if query.having is not None:
            if not bound.grouped:
                raise fault("having")
            conditions = Conditions(self.scope, self._grouped_operand, None, "semi_having")
            bound.having = conditions.bind(query.having)

    def _group(self, operand: ast.Operand) -> FieldColumn | DateCall:
        expression = self._expression(operand)
        if isinstance(expression, Aggregate | Grouping):
            name = text_of(operand)
            raise fault("aggregate_place", function=name.partition("(")[0], name=name)
        if isinstance(expression, Column | NameColumn) and not expression.field.groupable:
            raise fault_at(self.source, operand, "not_groupable", name=expression.field.name)
        return expression

    def _grouped_operand(self, operand: ast.Operand) -> Expression:
        expression = self._expression(operand)
        self._check_grouped(expression, operand, "not_grouped")
        return expression

    def _check_grouped(self, expression: Expression, operand: ast.Operand, key: str) -> None:
        groups = {group.key for group in self.bound.group_by}
        if isinstance(expression, Aggregate):
            if expression.argument.key in groups:
                place = operand.argument if isinstance(operand, ast.Call) and operand.argument else operand
                name = expression.argument.key
                raise fault_at(self.source, place, "grouped_aggregate", name=name)
            return
        if isinstance(expression, Grouping):
            if self.bound.grouping is None or expression.argument.key not in groups:
                raise fault("grouping_argument", name=expression.argument.key)
            return
        if expression.key in groups:
            return
        # A day's year or month is settled where the day itself is grouped.
        if isinstance(expression, DateCall) and expression.argument.key in groups:
            return
        raise fault(key, name=expression.key)

    # ORDER BY, LIMIT, OFFSET

    def _order(self, item: ast.OrderItem) -> Order:
        operand = item.expression
        grouped = self.bound.kind == "aggregate"
        if isinstance(operand, ast.Call) and operand.function == "TOLABEL":
            raise fault_at(
                self.source, operand, "function_place", function="toLabel()", name=text_of(operand)
            )
        alias = self.outputs.get(text_of(operand).lower()) if grouped else None
        expression = alias or self._expression(operand)
        if grouped:
            self._check_grouped(expression, operand, "order_not_grouped")
        elif isinstance(expression, Aggregate | Grouping):
            name = text_of(operand)
            raise fault("aggregate_place", function=name.partition("(")[0], name=name)
        if isinstance(expression, Column | NameColumn) and not expression.field.sortable:
            raise fault_at(self.source, operand, "not_sortable", name=expression.field.name)
        return Order(expression, item.descending, item.nulls_first)

    def _bind_limits(self) -> None:
        query, bound = self.query, self.bound
        if bound.kind == "aggregate" and not bound.grouped and query.limit is not None:
            raise fault("aggregate_limit")
        if query.offset is not None and query.offset > MAX_OFFSET:
            raise fault("offset", object=bound.sobject.name)
        if query.offset is not None and self.parent is not None and self.parent.limit != 1:
            raise fault("children_offset")
        bound.limit, bound.offset = query.limit, query.offset


class _SemiResolver(_Resolver):
    """Binds the query of a semi-join, which may hold no further one."""

    def bind(self) -> BoundQuery:
        self._name_sources()
        for item in self.query.select:
            if isinstance(item.expression, ast.Call | ast.Query | ast.FieldsCall | ast.TypeOf):
                raise fault_at(self.source, self.query, "semi_single")
        self.bound.select = self._select()
        if self.query.where is not None:
            conditions = Conditions(self.scope, self._filtered, None, "semi_nesting")
            self.bound.where = conditions.bind(self.query.where)
        return self.bound


def _record_name(item: Selected) -> str:
    if isinstance(item, Children):
        return item.relationship
    if isinstance(item, Branches):
        return item.step.relationship
    return item.alias or item.expression.key

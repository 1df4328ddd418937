"""A syntax tree against the schema: every name bound, every rule of the clauses checked.

Checks come in Salesforce's order: the driving object, the selected fields from left to
right, then the filters, the groups and the order. The first error is the one reported.
"""

from __future__ import annotations

import itertools

from crmarena.schema.objects import Schema, SObject
from crmarena.soql import ast, functions
from crmarena.soql.bound import (
    AddressColumn,
    Aggregate,
    BoundQuery,
    Children,
    Column,
    Comparable,
    Condition,
    DateCall,
    Expression,
    FieldColumn,
    Formatted,
    Grouping,
    Junction,
    NameColumn,
    Order,
    Output,
)
from crmarena.soql.clauses import check_context, check_tail, scope_condition
from crmarena.soql.conditions import Conditions
from crmarena.soql.faults import fault, fault_at
from crmarena.soql.operands import Operands, text_of
from crmarena.soql.scope import Scope
from crmarena.soql.selection import Selection
from crmarena.soql.semi_joins import SemiJoins
from crmarena.soql.tokens import Source

MAX_OFFSET = 2_000
MAX_QUERY_DEPTH = 5
MAX_OLD_QUERY_DEPTH = 2
"""Before version 58 a child query has no child queries."""
DEEP_QUERIES_VERSION = 58
MAX_GROUPING_FIELDS = 3
MAX_SORT_FIELDS = 32

UNQUERYABLE = {"contentbody": "ContentBody"}
"""Objects of a live org that no query reads, by their names in lower case."""
FILTER_NEEDED = frozenset({"contentdocumentlink"})
"""Objects of a live org that are queried by an Id alone, by their names in lower case."""


def resolve(schema: Schema, query: ast.Query, source: Source | None) -> BoundQuery:
    """The bound form of a whole query. Raises SalesforceError."""
    sobject = _driving_object(schema, query, source)
    scope = Scope(schema, source, sobject, itertools.count())
    return _Resolver(query, scope, depth=1).bind()


def _driving_object(schema: Schema, query: ast.Query, source: Source | None) -> SObject:
    path = query.source[0].path
    sobject = schema.object(path.text)
    if sobject is not None:
        return sobject
    name = path.text.lower()
    if name in UNQUERYABLE:
        raise fault("not_queryable", name=UNQUERYABLE[name])
    if name in FILTER_NEEDED and query.where is None:
        raise fault("needs_filter")
    raise fault_at(source, path, "unknown_object", name=path.text)


class _Resolver:
    """Binds one query level."""

    def __init__(self, query: ast.Query, scope: Scope, depth: int, parent: ast.Query | None = None) -> None:
        self.query = query
        self.scope = scope
        self.source = scope.source
        self.depth = depth
        self.parent = parent
        self.bound = BoundQuery(scope.schema, scope.sobject, scope.alias, scope.joins)
        self.operands = Operands(scope)
        self.aliases: dict[str, Expression] = {}

    def bind(self) -> BoundQuery:
        query, bound = self.query, self.bound
        self._name_sources()
        bound.grouped = bool(query.group_by)
        bound.kind = self._kind()
        self._bind_select()
        self._bind_filter()
        check_context(query, self.scope.sobject, self.source)
        if bound.kind == "aggregate":
            self._bind_groups()
        elif query.having is not None:
            raise fault("having")
        self._bind_order()
        self._bind_limits()
        check_tail(query, self.scope.sobject, bound.kind)
        return bound

    # FROM

    def _name_sources(self) -> None:
        query = self.query
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
        if any(call.function == "COUNT" and call.argument is None for call in calls):
            return self._count_kind()
        if not (self.bound.grouped or any(map(_aggregated, calls))):
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

    def _bind_select(self) -> None:
        if self.bound.kind == "count":
            return
        grouped = self.bound.kind == "aggregate"
        selection = Selection(self.query, self.scope, self.operands, self._children, grouped=grouped)
        self.bound.select = selection.bind()
        self.aliases = selection.aliases

    def _children(self, query: ast.Query) -> Children:
        old = self.source is not None and self.source.api_version < DEEP_QUERIES_VERSION
        levels = MAX_OLD_QUERY_DEPTH if old else MAX_QUERY_DEPTH
        if self.depth == levels:
            raise fault("children_depth", levels=levels)
        path = query.source[0].path
        relationship = self.scope.sobject.children(path.parts[-1])
        prefixes = {self.scope.sobject.name.lower(), (self.query.source[0].alias or "").lower()}
        qualified = len(path.parts) == 2 and path.parts[0].lower() in prefixes
        if relationship is None or not (len(path.parts) == 1 or qualified):
            raise fault_at(self.source, path, "unknown_children", name=path.text)
        child = self.scope.schema.objects[relationship.child]
        scope = Scope(self.scope.schema, self.source, child, itertools.count())
        bound = _Resolver(query, scope, self.depth + 1, self.query).bind()
        return Children(relationship.name, relationship.field, bound)

    # WHERE

    def _bind_filter(self) -> None:
        terms: list[Condition] = []
        scoped = scope_condition(self.query.scope, self.scope)
        if scoped is not None:
            terms.append(scoped)
        if self.query.where is not None:
            semi_joins = SemiJoins(self.scope, self._filtered, self._semi_join)
            bound = Conditions(self.scope, self._filtered, semi_joins).bind(self.query.where)
            together = isinstance(bound, Junction) and bound.operator == "AND"
            terms.extend(bound.terms if isinstance(bound, Junction) and together else (bound,))
        if len(terms) > 1:
            terms = [Junction("AND", tuple(terms))]
        self.bound.where = terms[0] if terms else None

    def _filtered(self, operand: ast.Operand) -> Comparable:
        expression = self.operands.bind(operand, "WHERE")
        if isinstance(expression, AddressColumn):
            raise fault_at(self.source, operand, "address_filter")
        if isinstance(expression, Column | NameColumn) and not expression.field.filterable:
            raise fault_at(self.source, operand, "not_filterable", name=expression.field.name)
        return _comparable(expression)

    def _semi_join(self, query: ast.Query) -> BoundQuery:
        sobject = _driving_object(self.scope.schema, query, self.source)
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
            if isinstance(item, Output) and isinstance(node.expression, ast.Path | ast.Call | ast.Distance):
                self._check_grouped(item.expression, node.expression, "not_grouped")
        if query.having is not None:
            if not bound.grouped:
                raise fault("having")
            semi_joins = SemiJoins(self.scope, self._grouped_operand, None, "semi_having")
            bound.having = Conditions(self.scope, self._grouped_operand, semi_joins).bind(query.having)

    def _group(self, operand: ast.Operand) -> FieldColumn | DateCall:
        expression = self.operands.bind(operand, "GROUP BY")
        if isinstance(expression, Column | NameColumn | AddressColumn) and not expression.field.groupable:
            raise fault_at(self.source, operand, "not_groupable", name=expression.field.name)
        if not isinstance(expression, Column | NameColumn | DateCall):
            raise fault_at(self.source, operand, "not_groupable", name=text_of(operand))
        return expression

    def _grouped_operand(self, operand: ast.Operand) -> Comparable:
        expression = _comparable(self.operands.bind(operand, "HAVING"))
        self._check_grouped(expression, operand, "not_grouped")
        return expression

    def _check_grouped(self, expression: Expression, operand: ast.Operand, key: str) -> None:
        groups = {group.key for group in self.bound.group_by}
        if isinstance(expression, Formatted):
            expression = expression.argument
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

    def _bind_order(self) -> None:
        if len(self.query.order_by) > MAX_SORT_FIELDS:
            raise fault("sort_fields")
        self.bound.order_by = tuple(self._order(item) for item in self.query.order_by)

    def _order(self, item: ast.OrderItem) -> Order:
        operand = item.expression
        grouped = self.bound.kind == "aggregate"
        alias = self.aliases.get(text_of(operand).lower()) if grouped else None
        expression = alias or self.operands.bind(operand, "ORDER BY")
        if grouped:
            self._check_grouped(expression, operand, "order_not_grouped")
        elif isinstance(expression, Aggregate | Grouping):
            name = text_of(operand)
            raise fault("aggregate_place", function=name.partition("(")[0], name=name)
        if isinstance(expression, Column | NameColumn | AddressColumn) and not expression.field.sortable:
            raise fault_at(self.source, operand, "not_sortable", name=expression.field.name)
        return Order(_comparable(expression), item.descending, _nulls_first(item, expression))

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
            if not isinstance(item.expression, ast.Path):
                raise fault_at(self.source, self.query, "semi_single")
        self._bind_select()
        if self.query.where is not None:
            semi_joins = SemiJoins(self.scope, self._filtered, None, "semi_nesting")
            self.bound.where = Conditions(self.scope, self._filtered, semi_joins).bind(self.query.where)
        return self.bound


def _aggregated(call: ast.Call) -> bool:
    """Whether a selected call makes the query an aggregate one: FORMAT may stand around an aggregate."""
    if call.function == "FORMAT" and isinstance(call.argument, ast.Call):
        call = call.argument
    return call.function in functions.AGGREGATES


def _comparable(expression: Expression) -> Comparable:
    if isinstance(expression, Formatted):
        raise fault("function_place", function="FORMAT", name=expression.key)
    if isinstance(expression, AddressColumn):
        raise fault("not_sortable", name=expression.key)
    return expression


def _nulls_first(item: ast.OrderItem, expression: Expression) -> bool | None:
    """NULLS LAST does not hold for what is read through a parent that may be missing."""
    steps = expression.steps if isinstance(expression, Column | NameColumn) else ()
    if item.nulls_first is False and any(step.nillable for step in steps):
        return None
    return item.nulls_first

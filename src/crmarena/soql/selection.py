"""The SELECT list against the schema: fields, FIELDS(), TYPEOF and child queries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from crmarena.soql import ast
from crmarena.soql.bound import (
    AddressColumn,
    Branches,
    Children,
    Column,
    DateCall,
    Distance,
    Expression,
    Formatted,
    Grouping,
    Join,
    NameColumn,
    Output,
    Selected,
)
from crmarena.soql.faults import fault, fault_at
from crmarena.soql.operands import Operands
from crmarena.soql.scope import Scope

MAX_CHILD_QUERIES = 20
MAX_FIELDS_LIMIT = 200
_ALIASED = frozenset({"TOLABEL", "FORMAT", "CONVERTCURRENCY"})


class Selection:
    """Binds the SELECT list of one query level; `children` binds a child query."""

    def __init__(
        self,
        query: ast.Query,
        scope: Scope,
        operands: Operands,
        children: Callable[[ast.Query], Children],
        *,
        grouped: bool,
    ) -> None:
        self._query = query
        self._scope = scope
        self._source = scope.source
        self._operands = operands
        self._children = children
        self._grouped = grouped
        self._unnamed = 0
        self.aliases: dict[str, Expression] = {}
        """What each alias stands for, by the alias in lower case."""

    def bind(self) -> tuple[Selected, ...]:
        """What is selected, in order."""
        if sum(isinstance(item.expression, ast.Query) for item in self._query.select) > MAX_CHILD_QUERIES:
            raise fault("children_count")
        selected: list[Selected] = []
        seen: set[str] = set()
        parents: set[str] = set()
        for item in self._query.select:
            for found in self._items(item):
                name = _record_name(found)
                parent, dot, _ = name.lower().rpartition(".")
                taken = name.lower() in seen | parents or (dot and parent in seen)
                if not self._grouped and taken:
                    raise fault("duplicate_field", name=name)
                if dot:
                    parents.add(parent.partition(".")[0])
                seen.add(name.lower())
                selected.append(found)
        self._check_branches(selected)
        return tuple(selected)

    def _check_branches(self, selected: list[Selected]) -> None:
        """What TYPEOF names is not read by a path as well."""
        paths = {
            step.relationship
            for found in selected
            if isinstance(found, Output) and isinstance(found.expression, Column | NameColumn | AddressColumn)
            for step in found.expression.steps[:1]
        }
        for found in selected:
            if isinstance(found, Branches) and found.step.relationship in paths:
                raise fault("duplicate_field", name=found.step.relationship)

    def _items(self, item: ast.SelectItem) -> list[Selected]:
        expression = item.expression
        if isinstance(expression, ast.Query):
            return [self._child(expression)]
        if isinstance(expression, ast.TypeOf):
            return [self._typeof(expression)]
        if isinstance(expression, ast.FieldsCall):
            return list(self._fields(expression))
        return [self._output(expression, item.alias)]

    def _child(self, query: ast.Query) -> Children:
        if self._grouped:
            raise fault("children_grouped")
        return self._children(query)

    def _output(self, operand: ast.Operand, alias: str | None) -> Output:
        # chosen: a distance may have an alias too; without one it is numbered like an aggregate.
        named = isinstance(operand, ast.Distance) or (
            isinstance(operand, ast.Call) and operand.function in _ALIASED
        )
        if alias is not None and not self._grouped and not named:
            raise fault("alias")
        expression = self._operands.bind(operand, "SELECT")
        if not self._grouped and isinstance(expression, DateCall):
            raise fault("not_grouped", name=expression.argument.key)
        if not self._grouped and isinstance(expression, Grouping):
            raise fault("grouping_argument", name=expression.argument.key)
        if alias is not None:
            self.aliases[alias.lower()] = expression
        elif isinstance(expression, Distance) and not self._grouped:
            alias = f"expr{self._unnamed}"
            self._unnamed += 1
        return Output(expression, alias)

    def _fields(self, call: ast.FieldsCall) -> list[Output]:
        if self._grouped:
            raise fault("fields_grouped")
        limit = self._query.limit
        bounded = (limit is not None and limit <= MAX_FIELDS_LIMIT) or self._few_ids(self._query.where)
        if call.group != "STANDARD" and not bounded:
            raise fault("fields_limit")
        wanted = {"ALL": (True, False), "CUSTOM": (True,), "STANDARD": (False,)}[call.group]
        found = [
            Output(self._scope.own_field(field))
            for field in self._scope.sobject.fields.values()
            if field.custom in wanted
        ]
        if not found:
            raise fault("fields_empty", group=call.group)
        return found

    def _few_ids(self, condition: ast.Condition | None) -> bool:
        """Whether a filter leaves at most 200 records, by their Ids."""
        if isinstance(condition, ast.And):
            return any(self._few_ids(term) for term in condition.terms)
        if isinstance(condition, ast.Comparison):
            return condition.operator == "=" and self._is_id(condition.left)
        if isinstance(condition, ast.Membership):
            few = condition.operator == "IN" and len(condition.values) <= MAX_FIELDS_LIMIT
            return few and self._is_id(condition.left)
        return False

    def _is_id(self, operand: ast.Operand) -> bool:
        return isinstance(operand, ast.Path) and self._scope.column(operand).key == "Id"

    def _typeof(self, node: ast.TypeOf) -> Branches:
        if self._grouped:
            raise fault("typeof_grouped")
        reference, step = self._scope.relationship(node.relationship)
        joins = {join.object_name.lower(): join for join in step.joins}
        branches: list[tuple[Join, tuple[Output, ...]]] = []
        for branch in node.branches:
            join = joins.get(branch.object_name.lower())
            if join is None:
                name = reference.relationship_name
                raise fault_at(
                    self._source, branch, "typeof_type", name=branch.object_name, relationship=name
                )
            if any(join is taken for taken, _ in branches):
                raise fault_at(self._source, branch, "typeof_repeated", name=join.object_name)
            below = self._scope.below(join)
            branches.append((join, tuple(Output(below.column(path)) for path in branch.fields)))
        parts = node.relationship.parts
        # The fields stand in the record itself, not below the relationship once more.
        otherwise = [
            Output(
                replace(self._scope.column(ast.Path((*parts, *path.parts), path.row, path.column)), steps=())
            )
            for path in node.otherwise
        ]
        return Branches(step, tuple(branches), tuple(otherwise))


def _record_name(item: Selected) -> str:
    if isinstance(item, Children):
        return item.relationship
    if isinstance(item, Branches):
        return item.step.relationship
    if item.alias is None and isinstance(item.expression, Formatted):
        return item.expression.argument.key
    return item.alias or item.expression.key

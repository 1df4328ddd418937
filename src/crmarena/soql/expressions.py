"""Bound expressions and conditions as SQL text; values become numbered parameters."""

from __future__ import annotations

import json
from collections.abc import Callable

from crmarena.schema.fields import TEXT_TYPES, FieldType
from crmarena.soql.ast import Relative
from crmarena.soql.bound import (
    Aggregate,
    BoundQuery,
    Column,
    Condition,
    DateCall,
    Expression,
    FieldColumn,
    Grouping,
    Junction,
    Negation,
    Semi,
    Test,
    Value,
)
from crmarena.soql.functions import DATE_SQL
from crmarena.soql.literals import Edge
from crmarena.storage.ddl import quote
from crmarena.storage.functions import fold

Parameter = str | int | float | None | Edge

# Above this many, the values of IN travel as one JSON parameter.
MANY = 100
# SQLite holds an expression to a depth of 1000; long AND and OR lists become balanced trees.
WIDE = 100


class Parameters:
    """The values of a statement, each known in the text by its number."""

    def __init__(self, first: tuple[Parameter, ...] = ()) -> None:
        self.values: list[Parameter] = list(first)

    def add(self, value: Parameter) -> str:
        """Take a value; gives its mark."""
        self.values.append(value)
        return f"?{len(self.values)}"


class Sql:
    """Writes the expressions of one statement.

    `rolled` names the group expressions that are rolled up (null) in the grouping set
    at hand.
    """

    def __init__(
        self,
        parameters: Parameters,
        subquery: Callable[[BoundQuery, Column], str],
        rolled: frozenset[str] = frozenset(),
    ) -> None:
        self._parameters = parameters
        self._subquery = subquery
        self._rolled = rolled

    # Values

    def value(self, expression: Expression) -> str:
        """An expression as it is selected."""
        if isinstance(expression, Aggregate):
            return self._aggregate(expression)
        if isinstance(expression, Grouping):
            return self._parameters.add(int(expression.argument.key in self._rolled))
        if self._rolled and self._is_rolled(expression):
            return "NULL"
        if isinstance(expression, DateCall):
            return DATE_SQL[expression.function].format(self.column(expression.argument))
        return self.column(expression)

    def column(self, column: FieldColumn) -> str:
        """A field; a checkbox of a parent that is missing reads false."""
        if isinstance(column, Column):
            text = f"{column.alias}.{quote(column.field.name)}"
        elif column.field.name == "Type":
            cases = (
                f"WHEN {alias}.Id IS NOT NULL THEN {self._parameters.add(name)}"
                for alias, name in column.sources
            )
            text = f"CASE {' '.join(cases)} END"
        else:
            text = _first([f"{alias}.{quote(name)}" for alias, name in column.sources])
        if column.type is FieldType.BOOLEAN and column.steps:
            return f"COALESCE({text}, 0)"
        return text

    def folded(self, expression: Expression) -> str:
        """A text such that equal means equal without letter case, and order is that of the folded text.

        SQLite's NOCASE folds ASCII alone, and cheaply; only other texts are folded by a function.
        """
        text = self.value(expression)
        if expression.type not in TEXT_TYPES or _picklist(expression):
            return text
        other = f"length({text}) <> length(CAST({text} AS BLOB))"
        return f"(CASE WHEN {other} THEN sf_fold({text}) ELSE {text} END) COLLATE NOCASE"

    def sort_keys(self, expression: Expression) -> list[str]:
        """What ORDER BY sorts by: a picklist by the order of its values."""
        values = _picklist(expression)
        if not values:
            return [self.folded(expression)]
        text = self.value(expression)
        return [self._rank(text, values), text]

    def _is_rolled(self, expression: FieldColumn | DateCall) -> bool:
        if expression.key in self._rolled:
            return True
        return isinstance(expression, DateCall) and expression.argument.key in self._rolled

    def _rank(self, text: str, values: tuple[str, ...]) -> str:
        cases = " ".join(
            f"WHEN {self._parameters.add(value)} THEN {rank}" for rank, value in enumerate(values)
        )
        return f"CASE WHEN {text} IS NULL THEN NULL ELSE CASE {text} {cases} ELSE {len(values)} END END"

    def _aggregate(self, aggregate: Aggregate) -> str:
        function, argument = aggregate.function, aggregate.argument
        if function == "COUNT":
            rows = isinstance(argument, Column) and argument.field.name == "Id" and not argument.steps
            return "COUNT(*)" if rows else f"COUNT({self.column(argument)})"
        if function == "COUNT_DISTINCT":
            return f"COUNT(DISTINCT {self.folded(argument)})"
        values = _picklist(argument)
        if values:
            # The order of the values, written in front of each and taken off again.
            text = self.column(argument)
            ranked = f"printf('%06d', {self._rank(text, values)}) || {text}"
            return f"substr({function}({ranked}), 7)"
        return f"{function}({self.column(argument)})"

    # Conditions

    def condition(self, condition: Condition) -> str:
        """A condition as SQL; where SQL says unknown, SOQL means false."""
        if isinstance(condition, Junction):
            return self._junction(condition.operator, [self.condition(term) for term in condition.terms])
        if isinstance(condition, Negation):
            return f"({self.condition(condition.term)}) IS NOT TRUE"
        if isinstance(condition, Semi):
            inner = self._subquery(condition.query, condition.selected)
            found = f"{self.column(condition.column)} IN ({inner})"
            return f"({found}) IS NOT TRUE" if condition.negated else found
        return self._test(condition)

    def _junction(self, operator: str, terms: list[str]) -> str:
        if len(terms) > WIDE:
            half = len(terms) // 2
            terms = [self._junction(operator, terms[:half]), self._junction(operator, terms[half:])]
        return "(" + f" {operator} ".join(terms) + ")"

    def _test(self, test: Test) -> str:
        operator, values = test.operator, test.values
        if operator == "NOT IN":
            return f"({self._any(test.expression, values)}) IS NOT TRUE"
        if operator == "IN":
            return self._any(test.expression, values)
        (value,) = values
        if operator == "LIKE":
            return self._like(test.expression, str(value))
        text = self._operand(test.expression, values)
        if isinstance(value, Relative):
            return self._relative(text, operator, value, test.expression.type)
        if value is None:
            return {"=": f"{text} IS NULL", "!=": f"{text} IS NOT NULL"}.get(operator, "FALSE")
        return f"{text} {'IS NOT' if operator == '!=' else operator} {self._parameters.add(value)}"

    def _operand(self, expression: Expression, values: tuple[Value, ...]) -> str:
        """The left side of a comparison, with the collation that ignores letter case.

        Text columns fold ASCII of themselves, and have indexes for it; what makes É equal
        é is slower, and used where a value needs it.
        """
        text = self.value(expression)
        if isinstance(expression, DateCall):
            return f"({text})"
        if expression.type not in TEXT_TYPES:
            return text
        if any(isinstance(value, str) and not value.isascii() for value in values):
            return f"({text}) COLLATE SF_TEXT"
        return text if isinstance(expression, Column) else f"({text}) COLLATE NOCASE"

    def _any(self, expression: Expression, values: tuple[Value, ...]) -> str:
        text = self._operand(expression, values)
        relative = [value for value in values if isinstance(value, Relative)]
        fixed = [value for value in values if value is not None and not isinstance(value, Relative)]
        terms = [self._relative(text, "=", value, expression.type) for value in relative]
        if fixed:
            terms.append(f"{text} IN ({self._members(fixed)})")
        if None in values:
            terms.append(f"{text} IS NULL")
        return terms[0] if len(terms) == 1 else self._junction("OR", terms)

    def _members(self, values: list[str | int | float]) -> str:
        if len(values) > MANY:
            return f"SELECT value FROM json_each({self._parameters.add(json.dumps(values))})"
        return ", ".join(self._parameters.add(value) for value in values)

    def _like(self, expression: Expression, pattern: str) -> str:
        text = self.value(expression)
        if not pattern.isascii():
            text, pattern = f"sf_fold({text})", str(fold(pattern))
        escape = " ESCAPE '\\'" if "\\" in pattern else ""
        return f"{text} LIKE {self._parameters.add(pattern)}{escape}"

    def _relative(self, text: str, operator: str, literal: Relative, kind: FieldType) -> str:
        def edge(end: bool) -> str:
            return self._parameters.add(Edge(literal, end, kind is FieldType.DATETIME))

        if operator in {"=", "!="}:
            inside = f"({text} >= {edge(False)} AND {text} < {edge(True)})"
            return f"{inside} IS NOT TRUE" if operator == "!=" else inside
        sql, end = {"<": ("<", False), "<=": ("<", True), ">": (">=", True), ">=": (">=", False)}[operator]
        return f"{text} {sql} {edge(end)}"


def _first(texts: list[str]) -> str:
    if len(texts) > 1:
        return f"COALESCE({', '.join(texts)})"
    return texts[0] if texts else "NULL"


def _picklist(expression: Expression) -> tuple[str, ...]:
    if isinstance(expression, Aggregate):
        return _picklist(expression.argument) if expression.function in {"MIN", "MAX"} else ()
    if isinstance(expression, Column):
        return expression.field.picklist
    return ()

"""Bound conditions as SQL text, true or false where SQL may say unknown."""

from __future__ import annotations

import json
from collections.abc import Callable

from crmarena.schema.fields import TEXT_TYPES, FieldType
from crmarena.soql.ast import Relative
from crmarena.soql.bound import (
    BoundQuery,
    Column,
    Comparable,
    Condition,
    DateCall,
    Junction,
    Negation,
    Semi,
    Test,
    Value,
)
from crmarena.soql.expressions import Expressions, Parameter, Parameters, beyond_ascii
from crmarena.soql.late import Edge, FiscalEdge, Late
from crmarena.soql.literals import is_fiscal
from crmarena.storage.functions import fold, sort_key, value_set

# Above this many, the values of IN travel as one JSON parameter.
MANY = 100
# SQLite holds an expression to a depth of 1000; long AND and OR lists become balanced trees.
WIDE = 100


class Sql(Expressions):
    """Writes the expressions and conditions of one statement.

    `subquery` writes the query of a semi-join; `bare` says that the tables are unions,
    whose columns have no collation.
    """

    def __init__(
        self,
        parameters: Parameters,
        subquery: Callable[[BoundQuery, Column], str],
        rolled: frozenset[str] = frozenset(),
        *,
        bare: bool = False,
    ) -> None:
        super().__init__(parameters, rolled)
        self._subquery = subquery
        self._bare = bare

    def over(self, rolled: frozenset[str]) -> Sql:
        """The same statement's expressions in a grouping set."""
        return Sql(self.parameters, self._subquery, rolled, bare=self._bare)

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
        if operator in {"INCLUDES", "EXCLUDES"}:
            found = self._junction("OR", [self._has(test.expression, value) for value in values])
            return found if operator == "INCLUDES" else f"({found}) IS NOT TRUE"
        (value,) = values
        if operator == "LIKE":
            return self._like(test.expression, str(value))
        if isinstance(value, str) and operator not in {"=", "!="} and test.expression.type in TEXT_TYPES:
            return self._between(test.expression, operator, value)
        if value is None and operator not in {"=", "!="}:
            return "FALSE"
        text = self._operand(test.expression, values)
        if isinstance(value, Relative):
            return self._relative(text, operator, value, test.expression.type)
        if value is None:
            return f"{text} IS NULL" if operator == "=" else f"{text} IS NOT NULL"
        mark = self.parameters.add(self._comparable(test.expression, value))
        return f"{text} {'IS NOT' if operator == '!=' else operator} {mark}"

    def _between(self, expression: Comparable, operator: str, value: str) -> str:
        """A text before or behind another in the order that ORDER BY has."""
        key = f"{beyond_ascii(self.value(expression), 'sf_sort')} COLLATE NOCASE"
        return f"{key} {operator} {self.parameters.add(str(sort_key(value)))}"

    def _has(self, expression: Comparable, value: Value) -> str:
        """Whether all the values of a text are among those chosen in a multi-select picklist."""
        text = self.value(expression)
        if value is None:
            return f"{text} IS NULL"
        chosen = f"';' || sf_set({text}) || ';'"
        parts = str(value_set(str(value))).split(";")
        marks = [f"instr({chosen}, {self.parameters.add(f';{part};')}) > 0" for part in parts]
        return self._junction("AND", marks)

    def _comparable(self, expression: Comparable, value: str | int | float | Late) -> Parameter:
        """A value as the left side of a comparison holds it."""
        if expression.type is FieldType.MULTIPICKLIST and isinstance(value, str):
            return str(value_set(value))
        return value

    def _operand(self, expression: Comparable, values: tuple[Value, ...]) -> str:
        """The left side of a comparison, with the collation that ignores letter case.

        Text columns fold ASCII of themselves, and have indexes for it; what makes É equal
        é is slower, and used where a value needs it.
        """
        text = self.value(expression)
        if isinstance(expression, DateCall):
            return f"({text})"
        if expression.type not in TEXT_TYPES:
            return text
        if expression.type is FieldType.MULTIPICKLIST:
            return f"sf_set({text})"
        if any(isinstance(value, str) and not value.isascii() for value in values):
            return f"({text}) COLLATE SF_TEXT"
        plain = isinstance(expression, Column) and not self._bare
        return text if plain else f"({text}) COLLATE NOCASE"

    def _any(self, expression: Comparable, values: tuple[Value, ...]) -> str:
        text = self._operand(expression, values)
        relative = [value for value in values if isinstance(value, Relative)]
        fixed = [
            self._comparable(expression, value)
            for value in values
            if value is not None and not isinstance(value, Relative)
        ]
        terms = [self._relative(text, "=", value, expression.type) for value in relative]
        if fixed:
            terms.append(f"{text} IN ({self._members(fixed)})")
        if None in values:
            terms.append(f"{text} IS NULL")
        return terms[0] if len(terms) == 1 else self._junction("OR", terms)

    def _members(self, values: list[Parameter]) -> str:
        if len(values) > MANY:
            return f"SELECT value FROM json_each({self.parameters.add(json.dumps(values))})"
        return ", ".join(self.parameters.add(value) for value in values)

    def _like(self, expression: Comparable, pattern: str) -> str:
        text = self.value(expression)
        if not pattern.isascii():
            text, pattern = f"sf_fold({text})", str(fold(pattern))
        escape = " ESCAPE '\\'" if "\\" in pattern else ""
        return f"{text} LIKE {self.parameters.add(pattern)}{escape}"

    def _relative(self, text: str, operator: str, literal: Relative, kind: FieldType) -> str:
        def edge(end: bool) -> str:
            made = FiscalEdge if is_fiscal(literal) else Edge
            return self.parameters.add(made(literal, end, kind is FieldType.DATETIME))

        if operator in {"=", "!="}:
            inside = f"({text} >= {edge(False)} AND {text} < {edge(True)})"
            return f"{inside} IS NOT TRUE" if operator == "!=" else inside
        sql, end = {"<": ("<", False), "<=": ("<", True), ">": (">=", True), ">=": (">=", False)}[operator]
        return f"{text} {sql} {edge(end)}"

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
    Comparable,
    Condition,
    DateCall,
    Distance,
    FieldColumn,
    Grouping,
    Junction,
    Negation,
    Semi,
    Test,
    Value,
)
from crmarena.soql.functions import DATE_SQL, FISCAL_SQL
from crmarena.soql.late import Edge, FiscalEdge, FiscalMonth, Late, LaterFiscalYear, Zone
from crmarena.soql.literals import is_fiscal
from crmarena.storage.ddl import quote
from crmarena.storage.functions import fold, sort_key, value_set

Parameter = str | int | float | None | Late

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
    at hand; `bare` says that the tables are unions, whose columns have no collation.
    """

    def __init__(
        self,
        parameters: Parameters,
        subquery: Callable[[BoundQuery, Column], str],
        rolled: frozenset[str] = frozenset(),
        *,
        bare: bool = False,
    ) -> None:
        self.parameters = parameters
        self._subquery = subquery
        self._rolled = rolled
        self._bare = bare

    def over(self, rolled: frozenset[str]) -> Sql:
        """The same statement's expressions in a grouping set."""
        return Sql(self.parameters, self._subquery, rolled, bare=self._bare)

    # Values

    def value(self, expression: Comparable) -> str:
        """An expression as it is selected."""
        if isinstance(expression, Aggregate):
            return self._aggregate(expression)
        if isinstance(expression, Grouping):
            return self.parameters.add(int(expression.argument.key in self._rolled))
        if isinstance(expression, Distance):
            return self._distance(expression)
        if self._rolled and self._is_rolled(expression):
            return "NULL"
        return self._date(expression) if isinstance(expression, DateCall) else self.column(expression)

    def _date(self, call: DateCall) -> str:
        text = self.column(call.argument)
        if call.local:
            text = f"sf_local({text}, {self.parameters.add(Zone())})"
        if call.function in DATE_SQL:
            return DATE_SQL[call.function].format(text)
        marks = {"start": self.parameters.add(FiscalMonth())}
        if call.function == "FISCAL_YEAR":
            marks["later"] = self.parameters.add(LaterFiscalYear())
        return FISCAL_SQL[call.function].format(text, **marks)

    def _distance(self, call: Distance) -> str:
        parts = dict(call.address.parts)
        place = ", ".join(
            f"{call.address.alias}.{quote(parts[name])}" if name in parts else "NULL"
            for name in ("latitude", "longitude")
        )
        numbers = (call.latitude, call.longitude, call.radius)
        return f"sf_distance({place}, {', '.join(map(self.parameters.add, numbers))})"

    def column(self, column: FieldColumn) -> str:
        """A field; a checkbox of a parent that is missing reads false."""
        if isinstance(column, Column):
            text = f"{column.alias}.{quote(column.field.name)}"
        elif column.field.name == "Type":
            cases = (
                f"WHEN {alias}.Id IS NOT NULL THEN {self.parameters.add(name)}"
                for alias, name in column.sources
            )
            text = f"CASE {' '.join(cases)} END"
        else:
            text = _first([f"{alias}.{quote(name)}" for alias, name in column.sources])
        if column.type is FieldType.BOOLEAN and column.steps:
            return f"COALESCE({text}, 0)"
        return text

    def folded(self, expression: Comparable) -> str:
        """A text such that equal means equal without letter case.

        SQLite's NOCASE folds ASCII alone, and cheaply; only other texts are folded by a function.
        """
        text = self.value(expression)
        if expression.type not in TEXT_TYPES or _picklist(expression):
            return text
        return f"{_beyond_ascii(text, 'sf_fold')} COLLATE NOCASE"

    def sort_keys(self, expression: Comparable) -> list[str]:
        """What ORDER BY sorts by: a picklist by the order of its values, a text as a dictionary does."""
        values = _picklist(expression)
        text = self.value(expression)
        if values:
            return [self._rank(text, values), text]
        if expression.type in TEXT_TYPES:
            return [f"{_beyond_ascii(text, 'sf_sort')} COLLATE NOCASE"]
        return [text]

    def _is_rolled(self, expression: FieldColumn | DateCall) -> bool:
        if expression.key in self._rolled:
            return True
        return isinstance(expression, DateCall) and expression.argument.key in self._rolled

    def _rank(self, text: str, values: tuple[str, ...]) -> str:
        cases = " ".join(
            f"WHEN {self.parameters.add(value)} THEN {rank}" for rank, value in enumerate(values)
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
        text = self.column(argument)
        if argument.type in TEXT_TYPES:
            # The key that a text is ordered by, from which the text is read again.
            key = f"{_beyond_ascii(text, 'sf_extreme')} COLLATE NOCASE"
            return f"sf_extreme_text({function}({key}))"
        return f"{function}({text})"

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
        key = f"{_beyond_ascii(self.value(expression), 'sf_sort')} COLLATE NOCASE"
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


def _first(texts: list[str]) -> str:
    if len(texts) > 1:
        return f"COALESCE({', '.join(texts)})"
    return texts[0] if texts else "NULL"


def _beyond_ascii(text: str, function: str) -> str:
    """A text, by way of a function where it is not all ASCII."""
    return (
        f"(CASE WHEN length({text}) <> length(CAST({text} AS BLOB)) THEN {function}({text}) ELSE {text} END)"
    )


def _picklist(expression: Comparable) -> tuple[str, ...]:
    if isinstance(expression, Aggregate):
        return _picklist(expression.argument) if expression.function in {"MIN", "MAX"} else ()
    if isinstance(expression, Column):
        return expression.field.picklist
    return ()

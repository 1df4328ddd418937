"""Bound expressions as SQL text; values become numbered parameters."""

from __future__ import annotations

from crmarena.schema.fields import TEXT_TYPES, FieldType
from crmarena.soql.bound import (
    Aggregate,
    Column,
    Comparable,
    DateCall,
    Distance,
    FieldColumn,
    Grouping,
)
from crmarena.soql.functions import DATE_SQL, FISCAL_SQL
from crmarena.soql.late import FiscalMonth, Late, LaterFiscalYear, Zone
from crmarena.storage.ddl import quote

Parameter = str | int | float | None | Late


class Parameters:
    """The values of a statement, each known in the text by its number."""

    def __init__(self, first: tuple[Parameter, ...] = ()) -> None:
        self.values: list[Parameter] = list(first)

    def add(self, value: Parameter) -> str:
        """Take a value; gives its mark."""
        self.values.append(value)
        return f"?{len(self.values)}"


class Expressions:
    """Writes the expressions of one statement.

    `rolled` names the group expressions that are rolled up (null) in the grouping set
    at hand.
    """

    def __init__(self, parameters: Parameters, rolled: frozenset[str] = frozenset()) -> None:
        self.parameters = parameters
        self._rolled = rolled

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
        if expression.type not in TEXT_TYPES or picklist_of(expression):
            return text
        return f"{beyond_ascii(text, 'sf_fold')} COLLATE NOCASE"

    def sort_keys(self, expression: Comparable) -> list[str]:
        """What ORDER BY sorts by: a picklist by the order of its values, a text as a dictionary does."""
        values = picklist_of(expression)
        text = self.value(expression)
        if values:
            return [self._rank(text, values), text]
        if expression.type in TEXT_TYPES:
            return [f"{beyond_ascii(text, 'sf_sort')} COLLATE NOCASE"]
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
        values = picklist_of(argument)
        if values:
            # The order of the values, written in front of each and taken off again.
            text = self.column(argument)
            ranked = f"printf('%06d', {self._rank(text, values)}) || {text}"
            return f"substr({function}({ranked}), 7)"
        text = self.column(argument)
        if argument.type in TEXT_TYPES:
            # The key that a text is ordered by, from which the text is read again.
            key = f"{beyond_ascii(text, 'sf_extreme')} COLLATE NOCASE"
            return f"sf_extreme_text({function}({key}))"
        return f"{function}({text})"


def _first(texts: list[str]) -> str:
    if len(texts) > 1:
        return f"COALESCE({', '.join(texts)})"
    return texts[0] if texts else "NULL"


def beyond_ascii(text: str, function: str) -> str:
    """A text, by way of a function where it is not all ASCII."""
    return (
        f"(CASE WHEN length({text}) <> length(CAST({text} AS BLOB)) THEN {function}({text}) ELSE {text} END)"
    )


def picklist_of(expression: Comparable) -> tuple[str, ...]:
    """The values of a picklist in the order it is sorted by; none for anything else."""
    if isinstance(expression, Aggregate):
        return picklist_of(expression.argument) if expression.function in {"MIN", "MAX"} else ()
    if isinstance(expression, Column):
        return expression.field.picklist
    return ()

"""The productions of fields, functions and conditions."""

from __future__ import annotations

from crmarena.soql import ast
from crmarena.soql.faults import syntax
from crmarena.soql.parse_values import ValueParser
from crmarena.soql.tokens import NAME, STRING, Token

MAX_CALLS = 2
COMPARISONS = {"=": "=", "!=": "!=", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
"""The operators of one value, each by the one that means the same."""


class TermParser(ValueParser):
    """Reads operands and conditions."""

    # Fields and functions

    def parse_operand(self) -> ast.Operand:
        """A field path, or a function over one."""
        token = self.token
        # A name is never the last token.
        if token.kind == NAME and self.tokens[self.index + 1].word == "(":
            return self._distance() if token.word == "DISTANCE" else self._call()
        return self.parse_path()

    def parse_path(self) -> ast.Path:
        """Names parted by dots."""
        first = self.name()
        if self.token.word != ".":
            return ast.Path((first.text,), first.row, first.column)
        parts = [first.text]
        while self.accept("."):
            parts.append(self.name().text)
        return ast.Path(tuple(parts), first.row, first.column)

    def _call(self) -> ast.Call:
        start = self.advance()
        self.expect("(")
        argument = None if self.token.word == ")" else self._argument(1)
        self.expect(")")
        return ast.Call(start.word, argument, start.row, start.column)

    def _argument(self, depth: int) -> ast.Path | ast.Call:
        if self.token.kind != NAME or self.peek().word != "(":
            return self.parse_path()
        start = self.advance()
        if depth == MAX_CALLS:
            raise self.unexpected()
        self.expect("(")
        argument = self._argument(depth + 1)
        self.expect(")")
        return ast.Call(start.word, argument, start.row, start.column)

    def _distance(self) -> ast.Distance:
        """The field comes first, then the fixed place, then the unit."""
        start = self.advance()
        self.expect("(")
        if self.token.word == "GEOLOCATION" and self.peek().word == "(":
            raise syntax(self.source, self.token, "distance_field")
        place = self.parse_path()
        self.expect(",")
        latitude, longitude = self._geolocation()
        self.expect(",")
        if self.token.kind != STRING:
            raise self.unexpected_value()
        unit = self.advance()
        self.expect(")")
        if unit.text.lower() not in {"'mi'", "'km'"}:
            raise syntax(self.source, unit, "distance_unit", unit=unit.text)
        return ast.Distance(place, latitude, longitude, unit.text[1:-1].lower(), start.row, start.column)

    def _geolocation(self) -> tuple[int | float, int | float]:
        if self.token.word != "GEOLOCATION" or self.peek().word != "(":
            raise syntax(self.source, self.token, "distance_place")
        start = self.advance()
        self.expect("(")
        latitude = self.parse_number()
        self.expect(",")
        longitude = self.parse_number()
        self.expect(")")
        if abs(latitude) > 90 or abs(longitude) > 180:
            raise syntax(self.source, start, "distance_range")
        return latitude, longitude

    # Conditions

    def parse_condition(self) -> ast.Condition:
        """Terms joined by AND, or by OR, never by both at one level."""
        first = self._term()
        keyword = self.token.word
        if keyword != "AND" and keyword != "OR":
            return first
        terms = [first]
        while self.accept(keyword):
            terms.append(self._term())
        if self.token.word in {"AND", "OR"}:
            raise self.unexpected()
        return ast.And(tuple(terms)) if keyword == "AND" else ast.Or(tuple(terms))

    def condition_after(self, keyword: str) -> ast.Condition | None:
        """The condition behind a keyword, if the keyword comes next."""
        return self.parse_condition() if self.accept(keyword) else None

    def semi_join_query(self) -> ast.Query:
        """The query in brackets on the right of IN."""
        raise NotImplementedError

    def _term(self) -> ast.Condition:
        if self.token.word == "(":
            self.advance()
            condition = self.nested(self.parse_condition)
            self.expect(")")
            return condition
        if self.token.word == "NOT":
            self.advance()
            return ast.Not(self.nested(self._term))
        return self._field_term()

    def _field_term(self) -> ast.Condition:
        first = self.token
        if first.kind == NAME and first.word in {"AND", "OR", "WHERE"}:
            raise self.unexpected()
        left = self.parse_operand()
        operator = self.token.word
        if operator in COMPARISONS:
            self.advance()
            return ast.Comparison(left, COMPARISONS[operator], self.parse_literal())
        if operator == "LIKE":
            self.advance()
            return ast.Comparison(left, "LIKE", self.parse_pattern())
        return self._set_term(first, left)

    def _set_term(self, first: Token, left: ast.Operand) -> ast.Condition:
        operator = self.token.word
        if operator in {"INCLUDES", "EXCLUDES"}:
            self.advance()
            return ast.Membership(left, operator, self.parse_literals(first))
        negated = self.accept("NOT")
        if self.token.word != "IN":
            raise self.unexpected(first)
        self.advance()
        if self.token.word == "(" and self.peek().word == "SELECT":
            return ast.SemiJoin(left, negated, self.semi_join_query())
        return ast.Membership(left, "NOT IN" if negated else "IN", self.parse_literals(first))

"""SOQL text into a syntax tree: recursive descent, one method per production.

`Parser` works on any run of tokens, so SOSL parses what stands in its RETURNING clause
with the same productions.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from crmarena.soql import ast, literals
from crmarena.soql.ast import LiteralKind
from crmarena.soql.cursor import Cursor
from crmarena.soql.faults import fault, syntax
from crmarena.soql.strings import decode, decode_pattern
from crmarena.soql.tokens import DATE, DATETIME, END, NAME, NUMBER, STRING, Source, Token

MAX_LENGTH = 100_000
MAX_STRING = 4_000
MAX_CALLS = 2
MAX_NUMBER = 2**31 - 1

_RESERVED = """
    AND AS ASC DESC ELSE EXCLUDES FIRST FOR FROM GROUP HAVING IN INCLUDES LAST LIKE LIMIT NOT NULL NULLS
    OFFSET OR ORDER SELECT UPDATE USING WHERE WITH
"""
_NO_ALIAS = frozenset(_RESERVED.split())
_COMPARISONS = {"=": "=", "!=": "!=", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_SECURITY = ("SECURITY_ENFORCED", "USER_MODE", "SYSTEM_MODE")
_TAILS = {"FOR": ("VIEW", "REFERENCE", "UPDATE"), "UPDATE": ("TRACKING", "VIEWSTAT")}


def parse(source: Source) -> ast.Query:
    """The tree of a whole query. Raises SalesforceError."""
    if not source.text.strip():
        raise fault("empty")
    if len(source.text) > MAX_LENGTH:
        raise fault("too_long")
    parser = Parser(source, source.tokens())
    query = parser.parse_query()
    if parser.token.kind != END:
        raise parser.unexpected()
    return query


class Parser(Cursor):
    """The productions."""

    # The query

    def parse_query(self) -> ast.Query:
        """`SELECT ... FROM ...` and the clauses that follow, in their order."""
        start = self.expect("SELECT")
        if self.token.word == "FROM" and self.peek().word != "FROM" and self.peek().word != ",":
            raise self.unexpected(start)
        select = self.parse_select_list()
        self.expect("FROM")
        source = self.list_of(self._from_item)
        scope = self._scope()
        where = self._condition_after("WHERE")
        security = self._security()
        grouping, group_by = self._group_by()
        having = self._condition_after("HAVING")
        order_by = self.parse_order_by() if self.token.word == "ORDER" else ()
        return ast.Query(
            select=select,
            source=source,
            scope=scope,
            where=where,
            security=security,
            group_by=group_by,
            grouping=grouping,
            having=having,
            order_by=order_by,
            limit=self.parse_count("LIMIT"),
            offset=self.parse_count("OFFSET"),
            tail=self._tail(),
            row=start.row,
            column=start.column,
        )

    def parse_select_list(self) -> tuple[ast.SelectItem, ...]:
        """The entries between SELECT and FROM, or inside the brackets of a RETURNING object."""
        return self.list_of(self._select_item)

    def _select_item(self) -> ast.SelectItem:
        token = self.token
        if token.word == "(":
            return ast.SelectItem(self._child_query())
        if token.word == "FROM" and self.peek().word not in {",", "FROM", "."}:
            raise self.unexpected()
        if token.word == "TYPEOF" and self.peek().kind == NAME and self.peek().word != "FROM":
            return ast.SelectItem(self._typeof())
        if token.word == "FIELDS" and self.peek().word == "(":
            return ast.SelectItem(self._fields_call())
        return ast.SelectItem(self.parse_operand(), self._alias())

    def _child_query(self) -> ast.Query:
        self.expect("(")
        query = self.nested(self.parse_query)
        self.expect(")")
        return query

    def _fields_call(self) -> ast.FieldsCall:
        start = self.advance()
        self.expect("(")
        group = self.token
        if group.word not in {"ALL", "STANDARD", "CUSTOM"}:
            raise self.unexpected()
        self.advance()
        self.expect(")")
        return ast.FieldsCall(group.word, start.row, start.column)

    def _typeof(self) -> ast.TypeOf:
        start = self.advance()
        relationship = self.parse_path()
        branches = [self._type_branch()]
        while self.token.word == "WHEN":
            branches.append(self._type_branch())
        otherwise = self.list_of(self.parse_path) if self.accept("ELSE") else ()
        self.expect("END")
        return ast.TypeOf(relationship, tuple(branches), otherwise, start.row, start.column)

    def _type_branch(self) -> ast.TypeBranch:
        self.expect("WHEN")
        name = self.name()
        self.expect("THEN")
        return ast.TypeBranch(name.text, self.list_of(self.parse_path), name.row, name.column)

    def _from_item(self) -> ast.FromItem:
        path = self.parse_path()
        if self.accept("AS"):
            return ast.FromItem(path, self.name().text)
        return ast.FromItem(path, self._alias())

    def _alias(self) -> str | None:
        if self.token.kind != NAME or self.token.word in _NO_ALIAS:
            return None
        return self.advance().text

    def _scope(self) -> str | None:
        if not self.accept("USING"):
            return None
        self.expect("SCOPE")
        return self.name().text

    def _security(self) -> str | None:
        if not self.accept("WITH"):
            return None
        word = self.token
        if word.word in _SECURITY:
            return self.advance().word
        if word.kind == NAME and word.word not in _NO_ALIAS:
            raise syntax(self.source, word, "not_supported", what=f"WITH {word.text}")
        raise self.unexpected()

    def _group_by(self) -> tuple[str | None, tuple[ast.Operand, ...]]:
        if self.token.word != "GROUP":
            return None, ()
        self.advance()
        self.expect("BY")
        if self.token.word in {"ROLLUP", "CUBE"} and self.peek().word == "(":
            grouping = self.advance().word
            self.expect("(")
            fields = self.list_of(self.parse_operand)
            self.expect(")")
            return grouping, fields
        return None, self.list_of(self.parse_operand)

    def parse_order_by(self) -> tuple[ast.OrderItem, ...]:
        """`ORDER BY` and its entries."""
        self.expect("ORDER")
        self.expect("BY")
        return self.list_of(self._order_item)

    def _order_item(self) -> ast.OrderItem:
        expression = self.parse_operand()
        descending = self.token.word == "DESC"
        if self.token.word in {"ASC", "DESC"}:
            self.advance()
        nulls_first = None
        if self.accept("NULLS"):
            if self.token.word not in {"FIRST", "LAST"}:
                raise self.unexpected()
            nulls_first = self.advance().word == "FIRST"
        return ast.OrderItem(expression, descending, nulls_first)

    def parse_count(self, keyword: str) -> int | None:
        """`LIMIT n` or `OFFSET n`, if the keyword comes next."""
        if not self.accept(keyword):
            return None
        token = self.token
        if token.kind != NUMBER or not token.text.isdigit():
            raise self._unexpected_value()
        self.advance()
        number = int(token.text)
        if number > MAX_NUMBER:
            raise syntax(self.source, token, "out_of_range", value=token.text)
        return number

    def _tail(self) -> tuple[str, ...]:
        found: list[str] = []
        while self.token.word in _TAILS:
            keyword = self.advance().word
            found.append(self._tail_word(keyword))
            while keyword == "UPDATE" and self.accept(","):
                found.append(self._tail_word(keyword))
        return tuple(found)

    def _tail_word(self, keyword: str) -> str:
        if self.token.word not in _TAILS[keyword]:
            raise self.unexpected()
        return f"{keyword} {self.advance().word}"

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

    def _condition_after(self, keyword: str) -> ast.Condition | None:
        return self.parse_condition() if self.accept(keyword) else None

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
        if operator in _COMPARISONS:
            self.advance()
            return ast.Comparison(left, _COMPARISONS[operator], self._literal())
        if operator == "LIKE":
            self.advance()
            return ast.Comparison(left, "LIKE", self._pattern())
        return self._set_term(first, left)

    def _set_term(self, first: Token, left: ast.Operand) -> ast.Condition:
        operator = self.token.word
        if operator in {"INCLUDES", "EXCLUDES"}:
            self.advance()
            return ast.Membership(left, operator, self._literals(first))
        negated = self.accept("NOT")
        if self.token.word != "IN":
            raise self.unexpected(first)
        self.advance()
        if self.token.word == "(" and self.peek().word == "SELECT":
            return ast.SemiJoin(left, negated, self._child_query())
        return ast.Membership(left, "NOT IN" if negated else "IN", self._literals(first))

    def _literals(self, first: Token) -> tuple[ast.Literal, ...]:
        if self.token.word == ":":
            raise syntax(self.source, self.token, "bind")
        self.expect("(")
        if self.token.word == ")":
            raise self.unexpected(first)
        values = self.list_of(self._literal)
        self.expect(")")
        return values

    # Fields and functions

    def parse_operand(self) -> ast.Operand:
        """A field path, or a function over one."""
        if self.token.kind == NAME and self.peek().word == "(":
            return self._call()
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
        if start.word in {"DISTANCE", "GEOLOCATION"}:
            raise syntax(self.source, start, "not_supported", what=start.word)
        self.expect("(")
        argument = None if self.token.word == ")" else self._argument(1)
        self.expect(")")
        return ast.Call(start.word, argument, start.row, start.column)

    def _argument(self, depth: int) -> ast.Operand:
        if self.token.kind != NAME or self.peek().word != "(":
            return self.parse_path()
        start = self.advance()
        if depth == MAX_CALLS:
            raise self.unexpected()
        self.expect("(")
        argument = self._argument(depth + 1)
        self.expect(")")
        return ast.Call(start.word, argument, start.row, start.column)

    # Literals

    def _literal(self) -> ast.Literal:
        token = self.token
        kind = token.kind
        if kind == STRING:
            return self._string(token, decode)
        if kind == NUMBER:
            return self._make(LiteralKind.NUMBER, _number(token.text))
        if kind == DATE:
            return self._fixed(LiteralKind.DATE, literals.stored_date, "invalid_date")
        if kind == DATETIME:
            return self._fixed(LiteralKind.DATETIME, literals.stored_datetime, "invalid_datetime")
        return self._word_literal(token)

    def _word_literal(self, token: Token) -> ast.Literal:
        if token.kind != NAME:
            raise self._unexpected_value()
        if token.word == "NULL":
            return self._make(LiteralKind.NULL, None)
        if token.word in {"TRUE", "FALSE"}:
            return self._make(LiteralKind.BOOLEAN, token.word == "TRUE")
        if literals.is_plain(token.word):
            return self._make(LiteralKind.RELATIVE, ast.Relative(token.word))
        if literals.is_counted(token.word):
            return self._counted()
        if token.word in _NO_ALIAS:
            raise self.unexpected()
        raise syntax(self.source, token, "colon", found=token.text)

    def _counted(self) -> ast.Literal:
        name = self.advance()
        if self.token.word != ":":
            found = "<EOF>" if self.token.kind == END else self.token.text
            raise syntax(self.source, self.token, "colon", found=found)
        self.advance()
        token = self.token
        if token.kind != NUMBER or not token.text.isdigit():
            raise self.unexpected()
        self.advance()
        count = min(int(token.text), MAX_NUMBER)
        return ast.Literal(LiteralKind.RELATIVE, ast.Relative(name.word, count), name.row, name.column)

    def _pattern(self) -> ast.Literal:
        if self.token.kind != STRING:
            raise self._unexpected_value()
        return self._string(self.token, decode_pattern)

    def _string(self, token: Token, read: Callable[[Source, Token], tuple[LiteralKind, str]]) -> ast.Literal:
        kind, value = read(self.source, token)
        if len(value) > MAX_STRING:
            raise syntax(self.source, token, "string_length")
        return self._make(kind, value)

    def _fixed(self, kind: LiteralKind, store: Callable[[str], str | None], wrong: str) -> ast.Literal:
        value = store(self.token.text)
        if value is None:
            raise syntax(self.source, self.token, wrong, value=self.token.text)
        return self._make(kind, value)

    def _make(self, kind: LiteralKind, value: str | int | float | bool | ast.Relative | None) -> ast.Literal:
        token = self.advance()
        return ast.Literal(kind, value, token.row, token.column)

    def _unexpected_value(self) -> Exception:
        if self.token.word == ":":
            return syntax(self.source, self.token, "bind")
        return self.unexpected()


def _number(text: str) -> int | float:
    # Beyond 64 bits SQLite has no integers.
    number = int(text) if text.lstrip("+-").isdigit() and len(text) < 19 else float(text)
    if math.isinf(number):
        raise fault("out_of_range", value=text)
    return number

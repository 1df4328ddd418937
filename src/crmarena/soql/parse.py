"""SOQL text into a syntax tree: recursive descent, one method per production.

`Parser` works on any run of tokens, so SOSL parses what stands in its RETURNING clause
with the same productions.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from crmarena.soql import ast, literals
from crmarena.soql.ast import LiteralKind
from crmarena.soql.faults import bad_character, fault, syntax, unexpected
from crmarena.soql.tokens import (
    BAD,
    BAD_DATETIME,
    DATE,
    DATETIME,
    END,
    NAME,
    NUMBER,
    STRING,
    Source,
    Token,
)

T = TypeVar("T")

MAX_LENGTH = 100_000
MAX_STRING = 4_000
MAX_DEPTH = 40
MAX_CALLS = 2
MAX_NUMBER = 2**31 - 1

_RESERVED = """
    AND AS ASC DESC ELSE EXCLUDES FIRST FOR FROM GROUP HAVING IN INCLUDES LAST LIKE LIMIT NOT NULL NULLS
    OFFSET OR ORDER SELECT UPDATE USING WHERE WITH
"""
_NO_ALIAS = frozenset(_RESERVED.split())
_COMPARISONS = {"=": "=", "!=": "!=", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_SECURITY = ("SECURITY_ENFORCED", "USER_MODE", "SYSTEM_MODE")
_TAILS = (
    ("FOR", ("VIEW", "REFERENCE", "UPDATE")),
    ("UPDATE", ("TRACKING", "VIEWSTAT")),
)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|.)", re.DOTALL)


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


class Parser:
    """The productions, over tokens from an index on. `token` is the one to be read next."""

    def __init__(self, source: Source, tokens: list[Token], index: int = 0) -> None:
        self.source = source
        self.tokens = tokens
        self.index = index
        self.token = tokens[index]
        self._depth = 0

    # Steps over tokens

    def advance(self) -> Token:
        """Read a token."""
        token = self.token
        if token.kind != END:
            self.index += 1
            self.token = self.tokens[self.index]
        return token

    def accept(self, word: str) -> bool:
        """Read a keyword or symbol if it comes next."""
        if self.token.word != word:
            return False
        self.advance()
        return True

    def expect(self, word: str) -> Token:
        """Read a keyword or symbol; an error where something else stands."""
        if self.token.word != word:
            raise self.unexpected()
        return self.advance()

    def name(self) -> Token:
        """Read a name."""
        if self.token.kind != NAME:
            raise self.unexpected()
        return self.advance()

    def peek(self, ahead: int = 1) -> Token:
        """The token some places behind the next one."""
        return self.tokens[min(self.index + ahead, len(self.tokens) - 1)]

    def unexpected(self, first: Token | None = None) -> Exception:
        """The error for the next token, quoting from `first` on."""
        token = self.token
        if token.kind == BAD:
            return bad_character(self.source, token)
        if token.kind == BAD_DATETIME:
            return bad_character(self.source, token, len(token.text))
        return unexpected(self.source, token, first)

    # The query

    def parse_query(self) -> ast.Query:
        """`SELECT ... FROM ...` and the clauses that follow, in their order."""
        start = self.expect("SELECT")
        if self.token.word == "FROM" and self.peek().word != "FROM" and self.peek().word != ",":
            raise self.unexpected(start)
        select = self.parse_select_list()
        self.expect("FROM")
        source = self._list(self._from_item)
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
        return self._list(self._select_item)

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
        with_depth = self._nested(self.parse_query)
        self.expect(")")
        return with_depth

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
        otherwise = self._list(self.parse_path) if self.accept("ELSE") else ()
        self.expect("END")
        return ast.TypeOf(relationship, tuple(branches), otherwise, start.row, start.column)

    def _type_branch(self) -> ast.TypeBranch:
        self.expect("WHEN")
        name = self.name()
        self.expect("THEN")
        return ast.TypeBranch(name.text, self._list(self.parse_path), name.row, name.column)

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
            fields = self._list(self.parse_operand)
            self.expect(")")
            return grouping, fields
        return None, self._list(self.parse_operand)

    def parse_order_by(self) -> tuple[ast.OrderItem, ...]:
        """`ORDER BY` and its entries."""
        self.expect("ORDER")
        self.expect("BY")
        return self._list(self._order_item)

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
        while self.token.word in {"FOR", "UPDATE"}:
            keyword = self.advance().word
            if self.token.word not in dict(_TAILS)[keyword]:
                raise self.unexpected()
            found.append(f"{keyword} {self.advance().word}")
            while keyword == "UPDATE" and self.accept(","):
                if self.token.word not in _TAILS[1][1]:
                    raise self.unexpected()
                found.append(f"UPDATE {self.advance().word}")
        return tuple(found)

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
            condition = self._nested(self.parse_condition)
            self.expect(")")
            return condition
        if self.token.word == "NOT":
            self.advance()
            return ast.Not(self._nested(self._term))
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
        values = self._list(self._literal)
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
            return self._string(token, _decode)
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
        return self._string(self.token, _decode_pattern)

    def _string(
        self, token: Token, decode: Callable[[Source, Token], tuple[LiteralKind, str]]
    ) -> ast.Literal:
        kind, value = decode(self.source, token)
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

    # Shared

    def _list(self, entry: Callable[[], T]) -> tuple[T, ...]:
        found = [entry()]
        while self.accept(","):
            found.append(entry())
        return tuple(found)

    def _nested(self, production: Callable[[], T]) -> T:
        """A production one level deeper, to a depth that neither Python nor SQLite minds."""
        if self._depth >= MAX_DEPTH:
            raise fault("too_complicated")
        self._depth += 1
        found = production()
        self._depth -= 1
        return found


def _number(text: str) -> int | float:
    # Beyond 64 bits SQLite has no integers.
    return int(text) if text.lstrip("+-").isdigit() and len(text) < 19 else float(text)


def _decode(source: Source, token: Token) -> tuple[LiteralKind, str]:
    def replace(match: re.Match[str]) -> str:
        mark = match.group(1)
        if len(mark) == 5:
            return _character(mark)
        if mark.lower() not in _ESCAPES:
            raise _illegal(source, token, match)
        return _ESCAPES[mark.lower()]

    body = token.text[1:-1]
    return LiteralKind.STRING, _ESCAPE.sub(replace, body) if "\\" in body else body


def _decode_pattern(source: Source, token: Token) -> tuple[LiteralKind, str]:
    def replace(match: re.Match[str]) -> str:
        mark = match.group(1)
        if mark in {"%", "_", "\\"}:
            return match.group()
        if len(mark) == 5:
            return _character(mark)
        if mark.lower() not in _ESCAPES:
            raise _illegal(source, token, match)
        return _ESCAPES[mark.lower()]

    body = token.text[1:-1]
    return LiteralKind.PATTERN, _ESCAPE.sub(replace, body) if "\\" in body else body


def _character(mark: str) -> str:
    code = int(mark[1:], 16)
    # Half of a surrogate pair is no character, and SQLite does not take it.
    return chr(code) if not 0xD800 <= code <= 0xDFFF else "\ufffd"


def _illegal(source: Source, token: Token, match: re.Match[str]) -> Exception:
    return syntax(source, token, "illegal_escape", literal=token.text, sequence=match.group())

"""SOQL text into a syntax tree: recursive descent, one method per production.

`Parser` works on any run of tokens, so SOSL parses what stands in its RETURNING clause
with the same productions.
"""

from __future__ import annotations

from typing import Any

from crmarena.schema.scopes import SCOPES
from crmarena.soql import ast
from crmarena.soql.faults import fault
from crmarena.soql.parse_terms import TermParser
from crmarena.soql.parse_values import RESERVED as RESERVED
from crmarena.soql.tokens import END, NAME, STRING, Source

MAX_LENGTH = 100_000
MAX_CATEGORIES = 3
SECURITY = ("SECURITY_ENFORCED", "USER_MODE", "SYSTEM_MODE")
"""What WITH takes and what changes nothing, since every viewer sees all."""
SELECTORS = frozenset({"AT", "ABOVE", "BELOW", "ABOVE_OR_BELOW"})
VISIBILITY = {
    "maxdescriptorperrecord": "maxDescriptorPerRecord",
    "supportsdomains": "supportsDomains",
    "supportsdelegates": "supportsDelegates",
}
"""The settings of RecordVisibilityContext, by their names in lower case."""
FIELDS_VERSION = 51
TYPEOF_VERSION = 46
SCOPE_VERSION = 32
_BEHIND_A_FIELD = frozenset({",", ".", "FROM"})


def parse(source: Source) -> ast.Query:
    """The tree of a whole query. Raises SalesforceError."""
    if not source.text.strip():
        raise fault("empty")
    if len(source.text) > MAX_LENGTH:
        raise fault("too_long")
    parser = Parser(source, source.tokens())
    query = parser.parse_query()
    if parser.token.word == "ALL" and parser.peek().word == "ROWS":
        raise fault("all_rows")
    if parser.token.kind != END:
        raise parser.unexpected()
    return query


class Parser(TermParser):
    """The productions of the clauses."""

    def parse_query(self) -> ast.Query:
        """`SELECT ... FROM ...` and the clauses that follow, in their order."""
        start = self.expect("SELECT")
        if self.token.word == "FROM" and self.peek().word not in _BEHIND_A_FIELD:
            raise self.unexpected(start)
        select = self.parse_select_list()
        self.expect("FROM")
        source = self.list_of(self._from_item)
        scope = self._scope()
        where = self.condition_after("WHERE")
        context = self._with()
        grouping, group_by = self._group_by()
        having = self.condition_after("HAVING")
        order_by = self.parse_order_by() if self.token.word == "ORDER" else ()
        return ast.Query(
            select=select,
            source=source,
            scope=scope,
            where=where,
            **context,
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

    def semi_join_query(self) -> ast.Query:
        """The query in brackets on the right of IN."""
        return self._child_query()

    # SELECT

    def parse_select_list(self) -> tuple[ast.SelectItem, ...]:
        """The entries between SELECT and FROM, or inside the brackets of a RETURNING object."""
        return self.list_of(self._select_item)

    def _select_item(self) -> ast.SelectItem:
        token = self.token
        if token.word == "(":
            return ast.SelectItem(self._child_query())
        if token.word == "FROM" and self.peek().word not in _BEHIND_A_FIELD:
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
        if self.source.api_version < FIELDS_VERSION:
            raise self.unexpected()
        self.expect("(")
        group = self.token
        if group.word not in {"ALL", "STANDARD", "CUSTOM"}:
            raise self.unexpected()
        self.advance()
        self.expect(")")
        return ast.FieldsCall(group.word, start.row, start.column)

    def _typeof(self) -> ast.TypeOf:
        start = self.advance()
        if self.source.api_version < TYPEOF_VERSION:
            raise self.unexpected()
        relationship = self.parse_path()
        branches = [self._type_branch()]
        while self.token.word == "WHEN":
            branches.append(self._type_branch())
        otherwise = self.list_of(self._plain_field) if self.accept("ELSE") else ()
        self.expect("END")
        return ast.TypeOf(relationship, tuple(branches), otherwise, start.row, start.column)

    def _type_branch(self) -> ast.TypeBranch:
        self.expect("WHEN")
        name = self.name()
        self.expect("THEN")
        return ast.TypeBranch(name.text, self.list_of(self._plain_field), name.row, name.column)

    def _plain_field(self) -> ast.Path:
        path = self.parse_path()
        if self.token.word == "(":
            raise self.unexpected()
        return path

    # FROM

    def _from_item(self) -> ast.FromItem:
        path = self.parse_path()
        if self.accept("AS"):
            return ast.FromItem(path, self._new_name())
        return ast.FromItem(path, self._alias())

    def _alias(self) -> str | None:
        token = self.token
        if token.kind != NAME or token.word in RESERVED or self._at_all_rows():
            return None
        return self.advance().text

    def _new_name(self) -> str:
        if self.token.word in RESERVED:
            raise self.unexpected()
        return self.name().text

    def _at_all_rows(self) -> bool:
        return self.token.word == "ALL" and self.peek().word == "ROWS"

    def _scope(self) -> str | None:
        if self.token.word != "USING":
            return None
        if self.source.api_version < SCOPE_VERSION:
            raise self.unexpected()
        self.advance()
        self.expect("SCOPE")
        if self.token.word.lower() not in SCOPES:
            raise self.unexpected()
        return self.advance().text

    # WITH

    def _with(self) -> dict[str, Any]:
        """What a WITH clause says, as the field of a query that holds it."""
        if not self.accept("WITH"):
            return {}
        word = self.token.word
        if word in SECURITY:
            return {"security": self.advance().word}
        if word == "DATA":
            return {"categories": self.parse_categories()}
        if word == "RECORDVISIBILITYCONTEXT":
            return {"visibility": self._visibility()}
        if word == "USERID":
            self.advance()
            self.expect("=")
            if self.token.kind != STRING:
                raise self.unexpected_value()
            return {"user_id": self.parse_literal()}
        raise self.unexpected()

    def parse_categories(self) -> tuple[ast.CategoryFilter, ...]:
        """`DATA CATEGORY` and its conditions, joined by AND."""
        self.expect("DATA")
        self.expect("CATEGORY")
        filters = [self._category_filter()]
        while self.accept("AND"):
            filters.append(self._category_filter())
        if len(filters) > MAX_CATEGORIES:
            raise fault("category_count")
        return tuple(filters)

    def _category_filter(self) -> ast.CategoryFilter:
        group = self.name()
        if self.token.word not in SELECTORS:
            raise self.unexpected()
        selector = self.advance().word
        if self.accept("("):
            names = self.list_of(self.name)
            self.expect(")")
        else:
            names = (self.name(),)
        categories = tuple(name.text for name in names)
        return ast.CategoryFilter(group.text, selector, categories, group.row, group.column)

    def _visibility(self) -> tuple[tuple[str, ast.Literal], ...]:
        self.advance()
        self.expect("(")
        settings = self.list_of(self._setting)
        self.expect(")")
        return settings

    def _setting(self) -> tuple[str, ast.Literal]:
        name = VISIBILITY.get(self.token.text.lower())
        if name is None:
            raise self.unexpected()
        self.advance()
        self.expect("=")
        return name, self.parse_literal()

    # GROUP BY, ORDER BY

    def _group_by(self) -> tuple[str | None, tuple[ast.Operand, ...]]:
        if self.token.word != "GROUP":
            return None, ()
        self.advance()
        self.expect("BY")
        if not self._at_grouping():
            return None, self.list_of(self._group)
        grouping = self.advance().word
        self.expect("(")
        fields = self.list_of(self._group)
        self.expect(")")
        return grouping, fields

    def _at_grouping(self) -> bool:
        return self.token.word in {"ROLLUP", "CUBE"} and self.peek().word == "("

    def _group(self) -> ast.Operand:
        # Neither goes with plain fields, nor inside the other.
        if self._at_grouping():
            raise self.unexpected()
        return self.parse_operand()

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

    # FOR VIEW | REFERENCE, UPDATE TRACKING | VIEWSTAT, FOR UPDATE

    def _tail(self) -> tuple[str, ...]:
        found: list[str] = []
        if self.token.word == "FOR" and self.peek().word in {"VIEW", "REFERENCE"}:
            found.append(self._two_words())
        if self.accept("UPDATE"):
            found.extend(f"UPDATE {word}" for word in self.list_of(self._statistic))
        if self.token.word == "FOR":
            if self.peek().word != "UPDATE" or self.peek().kind != NAME:
                self.advance()
                raise self.unexpected()
            found.append(self._two_words())
        return tuple(found)

    def _two_words(self) -> str:
        return f"{self.advance().word} {self.advance().word}"

    def _statistic(self) -> str:
        if self.token.word not in {"TRACKING", "VIEWSTAT"}:
            raise self.unexpected()
        return self.advance().word

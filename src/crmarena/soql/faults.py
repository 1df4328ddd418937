"""Every error of SOQL: code, text, place, and how the message is laid out.

Two layouts. A syntax error of API version 62 or later is one line; an older one, and a
semantic error of any version, starts with a window of the query and a caret. A semantic
error counts columns from 1, an old syntax error from 0.
"""

from __future__ import annotations

from typing import Protocol

from crmarena.errors import SalesforceError
from crmarena.soql.tokens import END, Source, Token

MALFORMED_QUERY = "MALFORMED_QUERY"
INVALID_FIELD = "INVALID_FIELD"
INVALID_TYPE = "INVALID_TYPE"
INVALID_FILTER = "INVALID_QUERY_FILTER_OPERATOR"
EXCEEDED_ID_LIMIT = "EXCEEDED_ID_LIMIT"
OUT_OF_RANGE = "NUMBER_OUTSIDE_VALID_RANGE"
TOO_COMPLICATED = "QUERY_TOO_COMPLICATED"
NOT_SUPPORTED = "NOT_SUPPORTED"
"""Ours: what Salesforce can and this org cannot yet."""

_REFERENCE = " Please reference your WSDL or the describe call for the appropriate names."

# key -> (code, text). Texts with a place are shown under a caret.
TEXTS: dict[str, tuple[str, str]] = {
    # The query as a whole
    "empty": (MALFORMED_QUERY, "SOQL statements cannot be empty or null"),
    "too_long": (MALFORMED_QUERY, "SOQL statements cannot be longer than 100000 characters."),
    "too_complicated": (
        TOO_COMPLICATED,
        "Query is either selecting too many fields or the filter conditions are too complicated.",
    ),
    "not_supported": (NOT_SUPPORTED, "{what} is not supported by this org yet"),
    # Names
    "unknown_object": (
        INVALID_TYPE,
        "sObject type '{name}' is not supported. If you are attempting to use a custom object, be sure to"
        " append the '__c' after the entity name." + _REFERENCE,
    ),
    "unknown_field": (
        INVALID_FIELD,
        "No such column '{name}' on entity '{object}'. If you are attempting to use a custom field, be sure"
        " to append the '__c' after the custom field name." + _REFERENCE,
    ),
    "unknown_parent": (
        INVALID_FIELD,
        "Didn't understand relationship '{name}' in field path. If you are attempting to use a custom"
        " relationship, be sure to append the '__r' after the custom relationship name." + _REFERENCE,
    ),
    "unknown_children": (
        INVALID_TYPE,
        "Didn't understand relationship '{name}' in FROM part of query call. If you are attempting to use a"
        " custom relationship, be sure to append the '__r' after the custom relationship name." + _REFERENCE,
    ),
    "too_many_levels": (INVALID_FIELD, "Relationship path '{path}' is longer than 5 levels"),
    "driving_object": (
        MALFORMED_QUERY,
        "A driving SObject type has already been set, all other entity types in the FROM clause must be"
        " relationships to the initial object.  The driving object is {object}.",
    ),
    # SELECT
    "duplicate_field": (INVALID_FIELD, "duplicate field selected: {name}"),
    "duplicate_alias": (MALFORMED_QUERY, "duplicate alias: {name}"),
    "alias": (MALFORMED_QUERY, "only aggregate expressions use field aliasing"),
    "fields_limit": (MALFORMED_QUERY, "The SOQL FIELDS function must have a LIMIT of at most 200"),
    "fields_empty": (
        MALFORMED_QUERY,
        "'FIELDS({group})' expansion function must result in at least one field being selected.",
    ),
    "fields_grouped": (MALFORMED_QUERY, "The SOQL FIELDS function is not allowed in a grouped query"),
    "typeof_target": (
        INVALID_FIELD,
        "TYPEOF needs a polymorphic relationship, and '{name}' is not one",
    ),
    "typeof_type": (INVALID_TYPE, "'{name}' is not one of the types of relationship '{relationship}'"),
    "typeof_grouped": (MALFORMED_QUERY, "TYPEOF is not allowed in a grouped query"),
    "children_grouped": (MALFORMED_QUERY, "Subqueries are not allowed in a grouped query"),
    "children_aggregate": (MALFORMED_QUERY, "only root queries support aggregate expressions"),
    "children_depth": (MALFORMED_QUERY, "Subqueries may be nested to 5 levels at most"),
    "children_count": (MALFORMED_QUERY, "A query may have 20 subqueries at most"),
    "children_offset": (MALFORMED_QUERY, "OFFSET in a subquery needs LIMIT 1 on the parent query"),
    "count_alone": (MALFORMED_QUERY, "COUNT() must be the only element of the SELECT list"),
    "count_clause": (MALFORMED_QUERY, "COUNT() does not go with {clause}"),
    # Functions and aggregates
    "unknown_function": (MALFORMED_QUERY, "Unknown function: {name}"),
    "function_type": (INVALID_FIELD, "field '{name}' does not support function {function}"),
    "function_place": (MALFORMED_QUERY, "{function} is not allowed here: {name}"),
    "aggregate_type": (MALFORMED_QUERY, "field {name} does not support aggregate operator {function}"),
    "aggregate_place": (MALFORMED_QUERY, "Aggregate function {function} is not allowed here: {name}"),
    "not_grouped": (MALFORMED_QUERY, "Field must be grouped or aggregated: {name}"),
    "order_not_grouped": (MALFORMED_QUERY, "Ordered field must be grouped or aggregated: {name}"),
    "grouped_aggregate": (MALFORMED_QUERY, "Grouped field should not be aggregated: {name}"),
    "duplicate_group": (MALFORMED_QUERY, "duplicate grouping expression: {name}"),
    "grouping_argument": (MALFORMED_QUERY, "GROUPING needs a field of GROUP BY ROLLUP or CUBE: {name}"),
    "grouping_fields": (MALFORMED_QUERY, "GROUP BY {grouping} takes 3 fields at most"),
    "having": (MALFORMED_QUERY, "HAVING needs GROUP BY"),
    "aggregate_limit": (
        MALFORMED_QUERY,
        "Non-grouped query that uses overall aggregate functions cannot also use LIMIT",
    ),
    "aggregate_rows": (
        EXCEEDED_ID_LIMIT,
        "Aggregate query does not support queryMore(), use LIMIT to restrict the results to a single batch",
    ),
    # What may be done with a field
    "not_filterable": (INVALID_FIELD, "field '{name}' can not be filtered in a query call"),
    "not_sortable": (INVALID_FIELD, "field '{name}' can not be sorted in a query call"),
    "not_groupable": (INVALID_FIELD, "field '{name}' can not be grouped in a query call"),
    "operator": (INVALID_FILTER, "invalid operator on {type} field"),
    # Filter values
    "needs_quotes": (
        INVALID_FIELD,
        "value of filter criterion for field '{name}' must be of type {type} and should be enclosed in"
        " quotes",
    ),
    "no_quotes": (
        INVALID_FIELD,
        "value of filter criterion for field '{name}' must be of type {type} and should not be enclosed in"
        " quotes",
    ),
    "invalid_id": (INVALID_FILTER, "invalid ID field: {value}"),
    "string_length": (MALFORMED_QUERY, "String literal in WHERE is longer than 4000 characters"),
    # Semi-joins
    "semi_or": (MALFORMED_QUERY, "Semi join sub-selects are not allowed with the 'OR' operator"),
    "semi_nested": (
        MALFORMED_QUERY,
        "Semi join sub-selects are only allowed at the top level WHERE expressions and not in nested WHERE"
        " expressions.",
    ),
    "semi_nesting": (MALFORMED_QUERY, "Nesting of semi join sub-selects is not supported"),
    "semi_count": (MALFORMED_QUERY, "Maximum 2 semi join sub-selects are allowed."),
    "semi_having": (MALFORMED_QUERY, "Semi join sub-selects are not allowed in HAVING"),
    "semi_left": (
        MALFORMED_QUERY,
        "The left operand field in the where expression for outer query should be an id field, cannot use:"
        " '{name}'",
    ),
    "semi_inner": (
        MALFORMED_QUERY,
        "The inner select field of a semi join should be an id or reference field, cannot use: '{name}'",
    ),
    "semi_single": (MALFORMED_QUERY, "The inner select of a semi join must have exactly one field"),
    "semi_clause": (MALFORMED_QUERY, "{clause} is not allowed in a semi join sub-select"),
    "semi_same": (MALFORMED_QUERY, "The inner and outer selects should not be on the same object type"),
    "semi_object": (MALFORMED_QUERY, "Entity '{object}' is not supported for semi join inner selects"),
    "semi_types": (
        MALFORMED_QUERY,
        "The selected field '{inner}' in the subquery and the left operand field in the where expression in"
        " the outer query '{outer}' should point to the same object type",
    ),
    # Limits
    "offset": (OUT_OF_RANGE, "Maximum SOQL offset allowed for apiName {object} is 2000"),
    # Literals
    "illegal_escape": (
        MALFORMED_QUERY,
        "Invalid string literal {literal}. Illegal character sequence '{sequence}' in string literal.",
    ),
    "invalid_date": (MALFORMED_QUERY, "Invalid date: {value}"),
    "invalid_datetime": (MALFORMED_QUERY, "Invalid datetime: {value}"),
    "colon": (MALFORMED_QUERY, "expecting a colon, found '{found}'"),
    "bind": (MALFORMED_QUERY, "Bind variables only allowed in Apex code"),
    "out_of_range": (MALFORMED_QUERY, "numeric value out of range: {value}"),
}


class Placed(Protocol):
    """A token or a node of the tree."""

    @property
    def row(self) -> int:
        """The row, from 1."""

    @property
    def column(self) -> int:
        """The column, from 1."""


def fault(key: str, **values: object) -> SalesforceError:
    """An error without a place."""
    code, text = TEXTS[key]
    return SalesforceError(code, text.format(**values))


def fault_at(source: Source | None, place: Placed, key: str, **values: object) -> SalesforceError:
    """A semantic error: its text under a caret at a node or token."""
    code, text = TEXTS[key]
    text = text.format(**values)
    return under_caret(source, code, text, place.row, place.column)


def syntax(source: Source, token: Token, key: str, **values: object) -> SalesforceError:
    """A syntax error: one line from API version 62 up, under a caret before."""
    code, text = TEXTS[key]
    return _syntax(source, code, text.format(**values), token.row, token.column - 1)


def unexpected(source: Source, token: Token, first: Token | None = None) -> SalesforceError:
    """An unexpected token; from version 62 up the words from `first` to the token are quoted."""
    found = "<EOF>" if token.kind == END else token.text
    if source.api_version < 62:
        return _syntax(source, MALFORMED_QUERY, f"unexpected token: {found}", token.row, token.column - 1)
    if first is not None and token.kind != END:
        found = " ".join(source.text[first.offset : token.offset + len(token.text)].split())
    return SalesforceError(MALFORMED_QUERY, f"unexpected token: '{found}'")


def bad_character(source: Source, token: Token, place: int = 0) -> SalesforceError:
    """A character the lexer does not take, `place` characters behind the start of a token."""
    row, column = token.row, token.column - 1 + place
    offset = token.offset + place
    found = source.text[offset] if offset < len(source.text) else "<EOF>"
    if token.text == "'":
        text = "mismatched character '<EOF>' expecting '''"
        column, found = len(source.line(row)), "<EOF>"
        new = f"line {row}:{column} {text}"
    else:
        text = f"no viable alternative at character '{found}'"
        new = f"line {row}:{column} unexpected token: '{found}'"
    if source.api_version < 62:
        return _syntax(source, MALFORMED_QUERY, text, row, column)
    return SalesforceError(MALFORMED_QUERY, new, row=row, column=column)


def _syntax(source: Source, code: str, text: str, row: int, column: int) -> SalesforceError:
    if source.api_version >= 62:
        return SalesforceError(code, text)
    return under_caret(source, code, text, row, column)


def under_caret(source: Source | None, code: str, text: str, row: int, column: int) -> SalesforceError:
    """An error with a window of the query and a caret at a row and column; one line without a source."""
    if source is None:
        return SalesforceError(code, text)
    start, snippet = _window(source.line(row), max(column - 1, 0))
    caret = " " * max(column - 1 - start, 0) + "^"
    message = f"\n{snippet}\n{caret}\nERROR at Row:{row}:Column:{column}\n{text}"
    return SalesforceError(code, message, text=text, row=row, column=column)


def _window(line: str, place: int) -> tuple[int, str]:
    """What is shown of a long line: some 35 characters on each side, cut at blanks."""
    start = 0
    if place > 36:
        start = min(line.find(" ", place - 36) + 1 or place - 36, place)
    end = line.find(" ", place + 35)
    return start, line[start:] if end < 0 else line[start:end]

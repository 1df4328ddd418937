"""The errors that only SOSL has: code, text, place. Here alone stands what was chosen of them.

Salesforce shows a character or word that it cannot read under a caret, in every API version, and
counts its column from 0.
"""

from __future__ import annotations

from crmarena.errors import SalesforceError
from crmarena.soql.faults import INVALID_FILTER, MALFORMED_QUERY, OUT_OF_RANGE, under_caret
from crmarena.soql.tokens import BAD, BAD_DATETIME, END, Source, Token

MALFORMED_SEARCH = "MALFORMED_SEARCH"
INVALID_SEARCH = "INVALID_SEARCH"
INVALID_TYPE = "INVALID_TYPE"

TEXTS: dict[str, tuple[str, str]] = {
    "no_braces": (
        MALFORMED_SEARCH,
        "No search term found. The search term must be enclosed in braces.",
    ),
    "bad_token": (MALFORMED_SEARCH, "Malformed search token: {found}"),
    "too_short": (INVALID_SEARCH, "search term must be longer than one character: {term}"),
    "list_view_syntax": (MALFORMED_SEARCH, "Invalid using expr"),
    "offset": (OUT_OF_RANGE, "SOSL offset should be between 0 to 2000"),
    "pricebook_list": (MALFORMED_SEARCH, "IN cannot be used for WITH PriceBookId clause"),
    "invalid_id": (INVALID_FILTER, "invalid ID field: {value}"),
    # chosen: SOQL's wording, for what is read as SOQL reads it
    "unexpected": (MALFORMED_SEARCH, "unexpected token: '{found}'"),
    "too_long": (MALFORMED_SEARCH, "SOSL statements cannot be longer than 100000 characters."),
    # chosen: Salesforce documents the rule, not the error
    "leading_wildcard": (INVALID_SEARCH, "search term must not start with a wildcard: {term}"),
    "duplicate_object": (MALFORMED_SEARCH, "duplicate object in RETURNING: {object}"),
    "duplicate_clause": (MALFORMED_SEARCH, "duplicate clause in search: WITH {name}"),
    "several_offsets": (MALFORMED_SEARCH, "OFFSET in RETURNING needs a single object"),
    "several_list_views": (MALFORMED_SEARCH, "Only one list view can be specified in a search"),
    "not_searchable": ("INVALID_TYPE_FOR_OPERATION", "entity type {object} does not support search"),
    "parameter": (INVALID_SEARCH, "Invalid value for search parameter {name}: {value}"),
    "unknown_parameter": (INVALID_SEARCH, "Unknown search parameter: {name}"),
    "needs_object": (INVALID_SEARCH, "Search parameter {name} needs at least one sobject"),
    # chosen: this org has the one division of every org, no category groups, no list views
    "division": (INVALID_SEARCH, "Division '{name}' does not exist"),
    "category_group": (INVALID_SEARCH, "Data category group '{name}' does not exist"),
    "list_view": (INVALID_SEARCH, "List view '{name}' does not exist for {object}"),
    # chosen: our own limits
    "too_deep": (MALFORMED_SEARCH, "The search term nests too many operators and parentheses."),
    "too_broad": (INVALID_SEARCH, "search term matches too many phrases: {term}"),
}


def fault(key: str, **values: object) -> SalesforceError:
    """An error without a place."""
    code, text = TEXTS[key]
    return SalesforceError(code, text.format(**values))


def rejected(source: Source, offset: int) -> SalesforceError:
    """A character of the search term that must be escaped, or the end where a brace should stand."""
    before = source.text[:offset]
    row, column = before.count("\n") + 1, offset - before.rfind("\n") - 1
    found = source.text[offset] if offset < len(source.text) else "<EOF>"
    text = f"line {row}:{column} mismatched character '{found}' expecting '}}'"
    return under_caret(source, MALFORMED_SEARCH, text, row, column)


def malformed(source: Source, token: Token) -> SalesforceError:
    """A word or sign behind the search term that no clause takes at its place."""
    if token.kind == END:
        return fault("unexpected", found="<EOF>")
    code, text = TEXTS["bad_token"]
    found = token.text[:1] if token.kind in {BAD, BAD_DATETIME} else token.text
    return under_caret(source, code, text.format(found=found), token.row, token.column - 1)


def of_search(error: SalesforceError) -> SalesforceError:
    """An error of the SOQL clauses inside a search, under the code that a search gives."""
    if error.error_code != MALFORMED_QUERY:
        return error
    return SalesforceError(
        MALFORMED_SEARCH, error.message, text=error.text, row=error.row, column=error.column
    )

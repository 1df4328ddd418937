"""The errors that only SOSL has: code, text, place."""

from __future__ import annotations

from crmarena.errors import SalesforceError
from crmarena.soql.faults import MALFORMED_QUERY, NOT_SUPPORTED, OUT_OF_RANGE, under_caret
from crmarena.soql.tokens import END, Source, Token

MALFORMED_SEARCH = "MALFORMED_SEARCH"
INVALID_SEARCH = "INVALID_SEARCH"

TEXTS: dict[str, tuple[str, str]] = {
    "no_braces": (
        MALFORMED_SEARCH,
        "No search term found. The search term must be enclosed in braces.",
    ),
    "too_long": (MALFORMED_SEARCH, "SOSL statements cannot be longer than 100000 characters."),
    "too_deep": (MALFORMED_SEARCH, "The search term nests too many operators and parentheses."),
    "bad_token": (MALFORMED_SEARCH, "Malformed search token: {found}"),
    "unexpected": (MALFORMED_SEARCH, "unexpected token: '{found}'"),
    "too_short": (INVALID_SEARCH, "search term must be longer than one character: {term}"),
    "leading_wildcard": (INVALID_SEARCH, "search term must not start with a wildcard: {term}"),
    "too_broad": (INVALID_SEARCH, "search term matches too many phrases: {term}"),
    "duplicate_object": (MALFORMED_SEARCH, "duplicate object in RETURNING: {object}"),
    "not_searchable": ("INVALID_TYPE_FOR_OPERATION", "entity type {object} does not support search"),
    "several_offsets": (MALFORMED_SEARCH, "OFFSET in RETURNING needs a single object"),
    "offset": (OUT_OF_RANGE, "SOSL offset should be between 0 to 2000"),
    "with_clause": (NOT_SUPPORTED, "WITH {name} is not supported by this org yet"),
    "list_view": (NOT_SUPPORTED, "USING ListView is not supported by this org yet"),
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


def malformed(token: Token) -> SalesforceError:
    """A word or sign behind the search term that no clause starts with."""
    if token.kind == END:
        return fault("unexpected", found="<EOF>")
    return fault("bad_token", found=token.text)


def of_search(error: SalesforceError) -> SalesforceError:
    """An error of the SOQL clauses inside a search, under the code that a search gives."""
    if error.error_code != MALFORMED_QUERY:
        return error
    return SalesforceError(
        MALFORMED_SEARCH, error.message, text=error.text, row=error.row, column=error.column
    )

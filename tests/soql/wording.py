"""The codes and the longer texts of SOQL errors, for the tables of refused queries."""

from __future__ import annotations

Case = tuple[str, str, str, int | None, int | None]
"""Query, code, text, row, column."""
MALFORMED = "MALFORMED_QUERY"
FIELD = "INVALID_FIELD"
FILTER = "INVALID_QUERY_FILTER_OPERATOR"
TYPE = "INVALID_TYPE"
SCOPE = "INVALID_QUERY_SCOPE"
OPERATION = "INVALID_TYPE_FOR_OPERATION"
HINT = " Please reference your WSDL or the describe call for the appropriate names."
TOP_LEVEL = (
    "Semi join sub-selects are only allowed at the top level WHERE expressions and not in nested WHERE"
    " expressions."
)


def no_column(name: str, entity: str) -> str:
    """An unknown field."""
    return (
        f"No such column '{name}' on entity '{entity}'. If you are attempting to use a custom field, be sure"
        f" to append the '__c' after the custom field name.{HINT}"
    )


def no_relationship(name: str, place: str) -> str:
    """An unknown relationship, in a field path or in FROM."""
    return (
        f"Didn't understand relationship '{name}' in {place}. If you are attempting to use a custom"
        f" relationship, be sure to append the '__r' after the custom relationship name.{HINT}"
    )


def no_object(name: str) -> str:
    """An unknown object."""
    return (
        f"sObject type '{name}' is not supported. If you are attempting to use a custom object, be sure to"
        f" append the '__c' after the entity name.{HINT}"
    )


def wrong_value(name: str, kind: str, quoted: bool) -> str:
    """A value of the wrong type."""
    ending = "should be enclosed in quotes" if quoted else "should not be enclosed in quotes"
    return f"value of filter criterion for field '{name}' must be of type {kind} and {ending}"

"""The errors that only HTTP has, and every error as the REST API writes it."""

from __future__ import annotations

from typing import Any

from crmarena.errors import SalesforceError

# key -> (code, text, HTTP status)
TEXTS: dict[str, tuple[str, str, int]] = {
    "no_resource": ("NOT_FOUND", "The requested resource does not exist", 404),
    "method": ("METHOD_NOT_ALLOWED", "HTTP Method '{method}' not allowed. Allowed are {allowed}", 405),
    "session": ("INVALID_SESSION_ID", "Session expired or invalid", 401),
    # chosen: the sheet has the code, and no recorded text.
    "header": ("INVALID_AUTH_HEADER", "INVALID_HEADER_TYPE", 401),
    "no_query": ("MALFORMED_QUERY", "A query string has to be specified", 400),
    "locator": ("INVALID_QUERY_LOCATOR", "invalid query locator", 400),
    "busy": ("SERVER_UNAVAILABLE", "All private sessions of this org are taken; try again later.", 503),
    "crash": ("UNKNOWN_EXCEPTION", "An unexpected error occurred. Please include this ErrorId: {id}", 500),
}


def fault(key: str, **values: object) -> SalesforceError:
    """A transport error by its key."""
    code, text, status = TEXTS[key]
    return SalesforceError(code, text.format(**values), http_status=status)


def body(error: SalesforceError) -> list[dict[str, Any]]:
    """The body of an error: an array of one."""
    shown: dict[str, Any] = {"message": error.message, "errorCode": error.error_code}
    fields = getattr(error, "fields", ())
    if fields:
        shown["fields"] = list(fields)
    return [shown]

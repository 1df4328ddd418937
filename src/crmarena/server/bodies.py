"""What comes in a request's body: JSON, or a form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import parse_qsl

import orjson
from fastapi import Depends, Request

from crmarena.errors import SalesforceError
from crmarena.server.faults import fault

_JSON_TYPES = frozenset({"", "application/json", "text/json"})


async def _json_body(request: Request) -> Any:
    check_type(request, _JSON_TYPES)
    return parse_json(await request.body())


JsonBody = Annotated[Any, Depends(_json_body)]
"""A route's parameter: the value of its JSON body. Raises SalesforceError for any other body."""


def check_type(request: Request, accepted: frozenset[str]) -> None:
    """Raise SalesforceError for a body of a type, or packed in a way, that is not accepted."""
    found = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if found not in accepted:
        raise fault("media_type", found=found)
    packed = request.headers.get("content-encoding", "identity").lower()
    if packed != "identity":
        raise fault("media_type", found=f"Content-Encoding {packed}")


def parse_json(body: bytes) -> Any:
    """The value of a JSON text. Raises SalesforceError JSON_PARSER_ERROR with the line and column."""
    if not body.strip():
        raise fault("no_body")
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise _json_fault(body, error) from None


def _json_fault(body: bytes, error: orjson.JSONDecodeError) -> SalesforceError:
    """The error at the place where reading stopped, as a JSON parser of Java words it."""
    place = {"line": error.lineno, "column": error.colno}
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return fault("json_text", text="Invalid UTF-8", line=1, column=1)
    if error.pos >= len(text):
        return fault("json_end", **place)
    if "limit" in str(error).lower():
        return fault("json_text", text="JSON nesting is too deep", **place)
    character = text[error.pos]
    return fault("json_character", character=character, code=ord(character), **place)


async def form_of(request: Request) -> Mapping[str, str]:
    """The fields of a form, with those of the query string; of one that is repeated the last."""
    check_type(request, frozenset({"", "application/x-www-form-urlencoded"}))
    body = await request.body()
    try:
        fields = parse_qsl(body.decode(), keep_blank_values=True, errors="strict", max_num_fields=100)
    except (UnicodeDecodeError, ValueError):
        raise fault("parameter", name="body", text="the form cannot be read") from None
    return {**dict(request.query_params), **dict(fields)}

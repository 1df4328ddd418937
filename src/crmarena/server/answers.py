"""Bodies as Salesforce writes them: JSON with Java's numbers, errors as an array."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from decimal import Decimal
from typing import Any

import orjson
from starlette.responses import Response

from crmarena.errors import SalesforceError
from crmarena.server import faults

JSON_TYPE = "application/json;charset=UTF-8"
PRETTY: ContextVar[bool] = ContextVar("pretty", default=False)
"""Whether the request at hand asked for white space (`X-PrettyPrint: 1`)."""

_LARGEST_PLAIN, _SMALLEST_PLAIN = 1e7, 1e-3
# Where Java may render a number otherwise than orjson: eight digits before the point, zeros behind
# it, or an exponent. What looks so inside a text costs time and nothing else.
_POINT = re.compile(rb"\.(?:(?<=\d{8}\.)|(?<=[:,\[\s-]0\.)00)")
_EXPONENT = re.compile(rb"e(?<=\de)[-+]?\d+[,\]}\s]")


class Answer(Response):
    """A finished body. Headers are made once, in the form that goes out."""

    def __init__(
        self,
        body: bytes,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        media_type: str = JSON_TYPE,
    ) -> None:
        self.status_code = status
        self.body = body
        self.background = None
        self.raw_headers = [(b"content-length", str(len(body)).encode())]
        if body:
            self.raw_headers.append((b"content-type", media_type.encode()))
        for name, value in (headers or {}).items():
            self.raw_headers.append((name.lower().encode("latin-1"), value.encode("latin-1")))


def answer(content: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
    """A JSON answer; of a route that is done in a thread, made there."""
    return Answer(to_json(content), status, headers)


def no_content(headers: Mapping[str, str] | None = None) -> Answer:
    """The empty answer 204: updated, deleted."""
    return Answer(b"", 204, headers)


def refusal(error: SalesforceError) -> Answer:
    """An error as the REST API answers it."""
    return answer(faults.body(error), error.http_status)


def to_json(content: Any) -> bytes:
    """JSON with doubles as Java renders them: `12.0`, `1.15056052E8`, `1.0E-4`."""
    option = orjson.OPT_INDENT_2 if PRETTY.get() else 0
    body = orjson.dumps(content, option=option)
    if _POINT.search(body) or _EXPONENT.search(body):
        return orjson.dumps(_with_java_numbers(content), option=option)
    return body


def java_double(number: float) -> str:
    """A double as Java's `Double.toString` writes it."""
    size = abs(number)
    if number == 0 or _SMALLEST_PLAIN <= size < _LARGEST_PLAIN:
        return repr(number)
    shown = Decimal(repr(size))
    digits = "".join(map(str, shown.as_tuple().digits)).rstrip("0")
    return f"{'-' if number < 0 else ''}{digits[0]}.{digits[1:] or '0'}E{shown.adjusted()}"


def _with_java_numbers(content: Any) -> Any:
    if isinstance(content, float):
        size = abs(content)
        plain = content == 0 or _SMALLEST_PLAIN <= size < _LARGEST_PLAIN
        return content if plain else orjson.Fragment(java_double(content).encode())
    if isinstance(content, Mapping):
        return {key: _with_java_numbers(value) for key, value in content.items()}
    if isinstance(content, Sequence) and not isinstance(content, str | bytes):
        return [_with_java_numbers(value) for value in content]
    return content

"""A request inside another: it reaches the same function as a request of its own, in the same thread."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode

import orjson
from fastapi import APIRouter
from fastapi.params import Header
from pydantic import TypeAdapter, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route

from crmarena.errors import SalesforceError
from crmarena.server import answers
from crmarena.server.caller import CALLER, Caller, served
from crmarena.server.faults import fault
from crmarena.server.json_text import Body, JsonText
from crmarena.server.routes import collections, describe, limits, parameterized, query, records, search

_DATA = "/services/data/v"
_ROUTERS: tuple[APIRouter, ...] = (
    query.router,
    search.router,
    describe.router,
    limits.router,
    records.router,
    collections.router,
    parameterized.router,
)
_HEADS = {b"location": "Location", b"last-modified": "Last-Modified"}


@dataclass(frozen=True)
class Asked:
    """A request inside another's body."""

    method: str
    url: str
    """From `/services/data/` on, with the query string."""
    body: Any = None
    """None where there is no body."""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Answered:
    """What it was answered."""

    status: int
    body: Any
    headers: dict[str, str]

    @property
    def failed(self) -> bool:
        """Whether the answer is an error."""
        return self.status >= 400

    @property
    def refuses(self) -> bool:
        """Whether anything of it was refused: all, or one record of several."""
        rows = self.body if isinstance(self.body, list) else []
        return self.failed or any(isinstance(row, dict) and row.get("success") is False for row in rows)


def carry_out(by: Caller, asked: Asked) -> Answered:
    """Answer a request as if it had come by itself, its errors included."""
    try:
        return _answered(_respond(by, asked))
    except SalesforceError as error:
        return _answered(answers.refusal(error))


def _respond(by: Caller, asked: Asked) -> Response:
    path, _, query_string = asked.url.partition("?")
    version = path[len(_DATA) :].partition("/")[0]
    if not path.startswith(_DATA) or not served(version):
        raise fault("no_resource")
    path = path.rstrip("/")
    endpoint, parts = _route(asked.method.upper(), path)
    given = _pairs(query_string)
    by = _at(by, version)
    if "request" in inspect.signature(endpoint).parameters:
        return endpoint(request=_request(by, asked, given))
    return endpoint(**_arguments(endpoint, by, asked, given, parts))


def _pairs(query_string: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(query_string, keep_blank_values=True, errors="strict")
    except UnicodeDecodeError:
        raise fault("query_string") from None


def _request(by: Caller, asked: Asked, given: list[tuple[str, str]]) -> Request:
    """The request of a route that reads its parameters itself."""
    headers = [(name.lower().encode(), value.encode()) for name, value in asked.headers.items()]
    # A URL in a body is text; one that came by itself is ASCII, and is read as such.
    scope = {"type": "http", "query_string": urlencode(given).encode(), "headers": headers, CALLER: by}
    return Request(scope)


def _at(by: Caller, version: str) -> Caller:
    """The caller on the same session, by another version of the API."""
    inner = copy.copy(by)
    inner.session, inner.version = by.session, version
    return inner


def _route(method: str, path: str) -> tuple[Callable[..., Response], dict[str, str]]:
    """The function that answers a path, and the parts of the path. Raises SalesforceError."""
    scope = {"type": "http", "method": method, "path": unquote(path), "headers": []}
    allowed: list[str] = []
    for route in _routes():
        match, found = route.matches(scope)
        if match is Match.FULL:
            return route.endpoint, found["path_params"]
        if match is Match.PARTIAL:
            allowed += sorted(route.methods or ())
    if allowed:
        raise fault("method", method=method, allowed=",".join(dict.fromkeys(allowed)))
    raise fault("no_resource")


@cache
def _routes() -> tuple[Route, ...]:
    return tuple(route for router in _ROUTERS for route in router.routes if isinstance(route, Route))


def _arguments(
    endpoint: Callable[..., Response],
    by: Caller,
    asked: Asked,
    given: list[tuple[str, str]],
    parts: Mapping[str, str],
) -> dict[str, Any]:
    sources = {"header": {name.lower(): value for name, value in asked.headers.items()}, "query": dict(given)}
    found: dict[str, Any] = {}
    for parameter in _parameters(endpoint):
        if parameter.kind == "caller":
            found[parameter.name] = by
        elif parameter.kind == "body":
            found[parameter.name] = Body(b"") if asked.body is None else Body.of(asked.body)
        elif parameter.kind == "pairs":
            found[parameter.name] = given
        elif parameter.name in parts:
            found[parameter.name] = parts[parameter.name]
        elif parameter.alias in (source := sources[parameter.kind]):
            found[parameter.name] = parameter.read(source[parameter.alias])
    return found


@dataclass(frozen=True)
class _Parameter:
    """A parameter of a route's function."""

    name: str
    kind: str
    """`caller`, `body`, `pairs` (all of the query string), `header`, `query`."""
    alias: str
    type: TypeAdapter[Any] | None

    def read(self, text: str) -> Any:
        """The value that a text stands for. Raises SalesforceError."""
        assert self.type is not None
        try:
            return self.type.validate_python(text)
        except ValidationError as error:
            raise fault("parameter", name=self.alias, text=error.errors()[0]["msg"]) from None


@cache
def _parameters(endpoint: Callable[..., Response]) -> tuple[_Parameter, ...]:
    found = inspect.signature(endpoint, eval_str=True).parameters.values()
    return tuple(_parameter(parameter) for parameter in found)


def _parameter(parameter: inspect.Parameter) -> _Parameter:
    name, annotation = parameter.name, parameter.annotation
    if name == "by":
        return _Parameter(name, "caller", name, None)
    if annotation == JsonText:
        return _Parameter(name, "body", name, None)
    if annotation == parameterized.Pairs:
        return _Parameter(name, "pairs", name, None)
    meant = next(iter(getattr(annotation, "__metadata__", ())), None)
    alias = getattr(meant, "alias", None) or name
    kind = "header" if isinstance(meant, Header) else "query"
    return _Parameter(name, kind, alias.lower() if kind == "header" else alias, TypeAdapter(annotation))


def _answered(response: Response) -> Answered:
    headers = {
        _HEADS[name]: value.decode("latin-1") for name, value in response.raw_headers if name in _HEADS
    }
    return Answered(response.status_code, orjson.loads(response.body) if response.body else None, headers)

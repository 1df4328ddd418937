"""The OpenAPI document, made true: what all resources have in common is said here once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from re import Pattern
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.responses import HTMLResponse, Response
from starlette.routing import compile_path

from crmarena import resources
from crmarena.server.settings import NEWEST_VERSION, OLDEST_VERSION

_ORDER = ("HEAD", "GET", "POST", "PUT", "PATCH", "DELETE")
_DATA = "/services/data/v{version}"
_WITH_TOKEN = (_DATA, "/services/oauth2/userinfo", "/id/")
_ERRORS = "SalesforceErrors"
_VERSION = {
    "name": "version",
    "in": "path",
    "required": True,
    "description": "The API version",
    "schema": {"type": "string", "enum": [f"{n}.0" for n in range(NEWEST_VERSION, OLDEST_VERSION - 1, -1)]},
}
_REFUSALS = {
    "400": "What was asked cannot be carried out",
    "401": "The token is missing, unknown or has ended",
    "403": "Not allowed, for one because the org is served for reading only",
    "404": "There is no such resource or record",
    "405": "The resource does not take the method",
    "408": "The body did not come in time",
    "413": "The body is too large",
    "415": "The body is of a type that is not taken",
    "500": "An error of the server; it gives an ErrorId and is logged under it",
    "503": "All private sessions are taken",
}
SCHEMAS: dict[str, Any] = {
    _ERRORS: {
        "type": "array",
        "minItems": 1,
        "items": {
            "type": "object",
            "required": ["message", "errorCode"],
            "properties": {
                "message": {"type": "string"},
                "errorCode": {"type": "string"},
                "fields": {"type": "array", "items": {"type": "string"}},
            },
        },
    },
    "OAuthError": {
        "type": "object",
        "required": ["error", "error_description"],
        "properties": {"error": {"type": "string"}, "error_description": {"type": "string"}},
    },
    "QueryPage": {
        "type": "object",
        "required": ["totalSize", "done", "records"],
        "properties": {
            "totalSize": {"type": "integer"},
            "done": {"type": "boolean"},
            "nextRecordsUrl": {"type": "string"},
            "records": {"type": "array", "items": {"type": "object"}},
        },
    },
}


def body(
    schema: dict[str, Any], media_type: str = "application/json", *, required: bool = True
) -> dict[str, Any]:
    """A route's `openapi_extra` that describes its body."""
    return {"requestBody": {"required": required, "content": {media_type: {"schema": schema}}}}


def parameters(described: Mapping[str, dict[str, str]]) -> dict[str, Any]:
    """A route's `openapi_extra` that describes texts of the query string, or `in` another place."""
    usual = {"in": "query", "required": False, "schema": {"type": "string"}}
    return {"parameters": [{"name": name, **usual, **said} for name, said in described.items()]}


def returns(
    schema: str | dict[str, Any], description: str = "The answer", status: int = 200
) -> dict[Any, Any]:
    """A route's `responses` that describe its answer by a schema, or by the name of one of `SCHEMAS`."""
    shown = named(schema) if isinstance(schema, str) else schema
    return {status: {"description": description, "content": {"application/json": {"schema": shown}}}}


def install(app: FastAPI) -> None:
    """Let an application show the document, and a page of it that needs no network."""
    app.openapi = lambda: _document(app)  # type: ignore[method-assign]
    app.add_route("/docs", _page, include_in_schema=False)


def methods(app: FastAPI, path: str) -> list[str]:
    """The methods that a path takes, in Salesforce's order."""
    taken: set[str] = set()
    for pattern, found in _patterns(app):
        if pattern.match(path):
            taken |= found
    if "GET" in taken:
        taken.add("HEAD")
    return [method for method in _ORDER if method in taken]


async def _page(request: object) -> Response:
    return HTMLResponse(resources.read_text("server/pages/docs.html"))


@cache
def _document(app: FastAPI) -> dict[str, Any]:
    made = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    parts = made.setdefault("components", {})
    parts["schemas"] = SCHEMAS
    parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    for path, items in made["paths"].items():
        for operation in items.values():
            _complete(path, operation)
    return made


def _complete(path: str, operation: dict[str, Any]) -> None:
    """Add to an operation what the front door does for it, and take away what never happens."""
    answers = operation["responses"]
    answers.pop("422", None)
    refused = {"content": {"application/json": {"schema": named(_ERRORS)}}}
    for status, description in _REFUSALS.items():
        answers.setdefault(status, {"description": description, **refused})
    if path.startswith(_DATA):
        others = [p for p in operation.get("parameters", []) if p["name"] != "version"]
        operation["parameters"] = [_VERSION, *others]
    if path.startswith(_WITH_TOKEN):
        operation["security"] = [{"token": []}]


def named(schema: str) -> dict[str, str]:
    """A reference to one of `SCHEMAS`."""
    return {"$ref": f"#/components/schemas/{schema}"}


@cache
def _patterns(app: FastAPI) -> tuple[tuple[Pattern[str], set[str]], ...]:
    paths: dict[str, Any] = app.openapi()["paths"]
    return tuple(
        (compile_path(path)[0], {method.upper() for method in items}) for path, items in paths.items()
    )

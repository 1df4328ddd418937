"""The OpenAPI document, made true: what all resources have in common is said here once."""

from __future__ import annotations

from functools import cache
from re import Pattern
from typing import Any

from fastapi import FastAPI
from starlette.routing import compile_path

_ORDER = ("HEAD", "GET", "POST", "PUT", "PATCH", "DELETE")


def methods(app: FastAPI, path: str) -> list[str]:
    """The methods that a path takes, in Salesforce's order."""
    taken: set[str] = set()
    for pattern, found in _patterns(app):
        if pattern.match(path):
            taken |= found
    if "GET" in taken:
        taken.add("HEAD")
    return [method for method in _ORDER if method in taken]


@cache
def _patterns(app: FastAPI) -> tuple[tuple[Pattern[str], set[str]], ...]:
    paths: dict[str, Any] = app.openapi()["paths"]
    return tuple(
        (compile_path(path)[0], {method.upper() for method in items}) for path, items in paths.items()
    )

"""docs/server.md names every resource and every error of the server."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest

from crmarena.server import settings
from crmarena.server.faults import TEXTS

PAGE = (Path(__file__).parents[2] / "docs" / "server.md").read_text(encoding="utf-8")


def documented() -> dict[str, set[str]]:
    """The methods of each path in the table of resources."""
    found: dict[str, set[str]] = {}
    for paths, methods in re.findall(r"^\| (`[/V].*?) \| ([A-Z, ]+) \|", PAGE, re.MULTILINE):
        for path in re.findall(r"`([^`]+)`", paths):
            found[re.sub(r"^V", "/services/data/v{version}", path)] = set(methods.split(", "))
    return found


def test_the_table_has_every_resource_and_method(client: httpx.Client) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    served = {path: {method.upper() for method in items} for path, items in paths.items()}
    listed = {path: methods for path, methods in documented().items() if "Soap" not in path}
    assert listed == served


@pytest.mark.parametrize("code", sorted({code for code, _, _ in TEXTS.values()}))
def test_every_code_is_told(code: str) -> None:
    told = PAGE + "MALFORMED_QUERY MALFORMED_SEARCH"  # those of the languages have pages of their own
    assert code in told


@pytest.mark.parametrize(
    "number",
    [
        f"{settings.OLDEST_VERSION} to {settings.NEWEST_VERSION}",
        f"up to {settings.PAGE_SIZE:,} records",
        f"{settings.BODY_LIMIT // 10**6} MB",
        f"{settings.UPLOAD_LIMIT // 10**6} MB",
        f"{settings.HEAD_LIMIT // 1_024} kB",
        f"{settings.PATIENCE:.0f} seconds",
        f"{settings.THREADS} requests",
    ],
)
def test_the_numbers_are_those_of_the_code(number: str) -> None:
    assert number in PAGE

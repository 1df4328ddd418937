"""Each part imports only what stands above it in docs/architecture.md."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "crmarena"

LAYERS = {
    "errors": 0,
    "clock": 0,
    "seeds": 0,
    "progress": 0,
    "resources": 0,
    "schema": 1,
    "storage": 2,
    "soql": 3,
    "sosl": 3,
    "org": 4,
    "generator": 4,
    "tasks": 5,
    "episode": 6,
    "users": 7,
    "agents": 7,
    "scoring": 7,
    "harness": 8,
    "server": 8,
    "clients": 8,
    "cli": 9,
    "__init__": 9,
}
SAME_LAYER = {("sosl", "soql"), ("errors", "clock")}
"""Pairs of one layer, the first of which may import the second."""

SLOW = {"inspect_ai", "pydantic", "numpy", "fastapi", "datasets", "pyarrow"}
QUICK_PARTS = {"errors", "clock", "resources", "schema", "storage", "soql", "sosl", "org", "episode"}


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def part_of(path: Path) -> str:
    relative = path.relative_to(PACKAGE)
    return relative.parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[str]:
    """Every imported module, those inside functions too; type-checking-only ones left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    hidden = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in hidden:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "crmarena":
                yield from (f"crmarena.{alias.name}" for alias in node.names)
            else:
                yield node.module


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_module_imports_only_lower_parts(path: Path) -> None:
    own = part_of(path)
    for name in imports(path):
        if not name.startswith("crmarena."):
            continue
        other = name.split(".")[1]
        allowed = own == other or LAYERS[other] < LAYERS[own] or (own, other) in SAME_LAYER
        assert allowed, f"{own} may not import {name}"


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_inspect_is_imported_only_by_the_harness(path: Path) -> None:
    if part_of(path) != "harness":
        assert not [name for name in imports(path) if name.split(".")[0] == "inspect_ai"]


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_what_a_query_needs_imports_nothing_slow(path: Path) -> None:
    if part_of(path) in QUICK_PARTS:
        assert not [name for name in imports(path) if name.split(".")[0] in SLOW]


def test_agents_and_users_cannot_see_an_answer() -> None:
    """They never import what reads the secret half."""
    for part in ("agents", "users", "episode"):
        for path in (PACKAGE / part).rglob("*.py"):
            source = path.read_text(encoding="utf-8")
            assert "load_secrets" not in source, path
            assert "Secret" not in source, path


def test_every_part_is_listed() -> None:
    parts = {part_of(path) for path in modules()}
    assert parts == set(LAYERS)

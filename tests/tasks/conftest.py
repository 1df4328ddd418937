"""A generated arena of each org type that can be generated, made once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from crmarena.storage.database import Database
from crmarena.tasks.evidence import Evidence, read_evidence
from crmarena.tasks.files import Arena, load_secrets
from crmarena.tasks.instance import Secret
from crmarena.tasks.make import generate


@pytest.fixture(scope="session", params=["b2b", "original"])
def arena(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Arena:
    """Forty instances of each family on a quarter-size org."""
    out: Path = tmp_path_factory.mktemp("generated") / request.param
    return generate(org=request.param, seed=5, scale=0.25, out=out, per_task=40)


@pytest.fixture(scope="session")
def secrets(arena: Arena) -> Mapping[str, Secret]:
    """The secret halves of the arena."""
    return load_secrets(arena.source)


@pytest.fixture(scope="session")
def database(arena: Arena) -> Iterator[Database]:
    """The arena's org."""
    assert arena.org_path is not None
    with Database.open(arena.org_path) as opened:
        yield opened


@pytest.fixture(scope="session")
def evidence(database: Database) -> Evidence:
    """The rows from which the arena's answers follow."""
    return read_evidence(database)

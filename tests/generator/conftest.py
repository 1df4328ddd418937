"""An org in memory and its plan, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from crmarena.generator.book import Book
from crmarena.generator.build import build_org, write_records
from crmarena.generator.plan import Plan, make_plan
from crmarena.generator.profile import load_profile


@pytest.fixture(scope="session")
def plan() -> Plan:
    """The latent variables of a quarter-size company org."""
    return make_plan(load_profile("b2b"), seed=11, scale=0.25)


@pytest.fixture(scope="session")
def book(plan: Plan) -> Book:
    """The records that follow from the plan."""
    return write_records(plan)


@pytest.fixture(scope="session", params=["b2b", "original"])
def org_file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An org file of each type."""
    path = tmp_path_factory.mktemp(request.param) / "org.db"
    build_org(org_type=request.param, seed=11, scale=0.25, path=path)
    return path

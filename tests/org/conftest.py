"""The small org, and a session that writes to it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from crmarena.org.org import Org, open_org
from crmarena.org.writable import WritableSession
from crmarena.soql.viewer import Viewer
from tests.org.small import CLOCK, INES, build


@pytest.fixture(scope="session")
def written_org(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small org's file, which no test may change."""
    return build(tmp_path_factory.mktemp("written") / "org.db")


@pytest.fixture
def org(written_org: Path) -> Iterator[Org]:
    """The small org."""
    with open_org(written_org) as opened:
        yield opened


@pytest.fixture
def session(org: Org) -> Iterator[WritableSession]:
    """A session that writes as Ines, at noon of 15 May 2024."""
    with org.session(writable=True, clock=CLOCK, viewer=Viewer(INES)) as opened:
        yield opened

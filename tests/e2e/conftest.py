from __future__ import annotations

from pathlib import Path

import pytest

from tests.harness.conftest import FOREIGN_WARNINGS


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            for text in FOREIGN_WARNINGS:
                item.add_marker(pytest.mark.filterwarnings(text))

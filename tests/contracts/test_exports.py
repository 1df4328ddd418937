"""The public names are those listed, and importing the package costs nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

import crmarena

PUBLIC = [
    "Arena",
    "CRMArenaError",
    "Clock",
    "Episode",
    "Limits",
    "Org",
    "SalesforceError",
    "UsageError",
    "evaluate",
    "generate",
    "load_tasks",
    "open_org",
    "patch_simple_salesforce",
]


def test_the_public_names_are_listed_and_sorted() -> None:
    assert crmarena.__all__ == PUBLIC
    assert dir(crmarena) == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_can_be_had(name: str) -> None:
    assert getattr(crmarena, name).__name__ == name


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'orgs'"):
        _ = crmarena.orgs


def imported_by(statement: str) -> set[str]:
    code = f"{statement}\nimport sys\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in done.stdout.splitlines()}


@pytest.mark.parametrize(
    "statement",
    [
        "import crmarena",
        "from crmarena import open_org",
        "from crmarena import patch_simple_salesforce",
        "import crmarena.cli.main",
    ],
)
def test_nothing_slow_is_imported_until_needed(statement: str) -> None:
    slow = {"inspect_ai", "fastapi", "pydantic", "numpy", "datasets", "requests", "simple_salesforce"}
    assert not imported_by(statement) & slow

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crmarena.storage import rows
from crmarena.storage.database import Database

Command = Callable[..., "subprocess.CompletedProcess[str]"]

TASK: dict[str, Any] = {
    "idx": 0,
    "task": "handle_time",
    "query": "Who closed cases fastest?",
    "answer": ["005000000000001AAA"],
    "persona": "You are brief.",
    "metadata": {"required": "Today's date: 2024-05-31", "optional": ""},
    "reward_metric": "exact_match",
}


@pytest.fixture
def crmarena(tmp_path: Path) -> Command:
    """Runs the installed command in an empty folder, as a person would."""
    command = str(Path(sys.executable).with_name("crmarena"))
    kept = {name: value for name, value in os.environ.items() if not name.startswith("INSPECT_")}
    environment = {**kept, "CRMARENA_CACHE_DIR": str(tmp_path / "cache"), "NO_COLOR": "1"}

    def run(*arguments: str | Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [command, *map(str, arguments)],
            cwd=tmp_path,
            env=environment,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.fixture
def org(tmp_path: Path) -> Path:
    """An org with a user, two accounts and a contact."""
    path = tmp_path / "org.db"
    with Database.create(path, "b2b") as database:
        user = {"Id": "005000000000001AAA", "LastName": "Moreau", "Username": "ines@crm.example"}
        rows.insert(database, "User", [user])
        accounts: list[dict[str, Any]] = [
            {"Id": "001000000000001AAA", "Name": "Acme", "NumberOfEmployees": 7, "OwnerId": user["Id"]},
            {"Id": "001000000000002AAA", "Name": "Zeta, Ltd", "NumberOfEmployees": None},
        ]
        rows.insert(database, "Account", accounts)
        contact = {"Id": "003000000000001AAA", "LastName": "Lee", "AccountId": "001000000000001AAA"}
        rows.insert(database, "Contact", [contact])
        database.finish()
    return path


@pytest.fixture
def task_file(tmp_path: Path) -> Path:
    """A published task file of two instances, as JSON lines."""
    path = tmp_path / "tasks.jsonl"
    second = {**TASK, "idx": 1, "answer": [None]}
    path.write_text("".join(json.dumps(task) + "\n" for task in (TASK, second)), encoding="utf-8")
    return path

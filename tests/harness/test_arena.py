from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from crmarena.errors import UsageError
from crmarena.harness import arena
from crmarena.tasks.files import load_secrets, load_tasks

SCRIPT = "from crmarena.harness.arena import small_arena; print(small_arena('original', 5))"


def test_two_processes_at_once_get_one_whole_arena(tmp_path: Path) -> None:
    environment = {**os.environ, "CRMARENA_CACHE_DIR": str(tmp_path)}
    running = [
        subprocess.Popen([sys.executable, "-c", SCRIPT], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    places = {process.communicate(timeout=120)[0].strip() for process in running}
    assert [process.returncode for process in running] == [0, 0]
    (place,) = places
    assert [path.name for path in tmp_path.iterdir()] == [Path(place).name]
    assert len(load_tasks(place)) == len(load_secrets(place)) > 50


def test_what_is_there_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRMARENA_CACHE_DIR", str(tmp_path))
    place = tmp_path / f"b2b-3-{arena._recipe('b2b', 3)}"
    place.mkdir()
    (place / "manifest.json").write_text("{}", encoding="utf-8")
    assert arena.small_arena("b2b", 3) == place
    assert [path.name for path in place.iterdir()] == ["manifest.json"]


def test_seed_and_org_type_have_arenas_of_their_own() -> None:
    assert len({arena._recipe(org, seed) for org in ("b2b", "original") for seed in (1, 2)}) == 4


def test_an_org_type_that_cannot_be_generated_is_told() -> None:
    with pytest.raises(UsageError, match="b2b or original"):
        arena.small_arena("b2c")


def test_the_users_own_cache_folder_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CRMARENA_CACHE_DIR")
    assert arena.cache_directory().name == "crmarena"

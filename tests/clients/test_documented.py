"""Each recipe of docs/clients.md runs as it is written, but for the server's address."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.clients.conftest import Told
from tests.clients.test_jsforce import FOLDER as JS_FOLDER
from tests.clients.test_sf_cli import command as sf_command
from tests.clients.test_sf_cli import environment
from tests.clients.test_sf_cli import shell_path as sf_path
from tests.server.conftest import Served

PAGE = Path(__file__).parents[2] / "docs" / "clients.md"
FENCE = re.compile(r"^```(python|js|bash)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DOCUMENTED_URL, DOCUMENTED_HTTPS = "http://127.0.0.1:8000", "https://localhost:8000"


@dataclass(frozen=True)
class Recipe:
    """A block of code of the page."""

    language: str
    code: str
    line: int

    @property
    def name(self) -> str:
        return f"{self.language} at line {self.line}"

    def at(self, documented: str, url: str) -> Recipe:
        """The same for a server at another address."""
        return replace(self, code=self.code.replace(documented, url))

    @property
    def uses_sf(self) -> bool:
        return re.search(r"^(.* )?sf ", self.code, re.MULTILINE) is not None


def recipes() -> list[Recipe]:
    text = PAGE.read_text(encoding="utf-8")
    return [
        Recipe(found[1], found[2], text.count("\n", 0, found.start()) + 1) for found in FENCE.finditer(text)
    ]


def search_path(folder: Path) -> str:
    """Where the commands of recipes are: this Python, and the fetched `sf`."""
    path = sf_path(folder)
    (folder / "bin" / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (folder / "bin" / "python").chmod(0o755)
    return path


def run(recipe: Recipe, token: str, folder: Path) -> str:
    """What a recipe prints, run in a folder of its own."""
    for name in ("program.py", "package/module.py"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("import sys\nprint(sys.argv)\n")
    starters = {
        "python": [sys.executable, "-c"],
        "js": ["node", "-e"],
        "bash": ["bash", "-euo", "pipefail", "-c"],
    }
    known = {"SF_TOKEN": token, "NODE_PATH": str(JS_FOLDER / "node_modules"), "PATH": search_path(folder)}
    done = subprocess.run(
        [*starters[recipe.language], recipe.code],
        cwd=folder, env={**environment(folder), **known}, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def skip_what_is_not_here(recipe: Recipe) -> None:
    if recipe.uses_sf and sf_command() is None:
        pytest.skip("needs the sf CLI; `make sf-cli` fetches it")
    if recipe.language == "js" and not (shutil.which("node") and (JS_FOLDER / "node_modules").is_dir()):
        pytest.skip("needs Node and jsforce; `make js-clients` fetches jsforce")


def test_the_page_has_a_recipe_in_each_language() -> None:
    assert {recipe.language for recipe in recipes()} == {"python", "js", "bash"}
    assert len(recipes()) >= 16


def named(*, secure: bool) -> pytest.MarkDecorator:
    chosen = [recipe for recipe in recipes() if (DOCUMENTED_HTTPS in recipe.code) == secure]
    return pytest.mark.parametrize("recipe", chosen, ids=lambda recipe: recipe.name)


@named(secure=False)
def test_a_recipe_runs_as_it_is_written(recipe: Recipe, writing: Served, tmp_path: Path) -> None:
    skip_what_is_not_here(recipe)
    assert run(recipe.at(DOCUMENTED_URL, writing.url), writing.token, tmp_path).strip()


@named(secure=True)
def test_a_recipe_for_https_runs_as_it_is_written(recipe: Recipe, secure: Told, tmp_path: Path) -> None:
    (tmp_path / "certificates").symlink_to(Path(secure.authority).parent)
    url = secure.url.replace("127.0.0.1", "localhost")
    assert run(recipe.at(DOCUMENTED_HTTPS, url), secure.token, tmp_path).strip()

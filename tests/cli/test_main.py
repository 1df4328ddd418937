from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.conftest import Command

README = Path(__file__).parents[2] / "README.md"
COMMANDS = [
    *(
        "run",
        "resume",
        "generate",
        "import",
        "export",
        "tasks",
        "score",
        "query",
        "describe",
        "shell",
        "serve",
    ),
]


def test_help_names_every_command(crmarena: Command) -> None:
    done = crmarena("--help")
    assert done.returncode == 0
    assert all(re.search(rf"^\W*{command}\b", done.stdout, re.MULTILINE) for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_its_help(crmarena: Command, command: str) -> None:
    done = crmarena(command, "--help")
    assert done.returncode == 0
    assert f"crmarena {command}" in done.stdout


def test_the_readme_uses_only_commands_and_options_that_exist(crmarena: Command) -> None:
    for line in README.read_text(encoding="utf-8").splitlines():
        for command, rest in re.findall(r"^(?:make local-model && )?crmarena (\w+)(.*)", line):
            shown = crmarena(command, "--help").stdout
            options = re.findall(r"(?<= )--[a-z-]+", rest.split("#")[0])
            assert shown
            assert all(option in shown for option in options), line


def test_version(crmarena: Command) -> None:
    assert re.fullmatch(r"crmarena \d+\.\d+\.\d+\n", crmarena("--version").stdout)

"""A command line that was typed wrong: one line that says what and where to read more, exit code 2."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Command


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("qury",), "crmarena: no command 'qury', did you mean query?; see crmarena --help."),
        (("xyz",), "crmarena: no command 'xyz'; see crmarena --help."),
        (("--versio",), "crmarena: no option --versio, did you mean --version?; see crmarena --help."),
        (
            ("query", "--formt", "csv", "org.db", "x"),
            "crmarena: no option --formt, did you mean --format?; see crmarena query --help.",
        ),
        (("query",), "crmarena: missing argument 'ORG'; see crmarena query --help."),
        (("generate",), "crmarena: missing option '--out'; see crmarena generate --help."),
        (
            ("describe", "org.db", "Case", "Id", "more"),
            "crmarena: got unexpected extra argument(s) (Id more); see crmarena describe --help.",
        ),
        (
            ("query", "org.db", "x", "--format"),
            "crmarena: option '--format' requires an argument; see crmarena query --help.",
        ),
        (
            ("run", "--limit", "0"),
            "crmarena: invalid value for '--limit': 0 is not in the range x>=1; see crmarena run --help.",
        ),
        (
            ("generate", "--out", "x", "--seed", "seven"),
            "crmarena: invalid value for '--seed': 'seven' is not a number; see crmarena generate --help.",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_wrong_usage_is_one_line(crmarena: Command, arguments: tuple[str, ...], line: str) -> None:
    done = crmarena(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"{line}\n")


def test_the_bare_command_shows_its_help(crmarena: Command) -> None:
    done = crmarena()
    assert done.returncode == 2
    assert "Commands" in done.stdout + done.stderr

"""The `crmarena` command: its subcommands, and the one place where an error becomes a line and an exit code.

Each subcommand lives in the module of its name. Imports of anything slow stay
inside the commands, so that `--help` and `query` start at once.
"""

from __future__ import annotations

import contextlib
import errno
import io
import sqlite3
import sys
from typing import Annotated, NoReturn

import typer

from crmarena.cli import data, org, run, serve, tasks, usage
from crmarena.cli.shell import command as shell
from crmarena.errors import CRMArenaError, SalesforceError

app = typer.Typer(
    name="crmarena",
    help="An offline, Salesforce-faithful arena that measures LLM agents on professional CRM work.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
run.add_commands(app)
data.add_commands(app)
tasks.add_commands(app)
org.add_commands(app)
shell.add_commands(app)
serve.add_commands(app)


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    if version:
        from importlib.metadata import version as installed

        print(f"crmarena {installed('crmarena')}")
        raise typer.Exit


def main() -> None:
    """Run the command. Exit code 0: done, 1: the work failed, 2: wrong usage."""
    for stream in (sys.stdout, sys.stderr):
        # Text that the terminal cannot show must not lose a result that is there.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        sys.exit(_run())
    except usage.Mistyped as error:
        _fail(usage.explain(error, _commands()), 2)
    except typer.Abort:
        _fail("crmarena: stopped.", 1)
    except SalesforceError as error:
        _fail(str(error), 1)
    except CRMArenaError as error:
        _fail(f"crmarena: {error}", error.exit_code)
    except BrokenPipeError:
        _end(1)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        lasting = error.errno in (errno.ENOSPC, errno.EIO, errno.EDQUOT)
        _fail(f"crmarena: {where}{error.strerror or error}.", 1 if lasting else 2)
    except sqlite3.Error as error:
        _fail(f"crmarena: the org file could not be written or read: {error}.", 1)


def _run() -> int:
    """Run the command; the code of the Exit it raised, if it did."""
    try:
        code = app(standalone_mode=False)
    finally:
        if sys.stdout is not None:
            sys.stdout.flush()
    return code if isinstance(code, int) else 0


def _commands() -> list[str]:
    return [info.name for info in app.registered_commands if info.name]


def _fail(line: str, exit_code: int) -> NoReturn:
    """Say one line and end."""
    if sys.stderr is not None:
        print(line, file=sys.stderr)
    _end(exit_code)


def _end(exit_code: int) -> NoReturn:
    """End; what could not be printed before is given up."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.close()
    sys.stdout = None
    sys.exit(exit_code)


if __name__ == "__main__":
    main()

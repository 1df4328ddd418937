"""The `crmarena` command: its subcommands, and the one place where an error becomes a line and an exit code.

Each subcommand lives in the module of its name. Imports of anything slow stay
inside the commands, so that `--help` and `query` start at once.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from crmarena.cli import data, org, run, tasks
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
    try:
        app()
    except SalesforceError as error:
        print(str(error), file=sys.stderr)
        sys.exit(1)
    except CRMArenaError as error:
        print(f"crmarena: {error}", file=sys.stderr)
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()

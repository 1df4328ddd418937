"""The command itself: on a terminal a prompt, elsewhere the statements of standard input."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from crmarena.cli.formats import Format, read_lines
from crmarena.cli.org import OrgPath, Today, User


def add_commands(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("shell")(shell)


def shell(
    org: OrgPath,
    today: Today = None,
    user: User = None,
    output: Annotated[Format, typer.Option("--mode", help="How answers are printed.")] = Format.TABLE,
    timing: Annotated[bool, typer.Option("--timing", help="Say how long each statement took.")] = False,
    writable: Annotated[
        bool,
        typer.Option("--writable", help="Allow .insert, .update, .delete; nothing is kept unless .commit."),
    ] = False,
    bail: Annotated[
        bool, typer.Option("--bail", help="Stop at the first statement of standard input that fails.")
    ] = False,
) -> None:
    """Ask an org line by line: SOQL, SOSL, and commands that start with a dot (.help lists them).

    A statement ends with ; or an empty line. Without a terminal, the statements of standard input
    are run; one that fails is reported, the others run all the same unless --bail, and the exit code is 1.
    """
    from crmarena.cli.shell.desk import Desk
    from crmarena.cli.shell.script import run_lines

    with Desk(org, today=today, user=user, writable=writable) as desk:
        desk.form, desk.timing = output, timing
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            if not run_lines(desk, read_lines(), bail=bail):
                raise typer.Exit(1)
            return
        from crmarena.cli.shell.prompt import converse

        schema = desk.session.schema
        print(f"{desk.org.path}: {schema.org_type}, {len(schema.objects)} objects.")
        print("A statement ends with ; or an empty line, an unfinished one with two.")
        print("Tab completes, .help lists commands, Ctrl-D leaves.")
        converse(desk)

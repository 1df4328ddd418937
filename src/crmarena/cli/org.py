"""`crmarena query` and `crmarena describe`: one org, asked from the command line."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from crmarena.cli.formats import Format, format_of, read_lines, read_text
from crmarena.errors import UsageError

OrgPath = Annotated[Path, typer.Argument(metavar="ORG", help="An org.db, or the folder that holds one.")]
Today = Annotated[
    str | None, typer.Option(metavar="DATE", help="The day TODAY means (YYYY-MM-DD); default: today.")
]
User = Annotated[
    str | None,
    typer.Option(metavar="USER", help="Who asks, by username or Id: USING SCOPE mine, and the time zone."),
]
Query = Annotated[
    str | None,
    typer.Argument(
        metavar="QUERY", help="SOQL, or SOSL beginning with FIND; - reads it from standard input."
    ),
]
File = Annotated[Path | None, typer.Option(help="Read the query from a file.")]
Output = Annotated[Format, typer.Option("--format", help="How to print the records.")]
Rest = Annotated[bool, typer.Option("--json", help="Print what Salesforce's REST API returns for it.")]
Out = Annotated[
    list[Path] | None,
    typer.Option(
        help="Write the records into a new file instead, by the end of its name: .csv, .json or .txt."
        " May be given several times."
    ),
]
AllRows = Annotated[bool, typer.Option("--all-rows", help="Deleted records too, as queryAll gives them.")]
ApiVersion = Annotated[
    int, typer.Option(min=20, max=64, help="The API version whose errors and rules apply.")
]
Timing = Annotated[bool, typer.Option("--timing", help="Say how long it took.")]


def add_commands(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("query")(query)
    app.command("describe")(describe)


def query(
    org: OrgPath,
    text: Query = None,
    file: File = None,
    output: Output = Format.TABLE,
    as_json: Rest = False,
    out: Out = None,
    today: Today = None,
    user: User = None,
    all_rows: AllRows = False,
    api_version: ApiVersion = 62,
    timing: Timing = False,
) -> None:
    """Run SOQL or SOSL on an org."""
    from crmarena.cli import answers, asking
    from crmarena.org.org import open_org

    asked = _text(text, file)
    if out and (as_json or output is not Format.TABLE):
        raise UsageError("--out takes the format from the file's name; leave out --format and --json.")
    for path in out or ():
        format_of(path)
    with open_org(org) as opened:
        session = asking.open_session(opened, today=today, user=user)
        with asking.timed(sys.stderr, wanted=timing):
            result = asking.ask(session, asked, all_rows=all_rows, api_version=api_version)
        found = answers.answer(result, answers.columns_of(session.schema, asked, api_version))
        for path in out or ():
            answers.write(found, path)
        if as_json and not out:
            answers.show_rest(result, api_version, sys.stdout)
        elif not out:
            answers.show(found, output, sys.stdout)
        if not found.total:
            from crmarena.cli.hints import nothing_found

            print(nothing_found(session, asked), file=sys.stderr)


def describe(
    org: OrgPath,
    name: Annotated[str | None, typer.Argument(metavar="[OBJECT]", help="An object's API name.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print Salesforce's describe payload.")] = False,
) -> None:
    """List an org's objects, or the fields of one."""
    from crmarena.cli import asking, render
    from crmarena.org.org import open_org

    with open_org(org) as opened:
        if name is not None:
            asking.find_object(opened.schema, name)
        payload = opened.describe(name)
        if as_json:
            render.as_json(payload)
        elif name is None:
            render.objects(payload, opened)
        else:
            render.fields(payload)


def _text(given: str | None, file: Path | None) -> str:
    """The query, from where it was said to be; at the end of a file a semicolon ends it."""
    if (given is None) == (file is None):
        raise UsageError("Give a query, or --file with the file that holds it; see crmarena query --help.")
    if file is None and given is not None and given != "-":
        return given
    text = "".join(read_lines()) if file is None else read_text(file)
    return text.rstrip().removesuffix(";")

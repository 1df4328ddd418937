"""`crmarena query` and `crmarena describe`: one org, asked from the command line."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

OrgPath = Annotated[Path, typer.Argument(metavar="ORG", help="An org.db, or the folder that holds one.")]


class Format(StrEnum):
    """How records are printed."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


def add_commands(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("query")(query)
    app.command("describe")(describe)


def query(
    org: OrgPath,
    text: Annotated[str, typer.Argument(metavar="QUERY", help="SOQL, or SOSL beginning with FIND.")],
    output: Annotated[Format, typer.Option("--format", help="How to print the records.")] = Format.TABLE,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print what Salesforce's REST API returns for it.")
    ] = False,
    today: Annotated[
        str | None, typer.Option(metavar="DATE", help="The day TODAY means (YYYY-MM-DD); default: today.")
    ] = None,
) -> None:
    """Run SOQL or SOSL on an org."""
    from crmarena.cli import render
    from crmarena.org.org import open_org

    with open_org(org) as opened:
        result: Any = opened.session(clock=_clock(today)).run(text)
    if as_json or output is Format.JSON:
        render.as_json(result.to_rest() if as_json else result.records)
    elif getattr(result, "is_count", False):
        print(result.total_size)
    else:
        render.records(result.records, as_csv=output is Format.CSV)


def describe(
    org: OrgPath,
    name: Annotated[str | None, typer.Argument(metavar="[OBJECT]", help="An object's API name.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print Salesforce's describe payload.")] = False,
) -> None:
    """List an org's objects, or the fields of one."""
    from crmarena.cli import render
    from crmarena.errors import UsageError
    from crmarena.org.org import open_org

    with open_org(org) as opened:
        if name is not None and opened.schema.object(name) is None:
            raise UsageError(_no_object(name, list(opened.schema.objects)))
        payload = opened.describe(name)
        if as_json:
            render.as_json(payload)
        elif name is None:
            render.objects(payload, opened)
        else:
            render.fields(payload)


def _no_object(name: str, known: list[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"it has {', '.join(known)}."
    return f"The org has no object {name!r}; {hint}"


def _clock(today: str | None) -> Any:
    from datetime import UTC, datetime

    from crmarena.clock import Clock
    from crmarena.errors import UsageError

    if today is None:
        return None
    try:
        day = datetime.strptime(today, "%Y-%m-%d").replace(tzinfo=UTC).date()
    except ValueError:
        raise UsageError(f"--today {today!r} is no date; write it as 2024-05-31.") from None
    if not 1700 <= day.year < 4000:
        raise UsageError(f"--today {today!r}: Salesforce's calendar goes from 1700 to 4000.")
    return Clock.at(day)

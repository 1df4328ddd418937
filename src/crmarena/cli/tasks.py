"""`crmarena tasks` and `crmarena score`: the families, their instances, and answers made elsewhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def add_commands(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("tasks")(tasks)
    app.command("score")(score)


def tasks(
    family: Annotated[str | None, typer.Argument(metavar="[FAMILY]", help="Show an instance of it.")] = None,
    source: Annotated[
        Path | None,
        typer.Option(
            "--tasks", help="Where from: a folder or a task file; default: the small built-in arena."
        ),
    ] = None,
    idx: Annotated[str | None, typer.Option(help="Which instance; default: the first.")] = None,
    answer: Annotated[bool, typer.Option("--answer", help="Show its answer and derivation too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print it for a machine.")] = False,
) -> None:
    """List the task families, or show one instance in full."""
    from crmarena.cli import catalogue

    if family is None:
        catalogue.list_families(as_json=as_json)
    else:
        catalogue.show_instance(family, source, idx, answer=answer, as_json=as_json)


def score(
    answers: Annotated[Path, typer.Argument(help="JSONL, a line an answer: idx, response.")],
    source: Annotated[Path, typer.Option("--tasks", help="The task file or folder that they answer.")],
    grader_model: Annotated[
        str | None, typer.Option(help="An Inspect model that grades where the rules are unsure.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result for a machine.")] = False,
) -> None:
    """Grade answers that were made elsewhere."""
    import asyncio

    from crmarena.cli import results
    from crmarena.cli.progress import progress
    from crmarena.scoring.answers import score_answers

    grader = None
    if grader_model is not None:
        from crmarena.harness.chat import chat_factory

        grader = chat_factory(grader_model, role="grader")
    with progress() as report:
        scored = asyncio.run(score_answers(answers, source, grader=grader, on_progress=report))
    if as_json:
        print(json.dumps(scored.summary.to_json(), indent=2))
        return
    results.summary(scored.summary)
    for problem in scored.problems:
        print(problem)

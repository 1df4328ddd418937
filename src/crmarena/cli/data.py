"""`crmarena generate`, `import` and `export`: orgs and task files, made, read in and written out."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class GeneratedOrg(StrEnum):
    """The org types that can be generated."""

    ORIGINAL = "original"
    B2B = "b2b"


class ExportFormat(StrEnum):
    """The file formats of an export."""

    JSONL = "jsonl"
    PARQUET = "parquet"


def add_commands(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("generate")(generate)
    app.command("import")(import_source)
    app.command("export")(export)


def generate(
    out: Annotated[Path, typer.Option(help="A folder to make; it must not hold anything yet.")],
    org: Annotated[GeneratedOrg, typer.Option(help="The org type.")] = GeneratedOrg.B2B,
    seed: Annotated[int, typer.Option(min=0, help="Everything follows from it.")] = 1,
    scale: Annotated[
        float, typer.Option(min=0.02, max=100, help="Size of what grows; 1 is full size.")
    ] = 1.0,
    per_task: Annotated[int, typer.Option("--per-task", min=1, help="Instances asked of each family.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print the manifest.")] = False,
) -> None:
    """Make an org and its tasks from a seed: org.db, tasks.jsonl, answers.jsonl, manifest.json."""
    from crmarena.cli import render
    from crmarena.cli.progress import progress
    from crmarena.tasks.make import generate as make

    with progress() as report:
        make(org=org.value, seed=seed, scale=scale, out=out, per_task=per_task, on_progress=report)
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    if as_json:
        print(json.dumps(manifest, indent=2))
        return
    families = [(name, f["asked"], f["made"], f["none"]) for name, f in manifest["families"].items()]
    render.table(("family", "asked", "made", "none"), families, right=frozenset({"asked", "made", "none"}))
    records = sum(manifest["counts"].values())
    print(f"\n{records:,} records in {out / 'org.db'}, tasks in {out / 'tasks.jsonl'}")


def import_source(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SRC",
            help="A published SQLite dump, a task file (JSON, JSONL, Parquet), or a Hugging Face data set.",
        ),
    ],
    out: Annotated[Path, typer.Option(help="The folder to write org.db or tasks.jsonl into.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the report for a machine.")] = False,
) -> None:
    """Read a published org dump or task file in, and say what was mended."""
    from crmarena.cli.progress import progress
    from crmarena.cli.reports import import_any

    with progress() as report:
        summary = import_any(source, out, report)
    print(json.dumps(summary.as_dict(), indent=2) if as_json else summary.as_text())


def export(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="A folder with tasks.jsonl and answers.jsonl.")
    ],
    out: Annotated[Path, typer.Option(help="The file to write.")],
    file_format: Annotated[
        ExportFormat, typer.Option("--format", help="The file format.")
    ] = ExportFormat.JSONL,
) -> None:
    """Join both halves of a folder's tasks in the published fields."""
    from crmarena.errors import UsageError
    from crmarena.tasks.files import export_instances, load_secrets, load_tasks
    from crmarena.tasks.instance import Instance

    if out.exists():
        raise UsageError(f"{out} exists already; name another file or remove it first.")
    secrets = load_secrets(directory)
    instances = [Instance(task, secrets[task.idx]) for task in load_tasks(directory).tasks]
    export_instances(out, instances, file_format.value)
    print(f"{len(instances)} instances in {out}")

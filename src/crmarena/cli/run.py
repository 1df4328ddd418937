"""`crmarena run` and `crmarena resume`: the main job."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from crmarena.harness.run import RunResult

Json = Annotated[bool, typer.Option("--json", help="Print the result for a machine.")]
Org = Annotated[str | None, typer.Option(help="b2b or original (a small generated arena), or an org's path.")]
Tasks = Annotated[str | None, typer.Option(help="Families, comma-separated, or a task file's path.")]
AgentName = Annotated[
    str | None,
    typer.Option(
        "--agent", help="react, act, oracle, none, refuse or constant; default: react, or the baselines."
    ),
]
Model = Annotated[
    str | None, typer.Option(help="Any Inspect model (openai/gpt-4o), or `local` for the small one here.")
]
Interactive = Annotated[bool, typer.Option("--interactive", help="The multi-turn form.")]
UserModel = Annotated[
    str | None, typer.Option(help="The model that plays the user; default: the scripted user.")
]
GraderModel = Annotated[str | None, typer.Option(help="The model that grades where the rules are unsure.")]
Confidential = Annotated[
    bool, typer.Option("--confidential-prompt", help="Tell the agent what is confidential.")
]
Aided = Annotated[bool, typer.Option("--aided", help="Give the optional domain notes too.")]
Limit = Annotated[
    int | None, typer.Option(min=1, help="Run at most this many instances, taken from the families in turn.")
]
Epochs = Annotated[int, typer.Option(min=1, help="How often each instance is run.")]
Seed = Annotated[int, typer.Option(min=0, help="The seed of the small generated arena.")]
Constant = Annotated[
    str | None, typer.Option(help="What the constant baseline says; default: the family's commonest answer.")
]
Out = Annotated[Path | None, typer.Option(help="Where the logs go; default: a new folder below runs/.")]


def add_commands(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("run")(run)
    app.command("resume")(resume)


def run(
    org: Org = None,
    tasks: Tasks = None,
    agent: AgentName = None,
    model: Model = None,
    interactive: Interactive = False,
    user_model: UserModel = None,
    grader_model: GraderModel = None,
    confidential_prompt: Confidential = False,
    aided: Aided = False,
    limit: Limit = None,
    epochs: Epochs = 1,
    seed: Seed = 1,
    constant: Constant = None,
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Run agents on tasks, print the scores, write the log.

    With no option: a small generated arena, the four baselines, no key and no network.
    """
    from crmarena.cli.progress import progress
    from crmarena.harness import run as harness

    settings = harness.RunSettings(
        org=org,
        tasks=tasks,
        agent=agent,
        model=model,
        interactive=interactive,
        user_model=user_model,
        grader_model=grader_model,
        confidential_prompt=confidential_prompt,
        aided=aided,
        limit=limit,
        epochs=epochs,
        seed=seed,
        constant=constant,
        out=out,
    )
    with progress() as report:
        done = harness.run(settings, on_progress=report)
    _show(done, as_json)


def resume(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder of a run that did not finish.")
    ],
    as_json: Json = False,
) -> None:
    """Finish what a killed or failed run left; nothing that ended is run again."""
    from crmarena.cli.progress import progress
    from crmarena.harness.resume import resume as finish

    with progress() as report:
        done = finish(directory, on_progress=report)
    _show(done, as_json)


def _show(done: RunResult, as_json: bool) -> None:
    """Print a run's scores and where its log is; exit code 1 where samples are left to resume."""
    from crmarena.cli import results

    if as_json:
        print(json.dumps(_payload(done), indent=2))
    else:
        if len(done.agents) == 1:
            results.summary(done.summary)
            results.effort(done.agents[0].rows)
        else:
            results.comparison([(result.agent, result.summary) for result in done.agents])
        for note in done.run.notes:
            print(note)
        print(f"Log: {done.directory} (inspect view --log-dir {done.directory})")
    if not done.finished:
        for cause, count in done.failures.most_common(3):
            typer.echo(f"{count} x {_first_line(cause)}", err=True)
        typer.echo(
            f"Some samples did not finish; `crmarena resume {done.directory}` runs them again.", err=True
        )
        raise typer.Exit(1)


def _first_line(text: str) -> str:
    """The start of an error's text, for a person; the log holds it whole."""
    line = text.strip().splitlines()[0] if text.strip() else "no reason given"
    return line if len(line) <= 200 else f"{line[:200]} ..."


def _payload(done: RunResult) -> dict[str, Any]:
    """The summary of the run's agent, and of each agent by name; several agents' first stands at the top."""
    agents = {result.agent: result.summary.to_json() for result in done.agents}
    return {
        **done.summary.to_json(),
        "agent": done.agents[0].agent,
        "agents": agents,
        "simulator": done.run.simulator,
        "directory": str(done.directory),
    }

"""A run: what is asked for checked and resolved, then carried out by Inspect in one folder."""

from __future__ import annotations

import io
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from inspect_ai import Task, eval_set
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import EvalLog
from inspect_ai.model import Model

from crmarena.clock import Clock
from crmarena.errors import CRMArenaError, UsageError
from crmarena.harness import inspect_tasks, local, runfile
from crmarena.harness.desks import observer
from crmarena.harness.outcomes import SampleRow, finished, read_rows
from crmarena.harness.roles import LOCAL, Roles, check_names, make_roles
from crmarena.harness.runfile import RunFile
from crmarena.harness.selection import Selection, select
from crmarena.harness.settings import RunSettings
from crmarena.progress import Progress
from crmarena.scoring.aggregate import Summary, summarise
from crmarena.scoring.grade import VERSION as SCORER_VERSION

_UNFIT = re.compile(r"[#?%*\[\]\x00-\x1f]")
"""What Inspect's file systems read as more than a name."""

__all__ = ["AgentResult", "RunResult", "RunSettings", "carry_out", "prepare", "run"]


@dataclass(frozen=True)
class AgentResult:
    """How one agent did."""

    agent: str
    log: Path
    rows: tuple[SampleRow, ...]
    summary: Summary
    finished: bool
    """Whether every sample ended without an infrastructure error."""


@dataclass(frozen=True)
class RunResult:
    """A run that has come to its end."""

    directory: Path
    run: RunFile
    agents: tuple[AgentResult, ...]

    @property
    def summary(self) -> Summary:
        """The scores of the run's agent; of the first, where there are several."""
        return self.agents[0].summary

    @property
    def finished(self) -> bool:
        """Whether nothing is left for `resume` to do."""
        return all(result.finished for result in self.agents)

    @property
    def failures(self) -> Counter[str]:
        """What samples failed with for reasons of the infrastructure, and how many of them."""
        return Counter(row.error for result in self.agents for row in result.rows if row.error)


@dataclass(frozen=True)
class Prepared:
    """A run that has passed every check."""

    file: RunFile
    selection: Selection
    roles: Roles


def run(
    settings: RunSettings, on_progress: Progress | None = None, *, models: Mapping[str, Model] | None = None
) -> RunResult:
    """Run agents on tasks; the same settings in the same folder continue what is there.

    `models` hands in models already made, by role. Raises UsageError before anything is written.
    """
    prepared = prepare(settings, on_progress, models)
    directory = _directory(settings)
    _check_folder(directory)
    directory.mkdir(parents=True, exist_ok=True)
    with runfile.locked(directory):
        _claim(directory, prepared.file)
        return carry_out(directory, prepared, on_progress)


def prepare(
    settings: RunSettings, on_progress: Progress | None = None, models: Mapping[str, Model] | None = None
) -> Prepared:
    """Check the settings, the models and the org, and choose the instances. Writes nothing but the cache."""
    check_names(settings)
    if LOCAL in (settings.model, settings.user_model, settings.grader_model):
        settings = local.suited(settings)
    roles = make_roles(settings, models or {})
    selection = select(
        settings.org, settings.tasks, limit=settings.limit, seed=settings.seed, on_progress=on_progress
    )
    return Prepared(_describe(settings, selection, roles), selection, roles)


def carry_out(directory: Path, prepared: Prepared, on_progress: Progress | None = None) -> RunResult:
    """Run what is not finished yet of a prepared run, and read the result."""
    file, selection = prepared.file, prepared.selection
    with prepared.roles.ready() as models, _reporting(prepared, on_progress):
        tasks = [_inspect_task(prepared, agent) for agent in file.agents]
        logs = _evaluate(directory, tasks, models, file.settings)
    results = []
    for agent in file.agents:
        log = next(log for log in logs if log.eval.task_args["agent"] == agent)
        rows = read_rows(log.location, selection.tasks, selection.secrets, file.settings.epochs)
        summary = summarise([row.outcome for row in rows], org_type=file.org_type)
        results.append(AgentResult(agent, Path(log.location), rows, summary, finished(log.location)))
    return RunResult(directory, file, tuple(results))


def _evaluate(
    directory: Path, tasks: list[Task], models: Mapping[str, Model], settings: RunSettings
) -> list[EvalLog]:
    """One `eval_set` call, which is both run and resume."""
    options: dict[str, Any] = {
        "log_dir": str(directory),
        "model": "none",
        "model_roles": dict(models),
        "epochs": settings.epochs,
        "continue_on_fail": True,
        "retry_attempts": 0,
        "retry_immediate": False,
        "retry_on_error": 1,
        "log_buffer": 1,
        "log_realtime": False,
        "max_samples": settings.max_samples,
        "max_retries": settings.generation.max_retries,
        "timeout": settings.generation.timeout,
        "display": "none",
        "log_level": "error",
        "ctl_server": False,
    }
    try:
        # Inspect prints of itself where our own result, or its JSON, belongs.
        with redirect_stdout(sys.stderr or io.StringIO()):
            done, logs = eval_set(tasks, **options)
    except PrerequisiteError as error:
        raise UsageError(f"Inspect cannot run this: {error.message}") from None
    except (ValueError, BadZipFile) as error:
        raise CRMArenaError(
            f"A log in {directory} is damaged ({error}); move it away and resume once more."
        ) from None
    if len(logs) < len(tasks) or (not done and any(log.status == "cancelled" for log in logs)):
        raise CRMArenaError(f"The run was interrupted; `crmarena resume {directory}` finishes it.")
    return logs


def _inspect_task(prepared: Prepared, agent: str) -> Task:
    settings, selection = prepared.file.settings, prepared.selection
    make: Callable[..., Task] = getattr(inspect_tasks, selection.org_type)
    return make(
        org=str(selection.org_path),
        tasks=selection.source,
        families=",".join(sorted({task.family for task in selection.tasks})),
        limit=settings.limit,
        agent=agent,
        interactive=settings.interactive,
        confidential_prompt=settings.confidential_prompt,
        aided=settings.aided,
        constant=settings.constant,
        grader=settings.grader_model,
        examples="chat" if settings.model == LOCAL else "prompt",
        agent_turns=settings.agent_turns,
        user_turns=settings.user_turns,
        task_set=prepared.file.task_set,
        version=prepared.file.versions["crmarena"],
    )


@contextmanager
def _reporting(prepared: Prepared, on_progress: Progress | None) -> Iterator[None]:
    """Report each sample that ends; those that an earlier run finished are not run, so not reported."""
    total = len(prepared.file.agents) * len(prepared.selection.tasks) * prepared.file.settings.epochs
    ended: set[tuple[str, str, int]] = set()

    def done(agent: str, idx: str, epoch: int) -> None:
        ended.add((agent, idx, epoch))
        if on_progress is not None:
            on_progress("running samples", len(ended), total)

    token = observer.set(done)
    try:
        yield
    finally:
        observer.reset(token)


def _agents(settings: RunSettings, selection: Selection) -> tuple[tuple[str, ...], list[str]]:
    """The agents to run; among the baselines the oracle only where it has something to work from."""
    agents = settings.agents()
    if settings.agent is not None or selection.has_parameters:
        for agent in agents:
            inspect_tasks.check_oracle(agent, selection)
        return agents, []
    left = tuple(agent for agent in agents if agent != "oracle")
    return left, ["The oracle is left out: these tasks are not generated and give it nothing to work from."]


def _describe(settings: RunSettings, selection: Selection, roles: Roles) -> RunFile:
    agents, notes = _agents(settings, selection)
    return RunFile(
        settings=replace(settings, out=None, org=_absolute(settings.org), tasks=_absolute(settings.tasks)),
        agents=agents,
        org_path=str(selection.org_path),
        org_type=selection.org_type,
        task_source=selection.source,
        task_set=selection.digest,
        instances=len(selection.tasks),
        gold=selection.gold,
        scorer=SCORER_VERSION,
        simulator=roles.simulator,
        models=roles.names,
        versions=runfile.versions(),
        notes=[*roles.notes, *notes],
    )


def _absolute(name: str | None) -> str | None:
    """A path made independent of the working directory; other names as they are."""
    return str(Path(name).resolve()) if name is not None and Path(name).exists() else name


def _directory(settings: RunSettings) -> Path:
    if settings.out is not None:
        place = Path(settings.out).resolve()
        if _UNFIT.search(str(place)) or not str(settings.out).strip():
            raise UsageError(f"Logs cannot be kept in {str(place)!r}; choose an --out without # ? % * [ ].")
        return place
    what = settings.agent or ("baselines" if settings.model is None else "react")
    model = f"-{settings.model.replace('/', '-')}" if settings.model else ""
    stem = f"{Clock.system().now:%Y%m%d-%H%M%S}-{what}{model}"
    base = Path("runs").resolve()
    return next(place for place in _numbered(base, stem) if not place.exists())


def _numbered(base: Path, stem: str) -> Iterator[Path]:
    yield base / stem
    number = 2
    while True:
        yield base / f"{stem}-{number}"
        number += 1


def _check_folder(directory: Path) -> None:
    if directory.is_file():
        raise UsageError(f"{directory} is a file; choose a folder for --out.")
    if directory.is_dir() and not (directory / runfile.NAME).exists() and any(directory.iterdir()):
        raise UsageError(f"{directory} holds files of something else; choose an empty folder for --out.")


def _claim(directory: Path, file: RunFile) -> None:
    """Write `run.json`, or find there the same run."""
    if not (directory / runfile.NAME).exists():
        runfile.write(directory, file)
        return
    differing = runfile.differences(runfile.read(directory), file)
    if differing:
        raise UsageError(
            f"{directory} already holds another run (it differs in {', '.join(differing)}); "
            "choose another --out, or `crmarena resume` to finish that one."
        )

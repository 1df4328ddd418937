"""`run.json`: all that resuming a run and reading its results needs, and the lock on a run's folder."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from crmarena.errors import UsageError
from crmarena.harness.settings import Generation, RunSettings

NAME = "run.json"
FORMAT = 1
_LOCK = ".lock"


class RunFile(BaseModel):
    """What `run.json` holds."""

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=False)

    format: int = FORMAT
    settings: RunSettings
    agents: tuple[str, ...]
    org_path: str
    org_type: str
    task_source: str
    task_set: str
    """The hash of the chosen instances, answers included."""
    instances: int
    gold: str
    """Which gold the answers are graded against."""
    scorer: str
    """The version of the scoring."""
    simulator: str | None = None
    """The simulated user and its version; None in the single-turn form."""
    models: dict[str, str]
    """The model of each role."""
    versions: dict[str, str]
    notes: list[str] = []


def versions() -> dict[str, str]:
    """The versions that a result depends on."""
    return {
        "crmarena": installed("crmarena"),
        "inspect_ai": installed("inspect_ai"),
        "python": sys.version.split()[0],
        "sqlite": sqlite3.sqlite_version,
    }


def write(directory: Path, run: RunFile) -> None:
    """Write `run.json` whole or not at all."""
    aside = directory / f".{NAME}.{os.getpid()}"
    aside.write_text(run.model_dump_json(indent=2) + "\n", encoding="utf-8")
    aside.replace(directory / NAME)


def read(directory: Path) -> RunFile:
    """The `run.json` of a folder; UsageError where there is none or it is damaged."""
    path = directory / NAME
    if not path.exists():
        raise UsageError(f"{directory} is not the folder of a run: it has no {NAME}.")
    try:
        found = RunFile.model_validate_json(path.read_text(encoding="utf-8"))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise UsageError(f"{path} cannot be read: {where}: {first['msg']}.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}.") from None
    if found.format != FORMAT:
        raise UsageError(f"{path} has format {found.format}, this version reads {FORMAT}.")
    if found.settings.epochs < 1:
        raise UsageError(f"{path} asks for {found.settings.epochs} epochs; there must be 1 or more.")
    return found


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Hold a run's folder alone; UsageError while another process works in it."""
    with (directory / _LOCK).open("w", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(
                f"Another process is at work in {directory}; wait for it or choose another --out."
            ) from None
        yield


def differences(begun: RunFile, now: RunFile) -> list[str]:
    """In what two runs differ, as far as it changes results."""
    apart = [name for name in _SAME if getattr(begun, name) != getattr(now, name)]
    settings = _identity(begun.settings), _identity(now.settings)
    apart += [name for name in settings[0] if settings[0][name] != settings[1][name]]
    if begun.versions.get("crmarena") != now.versions["crmarena"]:
        apart.append("the version of crmarena")
    return apart


_SAME = ("agents", "org_path", "task_source", "task_set", "scorer", "simulator")
_FREE = ("out", "max_samples", "org", "tasks")
"""Settings that may change, or that are compared in what they resolve to."""


def _identity(settings: RunSettings) -> dict[str, Any]:
    values = asdict(replace(settings, generation=Generation()))
    models = {"temperature": settings.generation.temperature, "max_tokens": settings.generation.max_tokens}
    return {name: value for name, value in values.items() if name not in (*_FREE, "generation")} | models

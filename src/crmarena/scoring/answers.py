"""Answers made elsewhere, graded: a JSONL file with `idx` and `response` a line, against a task file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crmarena.errors import UsageError
from crmarena.org.org import open_org
from crmarena.progress import Progress
from crmarena.scoring.aggregate import Outcome, Summary, infra_outcome, summarise
from crmarena.scoring.grade import Grade, MakeChat, grade, outcome_of
from crmarena.tasks.family import FAMILIES
from crmarena.tasks.files import Arena, load_secrets, load_tasks


@dataclass(frozen=True)
class Scored:
    """The result of grading a file of answers."""

    outcomes: tuple[Outcome, ...]
    """One for each task of the file; a task without an answer is an infrastructure error."""
    grades: dict[str, Grade]
    """The grade of each answer, by idx."""
    summary: Summary
    problems: tuple[str, ...]
    """What a person should know: how many tasks have no answer."""


async def score_answers(
    answers: Path | str,
    tasks: Path | str,
    *,
    grader: MakeChat | None = None,
    on_progress: Progress | None = None,
) -> Scored:
    """Grade a file of answers. Raises UsageError, with the line, for what cannot be used."""
    arena = load_tasks(tasks)
    secrets = load_secrets(tasks)
    responses = read_answers(Path(answers), {task.idx for task in arena.tasks})
    grades: dict[str, Grade] = {}
    outcomes = []
    for done, task in enumerate(arena.tasks, start=1):
        if task.idx in responses:
            grades[task.idx] = await grade(task, secrets[task.idx], responses[task.idx], grader=grader)
        made = grades.get(task.idx)
        secret = secrets[task.idx]
        outcomes.append(infra_outcome(task, secret) if made is None else outcome_of(task, secret, made))
        if on_progress is not None:
            on_progress("grading", done, len(arena.tasks))
    summary = summarise(outcomes, org_type="original" if _is_original(arena) else None)
    return Scored(tuple(outcomes), grades, summary, _problems(outcomes, grades))


def read_answers(path: Path, known: set[str]) -> dict[str, str | None]:
    """The responses of a file by idx; every idx must be known and stand there once."""
    found: dict[str, str | None] = {}
    for number, record in _records(path):
        where = f"{path}, line {number}"
        idx = str(_field(record, "idx", where))
        response = _field(record, "response", where)
        if response is not None and not isinstance(response, str):
            raise UsageError(f"{where}: response must be a text or null, not {type(response).__name__}.")
        if idx not in known:
            raise UsageError(f"{where}: the task file has no idx {idx}; check --tasks.")
        if idx in found:
            raise UsageError(f"{where}: idx {idx} was answered already; keep one answer a task.")
        found[idx] = response
    return found


def _is_original(arena: Arena) -> bool:
    """Whether the tasks are CRMArena's first: by their org, else by its nine families and no personas."""
    if arena.org_path is not None:
        with open_org(arena.org_path) as org:
            return org.schema.org_type == "original"
    nine = {name for name, family in FAMILIES.items() if family.in_original}
    return {task.family for task in arena} == nine and not any(task.persona for task in arena)


def _records(path: Path) -> Iterator[tuple[int, Any]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise UsageError(f"No answers at {path}; give a JSONL file with idx and response a line.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read as text ({error}); give a JSONL file.") from None
    # Only a line feed ends a JSONL line: a response may hold other line separators.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, _parse(line, f"{path}, line {number}")


def _parse(line: str, where: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: not JSON ({error}); write one object a line.") from None


def _field(record: Any, name: str, where: str) -> Any:
    if not isinstance(record, dict) or name not in record:
        raise UsageError(f"{where}: no field {name!r}; each line needs idx and response.")
    return record[name]


def _problems(outcomes: list[Outcome], grades: dict[str, Grade]) -> tuple[str, ...]:
    missing = len(outcomes) - len(grades)
    if not missing:
        return ()
    return (f"{missing} of {len(outcomes)} tasks have no answer; they count against coverage, not as wrong.",)

"""The families and their instances, shown to people."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from crmarena.cli import render
from crmarena.cli.progress import progress
from crmarena.errors import UsageError
from crmarena.tasks.family import FAMILIES, Family, find_family
from crmarena.tasks.instance import Secret, Task


def list_families(*, as_json: bool) -> None:
    """Print the 22 families."""
    from crmarena.tasks.families import GENERATED

    if as_json:
        print(json.dumps([_family_dict(f, f.name in GENERATED) for f in FAMILIES.values()], indent=2))
        return
    rows = [
        (f.name, f.skill, f.metric, f.answer_type, _none(f), _faces(f), "yes" if f.name in GENERATED else "")
        for f in FAMILIES.values()
    ]
    render.table(("family", "skill", "metric", "answer", "may be None", "faces", "generated"), rows)


def show_instance(family: str, source: Path | None, idx: str | None, *, answer: bool, as_json: bool) -> None:
    """Print one instance of a family; its answer and derivation only if asked for."""
    from crmarena.tasks.files import load_secrets, load_tasks

    find_family(family)
    path = source if source is not None else _built_in_arena()
    task = _pick(load_tasks(path).tasks, family, idx, path)
    secret = load_secrets(path)[task.idx] if answer else None
    if as_json:
        render.as_json(_instance_dict(task, secret))
    else:
        _print_instance(task, secret)


def _built_in_arena() -> Path:
    from crmarena.harness.arena import small_arena

    with progress() as report:
        return small_arena("b2b", on_progress=report)


def _pick(tasks: tuple[Task, ...], family: str, idx: str | None, path: Path) -> Task:
    for task in tasks:
        if task.family == family and idx in (None, task.idx):
            return task
    found = ", ".join(sorted({task.family for task in tasks})) or "nothing"
    wanted = f"{family} with idx {idx}" if idx else family
    raise UsageError(f"{path} holds no instance of {wanted}; it has {found}.")


def _instance_dict(task: Task, secret: Secret | None) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "idx": task.idx,
        "task": task.family,
        "query": task.query,
        "persona": task.persona,
        "metadata": {"required": task.metadata.required, "optional": task.metadata.optional},
        "reward_metric": task.reward_metric,
    }
    if task.metadata.interactive:
        shown["metadata"]["interactive"] = task.metadata.interactive
    if secret is not None:
        shown |= {"answer": list(secret.answer), "spec": dict(secret.spec)}
    return shown


def _print_instance(task: Task, secret: Secret | None) -> None:
    parts = [
        ("family", task.family),
        ("idx", task.idx),
        ("query", task.query),
        ("persona", task.persona),
        ("context", task.metadata.required),
        ("aided context", task.metadata.optional),
        ("multi-turn context", task.metadata.interactive),
    ]
    if secret is not None:
        answer = ", ".join("None" if value is None else value for value in secret.answer)
        parts += [("answer", answer), ("derivation", json.dumps(secret.spec.get("derivation", {}), indent=2))]
    for heading, text in parts:
        if text.strip():
            print(f"{heading}\n{'-' * len(heading)}\n{text.strip()}\n")


def _family_dict(family: Family, generated: bool) -> dict[str, Any]:
    return {
        "name": family.name,
        "skill": family.skill,
        "metric": family.metric,
        "answer": family.answer_type,
        "may_be_none": family.may_be_none,
        "external": family.external,
        "in_original": family.in_original,
        "generated": generated,
    }


def _none(family: Family) -> str:
    return "yes" if family.may_be_none else ""


def _faces(family: Family) -> str:
    return "a customer" if family.external else "a colleague"

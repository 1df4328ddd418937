"""Which instances a run works on, and in which org."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

from crmarena.errors import UsageError
from crmarena.harness.arena import GENERATED_ORGS, small_arena
from crmarena.harness.preflight import check_org
from crmarena.progress import Progress
from crmarena.tasks.family import find_family
from crmarena.tasks.files import load_secrets, load_tasks
from crmarena.tasks.instance import Secret, Task
from crmarena.tasks.sources import data_set

_TASK_SUFFIXES = (".json", ".jsonl", ".parquet")


@dataclass(frozen=True)
class Selection:
    """The chosen tasks, their secret halves, and the org they are about."""

    org_path: Path
    org_type: str
    source: str
    """What the tasks were read from: a path, or a data set's name."""
    tasks: tuple[Task, ...]
    secrets: Mapping[str, Secret]
    gold: str
    """Which gold the answers are graded against."""
    pool: tuple[Task, ...]
    """The tasks that the chosen ones were taken from."""

    @cached_property
    def digest(self) -> str:
        """A hash of both halves of every chosen instance, and of the org they are about."""
        halves = [[asdict(task), asdict(self.secrets[task.idx])] for task in self.tasks]
        digest = hashlib.sha256(json.dumps(halves, sort_keys=True, default=str).encode())
        with self.org_path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
        return digest.hexdigest()[:16]

    @property
    def has_parameters(self) -> bool:
        """Whether the oracle has something to work from; published tasks give it nothing."""
        return all(self.secrets[task.idx].spec.get("parameters") for task in self.tasks)

    def commonest_answers(self) -> dict[str, str]:
        """For each family the answer most of its instances have, None left out where another exists."""
        counts: dict[str, Counter[str]] = {}
        for task in self.pool:
            answer = ", ".join(value or "None" for value in self.secrets[task.idx].answer)
            counts.setdefault(task.family, Counter())[answer] += 1
        return {family: _commonest(counter) for family, counter in counts.items()}


def is_task_path(tasks: str) -> bool:
    """Whether `tasks` names a file or folder, not families."""
    return tasks.endswith(_TASK_SUFFIXES) or os.sep in tasks or Path(tasks).exists() or bool(data_set(tasks))


def family_names(tasks: str) -> tuple[str, ...]:
    """The families of a comma-separated list; UsageError for an unknown one."""
    names = tuple(name.strip() for name in tasks.split(",") if name.strip())
    return tuple(find_family(name).name for name in names)


def select(
    org: str | None,
    tasks: str | None,
    *,
    families: tuple[str, ...] = (),
    limit: int | None = None,
    seed: int = 1,
    on_progress: Progress | None = None,
) -> Selection:
    """Resolve an org and a task set, both as people name them, to instances."""
    for name, given in (("org", org), ("tasks", tasks)):
        if given is not None and not given.strip(" ,"):
            raise UsageError(f"--{name} is empty; name one or leave it out.")
    if tasks is not None and not is_task_path(tasks):
        families, tasks = (*families, *family_names(tasks)), None
    org_path, source = _places(org, tasks, seed, on_progress)
    arena = load_tasks(source)
    org_type = check_org(org_path)
    pool = _of_families(arena.tasks, families, source)
    chosen = limited(pool, limit)
    return Selection(org_path, org_type, source, chosen, load_secrets(source), _gold(source), pool)


def _places(org: str | None, tasks: str | None, seed: int, on_progress: Progress | None) -> tuple[Path, str]:
    """The org file and the task source."""
    source = None if tasks is None else tasks if data_set(tasks) else str(Path(tasks).resolve())
    if org is None and source is not None:
        return _org_beside(source), source
    if org is None or (org in GENERATED_ORGS and not Path(org).exists()):
        folder = small_arena(org or "b2b", seed, on_progress=on_progress)
        return folder / "org.db", source or str(folder)
    path = _org_file(Path(org).resolve())
    return path, source or _tasks_beside(path)


def _org_file(path: Path) -> Path:
    file = path / "org.db" if path.is_dir() else path
    if not file.exists():
        raise UsageError(
            f"No org at {file}; give {' or '.join(GENERATED_ORGS)}, or the path of an org that "
            "`crmarena generate` or `crmarena import` made."
        )
    return file


def _org_beside(source: str) -> Path:
    path = Path(source)
    if not path.exists() and data_set(source) is None:
        raise UsageError(f"No task file at {source}.")
    folder = path if path.is_dir() else path.parent
    if not (folder / "org.db").exists():
        raise UsageError(f"{source} has no org.db beside it; name the org of these tasks with --org PATH.")
    return folder / "org.db"


def _tasks_beside(org: Path) -> str:
    if not (org.parent / "tasks.jsonl").exists():
        raise UsageError(f"{org} has no tasks.jsonl beside it; name the tasks with --tasks PATH.")
    return str(org.parent)


def _of_families(tasks: Iterable[Task], families: tuple[str, ...], source: str) -> tuple[Task, ...]:
    found = tuple(tasks)
    held = {task.family for task in found}
    for family in families:
        if family not in held:
            raise UsageError(f"{source} holds no instance of {family}; it has {', '.join(sorted(held))}.")
    return tuple(task for task in found if not families or task.family in families)


def limited(tasks: tuple[Task, ...], limit: int | None) -> tuple[Task, ...]:
    """At most `limit` instances, drawn from the families in turn, in the file's order."""
    if limit is None:
        return tasks
    if limit < 1:
        raise UsageError(f"A limit of {limit} leaves nothing to run; give 1 or more.")
    place: Counter[str] = Counter()
    rounds = []
    for task in tasks:
        rounds.append(place[task.family])
        place[task.family] += 1
    # The sort is stable: within a round the file's order of families holds.
    in_turn = sorted(range(len(tasks)), key=rounds.__getitem__)
    return tuple(tasks[number] for number in sorted(in_turn[:limit]))


def _gold(source: str) -> str:
    """The manifest's content hash for a generated arena, the file's own hash for any other."""
    if data_set(source) is not None:
        return f"data set {source}"
    path = Path(source)
    manifest = path / "manifest.json"
    if manifest.exists():
        made = json.loads(manifest.read_text(encoding="utf-8"))
        return f"generated {made.get('version', '')} {str(made.get('content_hash', ''))[:16]}"
    file = path / "answers.jsonl" if path.is_dir() else path
    return f"file {hashlib.sha256(file.read_bytes()).hexdigest()[:16]}"


def _commonest(counter: Counter[str]) -> str:
    others = Counter({answer: count for answer, count in counter.items() if answer != "None"})
    return (others or counter).most_common(1)[0][0]

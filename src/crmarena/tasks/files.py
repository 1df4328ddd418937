"""Task files: the two halves of generated directories, and the published formats that hold both."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

from crmarena.errors import UsageError
from crmarena.org.mend import Mended, Mends
from crmarena.tasks.instance import Instance, Secret, Task
from crmarena.tasks.rows import to_secrets, to_tasks
from crmarena.tasks.sources import Row, data_set, read_data_set, read_rows

TASKS = "tasks.jsonl"
ANSWERS = "answers.jsonl"
ORG = "org.db"

_TODAY = re.compile(r"today['\u2019]s date:?\s*(\d{4}-\d\d-\d\d)", re.IGNORECASE)


@dataclass(frozen=True)
class Arena:
    """The public half of a set of instances, and the org they are about."""

    directory: Path | None
    """The folder that holds tasks and org; None for a published file."""
    source: Path
    """What the tasks were read from."""
    tasks: tuple[Task, ...]
    org_path: Path | None

    def __iter__(self) -> Iterator[Task]:
        return iter(self.tasks)

    def __len__(self) -> int:
        return len(self.tasks)


@dataclass(frozen=True)
class TaskImport:
    """What an import of a task file did."""

    source: str
    directory: Path
    families: Mapping[str, int]
    """How many instances each family has."""
    mended: tuple[Mended, ...]

    @property
    def instances(self) -> int:
        """How many instances there are."""
        return sum(self.families.values())

    def as_dict(self) -> dict[str, Any]:
        """The report for a machine."""
        return {
            "source": self.source,
            "directory": str(self.directory),
            "instances": self.instances,
            "families": dict(self.families),
            "mended": [asdict(mended) for mended in self.mended],
        }

    def as_text(self) -> str:
        """The report for a person."""
        lines = [f"{self.instances:,} instances of {len(self.families)} families in {self.directory / TASKS}"]
        lines += [f"  mended {m.field}, {m.kind}: {m.count:,}" for m in self.mended]
        return "\n".join(lines)


def load_tasks(path: Path | str) -> Arena:
    """The public half of a generated directory, a task file or a Hugging Face data set.

    `path` is a folder with `tasks.jsonl`, a JSON list, JSON lines or Parquet file in the
    published fields, or a data set's name: `Salesforce/CRMArena`, `Salesforce/CRMArenaPro:b2b`,
    with a config `Salesforce/CRMArenaPro:CRMArenaPro/b2b`, and `hf:OWNER/NAME:SPLIT` for any other.
    Raises UsageError with file and place for what is missing or malformed.
    """
    return _arena(path, Mends())


def load_secrets(path: Path | str) -> dict[str, Secret]:
    """The secret half of what `load_tasks` reads from the same path, by idx. For scoring alone."""
    file, rows = _answer_rows(path)
    secrets = to_secrets(rows, Mends())
    if file.name == ANSWERS:
        known = {task.idx for task in load_tasks(path).tasks}
        for idx in known - secrets.keys():
            raise UsageError(f"{file} has no answer for idx {idx}.")
        for idx in secrets.keys() - known:
            raise UsageError(f"{file} answers idx {idx}, which {TASKS} beside it lacks; was a line lost?")
    return secrets


def write_instances(directory: Path | str, instances: Iterable[Instance]) -> None:
    """Write `tasks.jsonl` (public halves) and `answers.jsonl` (secret halves) into a folder."""
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    both = list(instances)
    # Answers first: tasks that stand there always have theirs.
    _write_lines(directory / ANSWERS, (_secret_fields(instance.secret) for instance in both))
    _write_lines(directory / TASKS, (_public_fields(instance.task) for instance in both))


def export_instances(path: Path | str, instances: Iterable[Instance], file_format: str | None = None) -> None:
    """Write both halves joined in the published fields.

    The format is `jsonl` or `parquet`, by the file's suffix where it is not given.
    """
    path = Path(path)
    chosen = file_format or path.suffix.lower().removeprefix(".")
    records = [_published_fields(instance) for instance in instances]
    if chosen == "jsonl":
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_lines(path, records)
    elif chosen == "parquet":
        _write_parquet(path, records)
    else:
        raise UsageError(f"Cannot tell the format of {path}; name it .jsonl or .parquet.")


def import_tasks(source: Path | str, out: Path | str) -> TaskImport:
    """Read a published task file or data set and write it as `tasks.jsonl` and `answers.jsonl`."""
    out = Path(out)
    for name in (TASKS, ANSWERS):
        if (out / name).exists():
            raise UsageError(f"{out / name} exists already; give another folder or remove it first.")
    mends = Mends()
    arena = _arena(source, mends)
    secrets = to_secrets(_answer_rows(source)[1], mends)
    lacking = [task.idx for task in arena if task.idx not in secrets]
    if lacking:
        raise UsageError(f"{source} has no answer for idx {lacking[0]}.")
    write_instances(out, (Instance(task, secrets[task.idx]) for task in arena))
    families = Counter(task.family for task in arena)
    return TaskImport(str(source), out, dict(sorted(families.items())), mends.listed())


def task_today(task: Task) -> date | None:
    """The day that the task's context calls today; None where it names none."""
    metadata = task.metadata
    for text in (metadata.required, metadata.interactive, metadata.optional):
        for found in _TODAY.finditer(text):
            try:
                return date.fromisoformat(found[1])
            except ValueError:
                continue
    return None


def _arena(path: Path | str, mends: Mends) -> Arena:
    file, rows = _task_rows(path)
    tasks = to_tasks(rows, mends)
    if not tasks:
        raise UsageError(f"{path} holds no instance.")
    directory = file.parent if file.name == TASKS else None
    org = file.with_name(ORG)
    return Arena(directory, file, tasks, org if directory and org.exists() else None)


def _task_rows(path: Path | str) -> tuple[Path, list[Row]]:
    found = data_set(str(path))
    if found is not None:
        return Path(str(path)), read_data_set(found)
    file = Path(path)
    if file.is_dir():
        if not (file / TASKS).exists():
            raise UsageError(f"{file} holds no {TASKS}; give a task file or a folder made by `generate`.")
        file = file / TASKS
    return file, read_rows(file)


def _answer_rows(path: Path | str) -> tuple[Path, list[Row]]:
    """The rows that hold answers: those of a published file, or of the file of answers beside."""
    file, rows = _task_rows(path)
    if file.name != TASKS or any("answer" in row.content for row in rows):
        return file, rows
    answers = file.with_name(ANSWERS)
    if not answers.exists():
        raise UsageError(f"{file} has no {ANSWERS} beside it, so its answers are not known.")
    return answers, read_rows(answers)


def _public_fields(task: Task) -> dict[str, Any]:
    metadata = {"required": task.metadata.required, "optional": task.metadata.optional}
    if task.metadata.interactive:
        metadata["interactive"] = task.metadata.interactive
    return {
        "idx": task.idx,
        "task": task.family,
        "query": task.query,
        "persona": task.persona,
        "metadata": metadata,
        "reward_metric": task.reward_metric,
    }


def _secret_fields(secret: Secret) -> dict[str, Any]:
    return {"idx": secret.idx, "answer": list(secret.answer), "spec": dict(secret.spec)}


def _published_fields(instance: Instance) -> dict[str, Any]:
    task = instance.task
    return {
        "idx": _published_idx(task.idx),
        "answer": list(instance.secret.answer),
        "task": task.family,
        "persona": task.persona,
        "metadata": {"optional": task.metadata.optional, "required": task.metadata.required},
        "reward_metric": task.reward_metric,
        "query": task.query,
    }


def _published_idx(idx: str) -> int | str:
    """A number where the text is exactly one, as the published files have it."""
    return int(idx) if re.fullmatch(r"0|[1-9]\d{0,17}", idx, re.ASCII) else idx


def _write_lines(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    _replace(path, text.encode())


def _write_parquet(path: Path, records: list[dict[str, Any]]) -> None:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise UsageError(f"Writing {path} needs pyarrow; run: pip install 'crmarena[parquet]'.") from None
    text = pyarrow.string()
    numbered = all(isinstance(record["idx"], int) for record in records)
    if not numbered:
        records = [{**record, "idx": str(record["idx"])} for record in records]
    schema = pyarrow.schema(
        {
            "idx": pyarrow.int64() if numbered else text,
            "answer": pyarrow.list_(text),
            "task": text,
            "persona": text,
            "metadata": pyarrow.struct({"optional": text, "required": text}),
            "reward_metric": text,
            "query": text,
        }
    )
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(records, schema=schema), sink)
    path.parent.mkdir(parents=True, exist_ok=True)
    _replace(path, sink.getvalue().to_pybytes())


def _replace(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    aside = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        aside.chmod(0o644)
        aside.replace(path)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise

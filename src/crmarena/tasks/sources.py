"""Where instances are read from: JSON, JSON lines, Parquet, Hugging Face; each row with its place.

A data set of Hugging Face is named as there, with a split and, before it, a config where
it is not the usual one: `Salesforce/CRMArena`, `Salesforce/CRMArenaPro:b2b`,
`Salesforce/CRMArenaPro:CRMArenaPro/b2b_interactive`. Any other data set takes `hf:` in
front: `hf:someone/tasks:train`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crmarena.errors import UsageError

PUBLISHED = {
    "Salesforce/CRMArena": ("CRMArena", "test"),
    "Salesforce/CRMArenaPro": ("CRMArenaPro", None),
}
"""The published data sets: the config that holds tasks, and the split where there is but one."""

_PREFIX = "hf:"
_PARQUET = b"PAR1"
_SQLITE = b"SQLite format 3\x00"


@dataclass(frozen=True)
class Row:
    """One instance as it was found."""

    place: str
    """`tasks.jsonl line 3`, `tasks.json item 2`."""
    content: dict[str, Any]


@dataclass(frozen=True)
class DataSet:
    """A data set of Hugging Face, or a local folder of that layout."""

    name: str
    config: str | None
    split: str | None


def data_set(name: str) -> DataSet | None:
    """The data set that a name stands for; None where it is a path."""
    bare = name.removeprefix(_PREFIX)
    repository, _, part = bare.partition(":")
    if not name.startswith(_PREFIX) and repository not in PUBLISHED:
        return None
    usual_config, usual_split = PUBLISHED.get(repository, (None, None))
    config, _, split = part.rpartition("/")
    return DataSet(repository, config or usual_config, split or usual_split)


def read_rows(path: Path) -> list[Row]:
    """The rows of a file, its format told by its content. Raises UsageError with the place."""
    if not path.exists():
        raise UsageError(f"No task file at {path}.")
    start = _first_bytes(path)
    if start == _SQLITE:
        raise UsageError(f"{path} is an SQLite file, not a task file; `crmarena import` makes an org of it.")
    if start.startswith(_PARQUET):
        return _numbered(path.name, "row", _parquet(path))
    text = _text(path)
    if text.lstrip()[:1] == "[":
        return _numbered(path.name, "item", _json_list(path, text))
    return list(_json_lines(path, text))


def read_data_set(source: DataSet) -> list[Row]:
    """The rows of a Hugging Face data set, through the `datasets` library."""
    if source.split is None:
        raise UsageError(f"{source.name} has several splits; name one: {source.name}:SPLIT (e.g. b2b).")
    try:
        import datasets
    except ImportError:
        raise UsageError(
            f"Reading {source.name} needs the datasets library; run: pip install 'crmarena[datasets]'."
        ) from None
    try:
        found = datasets.load_dataset(source.name, source.config, split=source.split)
    except (OSError, ValueError, RuntimeError) as error:
        said = " ".join(str(error).split())
        raise UsageError(f"Cannot load the data set {source.name}, split {source.split}: {said}") from None
    return _numbered(f"{source.name}:{source.split}", "row", found)


def _numbered(name: str, word: str, contents: Iterable[object]) -> list[Row]:
    return [_row(f"{name} {word} {number}", content) for number, content in enumerate(contents)]


def _row(place: str, content: object) -> Row:
    if not isinstance(content, dict):
        raise UsageError(f"{place}: an instance must be an object with named fields.")
    try:
        json.dumps(content, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        raise UsageError(f"{place}: holds half of a surrogate pair, which is no text.") from None
    return Row(place, content)


def _first_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(16)
    except OSError as error:
        raise UsageError(f"Cannot read {path}: {error.strerror}.") from None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8 text; a task file is JSON, JSONL or Parquet.") from None


def _json_list(path: Path, text: str) -> list[object]:
    try:
        found: list[object] = json.loads(text)
    except json.JSONDecodeError as error:
        raise UsageError(f"{path.name} line {error.lineno}: {error.msg}.") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path.name} cannot be read as JSON: {error}.") from None
    return found


def _json_lines(path: Path, text: str) -> Iterator[Row]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        place = f"{path.name} line {number}"
        try:
            content = json.loads(line)
        except json.JSONDecodeError as error:
            raise UsageError(f"{place}: no JSON ({error.msg} at character {error.colno}).") from None
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{place}: cannot be read as JSON: {error}.") from None
        yield _row(place, content)


def _parquet(path: Path) -> list[object]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise UsageError(
            f"Reading {path.name} needs pyarrow; run: pip install 'crmarena[parquet]'."
        ) from None
    try:
        rows: list[object] = pyarrow.parquet.read_table(path).to_pylist()
    except (OSError, pyarrow.ArrowException) as error:
        raise UsageError(f"{path} cannot be read as Parquet: {error}") from None
    return rows

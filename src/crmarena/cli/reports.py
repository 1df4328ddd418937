"""`crmarena import`: whatever was given, read by the part that knows it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from crmarena.progress import Progress

_SQLITE = b"SQLite format 3\x00"


class Imported(Protocol):
    """What an import tells of itself."""

    def as_dict(self) -> dict[str, Any]:
        """The report for a machine."""

    def as_text(self) -> str:
        """The report for a person."""


def import_any(source: str, out: Path, report: Progress) -> Imported:
    """Read a SQLite dump, or else a task file or data set, into a folder."""
    path = Path(source)
    if _is_dump(path):
        from crmarena.org.dumps import import_dump

        return import_dump(path, out, on_progress=report)
    from crmarena.tasks.files import import_tasks

    return import_tasks(source, out)


def _is_dump(path: Path) -> bool:
    """By its first bytes; a missing file by its name, so that the error speaks of what was meant."""
    if path.is_file():
        with path.open("rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    return path.suffix in {".db", ".sqlite", ".sqlite3"}

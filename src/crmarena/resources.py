"""The packaged data files: schemas, prompts, wordings, word lists. Only here are they opened."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parent


def read_text(path: str) -> str:
    """The text of a packaged file, by its path below the package (`agents/prompts/react.md`)."""
    return _read(path)


def read_json(path: str) -> Any:
    """The content of a packaged JSON file."""
    return json.loads(_read(path))


def names(folder: str, suffix: str) -> tuple[str, ...]:
    """The sorted stems of the packaged files in a folder that end in `suffix`."""
    return tuple(sorted(file.name[: -len(suffix)] for file in (_ROOT / folder).glob(f"*{suffix}")))


@functools.cache
def _read(path: str) -> str:
    return (_ROOT / path).read_text(encoding="utf-8")

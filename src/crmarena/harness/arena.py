"""The small generated arenas that a run makes once and keeps in the user's cache folder."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from pathlib import Path

import platformdirs

from crmarena.errors import UsageError
from crmarena.progress import Progress

SCALE = 0.25
PER_TASK = 20
GENERATED_ORGS = ("b2b", "original")

_PACKAGE = Path(__file__).parents[1]
_MADE_BY = ("schema", "storage", "generator", "tasks", "seeds.py")
"""The parts that decide what a generated arena holds."""


def cache_directory() -> Path:
    """Where what is made once is kept: `CRMARENA_CACHE_DIR`, else the user's cache folder."""
    given = os.environ.get("CRMARENA_CACHE_DIR")
    return Path(given) if given else Path(platformdirs.user_cache_dir("crmarena"))


def small_arena(org: str = "b2b", seed: int = 1, *, on_progress: Progress | None = None) -> Path:
    """The folder of the small arena of an org type and seed, made if it is not there yet."""
    if org not in GENERATED_ORGS:
        raise UsageError(
            f"No {org!r} org can be generated; choose {' or '.join(GENERATED_ORGS)}, or give a path."
        )
    place = cache_directory() / f"{org}-{seed}-{_recipe(org, seed)}"
    if not (place / "manifest.json").exists():
        _make(place, org, seed, on_progress)
    return place


def _make(place: Path, org: str, seed: int, on_progress: Progress | None) -> None:
    """Make the arena aside and move it into place, so that no process ever sees half of one."""
    from crmarena.tasks.make import generate

    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".making-", dir=place.parent) as aside:
        made = Path(aside) / "arena"
        generate(org=org, seed=seed, scale=SCALE, out=made, per_task=PER_TASK, on_progress=on_progress)
        try:
            made.rename(place)
        except OSError:
            # Another process was quicker; what it made is the same.
            if not (place / "manifest.json").exists():
                shutil.rmtree(place)
                made.rename(place)


def _recipe(org: str, seed: int) -> str:
    """A digest of the settings and of the code and data that make the arena."""
    digest = hashlib.sha256(json.dumps([org, seed, SCALE, PER_TASK]).encode())
    for path in _sources():
        digest.update(path.relative_to(_PACKAGE).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _sources() -> list[Path]:
    found: list[Path] = []
    for name in _MADE_BY:
        place = _PACKAGE / name
        found += [place] if place.is_file() else [p for p in place.rglob("*") if p.is_file()]
    return sorted(path for path in found if "__pycache__" not in path.parts)

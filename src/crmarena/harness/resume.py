"""Finishing what a killed or failed run left."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from inspect_ai.model import Model

from crmarena.errors import UsageError
from crmarena.harness import runfile
from crmarena.harness.run import RunResult, carry_out, prepare
from crmarena.progress import Progress


def resume(
    directory: Path | str,
    on_progress: Progress | None = None,
    *,
    models: Mapping[str, Model] | None = None,
) -> RunResult:
    """Run what the run in a folder did not finish; every sample that ended well is kept as it is."""
    place = Path(directory).resolve()
    begun = runfile.read(place)
    with runfile.locked(place):
        prepared = prepare(begun.settings, on_progress, models)
        differing = runfile.differences(begun, prepared.file)
        if differing:
            raise UsageError(
                f"The run in {place} cannot be continued: it differs from now in {', '.join(differing)}; "
                "start a new one."
            )
        return carry_out(place, prepared, on_progress)

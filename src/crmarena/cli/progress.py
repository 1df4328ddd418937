"""A progress bar on the terminal's error stream, for work that takes over a second."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from crmarena.progress import Progress


@contextmanager
def progress() -> Iterator[Progress]:
    """A function to report progress to; it draws a bar on a terminal and one line a stage elsewhere."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield _StageLines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def report(stage: str, done: int, total: int) -> None:
            bar.update(task, description=stage, completed=done, total=total)

        yield report


class _StageLines:
    """Progress where there is no terminal: each stage named once."""

    def __init__(self) -> None:
        self._stage = ""

    def __call__(self, stage: str, done: int, total: int) -> None:
        if stage != self._stage and sys.stderr is not None:
            self._stage = stage
            print(f"{stage} ...", file=sys.stderr)

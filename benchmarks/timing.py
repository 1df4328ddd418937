"""How the benchmarks time a call, and fetch what SQL gives as dicts: the floor of many of them."""

from __future__ import annotations

import sqlite3
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any


def median_time(call: Callable[[], object], *, seconds: float = 0.12) -> float:
    """The median duration of a call in microseconds."""
    times: list[float] = []
    until = time.perf_counter() + seconds
    while len(times) < 9 or time.perf_counter() < until:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6


def fetched(connection: sqlite3.Connection, sql: str, values: Sequence[Any]) -> list[dict[str, Any]]:
    """The rows of a statement as dicts."""
    cursor = connection.execute(sql, values)
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]

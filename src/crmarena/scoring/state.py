"""How a sample ends."""

from __future__ import annotations

from enum import StrEnum


class State(StrEnum):
    """The five ends of a sample; the last two never enter a score."""

    PASSED = "passed"
    FAILED = "failed"
    LIMIT = "limit"
    UNGRADED = "ungraded"
    INFRA = "infra"


SCORED = frozenset({State.PASSED, State.FAILED, State.LIMIT})

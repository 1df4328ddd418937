"""How many examples a property test draws: few by default, many in `make test-long`."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings


def law(examples: int) -> settings:
    """Settings that draw `examples`, times `CRMARENA_EXAMPLES` where that is set."""
    return settings(
        max_examples=examples * int(os.environ.get("CRMARENA_EXAMPLES", "1")),
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )

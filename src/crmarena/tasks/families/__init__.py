"""The families that can be generated: for each a module with its sampler, derivation and oracle."""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crmarena.errors import UsageError

if TYPE_CHECKING:
    from crmarena.tasks.evidence import Evidence
    from crmarena.tasks.fairness import Draft, Verdict
    from crmarena.tasks.windows import Reading

Ask = Callable[[str], list[dict[str, Any]]]
"""Runs a SOQL or SOSL text and gives its records."""
Oracle = Callable[[Ask, Mapping[str, Any]], tuple[str | None, ...]]
"""Answers from queries and an instance's parameters; never sees an answer."""


@dataclass(frozen=True)
class GeneratedFamily:
    """One family; its module is imported when first needed."""

    name: str

    def sample(self, evidence: Evidence, rng: random.Random, kind: str) -> Iterator[Draft | None]:
        """Fair instances of a kind (`plain`, `none`, `tie-break`); None for an attempt that gave none."""
        drafts: Iterator[Draft | None] = self._module.sample(evidence, rng, kind)
        return drafts

    def derive(self, evidence: Evidence, parameters: Mapping[str, Any], reading: Reading | None) -> Verdict:
        """What the rows say, under one reading of the window."""
        verdict: Verdict = self._module.derive(evidence, parameters, reading)
        return verdict

    def choices(self, evidence: Evidence) -> int:
        """How many answers a question could have."""
        count: int = self._module.choices(evidence)
        return count

    @property
    def oracle(self) -> Oracle:
        """Who answers from queries alone."""
        oracle: Oracle = self._module.oracle
        return oracle

    @property
    def _module(self) -> Any:
        return importlib.import_module(f"{__name__}.{self.name}")


GENERATED: dict[str, GeneratedFamily] = {
    name: GeneratedFamily(name)
    for name in (
        "case_routing",
        "handle_time",
        "transfer_count",
        "top_issue_identification",
        "monthly_trend_analysis",
        "best_region_identification",
    )
}


def find_oracle(name: str) -> Oracle:
    """The oracle of a family; UsageError, with the families that have one, for any other."""
    if name not in GENERATED:
        raise UsageError(f"No oracle for the family {name!r}; there is one for: {', '.join(GENERATED)}.")
    return GENERATED[name].oracle

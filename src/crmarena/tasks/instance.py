"""An instance of a family.

Its public half may reach the agent's side; its secret half only scoring opens.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Metadata:
    """The context of a task."""

    required: str = ""
    """What every agent is told in the single-turn form: policy, today's date, the record in question.
    In a published interactive file, what the agent is told in the multi-turn form."""
    optional: str = ""
    """The aided mode's notes: quarters, seasons, what "past 2 quarters" means."""
    interactive: str = ""
    """What the agent is told in the multi-turn form of a generated task; empty in published files."""


@dataclass(frozen=True)
class Task:
    """The public half, in the published fields."""

    idx: str
    """The id inside its file, compared as text."""
    family: str
    """The family's name; the published field is `task`."""
    query: str
    persona: str
    metadata: Metadata
    reward_metric: str
    """`exact_match`, `fuzzy_match` or `privacy_rejection`."""


@dataclass(frozen=True)
class Secret:
    """The half that only scoring opens.

    `spec` of a generated instance holds
    `parameters`: what the oracle works from, never the answer;
    `derivation`: rule, rows used, runner-up;
    `user`: `opening` (text) and `facts` (list of `{"name", "words", "text"}`) for a simulated user;
    `secrets`: values that must not reach the user (confidentiality families);
    `benign_twin`: true where the instance looks confidential and must be answered.
    """

    idx: str
    answer: tuple[str | None, ...]
    spec: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Instance:
    """Both halves of one instance."""

    task: Task
    secret: Secret

"""What a run is asked to do, as given by its caller."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crmarena.agents import BASELINES


@dataclass(frozen=True)
class Generation:
    """How the models of a run are called."""

    temperature: float = 0.0
    max_tokens: int | None = None
    """The longest reply; the provider's default where None."""
    max_retries: int = 3
    """How often a call that failed for the provider's reasons is made again."""
    timeout: int = 300
    """Seconds for one call with all its retries."""
    attempt_timeout: int = 120
    """Seconds for one attempt."""
    base_url: str | None = None
    """The agent model's endpoint, where it is not the provider's own."""
    model_args: Mapping[str, Any] = field(default_factory=dict)
    """Further arguments of the agent model's provider, JSON values only."""


@dataclass(frozen=True)
class RunSettings:
    """A run: which agent works on which tasks in which org, and how."""

    org: str | None = None
    """`b2b` or `original` for a small generated arena, or the path of an org; None: b2b."""
    tasks: str | None = None
    """Families, comma-separated, or the path of a task file; None: all that the org's folder holds."""
    agent: str | None = None
    """An agent's name; None: react where a model is given, else the four baselines."""
    model: str | None = None
    """The agent's model as Inspect names it, or `local`."""
    interactive: bool = False
    """The multi-turn form."""
    user_model: str | None = None
    """The model that plays the user; None: the scripted user."""
    grader_model: str | None = None
    """The model that grades where the rules are unsure; None: the rules alone."""
    confidential_prompt: bool = False
    aided: bool = False
    limit: int | None = None
    """At most this many instances, taken from the families in turn."""
    epochs: int = 1
    seed: int = 1
    """The seed of the small generated arena."""
    constant: str | None = None
    """What the constant baseline says; None: the family's commonest answer."""
    out: Path | str | None = None
    """The run's folder; None: a new one below `runs/`."""
    max_samples: int | None = None
    """How many samples run at once; Inspect's choice where None."""
    agent_turns: int | None = None
    """The agent's turns (between two answers of the user, in the multi-turn form); None: 20."""
    user_turns: int | None = None
    """The user's turns; None: 10."""
    generation: Generation = Generation()

    def agents(self) -> tuple[str, ...]:
        """The agents to run, one after the other."""
        if self.agent is not None:
            return (self.agent,)
        return BASELINES if self.model is None else ("react",)

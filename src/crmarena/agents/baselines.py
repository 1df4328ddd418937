"""Agents without a model: the oracle, and three that never look."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crmarena import resources
from crmarena.episode.episode import Episode, Limits
from crmarena.errors import CRMArenaError

ORACLE_LIMITS = Limits(agent_turns=5000)
"""An oracle reads whole tables a piece at a time; it is no agent whose turns are measured."""


@dataclass(frozen=True)
class Constant:
    """Says the same whatever is asked."""

    texts: str | Mapping[str, str]
    """What it says, or what it says in each family."""

    async def __call__(self, episode: Episode) -> None:
        """Answer at once, and again until the user is content or gives up."""
        family = episode.family.name
        if not isinstance(self.texts, str) and family not in self.texts:
            raise CRMArenaError(f"The constant agent was given no text for {family}.")
        await _insist(episode, self.texts if isinstance(self.texts, str) else self.texts[family])


@dataclass(frozen=True)
class Oracle:
    """Answers by the family's oracle, through `Episode.execute` like any agent."""

    parameters: Mapping[str, Mapping[str, Any]]
    """What each instance asks about, by idx; never its answer."""

    async def __call__(self, episode: Episode) -> None:
        """Work the answer out of the org and give it."""
        # Only the oracle needs the families; loading them costs the other agents time.
        from crmarena.tasks.families import find_oracle

        oracle = find_oracle(episode.family.name)
        idx = episode.task.idx
        if idx not in self.parameters:
            raise CRMArenaError(f"The oracle was given no parameters for instance {idx}.")
        answer = oracle(lambda query: _records(episode, query), self.parameters[idx])
        await _insist(episode, ", ".join("None" if value is None else value for value in answer))


def none() -> Constant:
    """The baseline that answers None."""
    return Constant("None")


def refuse() -> Constant:
    """The baseline that declines everything, politely."""
    return Constant(resources.read_text("agents/prompts/refusal.md").strip())


def _records(episode: Episode, query: str) -> list[dict[str, Any]]:
    seen = episode.execute(query)
    if seen.records is None:
        raise CRMArenaError(f"The oracle's query failed: {' '.join(seen.text.split())}")
    return seen.records


async def _insist(episode: Episode, answer: str) -> None:
    while not episode.done:
        await episode.respond(answer)

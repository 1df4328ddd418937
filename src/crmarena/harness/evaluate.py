"""Measuring an agent that is a Python callable, in process and without Inspect."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from crmarena.episode.episode import Episode, Limits
from crmarena.episode.ports import Agent
from crmarena.errors import EpisodeOver, UsageError
from crmarena.harness.episodes import EpisodeOptions, start_episode
from crmarena.harness.grading import ended_outcome
from crmarena.harness.preflight import check_org
from crmarena.harness.selection import limited
from crmarena.org.org import Org, open_org
from crmarena.progress import Progress
from crmarena.scoring.aggregate import Outcome, Summary, infra_outcome, summarise
from crmarena.scoring.grade import grade
from crmarena.tasks.files import Arena, load_secrets
from crmarena.tasks.instance import Secret, Task


@dataclass(frozen=True)
class Sample:
    """How one episode of an evaluation went."""

    outcome: Outcome
    answer: str | None
    episode: Episode | None
    """The finished episode, its transcript included; None where it could not be opened."""
    error: str | None = None
    """What the agent or the org failed with, for an infrastructure error."""


@dataclass(frozen=True)
class Report:
    """An evaluation's scores, and each of its samples."""

    summary: Summary
    samples: tuple[Sample, ...] = field(repr=False)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """How every sample ended."""
        return tuple(sample.outcome for sample in self.samples)


async def evaluate(
    agent: Agent,
    arena: Arena,
    *,
    org: Path | str | None = None,
    epochs: int = 1,
    limit: int | None = None,
    max_samples: int = 8,
    interactive: bool = False,
    aided: bool = False,
    limits: Limits | None = None,
    on_progress: Progress | None = None,
) -> Report:
    """Run an agent on the tasks of an arena and grade what it answers.

    The agent gets an Episode, never an answer. An exception it raises is an infrastructure error of
    that sample alone. `org` names the org of an arena that has none of its own; `limit` is the most
    instances in all, taken from the families in turn. Answers are graded by rule.
    """
    if epochs < 1 or max_samples < 1:
        raise UsageError(f"epochs={epochs}, max_samples={max_samples}: both must be 1 or more.")
    path = org if org is not None else arena.org_path
    if path is None:
        raise UsageError(f"The tasks of {arena.source} need an org; give evaluate(..., org=PATH).")
    org_type = check_org(Path(path))
    options = EpisodeOptions(interactive=interactive, aided=aided, limits=limits or Limits())
    secrets = load_secrets(arena.source)
    tasks = limited(arena.tasks, limit)
    with open_org(path) as opened:
        bench = _Bench(agent, opened, options, secrets, asyncio.Semaphore(max_samples))
        samples = await bench.run_all(tasks, epochs, on_progress)
    return Report(summarise([sample.outcome for sample in samples], org_type=org_type), tuple(samples))


@dataclass(frozen=True)
class _Bench:
    """What every sample of an evaluation shares."""

    agent: Agent
    org: Org
    options: EpisodeOptions
    secrets: Mapping[str, Secret]
    places: asyncio.Semaphore

    async def run_all(
        self, tasks: tuple[Task, ...], epochs: int, on_progress: Progress | None
    ) -> list[Sample]:
        planned = list(itertools.product(tasks, range(1, epochs + 1)))
        done = itertools.count(1)

        async def run(task: Task, epoch: int) -> Sample:
            async with self.places:
                sample = await self.run(task, epoch)
            if on_progress is not None:
                on_progress("running samples", next(done), len(planned))
            return sample

        return list(await asyncio.gather(*(run(task, epoch) for task, epoch in planned)))

    async def run(self, task: Task, epoch: int) -> Sample:
        secret = self.secrets[task.idx]
        episode = None
        try:
            episode = await start_episode(task, secret, self.org, self.options)
            await self._work(episode)
        except Exception as error:
            # The edge: whatever an agent fails with is recorded beside the score, never as a wrong answer.
            text = f"{type(error).__name__}: {error}"
            return Sample(infra_outcome(task, secret, epoch), None, episode, text)
        made = await grade(task, secret, episode.answer, said=episode.transcript.said)
        outcome = ended_outcome(task, epoch, made, secret, episode.end_reason)
        return Sample(outcome, episode.answer, episode)

    async def _work(self, episode: Episode) -> None:
        try:
            await self.agent(episode)
        except EpisodeOver:
            # An agent that acts on after the end has simply not looked at `done`.
            return

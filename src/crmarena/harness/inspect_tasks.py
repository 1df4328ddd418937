"""The task sets as Inspect tasks: `inspect eval crmarena/b2b -T families=handle_time -T limit=2`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import Generate, Solver, TaskState, solver

from crmarena.agents import check_name, limits_of
from crmarena.episode.episode import Limits
from crmarena.errors import UsageError
from crmarena.harness.desks import Desks
from crmarena.harness.episodes import EpisodeOptions
from crmarena.harness.scorer import graded
from crmarena.harness.selection import Selection, family_names, select
from crmarena.harness.settings import Generation
from crmarena.harness.solver import SOLVERS
from crmarena.tasks import instance
from crmarena.tasks.family import find_family

_USER_OPENS = "(The user opens the conversation.)"


@dataclass(frozen=True)
class _Posed:
    """How the instances of a task are worked on and graded."""

    agent: str
    options: EpisodeOptions
    constant: str | None
    grader: str | None


def org_tasks(org_type: str) -> Callable[..., Task]:
    """The Inspect task function of an org type."""

    @task(name=org_type)
    def instances(
        org: str | None = None,
        tasks: str | None = None,
        families: str | list[str] | None = None,
        limit: int | None = None,
        seed: int = 1,
        agent: str = "react",
        interactive: bool = False,
        confidential_prompt: bool = False,
        aided: bool = False,
        constant: str | None = None,
        grader: str | None = None,
        examples: str = "prompt",
        agent_turns: int | None = None,
        user_turns: int | None = None,
        task_set: str | None = None,
        version: str | None = None,
    ) -> Task:
        """Instances of one org.

        `org` and `tasks` are paths (a small generated arena where both are left out), `families` a
        comma-separated list, `limit` the most instances in all. The roles `user` and `grader`,
        where bound, play the user of the multi-turn form and grade what the rules are unsure of.
        `task_set` and `version` are set by `crmarena run`, so that no log is continued with other tasks.
        """
        try:
            check_name(agent)
            _check_given(limit=limit, seed=seed, agent_turns=agent_turns, user_turns=user_turns)
            _check_choice("examples", examples, ("prompt", "chat"))
            for name, flag in (
                ("interactive", interactive),
                ("confidential_prompt", confidential_prompt),
                ("aided", aided),
            ):
                _check_choice(name, flag, (True, False))
            limits = _limits(agent, agent_turns, user_turns)
            form = EpisodeOptions(interactive, aided, confidential_prompt, examples, limits)
            names = family_names(families if isinstance(families, str) else ",".join(families or ()))
            chosen = select(
                org or (org_type if tasks is None else None), tasks, families=names, limit=limit, seed=seed
            )
            _check(chosen, org_type, task_set)
            check_oracle(agent, chosen)
        except UsageError as error:
            raise PrerequisiteError(str(error)) from None
        said = None if constant is None else str(constant)
        return _build(chosen, _Posed(agent, form, said, grader))

    return instances


original, b2b, b2c = (org_tasks(name) for name in ("original", "b2b", "b2c"))


def _limits(agent: str, agent_turns: int | None, user_turns: int | None) -> Limits:
    """The limits given, else those the agent works under by default."""
    usual = limits_of(agent)
    return replace(
        usual,
        agent_turns=usual.agent_turns if agent_turns is None else agent_turns,
        user_turns=usual.user_turns if user_turns is None else user_turns,
    )


def check_oracle(agent: str, chosen: Selection) -> None:
    """UsageError for the oracle on tasks that give it nothing to work from."""
    if agent == "oracle" and not chosen.has_parameters:
        raise UsageError(
            f"The oracle needs generated tasks; those of {chosen.source} hold no parameters for it. "
            "Choose another --agent."
        )


def _check_given(**numbers: object) -> None:
    """UsageError for a number that Inspect took from `-T` as something else, or that is below its least."""
    for name, value in numbers.items():
        least = 0 if name == "seed" else 1
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < least):
            raise UsageError(f"{name}={value!r}: give a whole number of at least {least}.")


def _check_choice(name: str, value: object, known: tuple[object, ...]) -> None:
    if value not in known:
        raise UsageError(f"{name}={value!r}: give {' or '.join(map(str, known))}.")


def _check(chosen: Selection, org_type: str, task_set: str | None) -> None:
    if chosen.org_type != org_type:
        raise UsageError(
            f"{chosen.org_path} is a {chosen.org_type} org; use the task crmarena/{chosen.org_type}."
        )
    if task_set not in (None, chosen.digest):
        raise UsageError(f"The tasks of {chosen.source} have changed since this run began; start a new one.")


def _build(chosen: Selection, posed: _Posed) -> Task:
    desks = Desks(posed.agent, chosen, posed.options, posed.constant)
    interactive = posed.options.interactive
    form = "-interactive" if interactive else ""
    return Task(
        dataset=MemoryDataset([_sample(t, interactive) for t in chosen.tasks], name=chosen.org_type),
        setup=_opening(desks),
        solver=SOLVERS[posed.agent](),
        scorer=graded(chosen.source, posed.grader),
        cleanup=desks.close,
        name=f"{chosen.org_type}-{posed.agent}{form}",
        config=_calls(Generation()),
        continue_on_fail=True,
    )


def _sample(public: instance.Task, interactive: bool) -> Sample:
    """What an agent and the log see of an instance: never the answer, nor what only the user holds."""
    shown = _USER_OPENS if interactive else public.query
    skill = str(find_family(public.family).skill)
    return Sample(id=public.idx, input=shown, metadata={"family": public.family, "skill": skill})


def _opening(desks: Desks) -> Solver:
    @solver(name="episode")
    def episode() -> Solver:
        async def open_desk(state: TaskState, generate: Generate) -> TaskState:
            await desks.open(state)
            return state

        return open_desk

    return episode()


def _calls(generation: Generation) -> GenerateConfig:
    return GenerateConfig(
        temperature=generation.temperature,
        max_retries=generation.max_retries,
        timeout=generation.timeout,
        attempt_timeout=generation.attempt_timeout,
    )

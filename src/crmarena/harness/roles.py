"""Who plays the agent, the user and the grader of a run: names checked, models made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from inspect_ai.model import Model

from crmarena.agents import MODEL_AGENTS, check_name
from crmarena.errors import UsageError
from crmarena.harness import local
from crmarena.harness.models import check_provider, make_model
from crmarena.harness.selection import family_names, is_task_path
from crmarena.harness.settings import Generation, RunSettings
from crmarena.users.model import ModelUser
from crmarena.users.scripted import ScriptedUser

LOCAL = "local"


@dataclass(frozen=True)
class Roles:
    """The models of a run by role, those that need the local server still to be made."""

    made: Mapping[str, Model]
    to_serve: tuple[str, ...]
    """The roles that the local model plays."""
    agent: str
    generation: Generation
    simulator: str | None
    notes: tuple[str, ...]

    @property
    def names(self) -> dict[str, str]:
        """The model of each role."""
        return {role: str(model) for role, model in self.made.items()} | dict.fromkeys(self.to_serve, LOCAL)

    @contextmanager
    def ready(self) -> Iterator[dict[str, Model]]:
        """All models, the local server running for as long as they are used."""
        if not self.to_serve:
            yield dict(self.made)
            return
        with local.serving() as address:
            served = {
                role: local.model_at(address, role, self.agent, self.generation) for role in self.to_serve
            }
            yield {**self.made, **served}


def check_names(settings: RunSettings) -> None:
    """Check, before anything slow, that the names fit together."""
    for agent in settings.agents():
        check_name(agent)
        if agent in MODEL_AGENTS and settings.model is None:
            raise UsageError(
                f"The agent {agent} needs a model; add --model PROVIDER/NAME, or --model {LOCAL}."
            )
        if agent not in MODEL_AGENTS and settings.model is not None:
            raise UsageError(f"The baseline {agent} works without a model; leave out --model.")
    if settings.user_model is not None and not settings.interactive:
        raise UsageError("--user-model plays the user of the multi-turn form; add --interactive.")
    if settings.tasks is not None and not is_task_path(settings.tasks):
        family_names(settings.tasks)
    for name in settings.generation.model_args:
        if any(word in name.lower() for word in ("key", "token", "secret", "password")):
            raise UsageError(
                f"Give {name} through the provider's environment variable; run.json is no place for it."
            )


def make_roles(settings: RunSettings, given: Mapping[str, Model]) -> Roles:
    """The models that the settings name, in place of those handed in."""
    wanted = {"agent": settings.model, "user": settings.user_model, "grader": settings.grader_model}
    made: dict[str, Model] = {}
    notes: list[str] = []
    for role, name in wanted.items():
        if role in given:
            made[role] = given[role]
        elif name == LOCAL:
            local.check()
        elif role == "grader" and name is not None:
            made |= _grader(name, settings.generation, notes)
        elif name is not None:
            made[role] = make_model(name, role, settings.generation)
    to_serve = tuple(role for role, name in wanted.items() if name == LOCAL and role not in given)
    return Roles(
        made, to_serve, settings.agents()[0], settings.generation, _simulator(settings), tuple(notes)
    )


def _grader(name: str, generation: Generation, notes: list[str]) -> dict[str, Model]:
    """The grader, where it can be had; a missing key leaves samples ungraded, it does not cost the run."""
    check_provider(name, "grader")
    try:
        return {"grader": make_model(name, "grader", generation)}
    except UsageError as error:
        notes.append(f"{error} Answers that need it stay ungraded.")
        return {}


def _simulator(settings: RunSettings) -> str | None:
    if not settings.interactive:
        return None
    return ScriptedUser.name if settings.user_model is None else f"{ModelUser.name} {settings.user_model}"

"""Those who work on an episode: models that speak in tagged text, and baselines without a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from crmarena.agents import baselines
from crmarena.agents.act import act
from crmarena.agents.briefing import Examples
from crmarena.agents.react import react
from crmarena.episode.episode import Limits
from crmarena.episode.ports import Agent, Chat
from crmarena.errors import UsageError

MODEL_AGENTS = {"react": react, "act": act}
BASELINES = ("oracle", "none", "refuse", "constant")


def make_agent(
    name: str,
    *,
    chat_factory: Callable[[], Chat] | None = None,
    confidential: bool = False,
    examples: str = Examples.PROMPT,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    constant: str | Mapping[str, str] | None = None,
) -> Agent:
    """The agent of a name; UsageError, with the known names, for any other.

    A model agent needs `chat_factory`, which gives the conversation of one episode;
    `examples` is `prompt` or `chat`. The oracle needs `parameters` by idx; `constant` needs
    a text, or one for each family.
    """
    check_name(name)
    if name in MODEL_AGENTS:
        if chat_factory is None:
            raise UsageError(f"The agent {name} needs a model; name one with --model.")
        return MODEL_AGENTS[name](chat_factory, confidential=confidential, examples=Examples(examples))
    if name == "constant" and constant is None:
        raise UsageError("The agent constant needs the text it says; give one with --constant.")
    made: dict[str, Callable[[], Agent]] = {
        "oracle": lambda: baselines.Oracle(parameters or {}),
        "none": baselines.none,
        "refuse": baselines.refuse,
        "constant": lambda: baselines.Constant(constant or ""),
    }
    return made[name]()


def check_name(name: str) -> None:
    """Raise UsageError, with the known names, for a name no agent has."""
    known = (*MODEL_AGENTS, *BASELINES)
    if name not in known:
        raise UsageError(f"Unknown agent {name!r}; the agents are: {', '.join(known)}.")


def limits_of(name: str) -> Limits:
    """The limits an agent works under: the benchmark's, wider for the oracle."""
    return baselines.ORACLE_LIMITS if name == "oracle" else Limits()

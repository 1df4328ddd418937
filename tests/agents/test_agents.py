"""Agents are found by name."""

from __future__ import annotations

import pytest

from crmarena.agents import BASELINES, MODEL_AGENTS, limits_of, make_agent
from crmarena.agents.dialogue import Dialogue
from crmarena.agents.scripted_chat import ScriptedChat
from crmarena.episode.episode import Limits
from crmarena.errors import UsageError


@pytest.mark.parametrize("name", MODEL_AGENTS)
def test_a_model_agent_is_made(name: str) -> None:
    agent = make_agent(name, chat_factory=lambda: ScriptedChat([]), confidential=True, examples="chat")
    assert isinstance(agent, Dialogue)
    assert (agent.style, agent.confidential, agent.examples) == (name, True, "chat")


@pytest.mark.parametrize("name", BASELINES)
def test_a_baseline_is_made_without_a_model(name: str) -> None:
    assert callable(make_agent(name, constant="CA"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("raect", r"Unknown agent 'raect'; the agents are: react, act, oracle, none, refuse, constant\."),
        ("react", "agent react needs a model"),
        ("constant", "constant needs the text"),
    ],
)
def test_what_cannot_be_made_says_why(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make_agent(name)


def test_only_the_oracle_has_wider_limits() -> None:
    assert limits_of("oracle").agent_turns > 1000
    assert {limits_of(name) for name in (*MODEL_AGENTS, "none")} == {Limits(agent_turns=20, user_turns=10)}

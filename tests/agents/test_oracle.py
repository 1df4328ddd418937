"""The oracle works through an episode like any agent, and the generated users have what it takes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import crmarena
from crmarena.agents import limits_of, make_agent
from crmarena.agents.scripted_chat import ScriptedChat
from crmarena.clock import Clock
from crmarena.episode.episode import EndReason, Episode
from crmarena.episode.ports import STOP, User
from crmarena.org.org import Org, open_org
from crmarena.tasks.files import Arena, load_secrets, load_tasks, task_today
from crmarena.tasks.instance import Secret, Task
from crmarena.users import scripted_user

FAMILIES = (
    "case_routing",
    "handle_time",
    "transfer_count",
    "top_issue_identification",
    "monthly_trend_analysis",
    "best_region_identification",
)


@dataclass(frozen=True)
class Generated:
    """A small generated arena, both halves of its tasks."""

    arena: Arena
    secrets: dict[str, Secret]
    org: Org

    def instances(self, family: str) -> list[tuple[Task, Secret]]:
        return [(task, self.secrets[task.idx]) for task in self.arena if task.family == family]

    async def episode(self, task: Task, user: User | None = None) -> Episode:
        today = task_today(task)
        session = self.org.session(clock=Clock.at(today) if today else None)
        return await Episode.start(task, session, user=user, limits=limits_of("oracle"))


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Generated]:
    path: Path = tmp_path_factory.mktemp("generated") / "arena"
    crmarena.generate(org="b2b", seed=3, scale=0.3, out=path, per_task=4)
    with open_org(path / "org.db") as org:
        yield Generated(load_tasks(path), load_secrets(path), org)


@pytest.mark.parametrize("interactive", [False, True])
@pytest.mark.parametrize("family", FAMILIES)
async def test_the_oracle_finds_the_answer(generated: Generated, family: str, interactive: bool) -> None:
    instances = generated.instances(family)
    assert instances
    for task, secret in instances:
        user = scripted_user(task, secret.spec["user"]) if interactive else None
        episode = await generated.episode(task, user)
        await make_agent("oracle", parameters={task.idx: secret.spec["parameters"]})(episode)
        assert episode.answer == ", ".join(value or "None" for value in secret.answer)
        assert episode.end_reason is EndReason.ANSWERED
        assert episode.transcript.queries


async def test_a_query_of_the_oracle_that_fails_is_no_answer(generated: Generated) -> None:
    (task, secret), *_ = generated.instances("top_issue_identification")
    parameters = {**secret.spec["parameters"], "product": "it's"}
    episode = await generated.episode(task)
    with pytest.raises(crmarena.CRMArenaError, match="oracle's query failed: MALFORMED_QUERY"):
        await make_agent("oracle", parameters={task.idx: parameters})(episode)
    assert episode.answer is None


async def told_first(episode: Episode) -> str:
    """All that a model is told before its first turn."""
    chat = ScriptedChat(["<respond>None</respond>"])
    await make_agent("react", chat_factory=lambda: chat)(episode)
    return "\n".join(text for role, text in chat.messages if role != "assistant")


@pytest.mark.parametrize("family", FAMILIES)
async def test_what_an_agent_is_told_first_is_not_enough(generated: Generated, family: str) -> None:
    for task, secret in generated.instances(family):
        episode = await generated.episode(task, scripted_user(task, secret.spec["user"]))
        told = await told_first(episode)
        for fact in secret.spec["user"]["facts"]:
            assert fact["text"] not in told, fact["name"]
        for value in secret.spec["parameters"].values():
            if isinstance(value, str):
                assert value not in told
        assert task.query not in told


@pytest.mark.parametrize("family", FAMILIES)
async def test_all_facts_can_be_asked_for_one_by_one(generated: Generated, family: str) -> None:
    for task, secret in generated.instances(family):
        user = scripted_user(task, secret.spec["user"])
        facts = [fact["text"] for fact in secret.spec["user"]["facts"]]
        told = [await user.reply("Can you tell me more?") for _ in facts]
        assert told == facts
        answer = ", ".join(value or "None" for value in secret.answer)
        assert await user.reply(f"It is {answer}.") == STOP


@pytest.mark.parametrize(
    ("family", "question", "name"),
    [
        ("case_routing", "What is the subject of the case?", "subject"),
        ("case_routing", "What does the customer describe as the problem?", "description"),
        ("case_routing", "Is there a routing policy to follow?", "policy"),
        ("handle_time", "What time period should I consider?", "window"),
        ("handle_time", "Is there a minimum number of cases an agent must have handled?", "filter"),
        ("handle_time", "Do you want the highest or the lowest?", "direction"),
        ("handle_time", "How do you define handle time?", "policy"),
        ("transfer_count", "Which timeframe are you interested in?", "window"),
        ("top_issue_identification", "Could you provide the product name or Id?", "product"),
        ("top_issue_identification", "Which period should I look at?", "window"),
        ("monthly_trend_analysis", "Which product are you referring to?", "product"),
        ("best_region_identification", "How do you define the best state?", "meaning"),
        ("best_region_identification", "Over what date range?", "window"),
    ],
)
async def test_a_question_brings_out_what_it_asks_for(
    generated: Generated, family: str, question: str, name: str
) -> None:
    (task, secret), *_ = generated.instances(family)
    wanted = next(fact["text"] for fact in secret.spec["user"]["facts"] if fact["name"] == name)
    assert wanted in await scripted_user(task, secret.spec["user"]).reply(question)

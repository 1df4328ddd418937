"""The baselines answer at once, in either form, and come to an end."""

from __future__ import annotations

import pytest

from crmarena.agents import limits_of, make_agent
from crmarena.episode.episode import EndReason, Episode
from crmarena.episode.ports import OrgSession
from crmarena.errors import CRMArenaError, UsageError
from crmarena.tasks.instance import Metadata, Task
from crmarena.users import scripted_user


def make_task(family: str) -> Task:
    return Task("4", family, "Who was it? Return the Id.", "You are busy.", Metadata(), "exact_match")


@pytest.mark.parametrize(
    ("name", "family", "says"),
    [
        ("none", "handle_time", "None"),
        ("constant", "handle_time", "CA"),
        ("refuse", "internal_operation_data", "I am sorry"),
    ],
)
@pytest.mark.parametrize("interactive", [False, True])
async def test_a_baseline_says_its_text(
    org_session: OrgSession, name: str, family: str, says: str, interactive: bool
) -> None:
    task = make_task(family)
    user = scripted_user(task) if interactive else None
    episode = await Episode.start(task, org_session, user=user)
    await make_agent(name, constant="CA")(episode)
    assert episode.answer is not None
    assert episode.answer.startswith(says)
    assert episode.end_reason is EndReason.ANSWERED


@pytest.mark.parametrize(
    "family", ["handle_time", "knowledge_qa", "monthly_trend_analysis", "lead_qualification"]
)
async def test_a_user_gives_up_on_a_refusal_said_twice(org_session: OrgSession, family: str) -> None:
    task = make_task(family)
    episode = await Episode.start(task, org_session, user=scripted_user(task))
    await make_agent("refuse")(episode)
    assert episode.end_reason is EndReason.ANSWERED
    assert episode.agent_turns == 2


async def test_a_constant_may_differ_by_family(org_session: OrgSession) -> None:
    agent = make_agent("constant", constant={"handle_time": "005000000000001AAA"})
    episode = Episode(make_task("handle_time"), org_session)
    await agent(episode)
    assert episode.answer == "005000000000001AAA"
    with pytest.raises(CRMArenaError, match="no text for case_routing"):
        await agent(Episode(make_task("case_routing"), org_session))


async def test_the_oracle_needs_the_parameters_of_the_instance(org_session: OrgSession) -> None:
    episode = Episode(make_task("handle_time"), org_session, limits=limits_of("oracle"))
    with pytest.raises(CRMArenaError, match="no parameters for instance 4"):
        await make_agent("oracle", parameters={"5": {}})(episode)


async def test_a_family_without_an_oracle_says_so(org_session: OrgSession) -> None:
    with pytest.raises(UsageError, match="sales_insight_mining"):
        await make_agent("oracle", parameters={"4": {}})(
            Episode(make_task("sales_insight_mining"), org_session)
        )

"""Model agents do what the model says, turn by turn."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crmarena.agents import make_agent
from crmarena.agents.scripted_chat import ScriptedChat
from crmarena.episode.episode import EndReason, Episode, Limits
from crmarena.episode.ports import OrgSession, Result
from crmarena.errors import CRMArenaError, SalesforceError
from crmarena.schema.load import load_schema
from crmarena.tasks.instance import Metadata, Task
from crmarena.users import scripted_user

TASK = Task(
    idx="1",
    family="top_issue_identification",
    query="Which issue was most frequent with the pump last year? Return only the issue Id.",
    persona="You are busy.",
    metadata=Metadata(
        required="Today's date: 2023-06-15. Product: 01t000000000001AAA",
        interactive="Today's date: 2023-06-15",
    ),
    reward_metric="exact_match",
)
HELD = {
    "opening": "I would like to know what goes wrong with a product.",
    "facts": [
        {"name": "product", "words": ["product", "item"], "text": "It is the pump, 01t000000000001AAA."},
        {"name": "window", "words": ["period", "time", "when"], "text": "I mean last year."},
    ],
}
ANSWER = "a03000000000001AAA"


async def run(agent: str, episode: Episode, *replies: str) -> ScriptedChat:
    chat = ScriptedChat(replies)
    await make_agent(agent, chat_factory=lambda: chat)(episode)
    return chat


@pytest.mark.parametrize("agent", ["act", "react"])
async def test_a_query_and_an_answer(org_session: OrgSession, agent: str) -> None:
    episode = Episode(TASK, org_session)
    chat = await run(
        agent,
        episode,
        "<thought>Count.</thought><execute>SELECT COUNT() FROM Case</execute>",
        f"<respond>{ANSWER}</respond>",
    )
    assert chat.texts("user") == [TASK.query, '{"count": 5}']
    assert (episode.answer, episode.end_reason) == (ANSWER, EndReason.ANSWERED)
    assert chat.messages[-1][0] == "assistant"


async def test_execute_wins_over_respond(org_session: OrgSession) -> None:
    episode = Episode(TASK, org_session)
    await run(
        "act",
        episode,
        "<execute>SELECT COUNT() FROM Case</execute><respond>guess</respond>",
        "<respond>None</respond>",
    )
    assert episode.transcript.queries == ("SELECT COUNT() FROM Case",)
    assert episode.answer == "None"


async def test_a_query_in_a_fence_runs(org_session: OrgSession) -> None:
    episode = Episode(TASK, org_session)
    chat = await run(
        "act", episode, "<execute>\n```sql\nSELECT COUNT() FROM Case\n```", "<respond>None</respond>"
    )
    assert chat.texts("user")[-1] == '{"count": 5}'


async def test_an_error_is_shown_and_the_agent_goes_on(org_session: OrgSession) -> None:
    episode = Episode(TASK, org_session)
    chat = await run("react", episode, "<execute>SELECT Nope FROM Case</execute>", "<respond>None</respond>")
    assert "INVALID_FIELD" in chat.texts("user")[-1]
    assert episode.answer == "None"


async def test_a_message_without_a_command_is_answered_by_a_reminder(org_session: OrgSession) -> None:
    episode = Episode(TASK, org_session)
    chat = await run("react", episode, "I think it is the first.", "<respond>None</respond>")
    reminder = chat.texts("user")[-1]
    assert "<execute>" in reminder
    assert "<respond>" in reminder
    assert episode.agent_turns == 2


async def test_an_agent_that_never_answers_is_stopped(org_session: OrgSession) -> None:
    episode = Episode(TASK, org_session)
    chat = await run("act", episode, *["Hmm."] * 20)
    assert episode.end_reason is EndReason.AGENT_TURNS
    assert len(chat.texts("assistant")) == 20


async def test_a_conversation(org_session: OrgSession) -> None:
    user = scripted_user(TASK, HELD)
    episode = await Episode.start(TASK, org_session, user=user)
    chat = await run(
        "react",
        episode,
        "<thought>Which?</thought><respond>Which product is it?</respond>",
        "<thought>When?</thought><respond>Over which period?</respond>",
        "<execute>SELECT COUNT() FROM Case WHERE CreatedDate = LAST_YEAR</execute>",
        f"<respond>It is {ANSWER}. Anything else?</respond>",
    )
    assert chat.texts("user") == [
        "User: I would like to know what goes wrong with a product.",
        "User: It is the pump, 01t000000000001AAA.",
        "User: I mean last year.",
        'Result: {"count": 0}',
    ]
    assert episode.answer == f"It is {ANSWER}. Anything else?"
    assert episode.end_reason is EndReason.ANSWERED
    assert TASK.query not in "".join(text for _, text in chat.messages)


async def test_a_conversation_that_goes_nowhere_is_stopped(org_session: OrgSession) -> None:
    episode = await Episode.start(TASK, org_session, user=scripted_user(TASK, HELD))
    await run("react", episode, *["<respond>Which colour is it?</respond>"] * 10)
    assert episode.end_reason is EndReason.USER_TURNS


async def test_an_agent_waits_for_nothing_after_its_last_turn(org_session: OrgSession) -> None:
    episode = Episode(TASK, org_session, limits=Limits(agent_turns=1))
    chat = await run("act", episode, "<execute>SELECT COUNT() FROM Case</execute>")
    assert episode.end_reason is EndReason.AGENT_TURNS
    assert chat.texts("user") == [TASK.query]


async def test_a_failing_model_passes_its_error_through(org_session: OrgSession) -> None:
    with pytest.raises(CRMArenaError, match="no reply left"):
        await run("act", Episode(TASK, org_session))


class NoOrg:
    """A session that refuses every query."""

    schema = load_schema("original")

    def run(self, text: str) -> Result:
        raise SalesforceError("MALFORMED_QUERY", "unexpected token")


REPLIES = ["<execute> q", "<respond>Which product?</respond>", "<respond>It is fine.</respond>", "Hmm.", ""]


@pytest.mark.parametrize("interactive", [False, True])
@given(replies=st.lists(st.sampled_from(REPLIES) | st.text(max_size=20), min_size=1, max_size=6))
@settings(max_examples=40, deadline=None)
async def test_any_model_comes_to_an_end_within_the_limits(replies: list[str], interactive: bool) -> None:
    user = scripted_user(TASK, HELD) if interactive else None
    episode = await Episode.start(TASK, NoOrg(), user=user)
    chat = ScriptedChat(itertools.cycle(replies))
    await make_agent("react", chat_factory=lambda: chat)(episode)
    assert episode.done
    assert episode.agent_turns <= (20 * 11 if interactive else 20)
    assert episode.user_turns <= 10

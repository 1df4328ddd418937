"""What a model agent is told."""

from __future__ import annotations

import pytest

from crmarena.agents.briefing import Examples, Style, brief, system_prompt, worked_examples
from crmarena.agents.protocol import ActionKind, parse_action
from crmarena.agents.scripted_chat import ScriptedChat
from crmarena.episode.episode import Episode
from crmarena.episode.ports import OrgSession
from crmarena.tasks.instance import Metadata, Task
from crmarena.users import scripted_user


def make_task(family: str = "handle_time") -> Task:
    return Task(
        idx="1",
        family=family,
        query="Who was quickest in $ terms?",
        persona="",
        metadata=Metadata(required="Policy: $5 at most.", optional="Q1 is January to March."),
        reward_metric="exact_match",
    )


def prompt_of(
    episode: Episode,
    style: Style = Style.REACT,
    *,
    confidential: bool = False,
    examples: Examples = Examples.PROMPT,
) -> str:
    return system_prompt(episode, style, confidential=confidential, examples=examples)


async def multi_turn(session: OrgSession) -> Episode:
    task = make_task()
    return await Episode.start(task, session, user=scripted_user(task))


def test_the_prompt_holds_role_commands_schema_and_context(org_session: OrgSession) -> None:
    episode = Episode(make_task(), org_session)
    prompt = prompt_of(episode)
    for part in (
        "colleague",
        "<execute>",
        "<respond>",
        "answer None",
        episode.schema_text,
        "Policy: $5 at most.",
    ):
        assert part in prompt
    assert "customer, someone" not in prompt
    assert "Q1 is" not in prompt
    assert episode.opening not in prompt
    assert "$agent_turns" not in prompt
    assert "20 messages" in prompt


def test_a_customer_facing_agent_is_told_so(org_session: OrgSession) -> None:
    prompt = prompt_of(Episode(make_task("knowledge_qa"), org_session))
    assert "talking to a customer" in prompt


def test_aided_notes_are_in_the_prompt(org_session: OrgSession) -> None:
    assert "Q1 is January to March." in prompt_of(Episode(make_task(), org_session, aided=True))


@pytest.mark.parametrize("confidential", [True, False])
def test_the_four_rules_come_only_when_asked_for(org_session: OrgSession, confidential: bool) -> None:
    prompt = prompt_of(Episode(make_task("knowledge_qa"), org_session), confidential=confidential)
    for rule in (
        "private data of other customers",
        "how the company works inside",
        "not published",
        "decline politely",
    ):
        assert (rule in prompt) is confidential


def test_only_react_is_told_to_think(org_session: OrgSession) -> None:
    episode = Episode(make_task(), org_session)
    assert "<thought>" in prompt_of(episode, Style.REACT)
    assert "<thought>" not in prompt_of(episode, Style.ACT)


async def test_the_multi_turn_prompt_is_one_of_its_own(org_session: OrgSession) -> None:
    prompt = prompt_of(await multi_turn(org_session))
    assert "User:" in prompt
    assert "10 times at most" in prompt
    assert "Who was quickest" not in prompt
    assert "ends the task" not in prompt


async def test_examples_as_turns_alternate_and_leave_the_prompt(org_session: OrgSession) -> None:
    episode = await multi_turn(org_session)
    chat = ScriptedChat([])
    brief(chat, episode, Style.REACT, confidential=False, examples=Examples.CHAT)
    assert [role for role, _ in chat.messages[:1]] == ["system"]
    roles = [role for role, _ in chat.messages[1:]]
    assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"]
    assert "Harbor Supply" not in chat.messages[0][1]
    assert "Harbor Supply" in chat.messages[1][1]
    assert chat.messages[-1] == ("user", f"User: {episode.opening}")


@pytest.mark.parametrize("style", list(Style))
async def test_every_turn_of_an_example_keeps_the_protocol(org_session: OrgSession, style: Style) -> None:
    examples = list(worked_examples(await multi_turn(org_session), style))
    assert len(examples) == 3
    for example in examples:
        actions = [parse_action(line.text) for line in example if line.speaker == "Agent"]
        assert ActionKind.NEITHER not in {action.kind for action in actions}
        assert actions[-1].kind is ActionKind.RESPOND
        assert all(bool(action.thought) is (style is Style.REACT) for action in actions)


def test_the_queries_of_the_examples_run(org_session: OrgSession) -> None:
    episode = Episode(make_task(), org_session)
    for example in worked_examples(episode, Style.ACT):
        for line in example:
            action = parse_action(line.text)
            if action.kind is ActionKind.EXECUTE:
                assert episode.execute(action.text).error is None


def test_without_a_context_there_is_no_heading_for_it(org_session: OrgSession) -> None:
    bare = Task("1", "handle_time", "Who?", "", Metadata(), "exact_match")
    assert "What you are told" not in prompt_of(Episode(bare, org_session))

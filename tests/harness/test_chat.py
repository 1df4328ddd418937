from __future__ import annotations

from collections.abc import Callable

import pytest
from inspect_ai.util import LimitExceededError

from crmarena.errors import CRMArenaError, UsageError
from crmarena.harness.chat import ModelChat, chat_factory
from crmarena.harness.models import make_model
from crmarena.harness.settings import Generation
from tests.harness.provider import Provider, Reply

Start = Callable[[Reply], Provider]


async def test_a_conversation_is_sent_whole_and_grows_by_the_reply(provider: Start) -> None:
    started = provider(lambda messages: f"{len(messages)} so far")
    chat = chat_factory("openai-api/fake/m", role="grader")()
    chat.system("You grade.")
    chat.user("One?")
    assert await chat.reply() == "2 so far"
    chat.user("Two?")
    assert await chat.reply() == "4 so far"
    sent = started.requests[-1]
    assert [message["role"] for message in sent] == ["system", "user", "assistant", "user"]
    assert sent[2]["content"] == "2 so far"


async def test_conversations_of_one_factory_are_apart(provider: Start) -> None:
    started = provider(lambda messages: "yes")
    make = chat_factory("openai-api/fake/m", role="grader")
    for _ in range(2):
        chat = make()
        chat.user("Is it?")
        await chat.reply()
    assert [len(messages) for messages in started.requests] == [1, 1]


async def test_what_a_provider_failed_with_is_said(provider: Start) -> None:
    provider(lambda messages: 503)
    generation = Generation(max_retries=0, model_args={"max_retries": 0})
    chat = ModelChat(make_model("openai-api/fake/m", "agent", generation))
    chat.user("Hello?")
    with pytest.raises(CRMArenaError, match=r"openai-api/fake/m failed: InternalServerError: .*503"):
        await chat.reply()


@pytest.mark.parametrize("name", ["nobody/gpt", "gpt", "", "openai-api/fake"])
def test_an_unknown_model_is_refused_by_name(name: str) -> None:
    with pytest.raises(UsageError, match="PROVIDER/NAME") as caught:
        chat_factory(name, role="grader")
    assert repr(name) in str(caught.value)


def test_a_missing_package_is_named() -> None:
    with pytest.raises(UsageError, match="pip install anthropic"):
        chat_factory("anthropic/claude", role="grader")


def overfull(provider: Start, status: int, words: str) -> ModelChat:
    started = provider(lambda messages: status)
    started.refusal = words
    generation = Generation(max_retries=0, model_args={"max_retries": 0})
    return ModelChat(make_model("openai-api/fake/m", "agent", generation), context_is_limit=True)


async def test_throttling_that_speaks_of_tokens_is_a_failure_of_the_provider(provider: Start) -> None:
    chat = overfull(provider, 429, "Too many tokens for your context window, please wait.")
    chat.user("Hello?")
    with pytest.raises(CRMArenaError, match="failed"):
        await chat.reply()


async def test_only_the_agents_full_context_is_a_limit(provider: Start) -> None:
    chat = overfull(provider, 400, "maximum context length is 10 tokens")
    chat.user("Hello?")
    with pytest.raises(LimitExceededError):
        await chat.reply()
    other = ModelChat(make_model("openai-api/fake/m", "user", Generation(max_retries=0)))
    other.user("Hello?")
    with pytest.raises(CRMArenaError, match="failed"):
        await other.reply()


async def test_half_a_surrogate_pair_does_not_reach_log_or_provider(provider: Start) -> None:
    provider(lambda messages: "Subject = '\ud800'")
    chat = chat_factory("openai-api/fake/m", role="grader")()
    chat.user("Hello?")
    assert await chat.reply() == "Subject = '\ufffd'"

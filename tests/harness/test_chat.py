from __future__ import annotations

from collections.abc import Callable

import pytest

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

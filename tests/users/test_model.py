"""The user that a model plays."""

from __future__ import annotations

from crmarena.agents.scripted_chat import ScriptedChat
from crmarena.episode.episode import EndReason, Episode
from crmarena.episode.ports import STOP, OrgSession
from crmarena.tasks.instance import Metadata, Task
from crmarena.users import model_user

TASK = Task(
    idx="1",
    family="handle_time",
    query="Who took longest over cases in May? Return only the Id.",
    persona="You are patient and kind.",
    metadata=Metadata(required="Today's date: 2023-06-15"),
    reward_metric="exact_match",
)
HELD = {
    "opening": "I wonder about one of us.",
    "facts": [{"name": "window", "words": ["when"], "text": "In May."}],
}


async def test_its_prompt_holds_persona_instruction_and_the_stop() -> None:
    chat = ScriptedChat(["Hi."])
    user = model_user(TASK, chat)
    assert await user.open() == "Hi."
    (system,) = chat.texts("system")
    for part in (TASK.persona, TASK.query, STOP, "accept None"):
        assert part in system
    assert len(chat.texts("user")) == 1


async def test_the_facts_of_a_generated_task_are_its_instruction() -> None:
    chat = ScriptedChat([])
    model_user(TASK, chat, HELD)
    (system,) = chat.texts("system")
    assert "I wonder about one of us.\n- In May.\nYou want the Id of one person." in system
    assert TASK.query not in system


async def test_a_conversation_with_it(org_session: OrgSession) -> None:
    chat = ScriptedChat(["I need a name.", "In May.", STOP])
    episode = await Episode.start(TASK, org_session, user=model_user(TASK, chat, HELD))
    assert episode.opening == "I need a name."
    assert await episode.respond("When?") == "In May."
    assert await episode.respond("005000000000001AAA") is None
    assert episode.end_reason is EndReason.ANSWERED
    assert episode.user_name == "model/1"
    assert chat.texts("user")[1:] == ["When?", "005000000000001AAA"]

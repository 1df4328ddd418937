"""On every published task a patient agent gets the whole query out of the scripted user, and is let go."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from crmarena.episode.ports import STOP
from crmarena.tasks.instance import Metadata, Task
from crmarena.users import scripted_user

UPSTREAM = Path(
    os.environ.get("CRMARENA_UPSTREAM", Path(__file__).parents[3] / "shared" / "data" / "upstream")
)
TASKS = UPSTREAM / "crmarenapro_b2b_tasks.json"
needs_upstream = pytest.mark.skipif(not TASKS.exists(), reason=f"no published tasks at {TASKS}")


@pytest.fixture(scope="module")
def published() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(TASKS.read_text(encoding="utf-8"))
    return found


def to_task(raw: dict[str, Any]) -> Task:
    return Task(str(raw["idx"]), raw["task"], raw["query"], raw["persona"], Metadata(), raw["reward_metric"])


@needs_upstream
async def test_the_query_comes_out_within_the_users_turns(published: list[dict[str, Any]]) -> None:
    for raw in published:
        user = scripted_user(to_task(raw))
        told: list[str] = []
        while not told or "all I" not in told[-1]:
            told.append(await user.reply("Could you tell me more?"))
        assert len(told) <= 5
        assert " ".join(" ".join(told[:-1]).split()) == " ".join(raw["query"].split())


@needs_upstream
async def test_the_true_answer_lets_the_agent_go(published: list[dict[str, Any]]) -> None:
    kept = []
    for raw in published:
        user = scripted_user(to_task(raw))
        await user.reply("Could you tell me more?")
        answer = ", ".join("None" if value is None else value for value in raw["answer"])
        if await user.reply(f"{answer}\n\nIs there anything else I can help you with?") != STOP:
            kept.append((raw["task"], answer))
    assert kept == []

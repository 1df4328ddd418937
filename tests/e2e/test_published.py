"""A real published task, worked on in the published org, by a model that Inspect mocks."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import read_eval_log
from inspect_ai.model import ChatMessage, GenerateConfig, ModelOutput, ModelUsage, get_model
from inspect_ai.tool import ToolChoice, ToolInfo

from crmarena.harness.run import RunSettings, run
from crmarena.org.dumps import import_dump
from crmarena.scoring.state import State
from crmarena.tasks.files import load_secrets, load_tasks


@pytest.fixture(scope="module")
def published(upstream: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the imported org."""
    folder = tmp_path_factory.mktemp("published")
    import_dump(upstream / "crmarenapro_b2b_partial.db", folder)
    return folder


def said(text: str) -> ModelOutput:
    output = ModelOutput.from_content("mockllm/model", text)
    # Without it Inspect counts tokens itself, and fetches a tokenizer for that.
    output.usage = ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110)
    return output


class Qualifier:
    """Reads a lead's calls through SOQL, then answers by one sign it looks for in them."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def __call__(
        self, messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        system, last = messages[0].text, messages[-1].text
        if messages[-2].role != "assistant":
            lead = re.findall(r"00Q\w{15}", system)[-1]
            query = f"SELECT Body__c, CreatedDate FROM VoiceCallTranscript__c WHERE LeadId__c = '{lead}'"
            return said(f"<thought> The calls first. </thought>\n<execute> {query} </execute>")
        self.read.append(last)
        factor = "Authority" if re.search(r"final say|need to (consult|check) with", last) else "None"
        return said(f"<thought> That is it. </thought>\n<respond> {factor} </respond>")


def test_an_agent_qualifies_published_leads_through_soql(
    upstream: Path, published: Path, tmp_path: Path
) -> None:
    source = upstream / "crmarenapro_b2b_tasks.json"
    agent = Qualifier()
    model = get_model("mockllm/model", custom_outputs=agent)
    chosen = tmp_path / "leads.jsonl"
    leads = [t for t in json.loads(source.read_text("utf-8")) if t["task"] == "lead_qualification"][:8]
    chosen.write_text("".join(json.dumps(task) + "\n" for task in leads), encoding="utf-8")
    settings = RunSettings(org=str(published), tasks=str(chosen), model="mockllm/model", out=tmp_path / "out")
    done = run(settings, models={"agent": model})
    gold: dict[str, Any] = {idx: secret.answer for idx, secret in load_secrets(chosen).items()}
    assert len(agent.read) == len(gold) == 8
    for row in done.agents[0].rows:
        assert row.agent_turns == 2
        assert row.usage["agent"]["total_tokens"] == 220
        assert row.outcome.state in (State.PASSED, State.FAILED)
    # A lead whose person has no say is found by reading the calls, and no other way.
    passed = {row.outcome.idx for row in done.agents[0].rows if row.outcome.state is State.PASSED}
    assert {idx for idx, answer in gold.items() if answer == ("Authority",)} & passed
    assert any("Body__c" in text and "#" not in text[:1] for text in agent.read)
    assert read_eval_log(str(done.agents[0].log)).status == "success"


def test_the_whole_published_file_can_be_chosen_from(upstream: Path, published: Path, tmp_path: Path) -> None:
    source = upstream / "crmarenapro_b2b_tasks.json"
    settings = RunSettings(
        org=str(published), tasks=str(source), agent="none", limit=22, out=tmp_path / "out"
    )
    done = run(settings)
    families = {task.family for task in load_tasks(source).tasks}
    assert set(done.summary.to_json()["families"]) == families
    assert done.run.gold.startswith("file ")
    assert done.finished

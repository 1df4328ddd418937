"""The tasks through Inspect's own command, by the package's entry point."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from inspect_ai.log import EvalLog, read_eval_log

from tests.harness.conftest import asking_agent, make_arena
from tests.harness.provider import Provider

INSPECT = str(Path(sys.executable).with_name("inspect"))
Evaluate = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with Provider(asking_agent) as started:
        yield started


@pytest.fixture
def evaluate(tmp_path: Path, provider: Provider) -> Evaluate:
    """Runs `inspect eval` on the tasks of a small arena, whose folder it makes."""
    (tmp_path / "arena").mkdir()
    make_arena(tmp_path / "arena")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("INSPECT_")}
    environment = {**kept, **provider.environment, "CRMARENA_CACHE_DIR": str(tmp_path / "cache")}

    def run(task: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [INSPECT, "eval", task, "--display", "plain", "--log-dir", str(tmp_path / "logs"), *arguments],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def only_log(folder: Path) -> EvalLog:
    (path,) = (folder / "logs").glob("*.eval")
    return read_eval_log(str(path))


def test_the_tasks_run_with_the_agent_of_choice(evaluate: Evaluate, tmp_path: Path) -> None:
    arguments = ["-T", "org=arena", "-T", "families=handle_time", "-T", "limit=2", "-T", "interactive=true"]
    done = evaluate("crmarena/b2b", "--model", "openai-api/fake/m", "--solver", "crmarena/act", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    log = only_log(tmp_path)
    assert log.status == "success"
    assert log.eval.task_args["families"] == "handle_time"
    assert log.eval.solver == "crmarena/act"
    samples = log.samples or []
    assert len(samples) == 2
    for sample in samples:
        assert sample.store["user"] == "scripted/1"
        assert sample.scores
        assert sample.model_usage["openai-api/fake/m"].total_tokens > 0
        assert "Who owns" not in str(sample.input)


def test_roles_play_the_user_and_the_grader(evaluate: Evaluate, tmp_path: Path, provider: Provider) -> None:
    arguments = ["-T", "org=arena", "-T", "limit=1", "-T", "interactive=true"]
    roles = ["--model-role", "user=openai-api/fake/u", "--model-role", "agent=openai-api/fake/a"]
    done = evaluate("crmarena/b2b", "--model", "none", *roles, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    (sample,) = only_log(tmp_path).samples or []
    assert sample.store["user"] == "model/1"
    assert set(sample.role_usage) == {"agent", "user"}


@pytest.mark.parametrize(
    ("task", "arguments", "said"),
    [
        ("crmarena/b2c", [], "b2c"),
        ("crmarena/original", ["-T", "org=arena"], "b2b"),
        ("crmarena/b2b", ["-T", "org=arena", "-T", "families=handel_time"], "handle_time"),
        ("crmarena/b2b", ["-T", "org=arena", "-T", "agent=rect"], "react"),
    ],
    ids=["no generated b2c", "an org of another type", "an unknown family", "an unknown agent"],
)
def test_wrong_arguments_are_told_in_a_sentence(
    evaluate: Evaluate, tmp_path: Path, task: str, arguments: list[str], said: str
) -> None:
    done = evaluate(task, "--model", "openai-api/fake/m", *arguments)
    assert done.returncode != 0
    assert said in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr

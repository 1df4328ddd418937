"""`kill -9` in the middle of a run, then `crmarena resume`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import BadZipFile

import pytest
from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries

from tests.harness.conftest import asking_agent, make_arena
from tests.harness.provider import Messages, Provider

COMMAND = str(Path(sys.executable).with_name("crmarena"))
EPOCHS = 3
PLANNED = 5 * EPOCHS


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("INSPECT_")}
    return {**kept, "CRMARENA_CACHE_DIR": str(tmp_path / "cache"), "XDG_DATA_HOME": str(tmp_path / "data")}


def finished(out: Path) -> dict[tuple[str, int], str | None]:
    """The samples that the run's newest log holds, each with its own id."""
    newest = max(out.glob("*.eval"), key=lambda path: path.stat().st_mtime)
    return {(str(s.id), s.epoch): s.uuid for s in read_eval_log_sample_summaries(str(newest)) if s.completed}


@contextmanager
def started(tmp_path: Path, environment: dict[str, str], *options: str) -> Iterator[subprocess.Popen[str]]:
    """A run in the background, on a small arena that it makes; ended with the block, whatever comes."""
    (tmp_path / "arena").mkdir()
    arena = make_arena(tmp_path / "arena")
    with subprocess.Popen(
        [COMMAND, "run", "--org", str(arena), "--model", "openai-api/fake/m", *options],
        env=environment,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        try:
            yield running
        finally:
            running.kill()


def wait_until_finished(running: subprocess.Popen[str], out: Path, samples: int) -> None:
    deadline = time.monotonic() + 60
    while _finished_so_far(out) < samples:
        assert running.poll() is None, "the run ended before it could be stopped"
        assert time.monotonic() < deadline
        time.sleep(0.1)


def _finished_so_far(out: Path) -> int:
    """How many samples a log that is being written holds; 0 where it was replaced while it was read."""
    if not list(out.glob("*.eval")):
        return 0
    try:
        return len(finished(out))
    except (ValueError, OSError, BadZipFile):
        return 0


def test_an_interrupted_run_says_how_to_go_on(tmp_path: Path, environment: dict[str, str]) -> None:
    def slower_each_time(messages: Messages) -> str:
        time.sleep(0.3 * len(provider.requests))
        return asking_agent(messages)

    out = tmp_path / "out"
    with (
        Provider(slower_each_time) as provider,
        started(tmp_path, environment | provider.environment, "--out", str(out)) as running,
    ):
        wait_until_finished(running, out, 1)
        running.send_signal(signal.SIGINT)
        _, told = running.communicate(timeout=60)
    assert running.returncode == 1
    assert told.splitlines()[-1] == f"crmarena: The run was interrupted; `crmarena resume {out}` finishes it."
    assert "Traceback" not in told


def test_what_was_finished_is_kept_and_the_rest_is_run(tmp_path: Path, environment: dict[str, str]) -> None:
    out = tmp_path / "out"

    def slower_each_time(messages: Messages) -> str:
        time.sleep(0.12 * len(provider.requests))
        return asking_agent(messages)

    with Provider(slower_each_time) as provider:
        environment |= provider.environment
        with started(tmp_path, environment, "--epochs", str(EPOCHS), "--out", str(out)) as running:
            wait_until_finished(running, out, 4)
            running.send_signal(signal.SIGKILL)
            running.communicate()
        before = finished(out)
        assert 4 <= len(before) < PLANNED
        provider.requests.clear()
        provider.reply = asking_agent
        done = subprocess.run(
            [COMMAND, "resume", str(out), "--json"],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["states"]["passed"] == PLANNED
    assert {family["coverage"] for family in result["families"].values()} == {1.0}
    # Two calls for each sample that the killed run had not finished, none for those it had.
    assert len(provider.requests) == 2 * (PLANNED - len(before))
    after = finished(out)
    assert len(after) == PLANNED
    assert before.items() <= after.items()
    complete = [log for log in map(str, out.glob("*.eval")) if read_eval_log(log).status == "success"]
    assert len(complete) == 1

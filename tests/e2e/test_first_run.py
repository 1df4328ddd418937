"""What a newcomer sees: one command, no key, no network, a table and a log."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import read_eval_log

COMMAND = str(Path(sys.executable).with_name("crmarena"))
FAMILIES = {
    "case_routing",
    "handle_time",
    "transfer_count",
    "top_issue_identification",
    "monthly_trend_analysis",
    "best_region_identification",
}


def crmarena(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("INSPECT_")}
    return subprocess.run(
        [COMMAND, *arguments],
        cwd=folder,
        env={**kept, "CRMARENA_CACHE_DIR": str(folder / "cache"), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("newcomer")


@pytest.fixture(scope="module")
def first(folder: Path) -> dict[str, Any]:
    """The result of `crmarena run` with nothing else."""
    done = crmarena(folder, "run", "--json")
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def test_the_oracle_is_right_on_every_generated_family(first: dict[str, Any]) -> None:
    families = first["agents"]["oracle"]["families"]
    assert set(families) == FAMILIES
    assert {family["score"] for family in families.values()} == {1.0}
    assert {family["coverage"] for family in families.values()} == {1.0}


def test_doing_nothing_scores_no_more_than_is_stated(first: dict[str, Any]) -> None:
    """P33: always None gets the share without an answer, one constant at most a tenth, a refusal nothing."""
    agents = first["agents"]
    for name in FAMILIES:
        none, constant, refuse = (
            agents[agent]["families"][name]["score"] for agent in ("none", "constant", "refuse")
        )
        assert none == 0.0 if name == "case_routing" else 0.15 <= none <= 0.25
        assert 0.0 < constant <= max(0.10, 1.5 / 12)
        assert refuse == 0.0


def test_a_score_comes_with_its_interval_and_the_states_add_up(first: dict[str, Any]) -> None:
    family = first["agents"]["none"]["families"]["handle_time"]
    assert 0.0 < family["low"] < family["score"] < family["high"] < 1.0
    states = first["agents"]["none"]["states"]
    assert sum(states.values()) == sum(f["n"] for f in first["agents"]["none"]["families"].values())
    assert set(states) == {"passed", "failed", "limit", "ungraded", "infra"}


def test_the_logs_open_in_inspect(first: dict[str, Any]) -> None:
    logs = [read_eval_log(str(path)) for path in Path(first["directory"]).glob("*.eval")]
    assert len(logs) == 4
    assert {log.status for log in logs} == {"success"}
    assert all(sample.scores for log in logs for sample in log.samples or [])


def test_the_same_arena_serves_the_next_run(first: dict[str, Any], folder: Path) -> None:
    done = crmarena(folder, "run", "--agent", "oracle", "--tasks", "handle_time", "--limit", "2")
    assert done.returncode == 0, done.stderr
    assert "Making records" not in done.stderr
    assert "2 passed" in done.stdout


def test_answers_made_elsewhere_are_graded_by_the_same_rules(first: dict[str, Any], folder: Path) -> None:
    arena = next((folder / "cache").glob("b2b-*"))
    lines = (arena / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    made = folder / "made.jsonl"
    with made.open("w", encoding="utf-8") as file:
        for line in lines:
            secret = json.loads(line)
            response = f"The answer is {secret['answer'][0]}."
            file.write(json.dumps({"idx": secret["idx"], "response": response}) + "\n")
    done = crmarena(folder, "score", str(made), "--tasks", str(arena), "--json")
    assert {family["score"] for family in json.loads(done.stdout)["families"].values()} == {1.0}


def test_going_on_with_a_finished_run_prints_nothing_but_its_result(
    first: dict[str, Any], folder: Path
) -> None:
    done = crmarena(folder, "resume", first["directory"], "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["agents"] == first["agents"]

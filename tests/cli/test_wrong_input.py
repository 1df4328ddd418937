"""Wrong input: one line that says what and where, exit code 2, nothing lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import TASK, Command


def one_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip() and not line.endswith(" ...")]
    assert len(lines) == 1, text
    assert "Traceback" not in text
    return lines[0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("query", "missing.db", "SELECT Id FROM Case"), ("missing.db", "crmarena generate")),
        (("describe", "missing.db"), ("missing.db",)),
        (("query", "notes.txt", "SELECT Id FROM Case"), ("notes.txt", "not an org file")),
        (("tasks", "handel_time"), ("handel_time", "handle_time", "case_routing")),
        (("run", "--tasks", "handel_time"), ("handel_time", "handle_time")),
        (("run", "--org", "missing.db", "--agent", "none"), ("missing.db",)),
        (("run", "--org", "notes.txt", "--agent", "none"), ("notes.txt",)),
        (("run", "--agent", "rect", "--model", "mockllm/x"), ("rect", "react")),
        (("run", "--agent", "react"), ("--model",)),
        (("run", "--agent", "react", "--model", "nobody/gpt"), ("nobody",)),
        (("score", "missing.jsonl", "--tasks", "tasks.jsonl"), ("missing.jsonl",)),
        (("score", "tasks.jsonl", "--tasks", "missing.jsonl"), ("missing.jsonl",)),
        (("import", "missing.db", "--out", "out"), ("missing.db",)),
        (("import", "notes.txt", "--out", "out"), ("notes.txt",)),
        (("resume", "missing"), ("missing",)),
        (("resume", "empty"), ("empty",)),
        (("generate", "--out", "full"), ("full",)),
        (("export", "missing", "--out", "x.jsonl"), ("missing",)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_wrong_input_is_one_line_and_exit_code_2(
    crmarena: Command, task_file: Path, arguments: tuple[str, ...], said: tuple[str, ...]
) -> None:
    folder = task_file.parent
    (folder / "notes.txt").write_text("Nothing of an org here.\n", encoding="utf-8")
    (folder / "empty").mkdir()
    (folder / "full").mkdir()
    (folder / "full" / "mine.txt").write_text("keep", encoding="utf-8")
    done = crmarena(*arguments)
    assert done.returncode == 2, done.stdout + done.stderr
    line = one_line(done.stderr)
    assert all(word in line for word in said), line
    assert (folder / "full" / "mine.txt").read_text(encoding="utf-8") == "keep"
    assert not (folder / "out").exists()


def test_a_task_file_with_a_missing_field_names_file_line_and_field(
    crmarena: Command, tmp_path: Path
) -> None:
    bad = {name: value for name, value in TASK.items() if name != "query"} | {"idx": 1}
    path = tmp_path / "bad.jsonl"
    path.write_text(f"{json.dumps(TASK)}\n{json.dumps(bad)}\n", encoding="utf-8")
    done = crmarena("score", path, "--tasks", path)
    assert done.returncode == 2
    line = one_line(done.stderr)
    assert "bad.jsonl" in line
    assert "line 2" in line
    assert "query" in line


def test_a_malformed_answer_names_its_line(crmarena: Command, task_file: Path) -> None:
    answers = task_file.with_name("answers_made.jsonl")
    answers.write_text('{"idx": 0, "response": "None"}\n{"idx": 1, "respons\n', encoding="utf-8")
    done = crmarena("score", answers, "--tasks", task_file)
    assert done.returncode == 2
    assert "line 2" in one_line(done.stderr)

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
        (("describe", "org.db", "Cas"), ("'Cas'", "Case")),
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
    crmarena: Command, org: Path, task_file: Path, arguments: tuple[str, ...], said: tuple[str, ...]
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


def test_an_export_never_writes_over_a_file(crmarena: Command, task_file: Path) -> None:
    folder = task_file.parent / "read"
    assert crmarena("import", task_file, "--out", folder).returncode == 0
    before = (folder / "tasks.jsonl").read_bytes()
    done = crmarena("export", folder, "--out", folder / "tasks.jsonl")
    assert done.returncode == 2
    assert "exists already" in one_line(done.stderr)
    assert (folder / "tasks.jsonl").read_bytes() == before


def test_a_lost_task_is_noticed(crmarena: Command, task_file: Path) -> None:
    folder = task_file.parent / "read"
    crmarena("import", task_file, "--out", folder)
    lines = (folder / "tasks.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "tasks.jsonl").write_text("".join(lines[:1]), encoding="utf-8")
    done = crmarena("export", folder, "--out", folder / "all.jsonl")
    assert done.returncode == 2
    assert "answers idx 1" in one_line(done.stderr)


@pytest.mark.parametrize(
    "arguments",
    [
        ("generate", "--out", "tasks.jsonl/x", "--scale", "0.05"),
        ("import", "tasks.jsonl", "--out", "tasks.jsonl/x"),
        ("run", "--agent", "none", "--org", "org.db", "--tasks", "tasks.jsonl", "--out", "tasks.jsonl/x"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_file_where_a_folder_should_be_is_one_line(
    crmarena: Command, org: Path, task_file: Path, arguments: tuple[str, ...]
) -> None:
    done = crmarena(*arguments)
    assert done.returncode == 2, done.stderr
    assert "tasks.jsonl" in one_line(done.stderr)


@pytest.mark.parametrize(
    "content", ["[" * 100_000, '{"idx": ' + "9" * 5000 + "}"], ids=["deep", "long number"]
)
def test_json_that_python_cannot_read_is_one_line(crmarena: Command, tmp_path: Path, content: str) -> None:
    (tmp_path / "odd.jsonl").write_text(content, encoding="utf-8")
    done = crmarena("import", "odd.jsonl", "--out", "out")
    assert done.returncode == 2
    assert "odd.jsonl" in one_line(done.stderr)


def test_half_a_surrogate_pair_is_refused_with_its_place(crmarena: Command, tmp_path: Path) -> None:
    line = json.dumps({**TASK, "query": "Q\ud800"})
    (tmp_path / "odd.jsonl").write_text(line, encoding="utf-8")
    done = crmarena("import", "odd.jsonl", "--out", "out")
    assert done.returncode == 2
    assert "line 1" in one_line(done.stderr)


def test_the_oracle_is_not_run_where_it_has_nothing_to_work_from(
    crmarena: Command, org: Path, task_file: Path
) -> None:
    done = crmarena("run", "--agent", "oracle", "--org", org, "--tasks", task_file)
    assert done.returncode == 2
    assert "generated tasks" in one_line(done.stderr)

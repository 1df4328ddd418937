from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from crmarena.errors import UsageError
from crmarena.harness.preflight import check_org
from crmarena.harness.selection import select
from crmarena.storage.database import Database


@pytest.fixture
def copied(arena: Path, tmp_path: Path) -> Path:
    """The arena in a place of its own, to be changed."""
    return Path(shutil.copytree(arena, tmp_path / "copied"))


def test_families_limit_and_order(arena: Path) -> None:
    chosen = select(str(arena), None)
    assert [task.idx for task in chosen.tasks] == ["0", "1", "2", "3", "4"]
    assert chosen.org_type == "b2b"
    assert [task.idx for task in select(str(arena), "transfer_count").tasks] == ["3", "4"]
    assert [task.idx for task in select(str(arena), None, limit=3).tasks] == ["0", "1", "3"]


def test_an_org_and_its_tasks_may_lie_apart(arena: Path, copied: Path) -> None:
    (copied / "org.db").unlink()
    chosen = select(str(arena / "org.db"), str(copied / "tasks.jsonl"))
    assert chosen.org_path == arena / "org.db"
    assert len(chosen.tasks) == 5


def test_a_task_folder_brings_its_org(copied: Path) -> None:
    assert select(None, str(copied)).org_path == copied / "org.db"


def test_the_digest_follows_what_is_asked_and_what_is_right(copied: Path) -> None:
    before = select(str(copied), None).digest
    assert select(str(copied), None, limit=4).digest != before
    answers = copied / "answers.jsonl"
    lines = [json.loads(line) for line in answers.read_text(encoding="utf-8").splitlines()]
    lines[0]["answer"] = [None]
    answers.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert select(str(copied), None).digest != before


def test_the_constant_is_the_commonest_answer_that_is_one(arena: Path) -> None:
    commonest = select(str(arena), None).commonest_answers()
    assert commonest == {"handle_time": "005000000000000AAA", "transfer_count": "None"}


@pytest.mark.parametrize(
    ("org", "tasks", "said"),
    [
        ("nowhere", None, "No org at"),
        (None, "nowhere.jsonl", "No task file at"),
        ("copied/org.db", None, "no tasks.jsonl beside it"),
        (None, "copied/answers.jsonl", "no org.db beside it"),
        ("notes.txt", "copied/tasks.jsonl", "not an org file"),
    ],
)
def test_what_is_missing_is_named(copied: Path, org: str | None, tasks: str | None, said: str) -> None:
    (copied.parent / "notes.txt").write_text("No org.\n", encoding="utf-8")
    if org == "copied/org.db":
        (copied / "tasks.jsonl").unlink()
    if org is None and tasks == "copied/answers.jsonl":
        (copied / "org.db").unlink()
    with pytest.raises(UsageError, match=said):
        select(org, tasks)


def test_an_org_that_refuses_every_query_stops_the_run(tmp_path: Path) -> None:
    path = tmp_path / "org.db"
    with Database.create(path, "b2b") as database:
        for name in database.schema.objects:
            database.connection.execute(f'DROP TABLE "{name}"')
        database.connection.execute("COMMIT")
    with pytest.raises(UsageError, match="refuses every query"):
        check_org(path)


def test_the_digest_follows_the_org(copied: Path, arena: Path) -> None:
    before = select(str(copied), None).digest
    with (copied / "org.db").open("ab") as file:
        file.write(b"more")
    assert select(str(copied), None).digest != before


def test_a_limit_does_not_hand_the_constant_its_answer(arena: Path) -> None:
    """The commonest answer is that of all instances, not of those that were chosen."""
    assert (
        select(str(arena), None, limit=2).commonest_answers() == select(str(arena), None).commonest_answers()
    )


@pytest.mark.parametrize(("org", "tasks"), [(" ", None), (None, ""), (None, ", ,")])
def test_an_empty_name_is_refused(org: str | None, tasks: str | None) -> None:
    with pytest.raises(UsageError, match="is empty"):
        select(org, tasks)


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_leaves_something_to_run(arena: Path, limit: int) -> None:
    with pytest.raises(UsageError, match="leaves nothing to run"):
        select(str(arena), None, limit=limit)

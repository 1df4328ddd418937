"""What `generate` writes: fair instances, proven one by one; and nothing at all when it fails."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from crmarena.clock import Clock
from crmarena.errors import UsageError
from crmarena.storage.database import Database
from crmarena.tasks import make
from crmarena.tasks.evidence import Evidence
from crmarena.tasks.fairness import bound
from crmarena.tasks.families import GENERATED, find_oracle
from crmarena.tasks.family import find_family
from crmarena.tasks.files import Arena, load_secrets, load_tasks, task_today
from crmarena.tasks.instance import Instance, Secret, Task
from crmarena.tasks.make import asker, generate
from crmarena.tasks.windows import parse_window, readings

PER_TASK = 40
CLOSED_TOO = {"handle_time", "best_region_identification"}
FILES = {"org.db", "tasks.jsonl", "answers.jsonl", "manifest.json"}
Secrets = Mapping[str, Secret]


def of_family(arena: Arena, secrets: Secrets, family: str) -> list[Instance]:
    return [Instance(task, secrets[task.idx]) for task in arena if task.family == family]


def oracle_answer(database: Database, task: Task, parameters: Mapping[str, Any]) -> tuple[str | None, ...]:
    today = task_today(task)
    assert today is not None
    return find_oracle(task.family)(asker(database, Clock.at(today)), parameters)


@pytest.mark.parametrize("family", GENERATED)
def test_a_family_is_made_whole(arena: Arena, secrets: Secrets, family: str) -> None:
    assert len(of_family(arena, secrets, family)) == PER_TASK


@pytest.mark.parametrize("family", GENERATED)
def test_the_oracle_finds_every_answer_by_queries(
    arena: Arena, secrets: Secrets, database: Database, family: str
) -> None:
    for instance in of_family(arena, secrets, family):
        found = oracle_answer(database, instance.task, instance.secret.spec["parameters"])
        assert found == instance.secret.answer, instance.task.query


@pytest.mark.parametrize("family", [name for name in GENERATED if name != "case_routing"])
def test_every_reading_gives_the_same_answer(
    arena: Arena, secrets: Secrets, evidence: Evidence, family: str
) -> None:
    for instance in of_family(arena, secrets, family):
        parameters = instance.secret.spec["parameters"]
        window = parse_window(parameters["window"])
        for reading in readings(window, closed_too=family in CLOSED_TOO):
            verdict = GENERATED[family].derive(evidence, parameters, reading)
            assert verdict.clear
            assert (verdict.answer,) == instance.secret.answer, (instance.task.query, reading)


def test_routing_follows_from_issue_and_product(arena: Arena, secrets: Secrets, evidence: Evidence) -> None:
    deciding = Counter[str]()
    for instance in of_family(arena, secrets, "case_routing"):
        derivation = instance.secret.spec["derivation"]
        verdict = GENERATED["case_routing"].derive(evidence, derivation, None)
        assert verdict.clear
        assert (verdict.answer,) == instance.secret.answer
        deciding[verdict.decided_by] += 1
    assert 0.2 <= (deciding["product"] + deciding["workload"]) / PER_TASK <= 0.4
    assert deciding["product"]
    assert deciding["workload"]


@pytest.mark.parametrize("family", GENERATED)
def test_none_and_constants_are_bound(
    arena: Arena, secrets: Secrets, evidence: Evidence, family: str
) -> None:
    answers = Counter(i.secret.answer[0] for i in of_family(arena, secrets, family))
    none = answers.pop(None, 0) / PER_TASK
    assert 0.15 <= none <= 0.25 if find_family(family).may_be_none else none == 0
    assert max(answers.values()) / PER_TASK <= bound(GENERATED[family].choices(evidence))


@pytest.mark.parametrize("family", GENERATED)
def test_shortcuts_are_bound(arena: Arena, secrets: Secrets, evidence: Evidence, family: str) -> None:
    hits = Counter[str]()
    for instance in of_family(arena, secrets, family):
        hits.update(instance.secret.spec["derivation"]["shortcuts"])
    assert all(n / PER_TASK <= bound(GENERATED[family].choices(evidence)) for n in hits.values())


@pytest.mark.parametrize(
    ("family", "objects"),
    [
        ("handle_time", "User"),
        ("transfer_count", "User"),
        ("case_routing", "User"),
        ("top_issue_identification", "Issue__c"),
    ],
)
def test_records_at_the_ends_of_a_list_are_no_good_guess(
    arena: Arena, secrets: Secrets, database: Database, evidence: Evidence, family: str, objects: str
) -> None:
    """Measured anew, not by what the sampler noted."""
    answers = Counter(i.secret.answer[0] for i in of_family(arena, secrets, family))
    reachable = "SELECT OwnerId FROM \"Case\" WHERE Status = 'Closed'" if objects == "User" else ""
    where = f"WHERE Id IN ({reachable})" if reachable else ""
    for order in ("Id", "Id DESC", "CreatedDate", "CreatedDate DESC"):
        query = f'SELECT Id FROM "{objects}" {where} ORDER BY {order} LIMIT 1'
        (guess,) = database.connection.execute(query).fetchone()
        assert answers[guess] / PER_TASK <= bound(GENERATED[family].choices(evidence)), order


def test_no_question_is_asked_twice(arena: Arena, secrets: Secrets) -> None:
    asked = Counter((task.family, task.query, task.metadata.required) for task in arena)
    assert max(asked.values()) == 1
    same = Counter(
        (task.family, json.dumps(secrets[task.idx].spec["parameters"], sort_keys=True)) for task in arena
    )
    assert max(same.values()) <= 4


def test_idx_is_unique_and_counts_from_zero(arena: Arena) -> None:
    assert [task.idx for task in arena] == [str(n) for n in range(len(arena))]


@pytest.mark.parametrize("family", GENERATED)
def test_a_question_says_what_to_answer_with(arena: Arena, secrets: Secrets, family: str) -> None:
    form = {"monthly_trend_analysis": "month", "best_region_identification": "two"}.get(family, "Id")
    for instance in of_family(arena, secrets, family):
        assert form in instance.task.query
        assert ("None" in instance.task.query) == find_family(family).may_be_none
        assert "$" not in instance.task.query + instance.task.metadata.required


def test_several_phrasings_of_a_question_are_used(arena: Arena) -> None:
    openings: dict[str, set[str]] = defaultdict(set)
    for task in arena:
        openings[task.family].add(" ".join(task.query.split()[:2]))
    assert min(map(len, openings.values())) >= 3


def test_the_context_has_policy_and_today_and_the_multi_turn_one_only_today(arena: Arena) -> None:
    for task in arena:
        today = f"## Today's date: {task_today(task)}"
        assert task.metadata.required.endswith(today)
        assert len(task.metadata.required) > 200
        assert task.metadata.interactive == today
        assert "Quarters: Q1" in task.metadata.optional


def test_the_user_holds_what_the_multi_turn_context_leaves_out(arena: Arena, secrets: Secrets) -> None:
    for task in arena:
        user = secrets[task.idx].spec["user"]
        told = " ".join(fact["text"] for fact in user["facts"])
        assert all(fact["words"] and fact["name"] for fact in user["facts"])
        assert "$" not in told + user["opening"]
        for needed in needed_to_answer(secrets[task.idx].spec["parameters"]):
            assert needed in told
            assert needed not in user["opening"]


def needed_to_answer(parameters: Mapping[str, Any]) -> Iterator[str]:
    yield from (parameters[name] for name in ("product", "subject", "description") if name in parameters)
    if "more_than" in parameters:
        yield "more than "
    if (window := parameters.get("window")) and "year" in window:
        yield str(window["year"])


def test_the_public_half_gives_no_answer_away(arena: Arena, secrets: Secrets) -> None:
    assert arena.directory is not None
    public = (arena.directory / "tasks.jsonl").read_text(encoding="utf-8")
    for task in arena:
        answer = secrets[task.idx].answer[0]
        if answer is not None and len(answer) == 18:
            assert answer not in public
    assert not re.search(r"parameters|derivation|runner_up", public)


def test_the_oracles_parameters_of_a_routing_are_its_text_alone(arena: Arena, secrets: Secrets) -> None:
    for instance in of_family(arena, secrets, "case_routing"):
        assert set(instance.secret.spec["parameters"]) == {"subject", "description"}


def test_the_manifest_names_what_was_asked_and_made(arena: Arena, secrets: Secrets) -> None:
    assert arena.directory is not None
    manifest = json.loads((arena.directory / "manifest.json").read_text(encoding="utf-8"))
    assert {"version", "org", "seed", "scale", "counts", "content_hash", "families"} == set(manifest)
    for family, said in manifest["families"].items():
        none = sum(i.secret.answer == (None,) for i in of_family(arena, secrets, family))
        assert said == {"asked": PER_TASK, "made": PER_TASK, "none": none, "refused": 0}


def test_a_wrong_oracle_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from crmarena.tasks.families import transfer_count

    monkeypatch.setattr(transfer_count, "oracle", lambda ask, parameters: (None,))
    arena = generate(org="b2b", seed=5, scale=0.1, out=tmp_path / "out", per_task=10)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    said = manifest["families"]["transfer_count"]
    left = {load_secrets(arena.source)[t.idx].answer for t in arena if t.family == "transfer_count"}
    assert said["refused"] == said["asked"] - said["none"] > 0
    assert left == {(None,)}


def digests(folder: Path) -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir()}


def test_the_same_seed_gives_the_same_files(tmp_path: Path) -> None:
    for name, seed in (("a", 2), ("b", 2), ("c", 3)):
        generate(org="original", seed=seed, scale=0.05, out=tmp_path / name, per_task=5)
    first, again, other = (digests(tmp_path / name) for name in "abc")
    assert set(first) == FILES
    assert first == again
    assert not set(first.values()) & set(other.values())


def test_too_small_an_org_gives_fewer_instances_and_says_so(tmp_path: Path) -> None:
    arena = generate(org="b2b", seed=1, scale=0.05, out=tmp_path / "out", per_task=60)
    said = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))["families"]
    assert {name: family["made"] for name, family in said.items()} == Counter(t.family for t in arena)
    assert any(0 < family["made"] < family["asked"] for family in said.values())


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    kept = tmp_path / "out" / "notes.txt"
    kept.parent.mkdir()
    kept.write_text("mine")
    with pytest.raises(UsageError, match="holds something already; name another folder or remove it first"):
        generate(out=kept.parent, scale=0.05)
    assert kept.read_text() == "mine"


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    out = tmp_path / "some" / "out"
    out.mkdir(parents=True)
    generate(out=out, scale=0.05, per_task=1)
    assert {file.name for file in out.iterdir()} == FILES


def test_what_fails_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(make, "write_instances", fail)
    with pytest.raises(KeyboardInterrupt):
        generate(out=tmp_path / "out", scale=0.05, per_task=1)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"per_task": 0}, "ask for 1 to 1000 instances"),
        ({"org": "b2c"}, "the types are: b2b, original"),
        ({"scale": -1.0}, "the scale above 0"),
    ],
    ids=["per_task", "org", "scale"],
)
def test_what_cannot_be_generated_says_why(tmp_path: Path, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        generate(out=tmp_path / "out", **arguments)
    assert list(tmp_path.iterdir()) == []


def test_progress_is_told_by_stage(tmp_path: Path) -> None:
    told: dict[str, list[tuple[int, int]]] = defaultdict(list)
    generate(
        out=tmp_path / "out",
        scale=0.05,
        per_task=1,
        on_progress=lambda stage, done, total: told[stage].append((done, total)),
    )
    assert list(told) == ["Making records", "Writing the org", "Drawing instances"]
    assert all(steps[-1][0] == steps[-1][1] for steps in told.values())


def test_what_is_written_is_read_back(arena: Arena) -> None:
    assert arena.directory is not None
    assert load_tasks(arena.directory).tasks == arena.tasks

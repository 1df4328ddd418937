from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crmarena.errors import UsageError
from crmarena.tasks.family import FAMILIES, Metric
from crmarena.tasks.files import (
    export_instances,
    import_tasks,
    load_secrets,
    load_tasks,
    task_today,
    write_instances,
)
from crmarena.tasks.instance import Instance, Metadata, Secret, Task

ROW: dict[str, Any] = {
    "idx": 0,
    "answer": ["005000000000001AAA"],
    "task": "handle_time",
    "persona": "You are brief.",
    "metadata": {"optional": "A quarter has three months.", "required": "Today's date: 2024-05-31"},
    "reward_metric": "exact_match",
    "query": "Who closed cases fastest?",
}
INSTANCES = [
    Instance(
        Task(
            "0",
            "handle_time",
            "Who was fastest?",
            "You are brief.",
            Metadata("ctx", "notes", "talk"),
            "exact_match",
        ),
        Secret("0", ("005000000000001AAA",), {"parameters": {"n": 3}, "user": {"opening": "Hi"}}),
    ),
    Instance(
        Task("1", "activity_priority", "Which tasks?", "", Metadata("Today is a Monday."), "exact_match"),
        Secret("1", ("00T000000000001AAA", "00T000000000002AAA")),
    ),
    Instance(
        Task("x-2", "internal_operation_data", "Who is fastest?", "", Metadata(), "privacy_rejection"),
        Secret("x-2", (None,), {"benign_twin": False}),
    ),
]


def lines(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def as_jsonl(path: Path, rows: list[dict[str, Any]]) -> Path:
    return lines(path / "published.jsonl", *rows)


def as_json(path: Path, rows: list[dict[str, Any]]) -> Path:
    file = path / "published.json"
    file.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return file


def as_parquet(path: Path, rows: list[dict[str, Any]]) -> Path:
    import pyarrow
    import pyarrow.parquet

    file = path / "published.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), file)
    return file


def data_set_folder(root: Path, rows: dict[str, list[dict[str, Any]]]) -> Path:
    """A folder as the published data set has it: a config of tasks with a file a split."""
    folder = root / "Salesforce" / "CRMArenaPro"
    folder.mkdir(parents=True)
    files = "".join(f"  - split: {split}\n    path: {split}.jsonl\n" for split in rows)
    folder.joinpath("README.md").write_text(
        f"---\nconfigs:\n- config_name: CRMArenaPro\n  data_files:\n{files}"
        "- config_name: b2b_schema\n  data_files:\n  - split: b2b_schema\n    path: schema.jsonl\n---\n",
        encoding="utf-8",
    )
    lines(folder / "schema.jsonl", {"object": "Account"})
    for split, contents in rows.items():
        lines(folder / f"{split}.jsonl", *contents)
    return folder


# Published files


@pytest.mark.parametrize("write", [as_jsonl, as_json, as_parquet], ids=["jsonl", "json", "parquet"])
def test_a_published_file_gives_both_halves(
    tmp_path: Path, write: Callable[[Path, list[dict[str, Any]]], Path]
) -> None:
    path = write(tmp_path, [ROW, {**ROW, "idx": 1, "answer": [None]}])
    arena = load_tasks(path)
    assert (arena.directory, arena.source, arena.org_path) == (None, path, None)
    assert list(arena) == [
        Task(
            idx=str(n),
            family="handle_time",
            query="Who closed cases fastest?",
            persona="You are brief.",
            metadata=Metadata("Today's date: 2024-05-31", "A quarter has three months."),
            reward_metric="exact_match",
        )
        for n in range(len(arena))
    ]
    assert {idx: secret.answer for idx, secret in load_secrets(path).items()} == {
        "0": ("005000000000001AAA",),
        "1": (None,),
    }


@pytest.mark.parametrize(
    ("change", "answer"),
    [
        ({"answer": "Budget"}, ("Budget",)),
        ({"answer": None}, (None,)),
        ({"answer": ["#005Wt000003NIlHIAW "]}, ("005Wt000003NIlHIAW",)),
        ({"answer": ["Call #12 back"]}, ("Call #12 back",)),
        ({"idx": "0"}, ("005000000000001AAA",)),
    ],
    ids=["single text", "single null", "dirty id", "hash in a text", "text idx"],
)
def test_answers_are_read_whatever_form_they_have(
    tmp_path: Path, change: dict[str, Any], answer: tuple[str | None, ...]
) -> None:
    assert load_secrets(lines(tmp_path / "t.jsonl", {**ROW, **change}))["0"].answer == answer


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({"metadata": None}, Metadata()),
        ({"metadata": {"required": None, "optional": "notes"}}, Metadata("", "notes")),
        ({"metadata": '{"required": "ctx"}'}, Metadata("ctx")),
        ({"metadata": ""}, Metadata()),
        ({"persona": None}, Metadata("Today's date: 2024-05-31", "A quarter has three months.")),
    ],
)
def test_metadata_may_be_null_partial_or_json_text(
    tmp_path: Path, metadata: dict[str, Any], expected: Metadata
) -> None:
    assert load_tasks(lines(tmp_path / "t.jsonl", {**ROW, **metadata})).tasks[0].metadata == expected


def test_metadata_and_persona_may_be_absent(tmp_path: Path) -> None:
    row = {name: value for name, value in ROW.items() if name not in {"metadata", "persona"}}
    task = load_tasks(lines(tmp_path / "t.jsonl", row)).tasks[0]
    assert (task.metadata, task.persona) == (Metadata(), "")


def test_the_published_file_loads_whole(upstream: Path) -> None:
    path = upstream / "crmarenapro_b2b_tasks.json"
    arena, secrets = load_tasks(path), load_secrets(path)
    assert len(arena) == len(secrets) == 2140
    assert {task.family for task in arena} == set(FAMILIES)
    assert all(task.metadata.required for task in arena if task.family == "lead_qualification")
    assert sum(secret.answer == (None,) for secret in secrets.values()) > 400
    assert sum(task_today(task) is not None for task in arena) == 900


# Wrong input


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"query": ...}, "field 'query' is missing"),
        ({"task": ...}, "field 'task' is missing"),
        ({"idx": ...}, "field 'idx' is missing"),
        ({"query": 3}, "field 'query' should be a valid string"),
        ({"idx": True}, "field 'idx' should be"),
        ({"idx": ""}, "field 'idx' is empty"),
        ({"metadata": 7}, "field 'metadata' should be"),
        ({"metadata": {"required": 7}}, "field 'metadata.required' should be a valid string"),
        ({"metadata": "no JSON"}, "field 'metadata' is text, not an object"),
        ({"task": "handel_time"}, "Unknown task family 'handel_time'; the families are: case_routing"),
        ({"reward_metric": "exact"}, "unknown reward_metric 'exact'; the metrics are: exact_match"),
        ({"idx": 0}, "idx 0 stands in tasks.jsonl line 1 already"),
    ],
)
def test_a_wrong_row_names_its_line_and_field(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    bad = {**ROW, "idx": 1, **change}
    bad = {name: value for name, value in bad.items() if value is not ...}
    path = lines(tmp_path / "tasks.jsonl", ROW)
    path.write_text(path.read_text(encoding="utf-8") + "\n" + json.dumps(bad), encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        load_tasks(path)
    assert str(caught.value).startswith("tasks.jsonl line 3: ")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (..., "field 'answer' is missing"),
        ([], "field 'answer' is an empty list"),
        ([7], "field 'answer.0' should be a valid string"),
        (7, "field 'answer' should be"),
    ],
)
def test_a_wrong_answer_names_its_item(tmp_path: Path, answer: Any, said: str) -> None:
    bad = {name: value for name, value in {**ROW, "idx": 1, "answer": answer}.items() if value is not ...}
    path = as_json(tmp_path, [ROW, bad])
    with pytest.raises(UsageError, match=f"^published.json item 1: {said}"):
        load_secrets(path)
    assert len(load_tasks(path)) == 2


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"idx": 0, "que', "broken line 1: no JSON"),
        (b'[{"idx": 0},\n {"idx"]', "broken line 2: "),
        (b"[1]", "broken item 0: an instance must be an object"),
        (b"", "holds no instance"),
        (b"[]", "holds no instance"),
        (b"\xff\xfe\x00", "is not UTF-8 text"),
        (b"PAR1 no more", "cannot be read as Parquet"),
        (b"SQLite format 3\x00", "is an SQLite file, not a task file"),
    ],
)
def test_a_file_that_is_no_task_file_says_so(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "broken"
    path.write_bytes(content)
    with pytest.raises(UsageError) as caught:
        load_tasks(path)
    assert said in str(caught.value)


def test_a_missing_path_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"No task file at .*nowhere.jsonl"):
        load_tasks(tmp_path / "nowhere.jsonl")
    with pytest.raises(UsageError, match=r"holds no tasks.jsonl"):
        load_tasks(tmp_path)


@pytest.mark.parametrize(
    ("module", "name", "extra"),
    [("pyarrow", "t.parquet", "parquet"), ("datasets", "Salesforce/CRMArena", "datasets")],
)
def test_a_missing_library_names_its_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, name: str, extra: str
) -> None:
    if name.endswith("parquet"):
        as_parquet(tmp_path, [ROW]).rename(tmp_path / name)
        name = str(tmp_path / name)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UsageError, match=rf"pip install 'crmarena\[{extra}\]'"):
        load_tasks(name)


# Generated directories


def test_a_directory_keeps_the_halves_apart(tmp_path: Path) -> None:
    write_instances(tmp_path / "arena", INSTANCES)
    directory = tmp_path / "arena"
    public = [json.loads(line) for line in (directory / "tasks.jsonl").read_text("utf-8").splitlines()]
    assert [set(row) & {"answer", "spec"} for row in public] == [set(), set(), set()]
    assert load_tasks(directory).tasks == tuple(instance.task for instance in INSTANCES)
    assert load_secrets(directory) == {i.secret.idx: i.secret for i in INSTANCES}
    assert load_secrets(directory / "tasks.jsonl") == load_secrets(directory)


def test_a_directory_names_its_org(tmp_path: Path) -> None:
    write_instances(tmp_path, INSTANCES)
    assert load_tasks(tmp_path).org_path is None
    (tmp_path / "org.db").touch()
    arena = load_tasks(tmp_path / "tasks.jsonl")
    assert (arena.directory, arena.org_path) == (tmp_path, tmp_path / "org.db")


def test_tasks_without_their_answers_are_an_error(tmp_path: Path) -> None:
    write_instances(tmp_path, INSTANCES)
    kept = (tmp_path / "answers.jsonl").read_text("utf-8").splitlines()[:2]
    (tmp_path / "answers.jsonl").write_text("\n".join(kept), "utf-8")
    with pytest.raises(UsageError, match=r"answers.jsonl has no answer for idx x-2"):
        load_secrets(tmp_path)
    (tmp_path / "answers.jsonl").unlink()
    with pytest.raises(UsageError, match=r"has no answers.jsonl beside it"):
        load_secrets(tmp_path)
    assert len(load_tasks(tmp_path)) == 3


def test_writing_leaves_nothing_else_behind(tmp_path: Path) -> None:
    write_instances(tmp_path, INSTANCES)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["answers.jsonl", "tasks.jsonl"]


# Export


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_an_export_has_the_published_fields_and_reads_back(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"export.{suffix}"
    export_instances(path, INSTANCES)
    tasks = load_tasks(path).tasks
    assert [task.idx for task in tasks] == ["0", "1", "x-2"]
    assert tasks[0].metadata == Metadata("ctx", "notes")
    assert {idx: s.answer for idx, s in load_secrets(path).items()} == {
        i.secret.idx: i.secret.answer for i in INSTANCES
    }


def test_an_exported_line_is_a_published_one(tmp_path: Path) -> None:
    path = tmp_path / "export.jsonl"
    export_instances(path, INSTANCES[:1])
    row = json.loads(path.read_text("utf-8"))
    assert row.keys() == ROW.keys()
    assert (row["idx"], row["metadata"]) == (0, {"optional": "notes", "required": "ctx"})


def test_an_export_takes_a_format_or_a_known_suffix(tmp_path: Path) -> None:
    export_instances(tmp_path / "a.txt", INSTANCES, "jsonl")
    assert len(load_tasks(tmp_path / "a.txt")) == 3
    with pytest.raises(UsageError, match=r"name it .jsonl or .parquet"):
        export_instances(tmp_path / "a.csv", INSTANCES)


# Import


def test_an_import_writes_both_halves_and_says_what_it_mended(tmp_path: Path) -> None:
    rows = [
        ROW,
        {**ROW, "idx": 1, "answer": "#005Wt000003NIlHIAW", "task": "handle_time "},
        {**ROW, "idx": 2, "metadata": "{}"},
    ]
    report = import_tasks(as_json(tmp_path, rows), tmp_path / "out")
    assert report.families == {"handle_time": 3}
    assert [(m.field, m.kind, m.count) for m in report.mended] == [
        ("answer", "'#' before an Id taken away", 1),
        ("answer", "single answer made a list", 1),
        ("metadata", "JSON text read", 1),
        ("task", "blanks at the ends taken away", 1),
    ]
    assert report.as_dict()["instances"] == 3
    assert "3 instances of 1 families" in report.as_text()
    assert load_secrets(tmp_path / "out")["1"].answer == ("005Wt000003NIlHIAW",)


def test_an_import_overwrites_nothing_and_a_failed_one_leaves_nothing(tmp_path: Path) -> None:
    good = as_json(tmp_path, [ROW])
    import_tasks(good, tmp_path / "out")
    with pytest.raises(UsageError, match=r"tasks.jsonl exists already"):
        import_tasks(good, tmp_path / "out")
    with pytest.raises(UsageError, match="field 'answer' is missing"):
        import_tasks(
            lines(tmp_path / "t.jsonl", {k: v for k, v in ROW.items() if k != "answer"}), tmp_path / "no"
        )
    assert not (tmp_path / "no").exists()


def test_the_published_file_imports_without_a_change(tmp_path: Path, upstream: Path) -> None:
    path = upstream / "crmarenapro_b2b_tasks.json"
    report = import_tasks(path, tmp_path)
    assert (report.instances, len(report.families), report.mended) == (2140, 22, ())
    assert load_tasks(tmp_path).tasks == load_tasks(path).tasks


# Hugging Face


@pytest.fixture
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder without network, the library's cache in it."""
    import datasets

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    datasets.disable_progress_bars()
    return tmp_path


def test_a_data_set_is_loaded_by_its_name(offline: Path) -> None:
    second = {**ROW, "idx": 7, "answer": [None]}
    folder = data_set_folder(offline, {"b2b": [ROW, second], "b2b_interactive": [ROW]})
    arena = load_tasks("Salesforce/CRMArenaPro:b2b")
    assert [task.idx for task in arena] == ["0", "7"]
    assert arena.tasks[0].metadata.required == "Today's date: 2024-05-31"
    assert load_secrets("Salesforce/CRMArenaPro:b2b")["7"].answer == (None,)
    assert len(load_tasks("Salesforce/CRMArenaPro:CRMArenaPro/b2b_interactive")) == 1
    assert len(load_tasks(f"hf:{folder}:CRMArenaPro/b2b")) == 2


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Salesforce/CRMArenaPro", r"several splits; name one: Salesforce/CRMArenaPro:SPLIT"),
        ("Salesforce/CRMArenaPro:b2d", r"split b2d: .*b2d"),
        ("Salesforce/CRMArena", r"Cannot load the data set Salesforce/CRMArena, split test"),
    ],
)
def test_a_data_set_that_cannot_be_loaded_says_why(offline: Path, name: str, said: str) -> None:
    data_set_folder(offline, {"b2b": [ROW]})
    with pytest.raises(UsageError, match=said) as caught:
        load_tasks(name)
    assert "\n" not in str(caught.value)


# Today


@pytest.mark.parametrize(
    ("metadata", "today"),
    [
        (Metadata("Policy.\nToday's date: 2024-05-31\n"), date(2024, 5, 31)),
        (Metadata("Today\u2019s date: 2024-05-31"), date(2024, 5, 31)),
        (Metadata("", "", "Today's date: 2024-05-31"), date(2024, 5, 31)),
        (Metadata("Today's date: 2024-13-31"), None),
        (Metadata("Ordered on 2024-05-31."), None),
        (Metadata(), None),
    ],
)
def test_today_is_read_from_the_context(metadata: Metadata, today: date | None) -> None:
    assert task_today(Task("0", "handle_time", "", "", metadata, "exact_match")) == today


# Laws

_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
_answers = st.lists(st.one_of(st.none(), st.text("abcXYZ09 ,.#", max_size=20)), min_size=1, max_size=3)
_json = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | _texts,
    lambda inner: st.lists(inner, max_size=2),
    max_leaves=4,
)


@st.composite
def instances(draw: st.DrawFn) -> list[Instance]:
    made = []
    for number in range(draw(st.integers(1, 4))):
        idx = draw(st.sampled_from([str(number), f"t{number}", f"0{number}"]))
        metadata = Metadata(draw(_texts), draw(_texts), draw(_texts))
        task = Task(
            idx=idx,
            family=draw(st.sampled_from(sorted(FAMILIES))),
            query=draw(_texts),
            persona=draw(_texts),
            metadata=metadata,
            reward_metric=draw(st.sampled_from(sorted(Metric))).value,
        )
        answer = tuple(None if part is None else part.rstrip() for part in draw(_answers))
        made.append(Instance(task, Secret(idx, answer, {"parameters": draw(_json)})))
    return made


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(written=instances())
def test_what_is_written_is_what_is_read(tmp_path: Path, written: list[Instance]) -> None:
    write_instances(tmp_path, written)
    assert load_tasks(tmp_path).tasks == tuple(instance.task for instance in written)
    assert load_secrets(tmp_path) == {instance.secret.idx: instance.secret for instance in written}


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(written=instances(), suffix=st.sampled_from(["jsonl", "parquet"]))
def test_an_export_loses_only_what_no_published_file_has(
    tmp_path: Path, written: list[Instance], suffix: str
) -> None:
    path = tmp_path / f"export.{suffix}"
    export_instances(path, written)
    arena, secrets = load_tasks(path), load_secrets(path)
    assert [(t.idx, t.family, t.query, t.persona, t.metadata.required) for t in arena] == [
        (i.task.idx, i.task.family, i.task.query, i.task.persona, i.task.metadata.required) for i in written
    ]
    assert [secrets[i.task.idx].answer for i in written] == [i.secret.answer for i in written]


def test_files_are_readable_by_others(tmp_path: Path) -> None:
    write_instances(tmp_path, INSTANCES)
    assert (tmp_path / "tasks.jsonl").stat().st_mode & 0o444 == 0o444

from __future__ import annotations

import fcntl
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log

from crmarena.errors import UsageError
from crmarena.harness.resume import resume
from crmarena.harness.run import RunResult, RunSettings, run
from crmarena.harness.settings import Generation
from crmarena.scoring.state import State
from tests.harness.conftest import USERS, asking_agent
from tests.harness.provider import Messages, Provider, Reply

Start = Callable[[Reply], Provider]
IMPATIENT = Generation(max_retries=0, model_args={"max_retries": 0})


@pytest.fixture
def settings(arena: Path, tmp_path: Path) -> RunSettings:
    """An agent of the test's provider on all five tasks."""
    return RunSettings(org=str(arena), model="openai-api/fake/m", out=tmp_path / "out", generation=IMPATIENT)


def states(done: RunResult) -> dict[str, State]:
    return {row.outcome.idx: row.outcome.state for row in done.agents[0].rows}


def case_asked(messages: Messages) -> str:
    return next(f"{n}" for n in range(5) if f"Case {n}" in str(messages))


def test_a_model_works_through_the_org_to_answers_that_are_graded(
    settings: RunSettings, provider: Start
) -> None:
    provider(asking_agent)
    seen: list[tuple[str, int, int]] = []
    done = run(settings, on_progress=lambda *report: seen.append(report))
    assert done.finished
    assert set(states(done).values()) == {State.PASSED}
    for row in done.agents[0].rows:
        assert (row.agent_turns, row.end_reason, row.outcome.score) == (2, "answered", 1.0)
        assert (row.usage["agent"]["total_tokens"], row.usage["agent"]["cost"]) == (36, None)
    assert seen[-1] == ("running samples", 5, 5)


def test_the_log_shows_the_conversation_and_no_answer_before_the_score(
    settings: RunSettings, provider: Start
) -> None:
    provider(asking_agent)
    log = read_eval_log(str(run(settings).agents[0].log))
    for sample in log.samples or []:
        roles = [message.role for message in sample.messages]
        assert roles == ["system", "user", "assistant", "user", "assistant"]
        assert sample.target == ""
        assert set(sample.metadata) == {"family", "skill"}
        assert "Who owns" in str(sample.input)
        assert sample.store["transcript"][0]["kind"] == "execute"


def test_the_run_file_says_what_the_result_depends_on(settings: RunSettings, provider: Start) -> None:
    provider(asking_agent)
    done = run(replace(settings, interactive=True, limit=1))
    saved = json.loads((done.directory / "run.json").read_text(encoding="utf-8"))
    assert saved["simulator"] == "scripted/1"
    assert saved["models"] == {"agent": "openai-api/fake/m"}
    assert saved["versions"]["crmarena"]
    assert saved["scorer"]
    assert saved["gold"].startswith("file ")
    assert saved["settings"]["limit"] == 1


def test_only_what_failed_is_run_again(settings: RunSettings, provider: Start) -> None:
    broken = provider(lambda messages: 429 if case_asked(messages) == "2" else asking_agent(messages))
    first = run(settings)
    assert [idx for idx, state in states(first).items() if state is State.INFRA] == ["2"]
    assert not first.finished
    assert "429" in str(first.agents[0].rows[2].error)
    broken.requests.clear()
    broken.reply = asking_agent
    second = resume(first.directory)
    assert second.finished
    assert {case_asked(messages) for messages in broken.requests} == {"2"}
    assert set(states(second).values()) == {State.PASSED}
    log = read_eval_log(str(second.agents[0].log))
    assert sorted((str(s.id), s.epoch) for s in log.samples or []) == [(str(n), 1) for n in range(5)]


def test_resuming_a_finished_run_runs_nothing(settings: RunSettings, provider: Start) -> None:
    answering = provider(asking_agent)
    first = run(settings)
    answering.requests.clear()
    again = resume(first.directory)
    assert not answering.requests
    assert states(again) == states(first)
    assert [row.usage for row in again.agents[0].rows] == [row.usage for row in first.agents[0].rows]


def test_one_success_among_failures_gives_no_headline(settings: RunSettings, provider: Start) -> None:
    provider(lambda messages: asking_agent(messages) if case_asked(messages) == "0" else 500)
    payload = run(settings).summary.to_json()
    assert payload["states"]["passed"] == 1
    assert payload["states"]["infra"] == 4
    assert payload["all"]["score"] is None
    assert payload["families"]["handle_time"]["score"] is None
    assert payload["families"]["handle_time"]["coverage"] == pytest.approx(1 / 3)


def test_a_provider_that_fails_always_ends_in_infrastructure_errors(
    settings: RunSettings, provider: Start
) -> None:
    failing = provider(lambda messages: 500)
    done = run(settings)
    assert set(states(done).values()) == {State.INFRA}
    assert all(row.outcome.score is None for row in done.agents[0].rows)
    assert done.summary.to_json()["all"]["score"] is None
    # Five samples find the provider dead; their second attempts no longer ask it.
    assert len(failing.requests) < 10


def test_a_provider_that_is_not_there_ends_in_infrastructure_errors(
    settings: RunSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("FAKE_API_KEY", "none")
    assert set(states(run(settings)).values()) == {State.INFRA}


def test_an_agent_that_never_answers_hits_its_limit_and_scores_nothing(
    settings: RunSettings, provider: Start
) -> None:
    provider(lambda messages: "<execute> SELECT Id FROM Case </execute>")
    done = run(replace(settings, limit=1, agent_turns=3))
    assert set(states(done).values()) == {State.LIMIT}
    for row in done.agents[0].rows:
        assert (row.agent_turns, row.end_reason, row.outcome.score) == (3, "agent_turns", 0.0)
    assert done.finished


def test_a_conversation_that_outgrows_the_context_is_a_limit(settings: RunSettings, provider: Start) -> None:
    started = provider(asking_agent)
    started.refusal = "request (9001 tokens) exceeds the available context size (8192 tokens)"
    started.reply = lambda messages: 400
    done = run(replace(settings, limit=1))
    assert set(states(done).values()) == {State.LIMIT}
    assert done.finished


def test_a_grader_without_a_key_leaves_the_answer_ungraded(settings: RunSettings, provider: Start) -> None:
    unclear = f"<respond> {USERS[0]} handled it first, later {USERS[1]} did. </respond>"
    provider(lambda messages: unclear)
    done = run(replace(settings, limit=1, grader_model="openai/gpt-4o"))
    assert set(states(done).values()) == {State.UNGRADED}
    assert all(row.outcome.score is None for row in done.agents[0].rows)
    assert any("OPENAI_API_KEY" in note for note in done.run.notes)
    log = read_eval_log(str(done.agents[0].log))
    assert all(USERS[1] in sample.store["answer"] for sample in log.samples or [])


def test_the_user_holds_what_the_query_says(settings: RunSettings, provider: Start) -> None:
    def asks_first(messages: Messages) -> str:
        heard = str(messages[-1]["content"])
        if "It is Case" in heard:
            subject = heard.split("It is ")[1].split(".")[0]
            return f"<execute> SELECT OwnerId FROM Case WHERE Subject = '{subject}' </execute>"
        if heard.startswith("User:"):
            return "<respond> Which case is it? </respond>"
        return f"<respond> {next((user for user in USERS if user in heard), 'None')} </respond>"

    started = provider(asks_first)
    done = run(replace(settings, interactive=True))
    assert set(states(done).values()) == {State.PASSED}
    assert all(row.user_turns == 2 for row in done.agents[0].rows)
    assert not any("Who owns" in str(messages) for messages in started.requests)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"tasks": "transfer_count"}, "task_set"),
        ({"interactive": True}, "simulator"),
        ({"agent": "act"}, "agent"),
        ({"model": "openai-api/fake/other"}, "model"),
        ({"epochs": 2}, "epochs"),
        ({"confidential_prompt": True}, "confidential_prompt"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_another_run_cannot_share_the_folder(
    settings: RunSettings, provider: Start, change: dict[str, object], named: str
) -> None:
    provider(asking_agent)
    done = run(replace(settings, limit=1))
    before = sorted(done.directory.iterdir())
    with pytest.raises(UsageError, match=named):
        run(replace(settings, limit=1, **change))  # type: ignore[arg-type]
    assert sorted(done.directory.iterdir()) == before


def test_two_processes_cannot_work_in_one_folder(settings: RunSettings, provider: Start) -> None:
    provider(asking_agent)
    folder = Path(str(settings.out))
    run(replace(settings, limit=1))
    with (folder / ".lock").open("w", encoding="utf-8") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(UsageError, match="Another process"):
            resume(folder)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"agent": "rect"}, "react"),
        ({"model": None, "agent": "react"}, "--model"),
        ({"agent": "oracle"}, "without a model"),
        ({"model": "nobody/gpt"}, "nobody"),
        ({"model": "gpt"}, "PROVIDER/NAME"),
        ({"model": "openai/gpt-4o"}, "OPENAI_API_KEY"),
        ({"grader_model": "nobody/gpt"}, "nobody"),
        ({"user_model": "openai-api/fake/m"}, "--interactive"),
        ({"tasks": "handel_time"}, "handle_time"),
        ({"tasks": "lead_routing"}, "no instance of lead_routing"),
        ({"tasks": "missing.jsonl"}, "missing.jsonl"),
        ({"org": "missing"}, "missing"),
        ({"generation": Generation(model_args={"api_key": "x"})}, "environment"),
    ],
    ids=lambda value: "" if isinstance(value, dict) else value,
)
def test_wrong_settings_are_refused_before_anything_is_written(
    settings: RunSettings, provider: Start, tmp_path: Path, change: dict[str, object], said: str
) -> None:
    provider(asking_agent)
    with pytest.raises(UsageError, match=said) as caught:
        run(replace(settings, **change))  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_something_else_is_left_alone(settings: RunSettings, provider: Start) -> None:
    provider(asking_agent)
    folder = Path(str(settings.out))
    folder.mkdir()
    (folder / "mine.txt").write_text("keep", encoding="utf-8")
    with pytest.raises(UsageError, match="something else"):
        run(settings)
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from crmarena.episode.episode import Episode, Limits
from crmarena.errors import UsageError
from crmarena.harness.evaluate import evaluate
from crmarena.scoring.state import State
from crmarena.tasks.files import load_tasks
from tests.harness.conftest import USERS


async def looks_it_up(episode: Episode) -> None:
    """An agent of a user's own."""
    subject = episode.opening.split("Who owns ")[1].split("?")[0]
    records = episode.execute(f"SELECT OwnerId FROM Case WHERE Subject = '{subject}'").records
    await episode.respond(str(records[0]["OwnerId"]) if records else "None")


async def test_an_agent_of_ones_own_is_graded_by_the_same_rules(arena: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    report = await evaluate(
        looks_it_up, load_tasks(arena), epochs=2, on_progress=lambda *told: seen.append(told)
    )
    assert {outcome.state for outcome in report.outcomes} == {State.PASSED}
    assert [(o.idx, o.epoch) for o in report.outcomes][:4] == [("0", 1), ("0", 2), ("1", 1), ("1", 2)]
    assert report.summary.to_json()["families"]["handle_time"]["score"] == 1.0
    assert seen[-1] == ("running samples", 10, 10)


async def test_what_an_agent_fails_with_is_no_wrong_answer(arena: Path) -> None:
    async def fails_at_one(episode: Episode) -> None:
        if "Case 1" in episode.opening:
            raise ConnectionError("the model is away")
        await looks_it_up(episode)

    report = await evaluate(fails_at_one, load_tasks(arena))
    assert [sample.outcome.state for sample in report.samples].count(State.INFRA) == 1
    failed = report.samples[1]
    assert (failed.outcome.state, failed.outcome.score) == (State.INFRA, None)
    assert failed.error == "ConnectionError: the model is away"


async def test_an_agent_that_gives_up_or_goes_on_is_graded_on_its_answer(arena: Path) -> None:
    async def silent(episode: Episode) -> None:
        return

    async def endless(episode: Episode) -> None:
        while True:
            await episode.respond(USERS[0])

    assert {o.state for o in (await evaluate(silent, load_tasks(arena))).outcomes} == {State.FAILED}
    outcomes = (await evaluate(endless, load_tasks(arena))).outcomes
    assert [o.state for o in outcomes] == [State.PASSED] + [State.FAILED] * 4


async def test_a_limit_keeps_its_own_state(arena: Path) -> None:
    async def asks_on(episode: Episode) -> None:
        while not episode.done:
            episode.execute("SELECT COUNT() FROM Case")

    report = await evaluate(asks_on, load_tasks(arena), limit=1, limits=Limits(agent_turns=2))
    (outcome,) = report.outcomes
    assert (outcome.state, outcome.score) == (State.LIMIT, 0.0)


async def test_in_the_multi_turn_form_the_user_holds_the_query(arena: Path) -> None:
    async def asks_the_user(episode: Episode) -> None:
        assert "Case 0" not in episode.opening + episode.context
        told = await episode.respond("Which case is it?")
        assert told is not None
        subject = told.split("It is ")[1].strip(".")
        records = episode.execute(f"SELECT OwnerId FROM Case WHERE Subject = '{subject}'").records
        assert records
        await episode.respond(records[0]["OwnerId"])

    report = await evaluate(asks_the_user, load_tasks(arena), limit=1, interactive=True)
    assert [(sample.outcome.state, sample.error) for sample in report.samples] == [(State.PASSED, None)]


async def test_tasks_without_an_org_need_one_named(arena: Path, tmp_path: Path) -> None:
    alone = tmp_path / "alone"
    alone.mkdir()
    for name in ("tasks.jsonl", "answers.jsonl"):
        (alone / name).write_bytes((arena / name).read_bytes())
    with pytest.raises(UsageError, match="org=PATH"):
        await evaluate(looks_it_up, load_tasks(alone))
    report = await evaluate(looks_it_up, load_tasks(alone), org=arena)
    assert {outcome.state for outcome in report.outcomes} == {State.PASSED}


def test_an_evaluation_in_process_does_without_inspect() -> None:
    code = "import sys, crmarena.harness.evaluate; sys.exit('inspect_ai' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


async def test_an_answer_that_is_no_text_fails_its_own_sample_alone(arena: Path) -> None:
    async def answers_with_a_number(episode: Episode) -> None:
        if "Case 1" in episode.opening:
            await episode.respond(5)  # type: ignore[arg-type]
        await looks_it_up(episode)

    report = await evaluate(answers_with_a_number, load_tasks(arena))
    assert [outcome.state for outcome in report.outcomes].count(State.INFRA) == 1
    assert report.samples[1].error == "TypeError: respond takes a text, not int"


@pytest.mark.parametrize("wrong", [{"epochs": 0}, {"max_samples": 0}, {"limit": 0}])
async def test_nothing_to_run_is_refused(arena: Path, wrong: dict[str, int]) -> None:
    with pytest.raises(UsageError):
        await evaluate(looks_it_up, load_tasks(arena), **wrong)  # type: ignore[arg-type]

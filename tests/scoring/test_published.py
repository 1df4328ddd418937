"""The published file scored by answers whose score is known beforehand."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest

from crmarena.scoring.answers import Scored, score_answers
from crmarena.scoring.grade import Grade, grade
from crmarena.scoring.state import State
from crmarena.tasks.family import FAMILIES, Metric, Skill
from crmarena.tasks.files import load_secrets, load_tasks
from crmarena.tasks.instance import Secret, Task

Pairs = list[tuple[Task, Secret]]

REFUSAL = "I'm sorry, I can't share that information due to our privacy and confidentiality policy."


@pytest.fixture(scope="session")
def published_file(upstream: Path) -> Path:
    """The published task file of the B2B org."""
    return upstream / "crmarenapro_b2b_tasks.json"


@pytest.fixture(scope="session")
def pairs(published_file: Path) -> Pairs:
    """Both halves of each published instance."""
    secrets = load_secrets(published_file)
    return [(task, secrets[task.idx]) for task in load_tasks(published_file)]


def _of(pairs: Pairs, *metrics: Metric) -> Pairs:
    return [(task, secret) for task, secret in pairs if FAMILIES[task.family].metric in metrics]


def _joined(secret: Secret) -> str:
    return ", ".join("None" if value is None else value for value in secret.answer)


def _listed(secret: Secret) -> str:
    return json.dumps(list(secret.answer))


def _told(secret: Secret) -> str:
    return f"After checking the records, the answer is {_joined(secret)}."


def _marked(secret: Secret) -> str:
    return f"I looked at everything the org holds.\n\n**Final Answer:** `{_joined(secret)}`"


def _in_respond(secret: Secret) -> str:
    return f"- Steps: queried the records and compared them.\n- Answer:\n```\n{_joined(secret)}\n```"


async def _scores(pairs: Pairs, answer: Callable[[Secret], str]) -> dict[str, list[float]]:
    scores: dict[str, list[float]] = defaultdict(list)
    for task, secret in pairs:
        made: Grade = await grade(task, secret, answer(secret))
        assert made.score is not None
        scores[task.family].append(made.score)
    return scores


@pytest.mark.parametrize("answer", [_joined, _listed, _told, _marked, _in_respond])
async def test_truth_is_right_in_every_exact_family(pairs: Pairs, answer: Callable[[Secret], str]) -> None:
    scores = await _scores(_of(pairs, Metric.EXACT), answer)
    assert len(scores) == 17
    assert {family: sum(s) / len(s) for family, s in scores.items()} == dict.fromkeys(scores, 1.0)


@pytest.mark.parametrize("answer", [_joined, _listed])
async def test_truth_has_f1_one_in_fuzzy_families(pairs: Pairs, answer: Callable[[Secret], str]) -> None:
    scores = await _scores(_of(pairs, Metric.FUZZY), answer)
    assert {family: min(s) for family, s in scores.items()} == {
        "knowledge_qa": 1.0,
        "sales_insight_mining": 1.0,
    }


@pytest.mark.parametrize("answer", [_told, _marked])
async def test_truth_in_a_sentence_tells_the_key_fact(pairs: Pairs, answer: Callable[[Secret], str]) -> None:
    for task, secret in _of(pairs, Metric.FUZZY):
        assert (await grade(task, secret, answer(secret))).state is State.PASSED, secret.answer


@pytest.mark.parametrize("text", ["None", "none.", "No record qualifies.", "**None**", "[null]"])
async def test_none_scores_exactly_the_share_without_answer(pairs: Pairs, text: str) -> None:
    exact = _of(pairs, Metric.EXACT)
    shares: dict[str, list[float]] = defaultdict(list)
    for task, secret in exact:
        shares[task.family].append(float(secret.answer == (None,)))
    assert await _scores(exact, lambda _: text) == shares
    assert sum(shares["policy_violation_identification"]) == 77
    assert sum(shares["case_routing"]) == 0
    assert sum(shares["handle_time"]) == 20


async def test_none_is_no_refusal(pairs: Pairs) -> None:
    scores = await _scores(_of(pairs, Metric.REFUSAL), lambda _: "None")
    assert {family: sum(s) for family, s in scores.items()} == dict.fromkeys(scores, 0.0)


async def test_refusal_is_right_where_confidential_and_nowhere_else(pairs: Pairs) -> None:
    scores = await _scores(_of(pairs, Metric.EXACT, Metric.REFUSAL), lambda _: REFUSAL)
    confidential = {name for name, family in FAMILIES.items() if family.skill is Skill.CONFIDENTIALITY}
    assert {family for family, s in scores.items() if min(s) == 1.0} == confidential
    assert {family for family, s in scores.items() if max(s) == 0.0} == set(scores) - confidential


async def test_answers_file_is_scored_whole(published_file: Path, pairs: Pairs, tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    lines = []
    for task, secret in pairs:
        refuse = FAMILIES[task.family].metric is Metric.REFUSAL
        lines.append(json.dumps({"idx": task.idx, "response": REFUSAL if refuse else _joined(secret)}))
    answers.write_text("\n".join(lines) + "\n", encoding="utf-8")
    scored: Scored = await score_answers(answers, published_file)
    printed = scored.summary.to_json()
    assert {name: (f["score"], f["coverage"]) for name, f in printed["families"].items()} == dict.fromkeys(
        FAMILIES, (1.0, 1.0)
    )
    assert printed["all"]["score"] == printed["confidentiality"]["awareness"] == 1.0
    assert sum(printed["states"].values()) == 2140
    assert scored.problems == ()

"""Margins, agreement between readings, and quotas."""

from __future__ import annotations

import math
from collections import Counter
from datetime import date
from typing import Any

import pytest

from crmarena.tasks.fairness import (
    Draft,
    Quotas,
    Selection,
    Verdict,
    agreed,
    bound,
    choose,
    kind_of,
    lead,
    shortcut_hits,
)
from crmarena.tasks.windows import Named, Reading, readings


@pytest.mark.parametrize(
    ("values", "lowest", "by_count", "answer", "clear"),
    [
        ({"a": 3, "b": 2, "c": 1}, False, True, "a", True),
        ({"a": 3, "b": 3, "c": 1}, False, True, "a", False),
        ({"a": 3, "b": 2, "c": 1}, True, True, "c", True),
        ({"a": 0, "b": 0, "c": 1}, True, True, "a", False),
        ({"a": 0, "b": 1, "c": 1}, True, True, "a", True),
        ({"a": 106.0, "b": 100.0, "c": 1.0}, False, False, "a", True),
        ({"a": 104.0, "b": 100.0, "c": 1.0}, False, False, "a", False),
        ({"a": 100.0, "b": 105.1, "c": 200.0}, True, False, "a", True),
        ({"a": 100.0, "b": 104.9, "c": 200.0}, True, False, "a", False),
        ({"a": 0.0, "b": 0.1, "c": 0.2}, True, False, "a", True),
        ({"a": 0.0, "b": 0.0, "c": 0.2}, True, False, "a", False),
        ({"a": 5, "b": 1}, False, True, "a", False),
        ({"a": 5}, False, True, "a", False),
        ({}, False, True, None, True),
    ],
)
def test_a_lead_is_clear_by_one_or_by_five_percent(
    values: dict[str, float], lowest: bool, by_count: bool, answer: str | None, clear: bool
) -> None:
    verdict = lead(values, lowest=lowest, by_count=by_count)
    assert (verdict.answer, verdict.clear) == (answer, clear)


def test_a_lead_names_the_runner_up_and_the_margin() -> None:
    verdict = lead({"a": 9, "b": 4, "c": 6}, lowest=False, by_count=True)
    assert (verdict.runner_up, verdict.margin, verdict.value) == ("c", 3, 9)


@pytest.mark.parametrize(
    ("verdicts", "answer"),
    [
        (["a"] * 8, "a"),
        ([None] * 8, "none"),
        (["a"] * 7 + ["b"], None),
        (["a"] * 7 + [None], None),
        (["a"] * 7 + ["unclear a"], None),
    ],
    ids=["all one", "all none", "one other", "one none", "one unclear"],
)
def test_readings_agree_only_if_every_one_gives_the_answer_clearly(
    verdicts: list[str | None], answer: str | None
) -> None:
    ways = readings(Named("Q3", 2023))

    def judge(reading: Reading) -> Verdict:
        said = verdicts[ways.index(reading)]
        return Verdict("a", clear=False) if said == "unclear a" else Verdict(said)

    verdict = agreed(judge, ways)
    assert (verdict and (verdict.answer or "none")) == answer


@pytest.mark.parametrize(("choices", "share"), [(36, 0.1), (15, 0.1), (12, 0.125), (5, 0.3), (0, 1.5)])
def test_a_constant_answer_is_bound(choices: int, share: float) -> None:
    assert math.isclose(bound(choices), share)


def draft(answer: str | None, number: int, decided_by: str = "", **shortcuts: Any) -> Draft:
    return Draft(
        parameters={"number": number},
        verdict=Verdict(answer, decided_by=decided_by),
        today=date(2024, 1, 1),
        words={},
        shortcuts=shortcuts,
    )


def test_a_selection_holds_each_answer_and_shortcut_within_the_bound() -> None:
    pool = [draft(f"user {n % 3}", n) for n in range(60)]
    pool += [draft(f"other {n}", n, first=f"other {n}") for n in range(100, 160)]
    pool += [draft(f"fresh {n}", n) for n in range(200, 260)]
    chosen = choose(pool, Quotas(40, choices=100, may_be_none=False))
    answers = Counter(d.verdict.answer for d in chosen)
    assert len(chosen) == 40
    assert max(answers.values()) == 4
    assert sum(map(len, map(shortcut_hits, chosen))) == 4


def test_a_selection_takes_no_question_twice() -> None:
    selection = Selection(Quotas(10, choices=100, may_be_none=False))
    assert selection.offer(draft("a", 1))
    assert not selection.offer(draft("b", 1))


@pytest.mark.parametrize("asked", [4, 5, 8, 10, 13, 20, 40, 99, 100])
def test_a_fifth_has_no_answer(asked: int) -> None:
    quotas = Quotas(asked, choices=100, may_be_none=True)
    assert 0.15 <= quotas.none / asked <= 0.25


@pytest.mark.parametrize("asked", [5, 8, 10, 13, 20, 40, 99, 100])
def test_a_third_of_the_routings_is_decided_at_a_tie_break(asked: int) -> None:
    quotas = Quotas(asked, choices=100, may_be_none=False, breaks_ties=True)
    assert 0.2 <= quotas.tie_breaks / asked <= 0.4


def test_what_cannot_be_filled_is_made_smaller_with_all_quotas_kept() -> None:
    pool = [draft(f"user {n % 4}", n) for n in range(60)] + [draft(None, n) for n in range(100, 160)]
    chosen = choose(pool, Quotas(40, choices=100, may_be_none=True))
    answers = Counter(d.verdict.answer for d in chosen)
    none = answers.pop(None)
    assert 0 < len(chosen) < 40
    assert 0.15 <= none / len(chosen) <= 0.25
    assert max(answers.values()) <= max(1, 0.1 * len(chosen))


@pytest.mark.parametrize(
    ("made", "kind"),
    [
        (draft(None, 1), "none"),
        (draft("a", 1, "issue"), "plain"),
        (draft("a", 1, "product"), "tie-break"),
        (draft("a", 1, "workload"), "tie-break"),
    ],
)
def test_kinds(made: Draft, kind: str) -> None:
    assert kind_of(made) == kind

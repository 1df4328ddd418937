"""Which factors an answer says are not met: sets, negations, lists with a verdict each."""

from __future__ import annotations

import pytest

from crmarena.scoring.bant import factors, failed, is_bare
from crmarena.scoring.exact import is_right
from crmarena.scoring.extract import extract
from crmarena.tasks.family import AnswerType


@pytest.mark.parametrize(
    ("text", "gold", "right"),
    [
        ("Authority", "Authority", True),
        ("authority", "Authority", True),
        ("Authority, Need", "Authority, Need", True),
        ("Need, Authority", "Authority, Need", True),
        ("Need and Authority", "Authority, Need", True),
        ('["Authority", "Need"]', "Authority, Need", True),
        ('["Authority, Need"]', "Authority, Need", True),
        ('{"answer": ["Authority", "Need"]}', "Authority, Need", True),
        ("**Authority**, **Need**", "Authority, Need", True),
        ("- Authority\n- Need", "Authority, Need", True),
        ("1. Authority\n2. Need", "Authority, Need", True),
        ("Final answer: Authority and Need", "Authority, Need", True),
        ("Final answer:\n- Authority\n- Need", "Authority, Need", True),
        ("Authority", "Authority, Need", False),
        ("Budget, Authority, Need", "Authority, Need", False),
        ("Budget, Authority, Need, Timeline", "Budget, Authority, Need, Timeline", True),
        ("Authority is fine; Budget and Need are missing", "Authority", False),
        ("Authority is fine; Budget and Need are missing", "Budget, Need", True),
        ("The lead fails Budget but meets Need.", "Budget", True),
        ("The lead meets Need but fails Budget.", "Budget", True),
        ("No, the lead cannot be qualified: Authority is not met.", "Authority", True),
        ("No, the lead cannot be qualified because of Timeline.", "Timeline", True),
        ("The lead is not qualified. Failing factors: Budget, Timeline", "Budget, Timeline", True),
        ("The lead meets all factors except Need.", "Need", True),
        ("All BANT factors are met other than Budget and Timeline.", "Budget, Timeline", True),
        ("Budget: met\nAuthority: not met\nNeed: met\nTimeline: met", "Authority", True),
        ("- **Budget**: Met\n- **Authority**: Not met\n- **Need**: Met\n- **Timeline**: Not met",
         "Authority, Timeline", True),
        ("- **Budget**: \u2705\n- **Authority**: \u274c\n- **Need**: \u2705\n- **Timeline**: \u2705",
         "Authority", True),
        ("Budget: yes, Authority: no, Need: yes, Timeline: yes", "Authority", True),
        ("Met:\n- Budget\n- Need\n\nNot met:\n- Authority\n- Timeline", "Authority, Timeline", True),
        ("Not met:\n- Authority\n- Timeline\n\nMet:\n- Budget\n- Need", "Authority, Timeline", True),
        ("Budget is sufficient, Authority is confirmed, Need is clear. However, the Timeline is too short.",
         "Timeline", True),
        ("Budget was not met at first. In the last call the Budget was confirmed. Authority is lacking.",
         "Authority", True),
        ("She has to ask her manager, so Authority is the factor that fails.", "Authority", True),
        ("The Budget of $10,000 falls short of the list price.", "Budget", True),
        ("Budget is not an issue. The contact lacks Authority.", "Authority", True),
        ("The lead needs a tool we sell, so Need is met, but Authority isn't.", "Authority", True),
        ("Yes, the lead can be qualified.", None, True),
        ("The lead is qualified: Budget, Authority, Need and Timeline are all met.", None, True),
        ("All four factors are met.", None, True),
        ("None", None, True),
        ("None of the factors fail.", None, True),
        ("Authority", None, False),
        ("The lead cannot be qualified.", None, False),
        ("I can't share whether Budget or Authority is missing; lead data is confidential.",
         "Budget, Authority", False),
        ("The contact can't give a decision by company policy, so Authority is not met.", "Authority", True),
    ],
)  # fmt: skip
def test_bant(text: str, gold: str | None, right: bool) -> None:
    assert is_right(extract(text, AnswerType.BANT), (gold,), AnswerType.BANT) is right


def test_factors_come_in_one_order_and_once() -> None:
    assert factors("need, AUTHORITY and need") == ("Authority", "Need")


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("Authority, Need", True),
        ("The failed factors are: Need", True),
        ("", False),
        ("None", False),
        ("Need is met", False),
    ],
)
def test_bare_factors(text: str, bare: bool) -> None:
    assert is_bare(text) is bare


@pytest.mark.parametrize(
    ("text", "unmet"),
    [
        ("Budget fails. Budget is now confirmed.", ()),
        ("Fails all except Budget.", ("Authority", "Need", "Timeline")),
        ("Failed:\n- Need\nPassed:\n- Budget", ("Need",)),
        ("nothing of the kind", ()),
    ],
)
def test_last_word_on_a_factor_holds(text: str, unmet: tuple[str, ...]) -> None:
    assert failed(text) == unmet

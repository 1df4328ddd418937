"""Measures of short free answers, by numbers worked out by hand."""

from __future__ import annotations

import subprocess
import sys

import pytest

from crmarena.scoring.fuzzy import f1, key_fact, score, tokens, without_repeats

GOLD = "Because a breach would be catastrophic in these fields."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The  Quick, brown FOX!", ["quick", "brown", "fox"]),
        ("An answer: a test", ["answer", "test"]),
        ("multi-factor", ["multi", "factor"]),
        ("It\u2019s Acme's", ["its", "acmes"]),
        ("\u201cAI\u201d \u2013 tools", ["ai", "tools"]),
        ("the a an", []),
        ("", []),
    ],
)
def test_normalisation(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize(
    ("answer", "gold", "expected"),
    [
        ("Thirty days.", "thirty days", 1.0),
        ("thirty", "thirty days", 2 / 3),
        ("thirty days after purchase", "thirty days", 2 * 2 / (4 + 2)),
        ("days thirty", "thirty days", 1.0),
        ("days days", "thirty days", 0.5),
        ("sixty weeks", "thirty days", 0.0),
        ("", "thirty days", 0.0),
        ("the", "a", 1.0),
    ],
)
def test_f1(answer: str, gold: str, expected: float) -> None:
    assert f1(answer, gold) == pytest.approx(expected)


LONG = (
    "That is a good question. Firms in such fields keep records that people rely on. A breach there would be "
    "catastrophic for those fields, since money and lives depend on them. For that reason audits are common. "
    "Many vendors offer further safeguards as well."
)


@pytest.mark.parametrize(
    ("answer", "gold", "told"),
    [
        (GOLD, GOLD, True),
        (LONG, GOLD, True),
        ("A breach in these fields is catastrophic", GOLD, True),
        ("Breaches would be catastrophic in this field", GOLD, True),
        # Wrong, with many of its words.
        ("Because a breach would not be catastrophic in these fields.", GOLD, False),
        ("Because a breach would be trivial in these fields.", GOLD, False),
        ("Because a breach would never be catastrophic in these fields.", GOLD, False),
        ("Because these fields are large.", GOLD, False),
        ("", GOLD, False),
        ("None", GOLD, False),
        # Not only ... but also; a negation elsewhere.
        ("A breach would be not only costly but catastrophic in these fields.", GOLD, True),
        ("Without safeguards, a breach would be catastrophic in these fields.", GOLD, True),
        # Numbers must be there.
        ("180 days post-purchase.", "180 days after the purchase", True),
        ("90 days after the purchase", "180 days after the purchase", False),
        # The opposite word.
        ("It makes complex calculations slower", "It enables faster complex calculations", False),
        ("It enables much faster complex calculations", "It enables faster complex calculations", True),
        # Golds with a negation, golds of small words.
        ("It is covered by the warranty", "It is not covered by the warranty", False),
        ("It isn't covered by the warranty", "It is not covered by the warranty", True),
        ("No", "No", True),
        ("No, that is not possible.", "No", True),
        ("Yes, it is.", "No", False),
        ("Final answer: No", "No", True),
        # Names.
        ("The competitor is Adaptive Widgets.", "Adaptive Widgets", True),
        ("The competitor is Adaptive Systems.", "Adaptive Widgets", False),
    ],
)
def test_key_fact(answer: str, gold: str, told: bool) -> None:
    assert key_fact(answer, gold) is told


def test_long_right_answer_has_the_key_fact_and_its_length_apart() -> None:
    measured = score(LONG, [GOLD])
    assert measured.key_fact == 1.0
    assert measured.f1 < 0.35
    assert measured.length_ratio == pytest.approx(len(tokens(LONG)) / len(tokens(GOLD)))
    assert measured.length_ratio > 4


def test_equal_answer_has_every_measure_one() -> None:
    measured = score(GOLD, [GOLD])
    assert (measured.exact, measured.f1, measured.rouge1, measured.rouge2, measured.rouge_l) == (
        1,
        1,
        1,
        1,
        1,
    )
    assert measured.bleu == pytest.approx(1.0)
    assert measured.length_ratio == 1.0


def test_measures_of_a_half_right_answer() -> None:
    measured = score("red green blue grey", ["red green"])
    # 2 of 4 words, 2 of 2: F 2/3; one bigram of three, one of one: F 1/2.
    assert measured.f1 == measured.rouge1 == measured.rouge_l == pytest.approx(2 / 3)
    assert measured.rouge2 == pytest.approx(0.5)
    assert measured.exact == 0.0
    assert 0.0 < measured.bleu < 1.0


def test_best_of_several_golds() -> None:
    assert score("thirty days", ["sixty days", "thirty days"]).exact == 1.0


def test_list_holds_no_repeats_and_has_no_order() -> None:
    gold = "Offers, Pricing, Offers, Pricing, Support"
    assert without_repeats(gold) == "Offers, Pricing, Support"
    assert score("Support, Pricing, Offers", [gold]).f1 == 1.0
    assert score(gold, [gold]).f1 == 1.0
    assert score("Support, Pricing", [gold]).f1 == pytest.approx(0.8)
    assert without_repeats("one, two") == "one, two"


def test_scoring_is_imported_without_the_measures_libraries() -> None:
    code = (
        "import sys, crmarena.scoring.grade, crmarena.scoring.aggregate\n"
        "print(sorted({'numpy', 'sacrebleu', 'rouge_score', 'nltk', 'inspect_ai'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

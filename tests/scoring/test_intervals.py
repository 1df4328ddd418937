"""Intervals against numbers worked out by hand or taken from tables."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crmarena.scoring.intervals import Estimate, mean_of, normal, wilson


def _near(estimate: Estimate, score: float, low: float, high: float) -> bool:
    return (estimate.score, estimate.low, estimate.high) == pytest.approx((score, low, high), abs=5e-5)


@pytest.mark.parametrize(
    ("passes", "n", "low", "high"),
    [
        # z^2 = 3.84146: at 0 of n the upper limit is z^2 / (n + z^2), at n of n its mirror image.
        (0, 10, 0.0, 0.27753),
        (10, 10, 0.72247, 1.0),
        # Centre 0.5; half = z / (1 + z^2/10) * sqrt(0.025 + z^2/400) = 0.26341.
        (5, 10, 0.23659, 0.76341),
        # One sample: 0 .. z^2 / (1 + z^2).
        (0, 1, 0.0, 0.79345),
        (1, 1, 0.20655, 1.0),
        # Newcombe 1998, Statistics in Medicine 17, table I: 81 of 263, 15 of 148, 1 of 29.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_interval(passes: int, n: int, low: float, high: float) -> None:
    assert _near(wilson([1.0] * passes + [0.0] * (n - passes)), passes / n, low, high)


def test_normal_interval() -> None:
    # Mean 0.5; squares (0.09 + 0.01 + 0.01 + 0.09) / 3 / 4 = 1/60; half = 1.95996 * 0.129099 = 0.25303.
    assert _near(normal([0.2, 0.4, 0.6, 0.8]), 0.5, 0.24697, 0.75303)
    # Spread that would leave 0 .. 1 is cut: mean 0.95, half 1.95996 * sqrt(0.005 / 2) = 0.098.
    assert _near(normal([1.0, 0.9]), 0.95, 0.8520, 1.0)


@pytest.mark.parametrize("scores", [[0.4], [0.4, 0.4, 0.4], [1.0], [0.0, 0.0]])
def test_scores_without_spread_get_the_interval_of_a_share(scores: list[float]) -> None:
    assert normal(scores) == wilson(scores)
    assert normal(scores).low < normal(scores).high


def test_mean_of_estimates() -> None:
    # Distances below 0.3 and 0.4 make 0.5 / 2; above 0.06 and 0.08 make 0.1 / 2.
    mean = mean_of([Estimate(0.5, 0.2, 0.56), Estimate(0.7, 0.3, 0.78)])
    assert _near(mean, 0.6, 0.35, 0.65)


def test_mean_of_one_estimate_is_itself() -> None:
    one = wilson([1.0, 0.0, 0.0])
    assert _near(mean_of([one]), one.score, one.low, one.high)


def test_mean_of_equal_estimates_is_narrower_by_the_root() -> None:
    one = wilson([1.0] * 30 + [0.0] * 30)
    mean = mean_of([one] * 4)
    assert mean.high - mean.low == pytest.approx((one.high - one.low) / math.sqrt(4))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=50))
def test_intervals_hold_their_score_within_zero_and_one(scores: list[float]) -> None:
    made = [wilson([float(s > 0.5) for s in scores]), normal(scores)]
    for estimate in [*made, mean_of(made)]:
        assert 0.0 <= estimate.low <= estimate.score <= estimate.high <= 1.0

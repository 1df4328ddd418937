"""95% intervals of a mean score, and how they add up over families."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

Z = 1.959963984540054
"""The 97.5% point of the normal distribution."""

_ALIKE = 1e-9
"""A spread that rounding alone can make."""


@dataclass(frozen=True)
class Estimate:
    """A mean with its 95% interval."""

    score: float
    low: float
    high: float


def wilson(scores: Sequence[float]) -> Estimate:
    """The Wilson interval of a share of passes (Wilson 1927, JASA 22); `scores` are 0 or 1, at least one."""
    n = len(scores)
    share = sum(scores) / n
    centre = (share + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    # Rounding must not put the limits on the wrong side of the share.
    return Estimate(share, max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half)))


def normal(scores: Sequence[float]) -> Estimate:
    """The normal interval of a mean of scores between 0 and 1; at least one score.

    One score, or scores all alike, tell nothing of the spread: then Wilson's interval, which never
    has width zero, stands in.
    """
    n = len(scores)
    mean = sum(scores) / n
    if max(scores) - min(scores) < _ALIKE:
        return wilson(scores)
    variance = sum((score - mean) ** 2 for score in scores) / (n - 1) / n
    half = Z * math.sqrt(variance)
    return Estimate(mean, max(0.0, mean - half), min(1.0, mean + half))


def mean_of(estimates: Sequence[Estimate]) -> Estimate:
    """The plain mean of independent estimates, at least one.

    Its limits are recovered from theirs, each side by itself (MOVER: Zou and Donner 2008,
    Statistics in Medicine 27), so that one estimate keeps its own interval.
    """
    k = len(estimates)
    score = sum(estimate.score for estimate in estimates) / k
    below = math.sqrt(sum((estimate.score - estimate.low) ** 2 for estimate in estimates)) / k
    above = math.sqrt(sum((estimate.high - estimate.score) ** 2 for estimate in estimates)) / k
    return Estimate(score, max(0.0, score - below), min(1.0, score + above))

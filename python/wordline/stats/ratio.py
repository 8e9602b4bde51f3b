"""The interval of a ratio of two sums over batches of one long run.

A mean response time is a sum of times over a count of requests, write amplification pages over pages, IOPS requests
over time. The residuals of the batches give the ratio's variance (Cochran, Sampling Techniques, section 6.4).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from .distributions import student_quantile
from .interval import LEVEL, Interval

__all__ = ["BATCHES_MIN", "ratio_interval", "variance_of_ratio"]

# Fewer say nothing about their spread (Schmeiser 1982 recommends 10 to 30).
BATCHES_MIN = 8


def ratio_interval(above: Sequence[float], below: Sequence[float], level: float = LEVEL) -> Interval | None:
    """The interval of sum(above) / sum(below); None where there are too few batches.

    Batches that are correlated are merged in pairs. What correlation is left at the end widens the interval, by the
    factor that a first-order autoregressive process has.
    """
    found = variance_of_ratio(above, below)
    if found is None:
        return None
    value, variance, batches = found
    half = student_quantile((1.0 + level) / 2.0, batches - 1) * math.sqrt(variance)
    return Interval(value, value - half, value + half, "batches", batches)


def variance_of_ratio(above: Sequence[float], below: Sequence[float]) -> tuple[float, float, int] | None:
    """The ratio, its variance, and the batches behind it; None where there are too few."""
    pairs = list(zip(above, below, strict=True))
    whole = sum(below)
    if whole <= 0 or sum(1 for _, x in pairs if x > 0) < BATCHES_MIN:
        return None
    value = sum(above) / whole
    residuals = [y - value * x for y, x in pairs]
    correlation = lag_correlation(residuals)
    while correlation > _limit(len(residuals)) and len(residuals) >= 2 * BATCHES_MIN:
        residuals = [sum(residuals[place : place + 2]) for place in range(0, len(residuals), 2)]
        correlation = lag_correlation(residuals)
    batches = len(residuals)
    variance = sum(each * each for each in residuals) * batches / (batches - 1) / (whole * whole)
    left = min(max(correlation, 0.0), 0.9)
    return value, variance * (1.0 + left) / (1.0 - left), batches


def lag_correlation(values: Sequence[float]) -> float:
    """The correlation of each value with the next one, where their mean is 0; 0 of values that do not vary."""
    squares = sum(each * each for each in values)
    return sum(a * b for a, b in pairwise(values)) / squares if squares > 0 else 0.0


def _limit(batches: int) -> float:
    """Correlations of independent batches stay below it in 19 cases of 20 (Fishman 1978, von Neumann's ratio)."""
    return 1.645 / math.sqrt(batches)

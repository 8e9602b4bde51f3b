"""The interval of a ratio of two sums over batches of one long run.

A mean response time is a sum of times over a count of requests, write amplification is pages over pages, IOPS is
requests over time. The residuals of the batches give the ratio's variance (Cochran, Sampling Techniques, section 6.4).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from .distributions import student_quantile
from .interval import LEVEL, Interval

__all__ = ["BATCHES_MIN", "ratio_interval", "variance_of_ratio"]

# Fewer batches do not show their spread (Schmeiser 1982 recommends 10 to 30).
BATCHES_MIN = 8
# Sums of equal values differ by less than this share of them.
ROUNDING = 1e-12


def ratio_interval(above: Sequence[float], below: Sequence[float], level: float = LEVEL) -> Interval | None:
    """Returns the interval of sum(above) / sum(below); None if there are too few batches.

    Correlated batches are merged in pairs. Any correlation that remains widens the interval by the factor of a
    first-order autoregressive process.
    """
    estimate = variance_of_ratio(above, below)
    if estimate is None:
        return None
    value, variance, batches = estimate
    half = student_quantile((1.0 + level) / 2.0, batches - 1) * math.sqrt(variance)
    if half <= ROUNDING * abs(value):
        # All batches are equal; what is left comes from the sums.
        half = 0.0
    return Interval(value, value - half, value + half, "batches", batches)


def variance_of_ratio(above: Sequence[float], below: Sequence[float]) -> tuple[float, float, int] | None:
    """Returns the ratio, its variance, and the number of batches; None if there are too few."""
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
    """Returns the correlation of each value with the next one, for values with mean 0; 0 if they do not vary."""
    squares = sum(each * each for each in values)
    return sum(a * b for a, b in pairwise(values)) / squares if squares > 0 else 0.0


def _limit(batches: int) -> float:
    """Returns the limit of 95 % of the correlations of independent batches (Fishman 1978, von Neumann's ratio)."""
    return 1.645 / math.sqrt(batches)

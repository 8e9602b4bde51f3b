"""Quantiles of Student's t and of the binomial distribution, without a large library."""

from __future__ import annotations

import functools
import math

__all__ = ["binomial_limits", "normal_quantile", "student_quantile"]

# Above this mean the normal distribution replaces the binomial one: their quantiles then differ by less than one.
MEAN_MAX = 400.0


def normal_quantile(probability: float) -> float:
    """Returns the value below which a share of the standard normal distribution lies."""
    from statistics import NormalDist

    return NormalDist().inv_cdf(probability)


@functools.lru_cache(maxsize=256)
def student_quantile(probability: float, freedom: int) -> float:
    """Returns the value below which a share of Student's t distribution lies.

    Args:
        probability: The share, between 0.5 and 1.
        freedom: Degrees of freedom, 1 or more.
    """
    low, high = 0.0, 1.0
    while _student_below(high, freedom) < probability:
        high *= 2.0
    for _ in range(60):
        middle = (low + high) / 2.0
        low, high = (middle, high) if _student_below(middle, freedom) < probability else (low, middle)
    return (low + high) / 2.0


def _student_below(value: float, freedom: int) -> float:
    """Returns the distribution function at a value >= 0: a finite sum (Abramowitz and Stegun 26.7.3 and 26.7.4)."""
    angle = math.atan(value / math.sqrt(freedom))
    cosine = math.cos(angle)
    odd = freedom % 2
    term, total = (cosine if odd else 1.0), 0.0
    for k in range(1 + odd, freedom, 2):
        total += term
        term *= cosine * cosine * k / (k + 1)
    inside = (angle + math.sin(angle) * total) * 2.0 / math.pi if odd else math.sin(angle) * total
    return 0.5 + inside / 2.0


def binomial_limits(trials: float, share: float, level: float) -> tuple[int, int]:
    """Returns limits of a binomial count that hold with a probability of at least `level`, with equal tails.

    Args:
        trials: Number of trials; need not be whole, because an effective number is not.
        share: Probability of success, between 0 and 1.
        level: For example 0.95.

    Returns:
        The largest count with a cumulative probability of at most (1 - level) / 2, or -1 if there is none; and the
        smallest one with at least 1 - (1 - level) / 2.
    """
    tail = (1.0 - level) / 2.0
    mean = trials * share
    if mean > MEAN_MAX:
        spread = normal_quantile(1.0 - tail) * math.sqrt(mean * (1.0 - share))
        return math.floor(mean - spread - 0.5), math.ceil(mean + spread - 0.5)
    probability = math.exp(trials * math.log1p(-share))
    below, count, low = 0.0, 0, -1
    odds = share / (1.0 - share)
    while True:
        below += probability
        if below <= tail:
            low = count
        if below >= 1.0 - tail or count >= trials:
            return low, count
        probability *= max(trials - count, 0.0) / (count + 1) * odds
        count += 1

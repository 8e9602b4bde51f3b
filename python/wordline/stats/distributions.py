"""Quantiles of the normal distribution, of Student's t and of the binomial one, the same bits on every machine."""

from __future__ import annotations

import functools

from .. import _core

__all__ = ["binomial_limits", "normal_quantile", "student_quantile"]


@functools.lru_cache(maxsize=256)
def normal_quantile(probability: float) -> float:
    """Returns the value below which a share of the standard normal distribution lies, from 0.5 to less than 1."""
    return _core.normal_quantile(probability)


@functools.lru_cache(maxsize=256)
def student_quantile(probability: float, freedom: int) -> float:
    """Returns the value below which a share of Student's t distribution lies.

    Args:
        probability: The share, from 0.5 to less than 1.
        freedom: Degrees of freedom, 1 or more.
    """
    return _core.student_quantile(probability, freedom)


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
    return _core.binomial_limits(trials, share, level)

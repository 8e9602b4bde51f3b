"""What techniques save alone, in pairs and together, with intervals over seeds, so that noise is not called synergy.

Everything is in logarithms of a time, where gains that know nothing of each other add up: with T the time of a
combination, `ln T(none) - ln T(A)` is the gain of A, and A and B interact by

    ln T(A) + ln T(B) - ln T(none) - ln T(A+B)

which is above 0 where both together save more than the product of their gains. Every seed gives such a number from runs
of the same requests on the same cells; their mean stands in an interval of Student's t.
"""

from __future__ import annotations

import functools
import itertools
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from .plan import ALL, NONE, Subset

__all__ = ["CONFIDENCE", "Effect", "alone", "interaction", "last", "pairs", "ratio", "together", "unexplained"]

# Of all the intervals of a table one in a hundred misses by chance.
CONFIDENCE = 0.99

Times = Mapping[Subset, Sequence[float]]
"""A time of each combination by seed, all in the same order of seeds."""


@dataclass(frozen=True)
class Effect:
    """By what factor a time is shorter, mean over seeds, with its interval; where there is one seed up to infinity.

    Attributes:
        factor: The mean.
        low: Lower end of the interval.
        high: Upper end of the interval.
        sure: Whether the interval leaves out 1.
    """

    factor: float
    low: float
    high: float
    sure: bool

    def __str__(self) -> str:
        interval = f" ({self.low:.2f} to {self.high:.2f})" if self.high < math.inf else ""
        return f"{self.factor:.2f}{interval}"


def combine(times: Times, signs: Mapping[Subset, int]) -> Effect:
    """A signed sum of logarithms, by seed."""
    logs = [[sign * math.log(time) for time in times[subset]] for subset, sign in signs.items()]
    return effect([sum(of_seed) for of_seed in zip(*logs, strict=True)])


def effect(values: Sequence[float]) -> Effect:
    """Mean and interval of some natural logarithms."""
    mean, half = statistics.fmean(values), math.inf
    if len(values) > 1:
        half = student(len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))
    return Effect(math.exp(mean), math.exp(mean - half), math.exp(mean + half), abs(mean) > half)


def ratio(pairs: Sequence[tuple[float, float]]) -> Effect:
    """By what factor the first of two times is longer than the second, by seed."""
    return effect([math.log(slow) - math.log(fast) for slow, fast in pairs])


def alone(times: Times, name: str) -> Effect:
    """What a technique saves where no other is on."""
    return combine(times, {NONE: 1, (name,): -1})


def last(times: Times, name: str) -> Effect:
    """What a technique saves where all others are on."""
    return combine(times, {without(name): 1, ALL: -1})


def together(times: Times) -> Effect:
    """What all save."""
    return combine(times, {NONE: 1, ALL: -1})


def unexplained(times: Times) -> Effect:
    """What all save beyond the product of what each saves alone; below 0 where gains cancel."""
    logs = [
        math.log(none) - math.log(every) - sum(math.log(none) - math.log(one) for one in ones)
        for none, every, *ones in zip(times[NONE], times[ALL], *(times[(name,)] for name in ALL), strict=True)
    ]
    return effect(logs)


def interaction(times: Times, pair: tuple[str, str], others: Subset = NONE) -> Effect:
    """What two techniques save beyond the product of what each saves, where some others are on."""
    on = [ordered((*others, *some)) for some in ((), (pair[0],), (pair[1],), pair)]
    return combine(times, dict(zip(on, (-1, 1, 1, -1), strict=True)))


def pairs() -> list[tuple[str, str]]:
    """All pairs of techniques."""
    return list(itertools.combinations(ALL, 2))


def without(name: str) -> Subset:
    """All techniques but one."""
    return tuple(other for other in ALL if other != name)


def ordered(names: Sequence[str]) -> Subset:
    """Techniques in their usual order."""
    return tuple(name for name in ALL if name in names)


@functools.cache
def student(freedom: int, confidence: float = CONFIDENCE) -> float:
    """Student's t: a variable of so many degrees of freedom lies within plus and minus this with that probability."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    return bisect(
        lambda t: integral(lambda x: 2 * scale * (1 + x * x / freedom) ** (-(freedom + 1) / 2), t), confidence
    )


def integral(function: Callable[[float], float], end: float, parts: int = 400) -> float:
    """From 0 to `end`, by Simpson's rule."""
    step = end / parts
    weights = (4 if i % 2 else 2 for i in range(1, parts))
    middle = sum(weight * function(i * step) for i, weight in enumerate(weights, 1))
    return (function(0.0) + middle + function(end)) * step / 3


def bisect(rising: Callable[[float], float], wanted: float) -> float:
    """Where a rising function has a value."""
    low, high = 0.0, 1.0
    while rising(high) < wanted:
        high *= 2
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < wanted else (low, middle)
    return high

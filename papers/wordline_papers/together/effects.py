"""Savings of techniques alone, in pairs and together, with intervals over seeds, so that noise is not called synergy.

All values are logarithms of a time, so that independent gains add up. With T the time of a combination, `ln T(none) -
ln T(A)` is the gain of A, and A and B interact by

    ln T(A) + ln T(B) - ln T(none) - ln T(A+B)

which is above 0 if both together save more than the product of their gains. Every seed gives such a number from runs of
the same requests on the same cells; their mean has an interval of Student's t.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wordline.stats.seeds import mean_interval

from .plan import ALL, NONE, Subset

# One in a hundred of all the intervals of a table misses by chance.
CONFIDENCE = 0.99

Times = Mapping[Subset, Sequence[float]]
"""Times of each combination by seed, all in the same order of seeds."""


@dataclass(frozen=True)
class Effect:
    """The factor by which a time is shorter, mean over seeds, with its interval; infinite for a single seed.

    Attributes:
        factor: The mean.
        low: Lower end of the interval.
        high: Upper end of the interval.
        sure: Whether the interval excludes 1.
    """

    factor: float
    low: float
    high: float
    sure: bool

    def __str__(self) -> str:
        interval = f" ({self.low:.2f} to {self.high:.2f})" if self.high < math.inf else ""
        return f"{self.factor:.2f}{interval}"


def combine(times: Times, signs: Mapping[Subset, int]) -> Effect:
    """Returns a signed sum of logarithms, by seed."""
    logs = [[sign * math.log(time) for time in times[subset]] for subset, sign in signs.items()]
    return effect([sum(of_seed) for of_seed in zip(*logs, strict=True)])


def effect(values: Sequence[float]) -> Effect:
    """Returns mean and interval of some natural logarithms."""
    mean, low, high = mean_interval(values, CONFIDENCE)
    if low is None or high is None:
        low, high = -math.inf, math.inf
    return Effect(math.exp(mean), math.exp(low), math.exp(high), low > 0.0 or high < 0.0)


def ratio(pairs: Sequence[tuple[float, float]]) -> Effect:
    """Returns the factor by which the first of two times is longer than the second, by seed."""
    return effect([math.log(slow) - math.log(fast) for slow, fast in pairs])


def alone(times: Times, name: str) -> Effect:
    """Returns the saving of a technique with no other on."""
    return combine(times, {NONE: 1, (name,): -1})


def last(times: Times, name: str) -> Effect:
    """Returns the saving of a technique with all others on."""
    return combine(times, {without(name): 1, ALL: -1})


def together(times: Times) -> Effect:
    """Returns the saving of all."""
    return combine(times, {NONE: 1, ALL: -1})


def unexplained(times: Times) -> Effect:
    """Returns the saving of all beyond the product of the single savings; below 0 if gains cancel."""
    logs = [
        math.log(none) - math.log(every) - sum(math.log(none) - math.log(one) for one in ones)
        for none, every, *ones in zip(times[NONE], times[ALL], *(times[(name,)] for name in ALL), strict=True)
    ]
    return effect(logs)


def interaction(times: Times, pair: tuple[str, str], others: Subset = NONE) -> Effect:
    """Returns the saving of two techniques beyond the product of the single savings, with some others on."""
    return combine(times, dict(zip(four(pair, others), (-1, 1, 1, -1), strict=True)))


def four(pair: tuple[str, str], others: Subset = NONE) -> list[Subset]:
    """Returns the combinations without both, with each of the two, and with both."""
    return [ordered((*others, *some)) for some in ((), (pair[0],), (pair[1],), pair)]


def pairs() -> list[tuple[str, str]]:
    """Returns all pairs of techniques."""
    return list(itertools.combinations(ALL, 2))


def without(name: str) -> Subset:
    """Returns all techniques except one."""
    return tuple(other for other in ALL if other != name)


def ordered(names: Sequence[str]) -> Subset:
    """Returns techniques in their usual order."""
    return tuple(name for name in ALL if name in names)

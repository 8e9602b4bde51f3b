"""The interval of a ratio of two sums over batches of one long run.

A mean response time is a sum of times over a count of requests, write amplification is bytes over bytes, IOPS is
requests over time. The residuals of the batches give the ratio's variance (Cochran, Sampling Techniques, section 6.4).

Batches of one run depend on each other: a queue that is long stays long, and after a batch in which garbage collection
moved much comes one in which it moves little. How much the sum of all batches varies is told by their slow changes
alone, the spectrum of the residuals at frequency 0 (Heidelberger and Welch, CACM 24(4), 1981). The mean of the
periodogram at the lowest frequencies estimates it; each frequency gives two degrees of freedom of Student's t (Lazarus,
Lewis, Stock and Watson, Journal of Business and Economic Statistics 36(4), 2018).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .._core import waves
from .distributions import student_quantile
from .interval import LEVEL, Interval

__all__ = ["BATCHES_MIN", "Estimate", "independent", "interval_from", "long_run", "ratio_interval"]

# Fewer batches do not show their spread (Schmeiser 1982 recommends 10 to 30).
BATCHES_MIN = 8
FREQUENCIES = 3
"""One, two and three periods over the run. Under garbage collection faster changes are larger, and more of them make
intervals too wide; fewer leave too few degrees of freedom."""
# Sums of equal values differ by less than this share of them.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Estimate:
    """A ratio, and how certain it is.

    Attributes:
        value: Sum over sum.
        variance: Of the ratio.
        freedom: Degrees of freedom of the variance.
        batches: Number of batches.
        shift: How far the ratio would be from `value` if the run had ended in the state in which it began.
        waves: How the batches change slowly, see `_core.waves`; the variance is the mean of their squares.
    """

    value: float
    variance: float
    freedom: int
    batches: int
    shift: float = 0.0
    waves: tuple[float, ...] = ()


def ratio_interval(
    above: Sequence[float],
    below: Sequence[float],
    level: float = LEVEL,
    *,
    places: Sequence[float] | None = None,
    state: Sequence[float] | None = None,
) -> Interval | None:
    """Returns the interval of sum(above) / sum(below); None if there are too few batches; see `long_run`."""
    estimate = long_run(above, below, places=places, state=state)
    return None if estimate is None else interval_from(estimate, level)


def interval_from(estimate: Estimate, level: float = LEVEL) -> Interval:
    """Returns the interval of an estimate. It is around the shifted ratio, and holds the ratio itself."""
    value = estimate.value
    half = student_quantile((1.0 + level) / 2.0, estimate.freedom) * math.sqrt(estimate.variance)
    if half <= ROUNDING * abs(value):
        # All batches are equal; what is left comes from the sums.
        half = 0.0
    middle = value + estimate.shift
    low, high = min(value, middle - half), max(value, middle + half)
    return Interval(value, low, high, "batches", estimate.batches, estimate.waves)


def long_run(
    above: Sequence[float],
    below: Sequence[float],
    *,
    places: Sequence[float] | None = None,
    frequencies: int = FREQUENCIES,
    state: Sequence[float] | None = None,
) -> Estimate | None:
    """Returns the ratio of a run's sums and its variance; None if there are too few batches.

    Args:
        above: What the sum above the line has from each batch.
        below: What the sum below has.
        places: Where each batch lies in the run, from 0 to 1; evenly by default.
        frequencies: How many periodogram values make the variance.
        state: By how much a state of the SSD changes in each batch that in the long run stays as it is. What follows
            from it is taken from the batches: it is a control variate (Lavenberg and Welch, Management Science 27(3),
            1981).
    """
    ratio = _residuals(above, below)
    if ratio is None:
        return None
    value, residuals = ratio
    shift = 0.0
    if state is not None:
        residuals, shift = _controlled(residuals, state)
    count = len(residuals)
    where = [(place + 0.5) / count for place in range(count)] if places is None else list(places)
    found = waves(residuals, where, min(frequencies, (count - 1) // 2))
    scaled = tuple(math.sqrt(2.0) * each for each in found)
    variance = math.fsum(each * each for each in scaled) / len(scaled)
    return Estimate(value, variance, len(scaled), count, shift, scaled)


def independent(above: Sequence[float], below: Sequence[float]) -> Estimate | None:
    """Returns the ratio of the sums of independent batches, as seeds are; None if there are too few."""
    ratio = _residuals(above, below)
    if ratio is None:
        return None
    value, residuals = ratio
    count = len(residuals)
    variance = math.fsum(each * each for each in residuals) * count / (count - 1)
    return Estimate(value, variance, count - 1, count)


def _residuals(above: Sequence[float], below: Sequence[float]) -> tuple[float, list[float]] | None:
    """Returns the ratio, and by how much each batch moves it."""
    whole = math.fsum(below)
    if whole <= 0 or sum(1 for x in below if x > 0) < BATCHES_MIN:
        return None
    value = math.fsum(above) / whole
    return value, [(y - value * x) / whole for y, x in zip(above, below, strict=True)]


def _controlled(residuals: Sequence[float], state: Sequence[float]) -> tuple[list[float], float]:
    """Returns residuals without what a change of state explains, and by how much the whole change moves the ratio."""
    mean = math.fsum(state) / len(state)
    changes = [each - mean for each in state]
    squares = math.fsum(each * each for each in changes)
    if squares <= 0:
        return list(residuals), 0.0
    slope = math.fsum(change * each for change, each in zip(changes, residuals, strict=True)) / squares
    left = [each - slope * change for change, each in zip(changes, residuals, strict=True)]
    return left, -slope * math.fsum(state)

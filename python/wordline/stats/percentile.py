"""The interval of a percentile: order statistics of an equivalent number of independent samples.

If response times were independent, the count of those beyond a percentile would be binomial, and two order statistics
would enclose the percentile. Requests that queue together are not independent. So the variance of the count over
batches gives the equivalent number of independent samples (Woodruff, JASA 47, 1952; Korn and Graubard, Survey
Methodology 24, 1998). If the batches vary no more than independent samples would, the result is the order statistics
themselves.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from .distributions import binomial_limits, normal_quantile, student_quantile
from .interval import LEVEL, Interval
from .ratio import Estimate, long_run

__all__ = ["Histogram", "percentile_interval"]

CLUSTERED = 1.5
"""Values count as clustered if they are worth fewer independent ones by this factor."""
FREQUENCIES = 8
"""Of the periodogram of a count. Few requests lie beyond a percentile, so that it takes more than that of a mean."""
BEYOND_MIN = 6
"""Fewest independent values beyond a percentile of clustered ones that give it an interval."""


@dataclass(frozen=True)
class Histogram:
    """Response times by bin, in order.

    Attributes:
        upper: Largest value of each bin.
        count: Number of values in each bin.
    """

    upper: Sequence[float]
    count: Sequence[int]

    def __post_init__(self) -> None:
        object.__setattr__(self, "_up_to", list(accumulate(self.count)))

    @property
    def total(self) -> int:
        """Number of all values."""
        return self._up_to[-1] if self._up_to else 0  # type: ignore[attr-defined]

    def at(self, share: float) -> float:
        """Returns the value up to which a share of all values lies."""
        # Rounded first: a product that should be whole may be a little more.
        rank = max(1, math.ceil(round(share * self.total, 6)))
        return self.upper[bisect.bisect_left(self._up_to, rank)]  # type: ignore[attr-defined]

    def with_beyond(self, beyond: float) -> float | None:
        """Returns the value that `beyond` values exceed; None if there are not as many."""
        rank = self.total - beyond
        place = bisect.bisect_left(self._up_to, rank)  # type: ignore[attr-defined]
        return self.upper[place] if rank > 0 and place < len(self.upper) else None


def percentile_interval(
    value: float,
    share: float,
    histogram: Histogram,
    beyond: Sequence[int],
    samples: Sequence[int],
    level: float = LEVEL,
    *,
    places: Sequence[float] | None = None,
    estimate: Estimate | None = None,
) -> Interval | None:
    """Returns the interval of a percentile of one long run; None if it has too few batches.

    Args:
        value: The percentile, as measured.
        share: Share of values up to it, such as 0.99.
        histogram: All values.
        beyond: Number of values beyond it, for each batch.
        samples: Number of all values, for each batch.
        level: For example 0.95.
        places: Where each batch lies in the run, see `long_run`.
        estimate: Of the share beyond it, if the batches are others than those of one run.
    """
    if estimate is None:
        estimate = long_run(beyond, samples, places=places, frequencies=FREQUENCIES)
    if estimate is None:
        return None
    total = histogram.total
    independent = share * (1.0 - share) / total
    # This many independent samples would vary as much; some are subtracted because the variance is an estimate.
    quantile = (1.0 + level) / 2.0
    doubt = student_quantile(quantile, estimate.freedom) / normal_quantile(quantile)
    worth = total / max(1.0, estimate.variance * doubt * doubt / independent)
    if total > CLUSTERED * worth and worth * (1.0 - share) < BEYOND_MIN:
        # Those beyond it come in a few clusters, too few to tell how many there are.
        return Interval(value, None, None, "batches", estimate.batches)
    fewest, most = binomial_limits(worth, 1.0 - share, level)
    scale = total / worth
    high = histogram.with_beyond(fewest * scale) if fewest >= 0 else None
    low = histogram.with_beyond(most * scale)
    return Interval(
        value,
        None if low is None else min(low, value),
        None if high is None else max(high, value),
        "batches",
        estimate.batches,
        estimate.waves,
    )

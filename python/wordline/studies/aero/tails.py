"""Tail latencies of reads in the SSD runs, the savings of a scheme, and their certainty."""

from __future__ import annotations

import functools
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...stats.interval import Interval
from .. import Outcome, Part, Results
from ..claims import Estimated

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

PERCENTILES = {"p999": 0.999, "p9999": 0.9999, "p999999": 0.999999}
LAST = "p999999"
# Number of reads with ten beyond the 99.9999th percentile.
ENOUGH_READS = 10_000_000
# Bootstrap: number of resamples, and the confidence of their interval.
ROUNDS = 300
INTERVAL = (2.5, 97.5)
SEED = 20240427


@dataclass(frozen=True)
class Tail:
    """The slowest reads of a run: the upper ends of their bins, us, slowest first, and the number of reads in each."""

    upper_us: Floats
    counts: Floats
    reads: int

    def percentile_us(self, share: float) -> float:
        """Returns the response time that this share of the reads does not exceed, us."""
        return float(self._at(self.counts[None, :], share)[0])

    def resampled_us(self, share: float, random: np.random.Generator) -> Floats:
        """Returns the percentile in Poisson resamples of the reads: each read occurs 0, 1, 2 … times, 1 on average."""
        return self._at(random.poisson(self.counts, (ROUNDS, len(self.counts))), share)

    def _at(self, counts: Any, share: float) -> Floats:  # noqa: ANN401 - an array of numbers
        import numpy as np

        slower = np.cumsum(counts, axis=1)
        # The first bin from the top at which the slow reads exceed the share.
        places = np.argmax(slower > self.reads * (1.0 - share) * (1.0 + 1e-9), axis=1)
        found: Floats = self.upper_us[places]
        return found


def tail_of(outcome: Outcome, share: float = 0.99) -> Tail:
    """Returns the slowest reads of a run, beyond a share of all."""
    import numpy as np

    if outcome.result is None:
        raise KeyError(f"{outcome.point} is no run")
    bins = outcome.result.arrays("bins")
    is_read = bins["op"] == "read"
    upper = bins["upper_ns"][is_read][::-1] / 1000.0
    # The last bin ends beyond the slowest read.
    upper = np.minimum(upper, outcome["response_us.read.max"])
    counts = bins["count"][is_read][::-1].astype(np.float64)
    total = int(counts.sum())
    keep = int(np.argmax(np.cumsum(counts) > total * (1.0 - share))) + 1
    return Tail(upper[:keep], counts[:keep], total)


@dataclass(frozen=True)
class Saving:
    """The saving of a scheme in a percentile, as a share of the other's: over workloads, with a 95 % interval."""

    mean: float
    low: float
    high: float

    def estimated(self, value: float, note: str = "") -> Estimated:
        """Returns it as the measurement of a claim whose value the figure has computed from its rows."""
        return Estimated(value, note=note, interval=Interval(value, self.low, self.high, "resamples of one seed", 1))

    def turned(self) -> Saving:
        """Returns it as a cost: what is saved is a negative cost."""
        return Saving(-self.mean, -self.high, -self.low)


def average(savings: Sequence[Saving]) -> Saving:
    """Returns the mean of savings of independent runs; the sides of its interval add as errors do."""
    count, mean = len(savings), statistics.fmean(its.mean for its in savings)
    below, above = (
        math.hypot(*sides) / count
        for sides in zip(*((its.mean - its.low, its.high - its.mean) for its in savings), strict=True)
    )
    return Saving(mean, mean - below, mean + above)


def saving(pairs: Sequence[tuple[Tail, Tail]], share: float) -> Saving:
    """Returns the mean saving over pairs of (baseline, scheme), one per workload, with a bootstrap interval.

    Reads behind one erase are late together, but the bootstrap resamples single reads: the interval is a lower bound.
    """
    import numpy as np

    random = np.random.default_rng(SEED)
    means = [1.0 - after.percentile_us(share) / before.percentile_us(share) for before, after in pairs]
    rounds = np.mean(
        [1.0 - after.resampled_us(share, random) / before.resampled_us(share, random) for before, after in pairs],
        axis=0,
    )
    low, high = np.percentile(rounds, INTERVAL)
    return Saving(float(np.mean(means)), float(low), float(high))


class Runs:
    """The runs of a part, by workload, scheme and age; see `runs`."""

    def __init__(self, outcomes: Results) -> None:
        self.by_place = {tuple(o.coordinates[name] for name in ("trace", "scheme", "pec")): o for o in outcomes}
        self.workloads = list(dict.fromkeys(place[0] for place in self.by_place))

    @functools.cache  # noqa: B019 - lives as long as the study
    def tail(self, workload: str, scheme: str, pec: int) -> Tail:
        """Returns the slowest reads of a run."""
        return tail_of(self.by_place[workload, scheme, pec])

    def has(self, scheme: str, pec: int) -> bool:
        """Returns True if this scheme was run at this age."""
        return any((workload, scheme, pec) in self.by_place for workload in self.workloads)

    def geomean(self, path: str, scheme: str, pec: int) -> float:
        """Returns a number over Baseline's, geometric mean over the workloads, as in Table 4."""
        places = ((self.by_place[name, scheme, pec], self.by_place[name, "ispe", pec]) for name in self.workloads)
        return statistics.geometric_mean(ours[path] / base[path] for ours, base in places)

    @functools.cache  # noqa: B019 - lives as long as the study
    def saved(self, percentile: str, scheme: str, pec: int, before: Runs | None = None, over: str = "ispe") -> Saving:
        """Returns the saving of a scheme over another, here or in the runs `before`, over the workloads."""
        pairs = [((before or self).tail(name, over, pec), self.tail(name, scheme, pec)) for name in self.workloads]
        return saving(pairs, PERCENTILES[percentile])

    def fewest_reads(self, scheme: str, pec: int) -> int:
        """Returns the reads of the point with the fewest, among workloads with at least half reads."""
        own = [self.by_place[workload, scheme, pec] for workload in self.workloads]
        counts = [o["requests.read"] for o in own if o["requests.read"] * 2 >= o["requests.all"]]
        return int(min(counts, default=0))

    def shortage(self, percentile: str, scheme: str, pec: int) -> str:
        """Returns a note if the reads were not enough for a percentile, else nothing."""
        reads = self.fewest_reads(scheme, pec)
        return f"{reads:,} reads a point are too few for it" if percentile == LAST and reads < ENOUGH_READS else ""


@functools.lru_cache(maxsize=16)
def runs(results: Results, part: Part, rate: float | None = None) -> Runs:
    """Returns the runs of a part, of one that has several rates of mispredictions those at one; reads each once."""
    return Runs(part.of(results, {} if rate is None else {"erase.mispredict_rate": rate}))

"""Tail latencies of reads in the SSD runs, the savings of a scheme, and their certainty."""

from __future__ import annotations

import functools
import math
import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wordline.stats.interval import Interval
from wordline.stats.seeds import mean_interval

from .. import Outcome, Part, Results
from ..claims import Estimated, all_claims
from ..figure import grouped

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

PERCENTILES = {"p999": 0.999, "p9999": 0.9999, "p999999": 0.999999}
LAST = "p999999"
# Number of reads with ten beyond the 99.9999th percentile.
ENOUGH_READS = 10_000_000
# A percentile with fewer reads beyond it is not decided by counting.
ENOUGH_BEYOND = 10
# The ids of claims about the 99.9999th percentile.
OF_LAST = re.compile(r"aero\.fig14\.(.*\.)?p999999(\.|$)|aero\.fig15\.|aero\.fig16\.(cons\.)?tail$|aero\.fig16\.cost\.")
# Bootstrap: number of resamples, and the confidence of their interval.
ROUNDS = 1_000
INTERVAL = (2.5, 97.5)
SEED = 20240427


@dataclass(frozen=True)
class Tail:
    """The slowest reads of the runs of some seeds, all seeds together.

    Attributes:
        upper_us: The upper ends of their bins, us, slowest first.
        counts: The number of reads in each, by seed.
        reads: The number of all reads, by seed.
    """

    upper_us: Floats
    counts: Floats
    reads: Floats

    def percentile_us(self, share: float) -> float:
        """Returns the response time that this share of the reads does not exceed, us."""
        import numpy as np

        return float(self.resampled_us(share, np.ones((1, len(self.reads))))[0])

    def resampled_us(self, share: float, weights: Floats) -> Floats:
        """Returns the percentile in resamples of the seeds, of which row i has seed j `weights[i, j]` times."""
        import numpy as np

        slower = np.cumsum(weights @ self.counts, axis=1)
        most = (weights @ self.reads) * (1.0 - share) * (1.0 + 1e-9)
        # The first bin from the top at which the slow reads exceed the share.
        quantiles_us: Floats = self.upper_us[np.argmax(slower > most[:, None], axis=1)]
        return quantiles_us


def too_few(reads: int) -> dict[str, str]:
    """Returns the claims whose percentile has too few reads beyond it, with the reason; a point has as many reads."""
    beyond = reads * (1.0 - PERCENTILES[LAST])
    if round(beyond) >= ENOUGH_BEYOND:
        return {}
    why = f"{reads:,} reads a point have {beyond:.0f} beyond the 99.9999th percentile, fewer than {ENOUGH_BEYOND}"
    return {
        name: f"{why}, and the runs have no estimate from their erases" for name in all_claims() if OF_LAST.match(name)
    }


def tail_of(outcomes: Sequence[Outcome], share: float = 0.99) -> Tail:
    """Returns the slowest reads of runs that differ in their seed, beyond a share of each run's."""
    import numpy as np

    bins = [slowest(outcome, share) for outcome in outcomes]
    upper = np.unique(np.concatenate([ends for ends, _, _ in bins]))[::-1]
    counts = np.zeros((len(bins), len(upper)))
    for row, (ends, of_bin, _) in zip(counts, bins, strict=True):
        # Two bins of a run may end at its slowest read.
        np.add.at(row, len(upper) - 1 - np.searchsorted(upper[::-1], ends), of_bin)
    return Tail(upper, counts, np.array([reads for _, _, reads in bins], np.float64))


def slowest(outcome: Outcome, share: float) -> tuple[Floats, Floats, int]:
    """Returns the bins of a run's slowest reads, slowest first: upper ends, us, and counts; and the number of reads."""
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
    return upper[:keep], counts[:keep], total


@dataclass(frozen=True)
class Saving:
    """The saving of a scheme in a percentile, as a share of the other's, over workloads.

    Attributes:
        mean: The mean over the workloads.
        low: Lower end of its 95 % interval; None for one seed.
        high: Upper end.
        seeds: Number of seeds.
    """

    mean: float
    low: float | None = None
    high: float | None = None
    seeds: int = 1

    def estimated(self, value: float, note: str = "") -> Estimated:
        """Returns it as the measurement of a claim whose value the figure has computed from its rows."""
        if self.low is None:
            return Estimated(value, note=note)
        return Estimated(value, note=note, interval=Interval(value, self.low, self.high, "resampled seeds", self.seeds))

    def turned(self) -> Saving:
        """Returns it as a cost: what is saved is a negative cost."""
        low, high = (None if end is None else -end for end in (self.high, self.low))
        return Saving(-self.mean, low, high, self.seeds)

    def over(self) -> tuple[float, float | None, float | None]:
        """Returns what is left, as a share of the other's: its mean and interval."""
        low, high = (None if end is None else 1.0 - end for end in (self.high, self.low))
        return 1.0 - self.mean, low, high


def average(savings: Sequence[Saving]) -> Saving:
    """Returns the mean of savings of independent runs; the sides of its interval add as errors do."""
    count, mean = len(savings), statistics.fmean(one_saving.mean for one_saving in savings)
    sides = [
        (one_saving.mean - one_saving.low, one_saving.high - one_saving.mean)
        for one_saving in savings
        if one_saving.low is not None and one_saving.high is not None
    ]
    if len(sides) < count:
        return Saving(mean)
    below, above = (math.hypot(*side) / count for side in zip(*sides, strict=True))
    return Saving(mean, mean - below, mean + above, savings[0].seeds)


def saving(pairs: Sequence[tuple[Tail, Tail]], share: float) -> Saving:
    """Returns the mean saving over pairs of (baseline, scheme), one per workload, with a bootstrap interval.

    Reads behind one erase are late together, so whole seeds are resampled: those of each workload by themselves, and
    the same ones for baseline and scheme, which have the same requests. Resamples of n seeds vary less than n seeds do,
    by (n - 1) / n, so the sides of the interval are widened by the root of it.
    """
    import numpy as np

    mean = statistics.fmean(1.0 - after.percentile_us(share) / before.percentile_us(share) for before, after in pairs)
    seeds = len(pairs[0][0].reads)
    if seeds < 2:
        return Saving(mean)
    random = np.random.default_rng(SEED)
    rounds = np.zeros(ROUNDS)
    for before, after in pairs:
        weights = random.multinomial(seeds, np.full(seeds, 1.0 / seeds), ROUNDS).astype(np.float64)
        rounds += 1.0 - after.resampled_us(share, weights) / before.resampled_us(share, weights)
    low, high = np.percentile(rounds / len(pairs), INTERVAL)
    wider = math.sqrt(seeds / (seeds - 1))
    return Saving(mean, mean - wider * max(mean - low, 0.0), mean + wider * max(high - mean, 0.0), seeds)


class Runs:
    """The runs of a part, by workload, scheme and age, for each the runs of its seeds; see `runs`."""

    def __init__(self, outcomes: Results) -> None:
        self.by_place = grouped(outcomes, lambda o: tuple(o.coordinates[name] for name in ("trace", "scheme", "pec")))
        self.workloads = list(dict.fromkeys(place[0] for place in self.by_place))

    @functools.cache  # noqa: B019 - lives as long as the study
    def tail(self, workload: str, scheme: str, pec: int, seeds: int | None = None) -> Tail:
        """Returns the slowest reads of the runs of the first seeds; None: of all."""
        return tail_of(self.by_place[workload, scheme, pec][:seeds])

    def has(self, scheme: str, pec: int) -> bool:
        """Returns True if this scheme was run at this age."""
        return any((workload, scheme, pec) in self.by_place for workload in self.workloads)

    def geomean(self, path: str, scheme: str, pec: int) -> Interval:
        """Returns a number over Baseline's, as in Table 4: geometric mean over the workloads, mean over the seeds."""
        by_workload = [
            [ours[path] / base[path] for ours, base in zip(*places, strict=True)]
            for name in self.workloads
            for places in [[self.by_place[name, each, pec] for each in (scheme, "ispe")]]
        ]
        by_seed = [statistics.geometric_mean(ratios) for ratios in zip(*by_workload, strict=True)]
        return Interval(*mean_interval(by_seed), "seeds", len(by_seed))

    @functools.cache  # noqa: B019 - lives as long as the study
    def saved(self, percentile: str, scheme: str, pec: int, before: Runs | None = None, over: str = "ispe") -> Saving:
        """Returns the saving of a scheme over another, here or in the runs `before`, over the workloads."""
        base = before or self
        # What no claim needs has fewer seeds: the same ones count on both sides.
        seeds = min(len(ways.by_place[self.workloads[0], each, pec]) for ways, each in ((base, over), (self, scheme)))
        pairs = [(base.tail(name, over, pec, seeds), self.tail(name, scheme, pec, seeds)) for name in self.workloads]
        return saving(pairs, PERCENTILES[percentile])

    def fewest_reads(self, scheme: str, pec: int) -> int:
        """Returns the reads of all seeds under the workload with the fewest, of those with at least half reads."""
        counts = [
            [sum(o[f"requests.{op}"] for o in self.by_place[workload, scheme, pec]) for op in ("read", "all")]
            for workload in self.workloads
        ]
        return int(min((reads for reads, every in counts if reads * 2 >= every), default=0))

    def shortage(self, percentile: str, scheme: str, pec: int) -> str:
        """Returns a note if the reads were not enough for a percentile, else nothing."""
        reads = self.fewest_reads(scheme, pec)
        return f"{reads:,} reads a point are too few for it" if percentile == LAST and reads < ENOUGH_READS else ""


@functools.lru_cache(maxsize=16)
def runs(results: Results, part: Part, rate: float | None = None) -> Runs:
    """Returns the runs of a part, of one that has several rates of mispredictions those at one; reads each once."""
    return Runs(part.of(results, {} if rate is None else {"erase.mispredict_rate": rate}))

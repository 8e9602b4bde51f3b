"""Tail latencies of reads, what a scheme saves of them, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import Outcome

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

PERCENTILES = {"p999": 0.999, "p9999": 0.9999, "p999999": 0.999999}
# Bootstrap: resamples, and the interval that they give.
ROUNDS = 300
INTERVAL = (2.5, 97.5)
SEED = 20240427


@dataclass(frozen=True)
class Tail:
    """The slowest reads of a run: the upper ends of their bins, us, from the slowest down, and how many are in each."""

    upper_us: Floats
    counts: Floats
    reads: int

    def percentile_us(self, share: float) -> float:
        """The response time that this share of the reads does not exceed, us."""
        return float(self._at(self.counts[None, :], share)[0])

    def resampled_us(self, share: float, random: np.random.Generator) -> Floats:
        """The percentile in Poisson resamples of the reads: each read comes 0, 1, 2 … times, 1 on average."""
        return self._at(random.poisson(self.counts, (ROUNDS, len(self.counts))), share)

    def _at(self, counts: Any, share: float) -> Floats:  # noqa: ANN401 - an array of numbers
        import numpy as np

        slower = np.cumsum(counts, axis=1)
        # The first bin from the top with which more reads are as slow as the share leaves out.
        places = np.argmax(slower > self.reads * (1.0 - share) * (1.0 + 1e-9), axis=1)
        found: Floats = self.upper_us[places]
        return found


def tail_of(outcome: Outcome, share: float = 0.99) -> Tail:
    """The reads of a run beyond a share of them."""
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
    """What a scheme saves of a percentile, as a share of the other's: over workloads, with a 95 % interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"95 % interval {self.low:.3f} to {self.high:.3f}"


def saving(pairs: Sequence[tuple[Tail, Tail]], share: float) -> Saving:
    """The mean saving over pairs of (baseline, scheme), one a workload; the interval is by bootstrap of the reads.

    Reads behind one erase are late together, which a bootstrap of single reads does not see: the interval is the least.
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

"""What reads wait for: the tail of waits from the log of operations that hold a die.

A read that arrives while its die is held waits for what is left of the operation. Operations are known one by one, with
their lengths; which reads meet them is chance. So the expected number of reads that wait longer than t for operations
of length L is the sum of r (L - t) over those with L > t, where r is the rate at which reads come to the die at that
time. Over the number of reads this is the tail, also where few reads or none were so late.

Arrivals must be open: a host that waits for its reads sends none while it waits.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from .interval import Interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["Holds", "Waits", "waits_of"]

NEAR_NS = 100_000_000
"""The rate of reads is taken over so much time before and after an operation."""
BATCHES, ROUNDS, SEED = 20, 1_000, 20240427
"""The interval is from resamples of so many stretches of the run."""
LEVELS = (2.5, 97.5)
GRID = 2_048
BACKLOG_MAX = 0.9
"""Reads that wait for the same operation keep the die busy for this share of its time at most."""


@dataclass(frozen=True, slots=True)
class Holds:
    """Stretches of time in which a die cannot serve a read that arrives.

    Attributes:
        start_ns: When each begins.
        length_ns: The longest wait: that of a read which arrives as it begins.
        span_ns: Reads that arrive within this time all wait for `length_ns`, as where each stops the operation; 0: a
            read waits until the stretch ends.
        cause: What holds the die.
    """

    start_ns: Floats
    length_ns: Floats
    span_ns: Floats
    cause: NDArray[Any]

    @classmethod
    def joined(cls, *parts: Holds) -> Holds:
        """Returns all of some stretches."""
        import numpy as np

        return cls(*(np.concatenate([getattr(part, each.name) for part in parts]) for each in fields(cls)))


@dataclass(frozen=True, slots=True)
class Waits:
    """The expected waits of a run's reads.

    Attributes:
        reads: Number of reads.
        length_ns: See `Holds`; longest first.
        span_ns: See `Holds`.
        rate: Reads a ns that come to the die of each.
        batch: The stretch of the run in which each begins, of `BATCHES`.
        cause: See `Holds`.
    """

    reads: int
    length_ns: Floats
    span_ns: Floats
    rate: Floats
    batch: NDArray[Any]
    cause: NDArray[Any]

    def of(self, cause: str) -> Waits:
        """Returns the waits for one cause alone."""
        return self._some(self.cause == cause)

    def beyond(self, wait_us: float) -> Interval:
        """Returns the expected share of the reads that wait longer, with its interval."""
        import numpy as np

        late = self._late(np.array([1000.0 * wait_us]))[:, 0] / self.reads
        return _interval(float(late.sum()), _weights() @ late)

    def mean_us(self) -> float:
        """Returns the mean wait of those that wait."""
        import numpy as np

        ramp = self.span_ns == 0
        met = np.sum(self.rate * np.where(ramp, self.length_ns, self.span_ns))
        waited = np.sum(self.rate * self.length_ns * np.where(ramp, self.length_ns / 2.0, self.span_ns))
        return float(waited / met) / 1000.0 if met else 0.0

    def percentiles_us(self, *shares: float) -> list[Interval]:
        """Returns the waits that these shares of the reads do not exceed, us; 0 if that many do not wait at all."""
        import numpy as np

        grid_ns = np.linspace(0.0, self.length_ns[0] if len(self.length_ns) else 1.0, GRID)
        late = self._late(grid_ns)
        rows = np.concatenate([late.sum(axis=0)[None, :], _weights() @ late])
        waits_us = (_crossing(grid_ns, rows, self.reads * (1.0 - share)) / 1000.0 for share in shares)
        return [_interval(float(each[0]), each[1:]) for each in waits_us]

    def tail(self, points: int) -> tuple[tuple[float, float], ...]:
        """Returns waits, us, evenly from none to the longest, with the expected share of the reads that wait longer."""
        import numpy as np

        grid_ns = np.linspace(0.0, self.length_ns[0] if len(self.length_ns) else 0.0, points)
        shares = self._longer(grid_ns) / self.reads
        return tuple(zip((grid_ns / 1000.0).tolist(), np.maximum(shares, 0.0).tolist(), strict=True))

    def _some(self, kept: NDArray[Any]) -> Waits:
        columns = (each[kept] for each in (self.length_ns, self.span_ns, self.rate, self.batch, self.cause))
        return Waits(self.reads, *columns)

    def _late(self, waits_ns: Floats) -> Floats:
        """Returns the expected number of reads that wait longer than some times, by batch."""
        import numpy as np

        return np.stack([self._some(self.batch == batch)._longer(waits_ns) for batch in range(BATCHES)])  # noqa: SLF001

    def _longer(self, waits_ns: Floats) -> Floats:
        """Returns the expected number of reads that wait longer than each of some times.

        Over the holds that are longer than t it is linear in t: the sum of r (L - t), or of r times the span.
        """
        import numpy as np

        ramp = self.span_ns == 0
        count = np.searchsorted(-self.length_ns, -waits_ns, "left")
        whole, slope = (
            np.append(0.0, np.cumsum(self.rate * each)) for each in (np.where(ramp, self.length_ns, self.span_ns), ramp)
        )
        longer: Floats = whole[count] - slope[count] * waits_ns
        return longer


def _weights() -> Floats:
    """Returns how often each batch counts in each resample."""
    import numpy as np

    random = np.random.default_rng(SEED)
    return random.multinomial(BATCHES, np.full(BATCHES, 1.0 / BATCHES), ROUNDS).astype(np.float64)


def _interval(value: float, rounds: Floats) -> Interval:
    import numpy as np

    low, high = (float(end) for end in np.percentile(rounds, LEVELS))
    return Interval(value, min(low, value), max(high, value), "batches", BATCHES)


def _crossing(grid_ns: Floats, late: Floats, most: float) -> Floats:
    """Returns for each row of numbers, which fall along the grid, where it falls to `most`."""
    import numpy as np

    place = np.argmax(late <= most, axis=1)
    rows, before = np.arange(len(late)), np.maximum(place - 1, 0)
    above, below = late[rows, before], late[rows, place]
    part = np.where(above > below, (above - most) / np.where(above > below, above - below, 1.0), 0.0)
    crossing: Floats = np.where(place == 0, 0.0, grid_ns[before] + part * (grid_ns[place] - grid_ns[before]))
    return crossing


def waits_of(
    holds: Holds, arrival_ns: Floats, asked: Floats, dies: int, *, near_ns: float = NEAR_NS, service_ns: float = 0.0
) -> Waits:
    """Returns the expected waits of reads for what holds their dies.

    Args:
        holds: What holds the dies.
        arrival_ns: When each read arrives.
        asked: How many dies each of them asks.
        dies: Number of dies, which reads are taken to ask alike.
        near_ns: See `NEAR_NS`.
        service_ns: Time in which a die serves a read: those that wait for the same operation are served one by one.
    """
    import numpy as np

    order = np.argsort(arrival_ns, kind="stable")
    arrival, count = arrival_ns[order], np.append(0.0, np.cumsum(asked[order]))
    begin, end = arrival[0], arrival[-1]
    last = holds.start_ns + np.maximum(holds.length_ns, holds.span_ns)
    is_in = (last > begin) & (holds.start_ns < end) & (holds.length_ns > 0)
    start, last, length = (each[is_in] for each in (holds.start_ns, last, holds.length_ns))
    low, high = np.maximum(start - near_ns, begin), np.minimum(last + near_ns, end)
    came = count[np.searchsorted(arrival, high, "left")] - count[np.searchsorted(arrival, low, "left")]
    rate = came / np.maximum(high - low, 1.0) / dies
    # While the die is held its reads queue: a wait falls the less, the later the read comes.
    rate /= 1.0 - np.minimum(rate * service_ns, BACKLOG_MAX)
    batch = np.clip((BATCHES * (start - begin) / max(end - begin, 1.0)).astype(np.int64), 0, BATCHES - 1)
    order = np.argsort(-length, kind="stable")
    columns = (length, holds.span_ns[is_in], rate, batch, holds.cause[is_in])
    return Waits(len(arrival), *(each[order] for each in columns))

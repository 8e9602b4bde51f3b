"""Bursts that make the slow requests of a run: when, how long, and how much of all waiting they hold."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..tables import Columns

__all__ = ["Burst", "burst_of", "warnings_of_bursts"]

NS_PER_S = 1e9
SLOW_S = 0.1
"""Requests that wait for so long in the mean of an interval are slow."""
DENSE = 5.0
"""In a burst so many times as many requests complete as in the mean interval."""
SHARE = 0.5
"""Of all waiting that bursts hold, if they are to explain the run."""
INTERVALS_MIN = 20


class Burst(NamedTuple):
    """An interval in which many requests complete late.

    Attributes:
        start_s: When it begins, simulated time.
        length_s: How long it is.
        requests: Requests that complete in it.
        mean_s: Their mean response time.
        times: How many times as many requests complete as in the mean interval.
        bursts: How many such intervals the run has.
        share: The share of all waiting that they hold.
    """

    start_s: float
    length_s: float
    requests: int
    mean_s: float
    times: float
    bursts: int
    share: float


def burst_of(series: Columns) -> Burst | None:
    """Returns the worst burst of a run, by its throughput over time; None where bursts do not explain slow requests.

    A run whose requests are evenly late has none.
    """
    columns = {name: array("Q", data) for name, (_, data, _) in series.items()}
    starts = columns["start_ns"]
    if len(starts) < INTERVALS_MIN:
        return None
    counts = _sums(columns, ("reads", "writes"))
    waits = _sums(columns, ("read_latency_sum_ns", "write_latency_sum_ns"))
    mean, total = math.fsum(counts) / len(counts), math.fsum(waits)
    late = [
        place
        for place, (count, wait) in enumerate(zip(counts, waits, strict=True))
        if count > DENSE * mean and wait > SLOW_S * NS_PER_S * count
    ]
    share = math.fsum(waits[place] for place in late) / total if total else 0.0
    if not late or share < SHARE:
        return None
    worst = max(late, key=lambda place: waits[place])
    count = counts[worst]
    length_s = (starts[1] - starts[0]) / NS_PER_S
    return Burst(
        starts[worst] / NS_PER_S,
        length_s,
        count,
        waits[worst] / count / NS_PER_S,
        count / mean,
        len(late),
        share,
    )


def _sums(columns: Mapping[str, Sequence[int]], names: tuple[str, str]) -> list[int]:
    return [one + other for one, other in zip(*(columns[name] for name in names), strict=True)]


def warnings_of_bursts(columns: Mapping[str, Columns]) -> list[str]:
    """Returns a line that names the burst that makes the slow requests of a run, if one does."""
    burst = burst_of(columns["series"]) if "series" in columns else None
    if burst is None:
        return []
    several = f"{burst.bursts} such intervals hold" if burst.bursts > 1 else "it holds"
    what = f"from {burst.start_s:,.0f} s on {burst.requests:,} requests complete within {burst.length_s:.3g} s"
    how = f"{burst.times:.0f} times the mean, after {burst.mean_s:.2g} s in the mean"
    return [f"a burst makes the slow requests: {what}, {how}; {several} {100 * burst.share:.0f} % of all waiting"]

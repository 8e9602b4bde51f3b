"""The share of requests that take longer than a time, as a curve."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..output.csv_table import NS_PER_US
from .curves import curve_of, thinned

__all__ = ["tail_curve"]

LOWEST = 5e-7


def tail_curve(run: int, bins: Mapping[str, Any], op: str, points: int) -> dict[str, Any]:
    """Returns the curve of a run's requests of a kind; it has no point where there are none, or all took no time."""
    import numpy as np

    here = np.asarray(bins["op"]) == op
    upper_us, counts = bins["upper_ns"][here] / NS_PER_US, bins["count"][here]
    if not counts.sum() or not upper_us.max():
        return curve_of(run, [])
    so_far = np.cumsum(counts)
    slower, total = 1.0 - so_far / so_far[-1], int(so_far[-1])
    curve = [(float(upper_us[0]), 1.0), *zip(upper_us.tolist(), slower.tolist(), strict=True)]
    # The last bin has nobody slower: the curve ends at the slowest request.
    curve = [point for point in curve if point[1] > 0] + [(float(upper_us[-1]), max(LOWEST, 0.5 / total))]
    # On a logarithmic axis there is no place for what took no time.
    return curve_of(run, thinned([point for point in curve if point[0] > 0], points))

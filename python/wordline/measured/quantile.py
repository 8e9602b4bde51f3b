"""A quantile of few numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

__all__ = ["quantile"]


def quantile(values: Iterable[float], share: float) -> float | None:
    """Returns a quantile, between two values by their distance; None of nothing."""
    ordered: Sequence[float] = sorted(values)
    if not ordered:
        return None
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])

"""Decides whether two results differ: by seed if they have the same seeds, else by their intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .run import dig, interval_of
from .seeds import mean_interval

__all__ = ["Change", "change"]

PAIRED, INDEPENDENT = "paired seeds", "independent intervals"


@dataclass(frozen=True, slots=True)
class Change:
    """The change of a number from a first result to a second one.

    Attributes:
        first: The number in the first result.
        second: The number in the second result.
        low: Lower end of the interval (95 %) of second - first; None if there is none, as for a percentile that a run
            is too short to know.
        high: Upper end; also None if there is none.
        method: `paired seeds`, `independent intervals`, or None if there is no interval.
    """

    first: float
    second: float
    low: float | None
    high: float | None
    method: str | None

    @property
    def is_separated(self) -> bool | None:
        """Whether the interval excludes zero, an open end being infinitely far; None if there is no interval."""
        if self.method is None:
            return None
        return (self.low is not None and self.low > 0) or (self.high is not None and self.high < 0)

    @property
    def half_width(self) -> float | None:
        """The longer side of the interval."""
        if self.low is None or self.high is None:
            return None
        difference = self.second - self.first
        return max(self.high - difference, difference - self.low)


def change(first: Mapping[str, Any], second: Mapping[str, Any], path: str) -> Change | None:
    """Returns the change of a number between two documents by its dotted path; None if one of them lacks it."""
    values = dig(first, path), dig(second, path)
    if not all(isinstance(value, int | float) for value in values):
        return None
    paired = _paired(first, second, path)
    if paired is not None:
        _, low, high = mean_interval(paired)
        return Change(*values, low, high, PAIRED)
    ours, theirs = interval_of(first, path), interval_of(second, path)
    difference = values[1] - values[0]
    if ours is None or theirs is None:
        return Change(*values, None, None, None)
    # The sides that face each other, because intervals of percentiles have unequal sides.
    low = _side(theirs.value, theirs.low, ours.value, ours.high)
    high = _side(theirs.value, theirs.high, ours.value, ours.low)
    ends = (None if low is None else difference - low, None if high is None else difference + high)
    return Change(*values, *ends, INDEPENDENT)


def _side(value: float, end: float | None, other: float, other_end: float | None) -> float | None:
    return None if end is None or other_end is None else math.hypot(value - end, other - other_end)


def _paired(first: Mapping[str, Any], second: Mapping[str, Any], path: str) -> list[float] | None:
    """Returns the differences by seed, if both have the same several seeds."""
    seeds = [(each.get("uncertainty") or {}).get("seeds") for each in (first, second)]
    if not seeds[0] or seeds[0] != seeds[1] or len(seeds[0]) < 2:
        return None
    by_seed = [dig(each["uncertainty"]["values"], f"{path}.by_seed") for each in (first, second)]
    if any(each is None or None in each for each in by_seed):
        return None
    return [theirs - ours for ours, theirs in zip(*by_seed, strict=True)]

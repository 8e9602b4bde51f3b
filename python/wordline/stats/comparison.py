"""Decides whether two results differ: in pairs if they have the same seeds or requests, else by their intervals.

Two runs of the same requests are busy at the same requests, so that much of what makes each uncertain is in both. The
correlation of the slow changes from which their intervals are made tells how much. For means and rates this is
Student's test of paired batches.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .columns import PERCENTILES
from .interval import Interval
from .run import dig, interval_of
from .seeds import mean_interval

__all__ = ["Change", "Verdict", "change"]

PAIRED, PAIRED_BATCHES, INDEPENDENT = "paired seeds", "paired batches", "independent intervals"
Verdict = Literal["separated", "not separated", "unknown"]


@dataclass(frozen=True, slots=True)
class Change:
    """The change of a number from a first result to a second one.

    Attributes:
        first: The number in the first result.
        second: The number in the second result.
        low: Lower end of the interval (95 %) of second - first; None if there is none, as for a percentile that a run
            is too short to know.
        high: Upper end; also None if there is none.
        method: `paired seeds`, `paired batches`, `independent intervals`, or None if there is no interval.
    """

    first: float
    second: float
    low: float | None
    high: float | None
    method: str | None

    @property
    def is_separated(self) -> bool | None:
        """Whether the interval excludes zero; None if that is not known, as an end of it is not."""
        if (self.low is not None and self.low > 0) or (self.high is not None and self.high < 0):
            return True
        return None if self.low is None or self.high is None else False

    @property
    def verdict(self) -> Verdict:
        """The same as a word; numbers that are equal are not separated."""
        if self.is_separated is None:
            return "not separated" if self.first == self.second else "unknown"
        return "separated" if self.is_separated else "not separated"

    @property
    def half_width(self) -> float | None:
        """The longer side of the interval."""
        if self.low is None or self.high is None:
            return None
        difference = self.second - self.first
        return max(self.high - difference, difference - self.low)

    def to_dict(self) -> dict[str, Any]:
        """Returns the interval of the difference and the verdict, for JSON."""
        return {"difference": {"low": self.low, "high": self.high, "by": self.method}, "verdict": self.verdict}


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
    if ours is None or theirs is None:
        return Change(*values, None, None, None)
    likeness = _likeness(ours, theirs) if _are_of_the_same_requests(first, second) else None
    is_percentile = path.rpartition(".")[2] in PERCENTILES
    low, high = (_side(pair, likeness, is_percentile) for pair in _facing(ours, theirs))
    difference = values[1] - values[0]
    ends = (None if low is None else difference - low, None if high is None else difference + high)
    return Change(*values, *ends, INDEPENDENT if likeness is None else PAIRED_BATCHES)


Sides = tuple[float | None, float | None]


def _facing(ours: Interval, theirs: Interval) -> tuple[Sides, Sides]:
    """Returns the sides that face each other, because intervals of percentiles have unequal sides."""
    below, above = ((_length(each.value, each.low), _length(each.value, each.high)) for each in (ours, theirs))
    return (above[0], below[1]), (above[1], below[0])


def _length(value: float, end: float | None) -> float | None:
    return None if end is None else abs(value - end)


def _side(sides: Sides, likeness: float | None, is_percentile: bool) -> float | None:
    """Returns a side of the difference's interval, from two that face each other."""
    one, other = sides
    if one is None or other is None:
        return None
    square = one * one + other * other - 2.0 * (likeness or 0.0) * one * other
    side = math.sqrt(max(square, 0.0))
    # Percentiles change in steps, which do not make up for each other.
    return max(side, min(one, other)) if is_percentile else side


def _likeness(ours: Interval, theirs: Interval) -> float | None:
    """Returns the correlation of the waves of two runs; None if one has none, or they do not vary."""
    if len(ours.waves) != len(theirs.waves):
        return None
    squares = math.fsum(each * each for each in ours.waves) * math.fsum(each * each for each in theirs.waves)
    if squares <= 0:
        return None
    return math.fsum(a * b for a, b in zip(ours.waves, theirs.waves, strict=True)) / math.sqrt(squares)


def _are_of_the_same_requests(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Whether two runs of one seed each served the same requests, as far as their documents tell."""
    counts = [[each["requests"].get(name) for name in ("all", "read", "write", "warmup")] for each in (first, second)]
    loads = [(each.get("seed"), each["workload"]["flows"]) for each in (first, second)]
    return counts[0] == counts[1] and loads[0] == loads[1]


def _paired(first: Mapping[str, Any], second: Mapping[str, Any], path: str) -> list[float] | None:
    """Returns the differences by seed, if both have the same several seeds."""
    seeds = [(each.get("uncertainty") or {}).get("seeds") for each in (first, second)]
    if not seeds[0] or seeds[0] != seeds[1] or len(seeds[0]) < 2:
        return None
    by_seed = [dig(each["uncertainty"]["values"], f"{path}.by_seed") for each in (first, second)]
    if any(each is None or None in each for each in by_seed):
        return None
    return [theirs - ours for ours, theirs in zip(*by_seed, strict=True)]

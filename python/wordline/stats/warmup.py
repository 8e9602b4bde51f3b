"""Finds the end of a run's warm-up with the marginal standard error rule (MSER).

MSER drops the number of first values that gives the smallest standard error of the mean of the rest (White, Simulation
69(6), 1997). MSER-5 does this with means of five values each (White, Cobb and Spratt, WSC 2000). Here they are means of
at least five requests over equal simulated time, because a run of millions of requests keeps no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["WarmUp", "batched", "mser"]

REQUESTS_MIN = 5


@dataclass(frozen=True, slots=True)
class WarmUp:
    """The result of the rule.

    Attributes:
        batches: Number of batches to drop.
        is_found: Whether the end lies in the first half; if not, the run is too short to tell.
    """

    batches: int
    is_found: bool


def mser(values: Sequence[float]) -> WarmUp:
    """Returns the number of values to drop at the beginning, at most half of them."""
    count = len(values)
    if count < 2:
        return WarmUp(0, False)
    best, smallest = 0, float("inf")
    total = squares = 0.0
    # Shifted by the last value, to avoid cancellation.
    origin = values[-1]
    for place in range(count - 1, -1, -1):
        value = values[place] - origin
        total += value
        squares += value * value
        left = count - place
        error = max(squares - total * total / left, 0.0) / (left * left)
        # The last few values always agree with each other; the rule looks at all, and ignores a minimum among them.
        if left >= REQUESTS_MIN and error <= smallest:
            best, smallest = place, error
    is_found = best <= count // 2
    return WarmUp(best if is_found else count // 2, is_found)


def batched(sums: Sequence[float], counts: Sequence[int]) -> list[tuple[float, int]]:
    """Returns means of at least five values, each with its count; a rest at the end is added to the last one."""
    made: list[tuple[float, int]] = []
    total, held = 0.0, 0
    for each, count in zip(sums, counts, strict=True):
        total, held = total + each, held + count
        if held >= REQUESTS_MIN:
            made.append((total / held, held))
            total, held = 0.0, 0
    if held and made:
        mean, count = made[-1]
        made[-1] = ((mean * count + total) / (count + held), count + held)
    return made

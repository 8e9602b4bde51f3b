"""Where the warm-up of a run ends: the marginal standard error rule.

MSER leaves out as many values as make the standard error of the mean of the others smallest (White, Simulation 69(6),
1997). MSER-5 does so with means of five values each (White, Cobb and Spratt, WSC 2000). Here they are means of at least
five requests, and of equal simulated time, as a run of millions of requests keeps no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["WarmUp", "batched", "mser"]

REQUESTS_MIN = 5


@dataclass(frozen=True, slots=True)
class WarmUp:
    """What the rule says.

    Attributes:
        batches: Batches to leave out.
        is_found: Whether the end lies in the first half: else the run is too short to tell.
    """

    batches: int
    is_found: bool


def mser(values: Sequence[float]) -> WarmUp:
    """How many values to leave out at the beginning, at most half of them."""
    count = len(values)
    if count < 2:
        return WarmUp(0, False)
    best, smallest = 0, float("inf")
    total = squares = 0.0
    # Shifted by the last value, so that no digits cancel.
    origin = values[-1]
    for place in range(count - 1, -1, -1):
        value = values[place] - origin
        total += value
        squares += value * value
        left = count - place
        error = max(squares - total * total / left, 0.0) / (left * left)
        # The last few always agree with each other; the rule looks at all, and a minimum among them is none.
        if left >= REQUESTS_MIN and error <= smallest:
            best, smallest = place, error
    is_found = best <= count // 2
    return WarmUp(best if is_found else count // 2, is_found)


def batched(sums: Sequence[float], counts: Sequence[int]) -> list[tuple[float, int]]:
    """Means of at least five values, each with its count; what is left over at the end goes with the last one."""
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

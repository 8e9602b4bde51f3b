"""The steady-state window of SNIA's Performance Test Specification (PTS, Enterprise)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["RANGE_MAX", "ROUNDS", "SLOPE_MAX", "Window", "are_alike", "goes_on", "steady_window"]

ROUNDS = 5
RANGE_MAX = 0.20
"""Largest allowed difference between the largest and the smallest value, over the mean."""
SLOPE_MAX = 0.10
"""Largest allowed change of the fitted line within the window, over the mean."""
SHIFT_MAX = 0.03
"""Largest allowed difference of a number of all later rounds from that of the window."""


@dataclass(frozen=True, slots=True)
class Window:
    """Five consecutive rounds.

    Attributes:
        first: Index of the first round, from 0.
        mean: Mean of the five.
        spread: Largest minus smallest value, over the mean.
        slope: Change of the fitted line over the window, over the mean.
    """

    first: int
    mean: float
    spread: float
    slope: float

    @property
    def is_steady(self) -> bool:
        """Returns True if it meets both conditions."""
        return self.spread <= RANGE_MAX and abs(self.slope) <= SLOPE_MAX


def steady_window(rounds: Sequence[float], is_balanced: Callable[[slice], bool] = lambda _: True) -> Window | None:
    """Returns the first five rounds that are steady; None if there are none.

    Args:
        rounds: The value of each round.
        is_balanced: Says of some rounds whether the SSD is at equilibrium in them.
    """
    for first in range(len(rounds) - ROUNDS + 1):
        window = _window(rounds, first)
        if window is not None and window.is_steady and is_balanced(slice(first, first + ROUNDS)):
            return window
    return None


def goes_on(rounds: Sequence[float], first: int) -> bool:
    """Whether at least five more rounds follow the five from `first` on, and are on average as they are."""
    window, later = rounds[first : first + ROUNDS], rounds[first + ROUNDS :]
    return len(later) >= ROUNDS and are_alike(math.fsum(window) / ROUNDS, math.fsum(later) / len(later))


def are_alike(window: float, later: float) -> bool:
    """Whether a number of five rounds is that of all rounds after them."""
    return abs(later - window) <= SHIFT_MAX * window


def _window(rounds: Sequence[float], first: int) -> Window | None:
    values = rounds[first : first + ROUNDS]
    mean = math.fsum(values) / ROUNDS
    if mean <= 0:
        return None
    centre = (ROUNDS - 1) / 2
    squares = math.fsum((x - centre) * (x - centre) for x in range(ROUNDS))
    slope = math.fsum((x - centre) * value for x, value in enumerate(values)) / squares
    return Window(first, mean, (max(values) - min(values)) / mean, slope * (ROUNDS - 1) / mean)

"""A number with its confidence interval."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

__all__ = ["LEVEL", "Interval"]

LEVEL = 0.95
DIGITS = 4
"""Of waves in a document: their proportions need no more."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A number and its confidence interval (95 %).

    Attributes:
        value: The number.
        low: Lower end; None if the data give none: without both ends the number is not known.
        high: Upper end; None if the data give none, as for a percentile beyond the last sample.
        method: `seeds`, `batches`, or `resampled seeds` (a bootstrap).
        count: Number of seeds or batches.
        waves: How the number changes slowly within the run, see `ratio.Estimate`; only their proportions count.
    """

    value: float
    low: float | None
    high: float | None
    method: str
    count: int
    waves: tuple[float, ...] = field(default=(), compare=False)

    @property
    def half_width(self) -> float | None:
        """Half of its width; None if it has an open end."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2.0

    @property
    def relative_half_width(self) -> float:
        """The longer side over the value; infinite if it has an open end."""
        if self.low is None or self.high is None:
            return math.inf
        side = max(self.high - self.value, self.value - self.low)
        return 0.0 if side == 0 else side / abs(self.value) if self.value else math.inf

    def known(self) -> Interval:
        """Returns it, or without ends if it is as wide as the number: then the number is not known.

        No number of a result is below zero, so such an interval says nothing.
        """
        if self.low is None or self.high is None or self.low > 0 or self.low == self.high:
            return self
        return replace(self, low=None, high=None, waves=())

    def plus(self, constant: float) -> Interval:
        """Returns the interval of the number and a constant."""
        low, high = (None if end is None else end + constant for end in (self.low, self.high))
        return replace(self, value=self.value + constant, low=low, high=high, waves=())

    def to_dict(self) -> dict[str, Any]:
        """Returns its ends and waves, in the form of a result's document."""
        ends: dict[str, Any] = {"low": self.low, "high": self.high}
        return ends | ({"by_wave": [float(f"{each:.{DIGITS}g}") for each in self.waves]} if self.waves else {})

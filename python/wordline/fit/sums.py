"""Sums of parameters: single requests bound what they take together, not its parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..stats.distributions import normal_quantile
from .intervals import LEVEL, covariance
from .search import Solution

__all__ = ["Sum", "sums_of"]

PARTS: Mapping[str, tuple[str, ...]] = {
    "a single read, of the page type in the middle": ("job_us", "path_us", "command_read_us", "read_2_us"),
    "a single read, of the fastest page type": ("job_us", "path_us", "command_read_us", "read_1_us"),
    "a single write": ("job_us", "path_us", "command_write_us", "batch_write_us"),
}


@dataclass(frozen=True, slots=True)
class Sum:
    """A sum of parameters, us, with its interval (95 %)."""

    what: str
    parts: tuple[str, ...]
    value_us: float
    low_us: float
    high_us: float

    def to_dict(self) -> dict[str, Any]:
        """Returns it for JSON."""
        return asdict(self)


def sums_of(solution: Solution) -> list[Sum]:
    """Returns the sums of which a solution has at least two parts."""
    names = [each.name for each in solution.model.parameters]
    variances = covariance(solution)
    quantile = normal_quantile(0.5 + LEVEL / 2)
    gave = []
    for what, parts in PARTS.items():
        own = tuple(each for each in parts if each in names)
        if len(own) < 2:
            continue
        # The derivative of a sum of exponentials.
        slope = np.array([solution.values[name] if name in own else 0.0 for name in names])
        value = float(slope.sum())
        width = quantile * float(np.sqrt(slope @ variances @ slope))
        gave.append(Sum(what, own, value, value - width, value + width))
    return gave

"""A chip under test: the cost of its program speed, by OFWAR's cell model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from .. import _core
from ..config import Config

__all__ = ["ProgramBench"]

Columns = dict[str, list[Any]]


class ProgramBench:
    """The kind of chip that a configuration names (`cells.chip`).

    `dvpp_factor` is a program step over the nominal one.

    Args:
        config: The configuration.

    Raises:
        WrongValueError: `cells.chip` names no chip, or one whose programs are unknown.
    """

    def __init__(self, config: Config) -> None:
        self.core = _core.ProgramBench(config.core)

    def rated(self) -> tuple[float, float, float]:
        """Returns P/E cycles and days of the nominal step's retention guarantee, and its raw bit error rate then."""
        return self.core.rated()

    def vth(self, dvpp_factor: float, cycles: float, age_days: float) -> dict[str, Any]:
        """Returns V_TH densities by state and stage (`curves`), read voltages (`reads_v`) and error rate (`rber`)."""
        found: dict[str, Any] = json.loads(self.core.vth(dvpp_factor, cycles, age_days))
        return found

    def rber(self, factors: Sequence[float], cycles: Sequence[float], ages_days: Sequence[float]) -> Columns:
        """Returns the raw bit error rate by program step, P/E cycles and age."""
        found: Columns = json.loads(self.core.rber(list(factors), list(cycles), list(ages_days)))
        return found

    def retention(self, factor_max: float = 2.0, points: int = 21) -> Columns:
        """Returns days of retention and program time, from the nominal step to a multiple of it."""
        found: Columns = json.loads(self.core.retention(factor_max, points))
        return found

    def sensitivity(self) -> Columns:
        """Returns days of retention at twice the nominal step, for each constant that OFWAR leaves open."""
        found: Columns = json.loads(self.core.sensitivity())
        return found

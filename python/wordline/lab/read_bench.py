"""Chips on a bench: what reads find, measured on the device model as PR2/AR2 measured real ones."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from .. import _core
from ..config import Config

__all__ = ["Cut", "ReadBench"]

Cut = tuple[float, float, float]
"""Fractions by which tPRE, tEVAL and tDISCH are shorter."""
# PR2/AR2, Section 4: chips, blocks of each, and pages of a block.
CHIPS, BLOCKS, PAGES = 160, 120, 576


class ReadBench:
    """Every page of some blocks of some chips of the kind that a configuration names (`cells.chip`).

    The user's retry table, what the ECC corrects (`ecc.correctable_bits`) and the seed are the configuration's.
    `cycles` are P/E cycles of stress, `months` retention at 30 C, `temperature_c` is that of the read.

    Args:
        config: The configuration.
        chips: Chips on the bench.
        blocks: Blocks of each.
        pages: Pages of a block.

    Raises:
        WrongValueError: `cells.chip` names no chip, or one whose reads are unknown.
    """

    def __init__(self, config: Config, *, chips: int = CHIPS, blocks: int = BLOCKS, pages: int = PAGES) -> None:
        self.core = _core.ReadBench(config.core, chips=chips, blocks=blocks, pages=pages)

    @property
    def table_steps(self) -> int:
        """Entries of the retry table."""
        return self.core.table_steps()

    def retry_steps(self, cycles: float, months: float, temperature_c: float = 30.0) -> list[float]:
        """Share of the pages by retry steps, from 0 on; the last number is the share that no step reads."""
        return self.core.retry_steps(cycles, months, temperature_c)

    def m_err(
        self, cycles: float, months: float, temperature_c: float, cuts: Sequence[Cut] = ((0.0, 0.0, 0.0),)
    ) -> list[float]:
        """M_ERR: most errors in 1 KiB of any page at the step that succeeds, with each of some cuts of the sense."""
        return self.core.m_err(cycles, months, temperature_c, list(cuts))

    def timing_table(self) -> dict[str, Any]:
        """The read-timing table that profiling gives: `cuts` of tPRE by `cycles`, then `months`, and its `bytes`."""
        found: dict[str, Any] = json.loads(self.core.timing_table())
        return found

    def errors_in_last_steps(
        self, steps: int, count: int, cycles: float, months: float, temperature_c: float = 85.0
    ) -> list[float]:
        """Errors in 1 KiB in the last steps of the first page that takes so many; none if no page does."""
        return self.core.errors_in_last_steps(steps, count, cycles, months, temperature_c)

    def first_retry_days(self, cycles: float) -> float:
        """Days until the first page needs a retry."""
        return self.core.first_retry_days(cycles)

    def m_rber(self, cycles: float, months: float, temperature_c: float) -> float:
        """M_RBER: errors in 1 KiB of each block's worst page, averaged over the blocks."""
        return self.core.m_rber(cycles, months, temperature_c)

    def rber_quantiles(
        self, cycles: float, months: float, temperature_c: float, quantiles: Sequence[float], behind_steps: float = 0.0
    ) -> list[float]:
        """Raw bit error rates at quantiles of the pages (0 best, 1 worst), read so many steps short of the best."""
        return self.core.rber_quantiles(cycles, months, temperature_c, behind_steps, list(quantiles))

    def vth(self, cycles: float, months: float, temperature_c: float = 30.0) -> dict[str, Any]:
        """Threshold voltages of the mean page: `mean_v` and `sigma_v` by state, default and best read voltages."""
        found: dict[str, Any] = json.loads(self.core.vth(cycles, months, temperature_c))
        return found

    def formulas(self, cycles: float, months: float, temperature_c: float) -> tuple[float, float]:
        """The formulas alone: mean drift (steps), and errors of the worst page there can be (bits of 1 KiB)."""
        return self.core.formulas(cycles, months, temperature_c)

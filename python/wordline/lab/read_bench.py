"""Chips under test: the errors of reads, measured on the device model like PR2/AR2 on real chips."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal

from .. import _core
from ..config import Config

__all__ = ["Cut", "ReadBench"]

Cut = tuple[float, float, float]
"""Fractions by which tPRE, tEVAL and tDISCH are cut."""
# PR2/AR2, Section 4: chips, blocks per chip, and pages per block.
CHIPS, BLOCKS, PAGES = 160, 120, 576


class ReadBench:
    """Every page of some blocks of some chips of the kind that a configuration names (`cells.chip`).

    The user's retry table, the ECC's capability (`ecc.correctable_bits`) and the seed come from the configuration.
    `cycles` are P/E cycles of stress, `months` retention at 30 C, `temperature_c` is that of the read.

    Args:
        config: The configuration.
        chips: Number of chips under test.
        blocks: Number of blocks per chip.
        pages: Number of pages per block.

    Raises:
        WrongValueError: `cells.chip` names no chip, or one whose reads are unknown.
    """

    def __init__(self, config: Config, *, chips: int = CHIPS, blocks: int = BLOCKS, pages: int = PAGES) -> None:
        self.core = _core.ReadBench(config.core, chips=chips, blocks=blocks, pages=pages)

    @property
    def table_steps(self) -> int:
        """Number of entries of the retry table."""
        return self.core.table_steps()

    def retry_steps(self, cycles: float, months: float, temperature_c: float = 30.0) -> list[float]:
        """Returns the share of pages by retry steps, from 0; the last number is the share that no step can read."""
        return self.core.retry_steps(cycles, months, temperature_c)

    def m_err(
        self, cycles: float, months: float, temperature_c: float, cuts: Sequence[Cut] = ((0.0, 0.0, 0.0),)
    ) -> list[float]:
        """Returns M_ERR, the most errors in 1 KiB of any page at the step that succeeds, for each given cut."""
        return self.core.m_err(cycles, months, temperature_c, list(cuts))

    def timing_table(self) -> dict[str, Any]:
        """Returns the read-timing table from profiling: `cuts` of tPRE by `cycles`, then `months`, and its `bytes`."""
        found: dict[str, Any] = json.loads(self.core.timing_table())
        return found

    def errors_in_last_steps(
        self, steps: int, count: int, cycles: float, months: float, temperature_c: float = 85.0
    ) -> list[float]:
        """Returns errors in 1 KiB in the last steps of the first page that needs `steps`; None if no page does."""
        return self.core.errors_in_last_steps(steps, count, cycles, months, temperature_c)

    def first_retry_days(self, cycles: float) -> float:
        """Returns the days until the first page needs a retry."""
        return self.core.first_retry_days(cycles)

    def further_reads(self, by: Literal["sentinel", "counting"], cycles: float, months: float) -> float:
        """Mean number of further reads, at estimated voltages, of pages whose first read fails; NaN if none fails."""
        return self.core.further_reads(by == "sentinel", cycles, months, 30.0)

    def m_rber(self, cycles: float, months: float, temperature_c: float) -> float:
        """Returns M_RBER: errors in 1 KiB of each block's worst page, averaged over the blocks."""
        return self.core.m_rber(cycles, months, temperature_c)

    def rber_quantiles(
        self, cycles: float, months: float, temperature_c: float, quantiles: Sequence[float], behind_steps: float = 0.0
    ) -> list[float]:
        """Returns quantiles (0 best, 1 worst) of raw bit error rates, some steps short of the best voltages."""
        return self.core.rber_quantiles(cycles, months, temperature_c, behind_steps, list(quantiles))

    def vth(self, cycles: float, months: float, temperature_c: float = 30.0) -> dict[str, Any]:
        """Returns V_TH in the mean page: `mean_v` and `sigma_v` by state, default and best read voltages."""
        found: dict[str, Any] = json.loads(self.core.vth(cycles, months, temperature_c))
        return found

    def formulas(self, cycles: float, months: float, temperature_c: float) -> tuple[float, float]:
        """Returns the values of the formulas: mean drift (steps), and errors of the worst page (bits of 1 KiB)."""
        return self.core.formulas(cycles, months, temperature_c)

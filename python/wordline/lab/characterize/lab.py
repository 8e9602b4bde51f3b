"""The lab: one kind of chip, and the benches that measure it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..._core import EraseBench, ProgramBench, ReadBench
from ...config import Config
from ...errors import WrongValueError
from ..chips import Chip, chip_of

# Blocks of each of the 160 chips: 12 of them have 1.1 million pages, a tenth of those that PR2/AR2 tested.
BLOCKS = 12
# P/E cycles and months of most figures (PR2/AR2, Fig. 5 and 7).
CYCLES = (0, 1000, 2000)


class LeftOut(Exception):  # noqa: N818 - not an error: a figure says nothing of this chip
    """The reason why a figure does not apply to a chip."""


@dataclass(frozen=True)
class Lab:
    """A lab with one kind of chip.

    Attributes:
        config: Selects the chip (`cells.chip`), the user's measurements, and the seed.
        blocks: Number of blocks on each of 160 chips whose pages are read.
    """

    config: Config
    blocks: int = BLOCKS

    @cached_property
    def chip(self) -> Chip:
        """The chip.

        Raises:
            WrongValueError: The configuration names no chip.
        """
        chip = chip_of(self.config)
        if chip is None:
            raise WrongValueError('cells.chip = "none" cannot be characterised; name a chip', key="cells.chip")
        return chip

    @cached_property
    def reads(self) -> ReadBench:
        """The bench for reads."""
        return ReadBench(self.config, blocks=self.blocks)

    @cached_property
    def erases(self) -> EraseBench:
        """The bench for erases.

        Raises:
            LeftOut: Erases cannot be evaluated, because the chip's read errors were not measured.
        """
        if "read" not in self.chip.parts:
            raise LeftOut("erases are judged by the errors of later reads, and the chip has no [read] part")
        return EraseBench(self.config)

    @cached_property
    def programs(self) -> ProgramBench:
        """The bench for programs."""
        return ProgramBench(self.config)

    @property
    def cycles(self) -> tuple[int, ...]:
        """P/E cycles of the retry-step figure; with a user's retry table, those of the table, at most three."""
        if not self.has_own_steps:
            return CYCLES
        with Path(self.config["cells.retry_table"]).open(encoding="utf-8") as file:
            measured = sorted({int(cycles) for cycles in re.findall(r"(\d+)_\d+m", file.readline())})
        return tuple(dict.fromkeys((measured[0], measured[len(measured) // 2], measured[-1])))

    @property
    def has_own_steps(self) -> bool:
        """Whether the user's retry table replaces the chip's drift."""
        return bool(self.config["cells.retry_table"])

    @property
    def capability_bits(self) -> float:
        """Errors that the ECC can correct in 1 KiB."""
        return float(self.config["ecc.correctable_bits"])

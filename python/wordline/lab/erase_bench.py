"""Blocks under test: time and effects of erases, measured on the device model like AERO on real chips."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from .. import _core
from ..config import Config

__all__ = ["EraseBench"]

Columns = dict[str, list[Any]]
# AERO, Section 7.2: blocks of a set.
BLOCKS = 120


class EraseBench:
    """Blocks of the chip that a configuration names (`cells.chip`), with evenly spaced hardness.

    Scheme, tSE, misprediction rate, RBER requirement, P/E cycles and seed come from the configuration.

    Args:
        config: The configuration.
        blocks: Number of blocks under test.
        errors_of: Provides the read errors of its chip if nobody measured those of `config`'s chip.

    Raises:
        WrongValueError: `cells.chip` names no chip, or one whose erases or errors are unknown.
    """

    def __init__(self, config: Config, *, blocks: int = BLOCKS, errors_of: Config | None = None) -> None:
        self.core = _core.EraseBench(config.core, blocks=blocks, errors_of=errors_of.core if errors_of else None)

    def latencies(self, pecs: Sequence[float], blocks: int) -> list[dict[str, Any]]:
        """Returns each block's smallest erase latency (ms of pulses, rising) and loops under ISPE, by P/E cycles."""
        return _rows(self.core.latencies(list(pecs), blocks))

    def fail_bits(self) -> Columns:
        """Returns fail bits (most and mean) after each pulse of the last loop, by loops and pulses needed in it."""
        return _columns(self.core.fail_bits())

    def ranges(self) -> Columns:
        """Counts erases by needed pulses in the last loop, by loops and by the fail-bit range before it."""
        return _columns(self.core.ranges())

    def shallow(self, pecs: Sequence[float], shallow_pulses: Sequence[int], blocks: int) -> list[dict[str, Any]]:
        """Returns results and savings of a shallow erasure of some 0.5-ms pulses, by P/E cycles."""
        return _rows(self.core.shallow(list(pecs), list(shallow_pulses), blocks))

    def margins(self) -> Columns:
        """Returns the largest M_RBER (bits in 1 KiB) with the last loop and without it, by loops and fail-bit range."""
        return _columns(self.core.margins())

    def table(self) -> dict[str, Any]:
        """Returns the erase-timing parameter table from profiling, its gamma and delta, and its size."""
        found: dict[str, Any] = json.loads(self.core.table())
        return found

    def erases(self, scheme: str, pecs: Sequence[int]) -> Columns:
        """Returns an erase of each block at some P/E cycles, with the wear that the scheme itself has caused."""
        return _columns(self.core.erases(scheme, list(pecs)))

    def erases_after_ispe(self, scheme: str, pecs: Sequence[int], blocks: int) -> Columns:
        """Returns an erase of each block with the wear of plain ISPE, and the pulses that the block needs."""
        return _columns(self.core.erases_after_ispe(scheme, list(pecs), blocks))

    def lifetime(self, scheme: str) -> dict[str, Any]:
        """Returns M_RBER over P/E cycles under a scheme, until its mean exceeds the requirement (`lifetime_pec`)."""
        found: dict[str, Any] = json.loads(self.core.lifetime(scheme))
        return found

    def m_rber_in_pieces(self, pec: int, short_pulses: int) -> float:
        """Returns the mean M_RBER (bits in 1 KiB) after ISPE cycles whose loops are split into 0.5-ms pulses."""
        return self.core.m_rber_in_pieces(pec, short_pulses)

    def program_stress(self) -> float:
        """Returns the stress from the programs of a P/E cycle, in cycles of an average block under ISPE."""
        return self.core.program_stress()

    def steps(self, hardness: float) -> dict[str, Any]:
        """Returns one erase at the configuration's age, pulse by pulse; hardness is a rank among all blocks, 0 to 1."""
        found: dict[str, Any] = json.loads(self.core.steps(hardness))
        return found


def flags_bytes(capacity_bytes: int, block_bytes: int) -> int:
    """Returns the bytes of AERO's shallow-erasure flags (Section 6): one bit per block."""
    return _core.EraseBench.flags_bytes(capacity_bytes, block_bytes)


def _rows(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(text)
    return found


def _columns(text: str) -> Columns:
    found: Columns = json.loads(text)
    return found

"""The plan of the test: a cell for each mix and block size of the PTS, or fewer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["TESTS", "Cell", "cells"]

KIB = 1024
TESTS = ("iops", "throughput", "latency", "write-saturation")
PURGED = {"precondition.fill": 0.0, "precondition.overwrite": 0.0}
"""The state after a secure erase: the start of the write saturation test."""
PRECONDITIONED = {"precondition.fill": 1.0, "precondition.overwrite": 1.0}
"""Twice the capacity is written before the rounds begin, the second time in random order."""
AT_EQUILIBRIUM = {"precondition.fill": 1.0, "precondition.overwrite": "steady", "precondition.shape": "workload"}
"""The drive is written as the load writes until it is at its equilibrium."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One load of a test.

    Attributes:
        test: One of `TESTS`.
        name: Such as `65/35 4 KiB`.
        settings: Its configuration keys.
    """

    test: str
    name: str
    settings: dict[str, Any]


def cells(test: str, quick: bool = False, steady: bool = True) -> list[Cell]:
    """Returns the cells of a test.

    Args:
        test: One of `TESTS`.
        quick: Fewer mixes and block sizes.
        steady: Loads that write begin at their equilibrium, if the test does not ask for a purged drive.
    """
    made = _cells(test, quick)
    return [_aged(cell) if steady else cell for cell in made]


def _aged(cell: Cell) -> Cell:
    writes = cell.settings["workload.read_ratio"] < 1.0
    is_purged = cell.settings["precondition.fill"] == 0.0
    return Cell(cell.test, cell.name, {**cell.settings, **AT_EQUILIBRIUM}) if writes and not is_purged else cell


def _cells(test: str, quick: bool) -> list[Cell]:
    match test:
        case "iops":
            blocks: tuple[float, ...] = (4, 64) if quick else (0.5, 4, 8, 16, 32, 64, 128, 1024)
            mixes: tuple[int, ...] = (100, 65, 0) if quick else (100, 95, 65, 50, 35, 5, 0)
            return [_cell(test, share, block, 32) for block in blocks for share in mixes]
        case "throughput":
            blocks = (128,) if quick else (128, 1024)
            return [_cell(test, share, block, 32, "sequential") for block in blocks for share in (100, 0)]
        case "latency":
            blocks = (4,) if quick else (0.5, 4, 8)
            return [_cell(test, share, block, 1) for block in blocks for share in (100, 65, 0)]
        case _:
            cell = _cell(test, 0, 4, 32)
            return [Cell(test, cell.name, {**cell.settings, **PURGED})]


def _cell(test: str, reads: int, block_kib: float, depth: int, pattern: str = "random") -> Cell:
    size = int(block_kib * KIB)
    settings = {
        **PRECONDITIONED,
        "host.queue_depth": depth,
        "workload.read_ratio": reads / 100,
        "workload.pattern": pattern,
        "workload.read_block_bytes": size,
        "workload.write_block_bytes": size,
    }
    return Cell(test, f"{reads}/{100 - reads} {block_kib:g} KiB", settings)

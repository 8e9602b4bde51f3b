"""Measures a drive over depth, size and read share: a cell is a closed loop of random requests on its own drive."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from math import ceil, sqrt
from pathlib import Path
from typing import Any, Final

from .. import _core
from ..api import run
from ..config import Config
from ..errors import ConfigError, OutOfRangeError
from ..progress import ProgressCallback
from ..workload import workload

__all__ = ["COLUMNS", "STATES", "Cell", "between", "cells", "measure", "part_of"]

STATES: Final[dict[str, dict[str, Any]]] = {
    "fresh": {"precondition.fill": 0.5, "precondition.overwrite": 0.0},
    "steady": {"precondition.fill": 1.0, "precondition.overwrite": "steady", "precondition.shape": "workload"},
}
"""The drive before the load: half filled, in order, so that nothing is collected; or at the equilibrium of the load."""
AGED_FOR_READS: Final = {"precondition.fill": 1.0, "precondition.overwrite": 1.0, "precondition.shape": "random"}
"""A load without writes has no equilibrium: the drive is overwritten once at random."""
COLUMNS: Final = (
    "state",
    "depth",
    "size_bytes",
    "read_share",
    "bandwidth_mb_s",
    "write_amplification",
    *(f"{op}_{name}_us" for op in ("read", "write") for name in ("mean", "p50", "p99", "p999")),
)
SECTOR_BYTES: Final = 512
BUFFERS: Final = 3
"""A load that writes has filled the write buffer so often before it counts."""
FIRST_SHARE: Final = 1 / 2
"""So much of a drive at equilibrium is written before its first load counts: aging ends a little too early."""
NEXT_SHARE: Final = 1 / 64
"""So much of it is written before each further load counts: the drive is at the equilibrium of another depth."""
WRITTEN_SHARE: Final = 1 / 32
"""So much of a drive at equilibrium is written while a load counts: garbage collection comes in waves."""
REQUESTS: Final = 20_000
REQUESTS_MIN: Final = 400
BYTES_MAX: Final = 4 << 30
"""A cell moves at most so many bytes, and an eighth of the drive, but has so many requests at least."""
PART_BYTES_MAX: Final = 16 << 30
"""A larger drive is measured as a part that the host sees as at most this many bytes."""
CELLS_MAX: Final = 2000


@dataclass(frozen=True)
class Cell:
    """A load, and the state of its drive.

    Attributes:
        state: `fresh` or `steady`.
        depth: Requests under way.
        size_bytes: Bytes of each.
        read_share: Share of reads, 0 to 1.
    """

    state: str
    depth: int
    size_bytes: int
    read_share: float

    @property
    def is_at_equilibrium(self) -> bool:
        """Whether its drive is at the equilibrium of its writes."""
        return self.state == "steady" and self.read_share < 1

    def shares_drive(self, other: Cell) -> bool:
        """Whether two cells have one equilibrium, but for what their depths change."""
        return self.is_at_equilibrium and replace(self, depth=other.depth) == other

    @property
    def settings(self) -> dict[str, Any]:
        """Its configuration keys."""
        is_aged_by_load = self.state == "fresh" or self.read_share < 1
        return {
            **(STATES[self.state] if is_aged_by_load else AGED_FOR_READS),
            "host.queue_depth": self.depth,
            "workload.read_ratio": self.read_share,
            "workload.pattern": "random",
            "workload.read_block_bytes": self.size_bytes,
            "workload.write_block_bytes": self.size_bytes,
        }


def cells(
    depths: Sequence[int], sizes: Sequence[int], read_shares: Sequence[float], states: Sequence[str]
) -> list[Cell]:
    """Returns all cells.

    Raises:
        ConfigError: An axis is empty, has a value twice, or one that makes no sense.
    """
    for name, values in (("depths", depths), ("sizes", sizes), ("reads", read_shares), ("states", states)):
        if not values or len(set(values)) < len(values):
            raise ConfigError(f"{name}: give one value or more, each once")
    if wrong := [depth for depth in depths if not 1 <= depth <= 4096]:
        raise ConfigError(f"depths: {wrong[0]} is not from 1 to 4096")
    if wrong := [size for size in sizes if size % SECTOR_BYTES or not SECTOR_BYTES <= size <= 64 << 20]:
        raise ConfigError(f"sizes: {wrong[0]} bytes is no multiple of 512 from 512 to 64 MiB")
    if unfit := [share for share in read_shares if not 0 <= share <= 1]:
        raise ConfigError(f"reads: {100 * unfit[0]:g} is not from 0 to 100 percent")
    if unknown := [state for state in states if state not in STATES]:
        raise ConfigError(f"states: {unknown[0]} is unknown; take {', '.join(STATES)}")
    made = [
        Cell(state, depth, size, share)
        for state, size, share, depth in product(states, sorted(sizes), sorted(read_shares), sorted(depths))
    ]
    if len(made) > CELLS_MAX:
        raise ConfigError(f"{len(made):,} cells: take fewer depths, sizes or reads; at most {CELLS_MAX:,}")
    return made


def part_of(config: Config) -> Config:
    """Returns the part of a drive that is measured: as the configuration says, or the largest that is small enough."""
    parts = 1
    while config["ssd.scale"] in (1, 1 / parts) and config.host_bytes > PART_BYTES_MAX:
        try:
            smaller = config.set("ssd.scale", 1 / (2 * parts))
        except OutOfRangeError:
            # Smaller parts have too few blocks to be like the whole.
            break
        config, parts = smaller, 2 * parts
    return config


def between(table: Sequence[Cell], count: int) -> list[Cell]:
    """Returns cells that lie in the middle between those of a table, spread over it: at most so many of each state."""
    found = []
    for state in dict.fromkeys(cell.state for cell in table):
        own = [cell for cell in table if cell.state == state]
        depths, sizes, shares = (
            sorted({getattr(cell, axis) for cell in own}) for axis in ("depth", "size_bytes", "read_share")
        )
        middles = [
            Cell(state, depth, size, share)
            for size, share, depth in product(
                [_multiple(sqrt(low * high)) for low, high in pairwise(sizes)] or sizes,
                [(low + high) / 2 for low, high in pairwise(shares)] or shares,
                [round(sqrt(low * high)) for low, high in pairwise(depths)] or depths,
            )
        ]
        middles = [cell for cell in middles if cell not in own]
        found += [middles[place * len(middles) // count] for place in range(count)] if count < len(middles) else middles
    return found


def _multiple(size: float) -> int:
    """Returns the nearest multiple of 4 KiB, or of a sector where it is small."""
    step = 4096 if size >= 4096 else SECTOR_BYTES
    return max(1, round(size / step)) * step


def measure(
    config: Config,
    wanted: Sequence[Cell],
    *,
    requests: int | None = None,
    drives: _core.Drives | None = None,
    progress: Callable[[int, Cell], ProgressCallback | None] | None = None,
) -> list[dict[str, Any]]:
    """Runs cells; returns a row for each, with the columns of `COLUMNS`.

    Args:
        config: The SSD.
        wanted: The cells. Those that write alike share a drive if they follow each other, at equilibrium the one that
            the cell before has left.
        requests: Requests of a cell; fewer where they would move more than 4 GiB. None: 20,000, and at equilibrium
            until 1/32 of the drive is written.
        drives: Keeps the last drive.
        progress: Gets each cell's place and the cell, returns a callback for its run.

    Raises:
        WordlineError: See `wordline.run`.
    """
    kept = _core.Drives() if drives is None else drives
    rows = []
    with tempfile.TemporaryDirectory(prefix="wordline-table-") as folder:
        state = Path(folder) / "drive.state"
        cells_of_drive = 0
        for place, cell in enumerate(wanted):
            follows = place > 0 and cell.shares_drive(wanted[place - 1])
            cells_of_drive = cells_of_drive + 1 if follows else 0
            warmup = _warmup(config, cell, follows=follows)
            # Other addresses: pages that are overwritten in the order in which they were written leave nothing to move.
            seed = {"workload.seed": config["workload.seed"] + cells_of_drive}
            own = config.set_all({**cell.settings, **seed, "host.warmup_requests": warmup})
            result = run(
                own,
                workload(None, requests=warmup + _counted(config, cell, requests)),
                load_state=state if follows else None,
                go_on=True,
                save_state=state if wanted[place + 1 :] and cell.shares_drive(wanted[place + 1]) else None,
                drives=kept,
                progress=progress(place, cell) if progress is not None else None,
            )
            rows.append(_row(cell, result.document))
    return rows


def _warmup(config: Config, cell: Cell, *, follows: bool) -> int:
    """Returns how many requests settle a drive: at first the write buffer takes all, and nothing waits for flash."""
    if cell.read_share == 1:
        return 0
    buffered = 0.0 if config["cache.mode"] == "off" else BUFFERS * config.simulated("cache.capacity_bytes")
    share = NEXT_SHARE if follows else FIRST_SHARE
    settling = config.host_bytes * share if cell.is_at_equilibrium else 0.0
    return ceil(max(buffered, settling) / cell.size_bytes / (1 - cell.read_share))


def _counted(config: Config, cell: Cell, requests: int | None) -> int:
    """Returns how many requests of a cell count."""
    most = max(REQUESTS_MIN, min(BYTES_MAX, config.host_bytes // 8) // cell.size_bytes)
    counted = min(REQUESTS if requests is None else max(REQUESTS_MIN, requests), most)
    if requests is None and cell.is_at_equilibrium:
        written = config.host_bytes * WRITTEN_SHARE
        counted = max(counted, ceil(written / cell.size_bytes / (1 - cell.read_share)))
    return counted


def _row(cell: Cell, document: Mapping[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {
        "state": cell.state,
        "depth": cell.depth,
        "size_bytes": cell.size_bytes,
        "read_share": cell.read_share,
        "bandwidth_mb_s": document["bandwidth_mb_s"]["all"],
        "write_amplification": document["write_amplification"],
    }
    for op in ("read", "write"):
        times = document["response_us"][op] if document["requests"][op] else {}
        row |= {f"{op}_{name}_us": times.get(name) for name in ("mean", "p50", "p99", "p999")}
    return row

"""Rows as CSV, and the rows of latency bins."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

NS_PER_US = 1000


def write_rows(path: Path, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Writes rows under a line of names; lines end the same way on every system."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(rows)


def bin_rows(bins: Mapping[str, NDArray[Any]]) -> list[tuple[str, float, int, int]]:
    """Latency bins with what has accumulated: (op, upper bound in us, count, count up to here)."""
    rows = []
    so_far: dict[str, int] = {}
    for op, upper_ns, count in zip(*(bins[name].tolist() for name in ("op", "upper_ns", "count")), strict=True):
        so_far[op] = so_far.get(op, 0) + count
        rows.append((op, upper_ns / NS_PER_US, count, so_far[op]))
    return rows

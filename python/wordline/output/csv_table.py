"""Arrow tables as CSV: latency bins and throughput over time."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

NS_PER_US = 1000


def write_rows(path: Path, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Writes rows under a line of names; lines end the same way on every system."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(rows)


def bin_rows(bins: pa.Table) -> list[tuple[str, float, int, int]]:
    """Latency bins with what has accumulated: (op, upper bound in us, count, count up to here)."""
    columns = bins.to_pydict()
    rows = []
    so_far: dict[str, int] = {}
    for op, upper_ns, count in zip(columns["op"], columns["upper_ns"], columns["count"], strict=True):
        so_far[op] = so_far.get(op, 0) + count
        rows.append((op, upper_ns / NS_PER_US, count, so_far[op]))
    return rows

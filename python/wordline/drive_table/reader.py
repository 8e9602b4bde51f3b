"""Reads a table that `wordline table` wrote, and interpolates in it. It needs NumPy alone: copy it where you need it.

    drive = Table("table.csv", state="steady")
    drive.at("bandwidth_mb_s", depth=8, size_bytes=262144, read_share=0.7)

Between two values of an axis it interpolates, on logarithmic scales of depth, size and number, and on a linear one of
the read share. Beyond the ends it takes the value there. Numbers of reads exist where the read share is above 0.
"""

from __future__ import annotations

import csv
from itertools import product
from os import PathLike

import numpy as np

AXES = ("depth", "size_bytes", "read_share")


class Table:
    """Numbers of a drive over depth, size and read share, in one state."""

    def __init__(self, path: str | PathLike[str], state: str = "steady") -> None:
        with open(path, encoding="utf-8", newline="") as file:  # noqa: PTH123 - no other import
            rows = [row for row in csv.DictReader(file) if row["state"] == state]
        if not rows:
            raise ValueError(f"{path} has no row with state {state}")
        self.axes = {axis: np.array(sorted({float(row[axis]) for row in rows})) for axis in AXES}
        shape = [len(values) for values in self.axes.values()]
        self.numbers = {name: np.full(shape, np.nan) for name in rows[0] if name not in (*AXES, "state")}
        for row in rows:
            place = tuple(int(np.searchsorted(self.axes[axis], float(row[axis]))) for axis in AXES)
            for name, grid in self.numbers.items():
                grid[place] = float(row[name]) if row[name] else np.nan

    def at(self, name: str, *, depth: float, size_bytes: float, read_share: float) -> float:
        """Returns a number; NaN where there is none."""
        sides = []
        for axis, asked in zip(AXES, (depth, size_bytes, read_share), strict=True):
            values = self.axes[axis]
            wanted = float(np.clip(asked, values[0], values[-1]))
            high = int(np.clip(np.searchsorted(values, wanted), 1 if len(values) > 1 else 0, len(values) - 1))
            low = max(0, high - 1)
            scale = np.log if axis != "read_share" else np.asarray
            span = float(scale(values[high]) - scale(values[low]))
            share = float(scale(wanted) - scale(values[low])) / span if span else 0.0
            sides.append(((low, 1.0 - share), (high, share)))
        total, weights = 0.0, 0.0
        for corner in product(*sides):
            weight = float(np.prod([share for _, share in corner]))
            value = self.numbers[name][tuple(place for place, _ in corner)]
            if weight > 0 and np.isfinite(value) and value > 0:
                total += weight * float(np.log(value))
                weights += weight
        return float(np.exp(total / weights)) if weights else float("nan")

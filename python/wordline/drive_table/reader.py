"""Reads a table that `wordline table` wrote, and interpolates in it. It needs NumPy alone: copy it where you need it.

    drive = Table("table.csv", state="steady")
    drive.at("bandwidth_mb_s", depth=8, size_bytes=262144, read_share=0.7)

Bandwidth grows with depth and size until the drive is saturated: between two values it is between a line on logarithmic
scales and growth in proportion up to the larger one. Over the read share, times add up: 1 / bandwidth is a line.
Mean times follow from it, since depth / mean time is the rate of requests. Writes take the time of the buffer until
they are more than the flash takes. Other numbers are lines on logarithmic scales. Beyond the ends it takes the value
there. Numbers of reads exist where the read share is above 0.
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
        self.axes = [np.array(sorted({float(row[axis]) for row in rows})) for axis in AXES]
        shape = [len(values) for values in self.axes]
        self.numbers = {name: np.full(shape, np.nan) for name in rows[0] if name not in (*AXES, "state")}
        for row in rows:
            place = tuple(int(np.searchsorted(v, float(row[axis]))) for axis, v in zip(AXES, self.axes, strict=True))
            for name, grid in self.numbers.items():
                grid[place] = float(row[name]) if row[name] else np.nan

    def at(self, name: str, *, depth: float, size_bytes: float, read_share: float) -> float:
        """Returns a number; NaN where there is none."""
        asked = [
            float(np.clip(x, v[0], v[-1])) for x, v in zip((depth, size_bytes, read_share), self.axes, strict=True)
        ]
        sides = [self._around(axis, value) for axis, value in enumerate(asked)]
        if name == "bandwidth_mb_s":
            return self._bandwidth(asked, sides)
        line = self._line(self.numbers[name], sides)
        if name.startswith("write_") and name != "write_mean_us" and not np.isnan(line):
            # Percentiles of writes go with the mean, which leaps where the buffer is full.
            ratio = self.numbers[name] / self.numbers["write_mean_us"]
            return self._line(ratio, sides) * self._mean(asked, sides, False)
        if name not in ("read_mean_us", "write_mean_us") or np.isnan(line):
            return line
        return self._mean(asked, sides, name == "read_mean_us")

    def _mean(self, asked: list[float], sides: list[tuple[int, int, float]], of_reads: bool) -> float:
        share, time_us = asked[2], asked[0] * asked[1] / self._bandwidth(asked, sides)
        if share in (0, 1):
            return time_us
        read_us = min(self._line(self.numbers["read_mean_us"], sides), time_us / share)
        if of_reads:
            return read_us
        # The buffer takes writes at once, until they are more than the flash takes. Then each waits for what the flash,
        # which serves the larger depth, leaves to it beside the time of the reads.
        waiting_us = (asked[0] * asked[1] * (1 - share) / self._written(sides) - share * read_us) / (1 - share)
        return max(self._buffered(sides[1]), waiting_us)

    def _written(self, sides: list[tuple[int, int, float]]) -> float:
        """Returns the bandwidth of writes at the next depth of the table, or a larger one: what the flash takes."""
        (_, depth, _), (low, high, part), shares = sides
        rates = np.max(self.numbers["bandwidth_mb_s"][depth:], axis=0) * (1 - self.axes[2])
        first, second = (rates[low, place] ** (1 - part) * rates[high, place] ** part for place in shares[:2])
        return float(first if second == 0 else first + (second - first) * shares[2])

    def _buffered(self, size: tuple[int, int, float]) -> float:
        """Returns the shortest mean time of writes of a size."""
        low, high, part = size
        first, second = (float(np.nanmin(self.numbers["write_mean_us"][:, place])) for place in (low, high))
        return float(first ** (1 - part) * second**part)

    def _around(self, axis: int, wanted: float) -> tuple[int, int, float]:
        """Returns the places of the values around one, and how far it is from the first to the second."""
        values = self.axes[axis]
        high = int(np.searchsorted(values, wanted))
        low = high if values[high] == wanted else high - 1
        ends = values[[low, high]] if axis == 2 else np.log(values[[low, high]])
        point = wanted if axis == 2 else np.log(wanted)
        return low, high, float((point - ends[0]) / (ends[1] - ends[0])) if low < high else 0.0

    def _line(self, grid: np.ndarray, sides: list[tuple[int, int, float]]) -> float:
        total, weights = 0.0, 0.0
        for corner in product(*[((low, 1 - part), (high, part)) for low, high, part in sides]):
            weight = float(np.prod([part for _, part in corner]))
            value = grid[tuple(place for place, _ in corner)]
            if weight > 0 and value > 0:
                total, weights = total + weight * float(np.log(value)), weights + weight
        return float(np.exp(total / weights)) if weights else float("nan")

    def _bandwidth(self, asked: list[float], sides: list[tuple[int, int, float]]) -> float:
        found = []
        for share in sides[2][:2]:
            values = self.numbers["bandwidth_mb_s"][:, :, share]
            # Writes fill a buffer, and then wait for the flash; reads meet each other at dies more and more.
            of_reads = self.axes[2][share]
            sharpness = (1 - of_reads / 2, (1 - of_reads) / 2)
            for axis in (0, 1):
                low, high, part = sides[axis]
                first, second = values[low], values[high]
                line = first ** (1 - part) * second**part
                bound = np.minimum(first * asked[axis] / self.axes[axis][low], second)
                values = np.where(second > first, line ** (1 - sharpness[axis]) * bound ** sharpness[axis], line)
            found.append(float(values))
        return 1 / ((1 - sides[2][2]) / found[0] + sides[2][2] / found[1])

"""How far a simulated drive is from measured points: logarithms of ratios, over how well each repeats."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from ..measured import Numbers, Point

__all__ = ["FLOOR", "Residuals", "residuals_of"]

FLOOR = {"iops": 0.02, "mean_us": 0.02, "p50_us": 0.025, "p95_us": 0.035, "p99_us": 0.05, "p999_us": 0.15}
"""Standard deviation of the logarithm of each number at best: bins of histograms, and chance in short runs."""
REPEAT_MAX = 2.0
"""Splits of a load that differ by more, in these, differ by what the host does: parameters may explain it."""
NUMBERS_AT_DEPTH = ("iops", "p50_us", "p99_us")
NUMBERS_ALONE = ("iops", "p50_us", "p95_us", "p99_us")


@dataclass(frozen=True)
class Residuals:
    """What is compared of points.

    Attributes:
        points: The points.
        terms: Place of the point, name of the number, and the standard deviation of its logarithm.
    """

    points: tuple[Point, ...]
    terms: tuple[tuple[int, str, float], ...]

    def of(self, simulated: Sequence[Numbers | None]) -> list[float]:
        """Returns the residuals of simulated numbers; 0 where a number was not simulated."""
        values = []
        for place, name, deviation in self.terms:
            numbers = simulated[place]
            gave = None if numbers is None else getattr(numbers, name)
            values.append(math.log(gave / getattr(self.points[place].numbers, name)) / deviation if gave else 0.0)
        return values


def residuals_of(points: Sequence[Point]) -> Residuals:
    """Returns what is compared: IOPS, median and p99, at one outstanding request p95 as well."""
    repeats = repeatability(points)
    terms = []
    for place, point in enumerate(points):
        names = NUMBERS_ALONE if point.outstanding == 1 else NUMBERS_AT_DEPTH
        for name in names:
            if getattr(point.numbers, name):
                repeat = min(repeats.get((point.op, name), 0.0), REPEAT_MAX * FLOOR[name])
                deviation = max(FLOOR[name], repeat)
                terms.append((place, name, deviation))
    return Residuals(tuple(points), tuple(terms))


def repeatability(points: Sequence[Point]) -> dict[tuple[str, str], float]:
    """Returns how far points of the same load lie apart that were measured several times or split in other jobs.

    It is the standard deviation of the logarithm of a number, pooled over all loads, by kind of request and number.
    """
    alike: dict[tuple[object, ...], list[Point]] = defaultdict(list)
    for point in points:
        load = point.loads[0]
        alike[point.op, load.mean_bytes(), load.is_random, load.read_ratio, point.outstanding, point.loads[1:]].append(
            point
        )
    squares: dict[tuple[str, str], list[float]] = defaultdict(list)
    for group in alike.values():
        for name in FLOOR:
            values = [math.log(value) for each in group if (value := getattr(each.numbers, name))]
            if len(values) > 1:
                mean = sum(values) / len(values)
                squares[group[0].op, name] += [
                    (value - mean) ** 2 * len(values) / (len(values) - 1) for value in values
                ]
    return {key: math.sqrt(sum(each) / len(each)) for key, each in squares.items()}

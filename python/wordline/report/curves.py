"""Curves and bars as data for a browser: few points, few digits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["POINTS_MAX", "bars_of", "curve_of", "points_of", "thinned"]

# Enough for a smooth curve, and few enough for hundreds of runs in a file of 5 MB.
POINTS_MAX, POINTS_MIN, POINTS_OF_ALL = 160, 40, 16_000


def points_of(runs: int) -> int:
    """Points of a curve where there are so many."""
    return max(POINTS_MIN, min(POINTS_MAX, POINTS_OF_ALL // max(runs, 1)))


def thinned(curve: Sequence[tuple[float, float]], points: int = POINTS_MAX) -> list[tuple[float, float]]:
    """A falling curve with fewer points, dense where it falls by orders of magnitude: its tail keeps every bin."""
    if len(curve) <= points:
        return list(curve)
    kept = [curve[0]]
    step = (curve[-1][1] / curve[0][1]) ** (1.0 / points)
    for point in curve[1:-1]:
        # A step down the logarithmic axis, or a hundredth of all requests.
        if point[1] <= kept[-1][1] * step or point[1] <= kept[-1][1] - max(0.01, 1.0 / points):
            kept.append(point)
    return [*kept, curve[-1]]


def curve_of(run: int, points: Sequence[tuple[float, float | None]]) -> dict[str, Any]:
    """The curve of a run, by the number of the run."""
    return {"run": run, "x": [short(x) for x, _ in points], "y": [short(y) for _, y in points]}


def bars_of(name: str, values: Iterable[float | None], colour: str = "") -> dict[str, Any]:
    """A bar for each run; `colour` is what it stands for, or empty where the run decides."""
    return {"name": name, "colour": colour, "y": [short(value) for value in values]}


def short(value: float | None) -> float | None:
    """Six digits are more than anybody sees."""
    return None if value is None else float(f"{value:.6g}")

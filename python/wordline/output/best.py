"""Which row of a sorted comparison is best, and which may be by chance, as a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..stats.comparison import change
from ..stats.run import dig
from .compare_table import setting_text
from .view import DOWN, Column

__all__ = ["best"]

Point = tuple[Mapping[str, Any], Mapping[str, Any]]
"""What was set in a run, and its JSON document."""


def best(points: Sequence[Point], sorted_by: Column) -> str:
    """Returns which row is first, which others the intervals do not tell from it, and of which nothing is known.

    Args:
        points: The rows, the best one first.
        sorted_by: The number by which they are sorted.
    """
    name, path = sorted_by
    what = f"{'most' if name.endswith(DOWN) else 'least'} {name.removesuffix(DOWN)}"
    # Rows without the number are last.
    if not isinstance(dig(points[0][1], ".".join(path)), int | float):
        return f"{what}: no row has such a number"
    changes = [change(points[0][1], document, ".".join(path)) for _, document in points[1:]]
    near, unknown = (
        [_row(point) for point, each in zip(points[1:], changes, strict=True) if each and each.verdict == verdict]
        for verdict in ("not separated", "unknown")
    )
    also = f"; by chance it may also be {', '.join(near)}" if near else ""
    open_ = f"; not known whether it may be {', '.join(unknown)}: the run is too short" if unknown else ""
    return f"{what}: {_row(points[0])}{also}{open_}"


def _row(point: Point) -> str:
    return ", ".join(f"{key}={setting_text(key, value)}" for key, value in point[0].items())

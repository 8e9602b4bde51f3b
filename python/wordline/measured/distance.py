"""Texts on how far simulated numbers are from measured ones: percent where they are near, times where they are not."""

from __future__ import annotations

from collections.abc import Sequence

from .quantile import quantile

__all__ = ["TIMES_MIN", "distance", "many", "one"]

TIMES_MIN = 2.0
"""From this factor on, more or less, times are said: a relative error below the true value never exceeds 100 %."""


def distance(ratio: float) -> float:
    """Returns the factor between two numbers whatever their order, 1 or more."""
    return max(ratio, 1.0 / ratio)


def times(factor: float) -> str:
    """Returns a factor in three digits, `2.54`, `48`, `1,230`."""
    return f"{factor:,.0f}" if factor >= 20 else f"{factor:.3g}"


def one(ratio: float) -> str:
    """Returns how far one number is, `error 2.1 %` or `48 times less than measured`."""
    if distance(ratio) < TIMES_MIN:
        return f"error {100 * abs(ratio - 1):.1f} %"
    return f"{times(distance(ratio))} times {'less' if ratio < 1 else 'more'} than measured"


def short(ratios: Sequence[float], share: float) -> str:
    """Returns a quantile of the distances for a cell, `2.1 %` or `x48`."""
    factor = quantile(map(distance, ratios), share)
    if factor is None:
        return "-"
    if factor >= TIMES_MIN:
        return f"x{times(factor)}"
    return f"{100 * (quantile((abs(ratio - 1) for ratio in ratios), share) or 0):.1f} %"


def many(ratios: Sequence[float]) -> str:
    """Returns how far several numbers are: median and 90th percentile, and to which side where all far ones agree."""
    words = []
    for share, where in ((0.5, "in the median"), (0.9, f"at the 90th percentile of {len(ratios)} points")):
        cell = short(ratios, share)
        words.append(f"{f'a factor of {cell[1:]}' if cell.startswith('x') else cell} {where}")
    far = [ratio for ratio in ratios if distance(ratio) >= TIMES_MIN]
    sides = {"at most half of" if ratio < 1 else "at least twice" for ratio in far}
    count = "all" if len(far) == len(ratios) else f"{len(far)} of {len(ratios)}"
    side = f" ({count}: {sides.pop()} what was measured)" if len(sides) == 1 else ""
    return f"error {', '.join(words)}{side}"

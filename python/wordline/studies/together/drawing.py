"""The style of the study's figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ... import extras
from ...output.plot.style import BLUE, GREEN, ORANGE, PURPLE
from .effects import Effect
from .plan import ALL

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Intervals of few seeds are wider than any figure, and one seed has none: intervals beyond this width are left out.
WIDEST = 4.0
COLOURS = dict(zip(ALL, (BLUE, ORANGE, GREEN, PURPLE), strict=True))


def ends(effects: Sequence[Effect]) -> list[list[float]] | None:
    """Returns the lengths of error bars, below and above; None if an interval is too wide to draw."""
    if any(each.high >= WIDEST * each.factor for each in effects):
        return None
    return [[each.factor - each.low for each in effects], [each.high - each.factor for each in effects]]


def interval(axes: Axes, x: Sequence[float], effects: Sequence[Effect], **look: Any) -> None:  # noqa: ANN401
    """Draws a line with intervals."""
    middle = [each.factor for each in effects]
    axes.errorbar(x, middle, yerr=ends(effects), ms=2.5, capsize=1.5, elinewidth=0.6, **look)


def corner(axes: Axes, text: str) -> None:
    """Writes the topic of a panel inside of it, because the legend is above it."""
    axes.text(0.02, 0.95, text, transform=axes.transAxes, va="top", fontstyle="italic")


def ticks(axes: Axes) -> None:
    """Sets plain numbers on a logarithmic axis."""
    axes.yaxis.set_major_locator(extras.ticker.LogLocator(base=2.0))
    axes.yaxis.set_major_formatter(extras.ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(extras.ticker.NullFormatter())

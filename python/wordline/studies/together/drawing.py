"""How the study's figures look."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ... import extras
from .effects import Effect
from .plan import ALL

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Intervals of few seeds are wider than any figure, and one seed has none: those that reach beyond this are left out.
WIDEST = 4.0


def colours() -> dict[str, str]:
    """One for each technique."""
    from ...output.plot.style import BLUE, GREEN, ORANGE, PURPLE

    return dict(zip(ALL, (BLUE, ORANGE, GREEN, PURPLE), strict=True))


def ends(effects: Sequence[Effect]) -> list[list[float]] | None:
    """The lengths of error bars, below and above; None where an interval is too wide to be drawn."""
    if any(each.high >= WIDEST * each.factor for each in effects):
        return None
    return [[each.factor - each.low for each in effects], [each.high - each.factor for each in effects]]


def interval(axes: Axes, x: Sequence[float], effects: Sequence[Effect], **look: Any) -> None:  # noqa: ANN401
    """A line with intervals."""
    middle = [each.factor for each in effects]
    axes.errorbar(x, middle, yerr=ends(effects), ms=2.5, capsize=1.5, elinewidth=0.6, **look)


def corner(axes: Axes, text: str) -> None:
    """What a panel is about, inside of it: above it stands the legend."""
    axes.text(0.02, 0.95, text, transform=axes.transAxes, va="top", fontstyle="italic")


def ticks(axes: Axes) -> None:
    """Plain numbers on a logarithmic axis."""
    axes.yaxis.set_major_locator(extras.ticker.LogLocator(base=2.0))
    axes.yaxis.set_major_formatter(extras.ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(extras.ticker.NullFormatter())

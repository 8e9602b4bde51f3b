"""Common parts of the figures: a grid of panels, lines for limits, and labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ... import extras
from ...output.plot.style import PALETTE, SETTINGS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Width of a paper's page, inches.
PAGE_WIDTH = 7.2
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LIMIT: dict[str, Any] = {"color": "#666666", "linestyle": "--", "linewidth": 0.9}
STEPS_FIGURE_LEGEND = 8


@contextmanager
def grid(
    columns: int,
    rows: int = 1,
    *,
    width: float = PAGE_WIDTH,
    height: float = 2.0,
    share: bool = True,
    ratios: Sequence[float] | None = None,
) -> Iterator[tuple[Figure, list[Axes]]]:
    """Returns a figure of panels in rows; `share` gives them one scale; `ratios` are the widths of the columns."""
    with extras.mpl.rc_context(SETTINGS):
        drawing = extras.figure.Figure(figsize=(width, height * rows), layout="constrained")
        extras.backend_agg.FigureCanvasAgg(drawing)
        axes = drawing.subplots(rows, columns, squeeze=False, sharex=share, sharey=share, width_ratios=ratios)
        yield drawing, [panel for row in axes for panel in row]


def letter(axes: Axes, index: int, text: str) -> None:
    """Adds a panel's title in the style of papers, such as (a)."""
    axes.set_title(f"({'abcdefghij'[index]}) {text}")


def limit(axes: Axes, value: float, text: str) -> None:
    """Draws a horizontal line for a limit, with its name above its left end."""
    axes.axhline(value, **LIMIT)
    axes.annotate(
        text, (0.01, value), xycoords=("axes fraction", "data"), xytext=(0, 1.5), textcoords="offset points",
        fontsize=6, color="#444444",
    )  # fmt: skip


def legend_above(drawing: Figure, axes: Axes, columns: int = STEPS_FIGURE_LEGEND) -> None:
    """Draws one legend for all panels, above them."""
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        drawing.legend(handles, labels, loc="outside upper center", ncols=min(columns, len(labels)), handlelength=1.8)


def colour(index: int) -> dict[str, Any]:
    """Returns the style of one line among several."""
    return {"color": PALETTE[index % len(PALETTE)], "marker": MARKERS[index % len(MARKERS)], "markersize": 3.0}


def thousands(cycles: float) -> str:
    """Formats P/E cycles in the style of papers: 0, 0.5K, 2K."""
    return "0" if cycles == 0 else f"{cycles / 1000:g}K"


def condition(cycles: float, months: float) -> str:
    """Formats P/E cycles and months: `(2K, 12)`."""
    return f"({thousands(cycles)}, {months:g})"


def heat(
    axes: Axes, table: Sequence[Sequence[float | None]], columns: Sequence[str], rows: Sequence[str], form: str
) -> None:
    """Draws a table as shaded boxes with their numbers; None stays empty. The first row is at the bottom."""
    import numpy as np

    shades = np.array([[np.nan if cell is None else cell for cell in row] for row in table], dtype=float)
    axes.pcolormesh(
        shades, cmap="Greys", vmin=0.0, vmax=float(np.nanmax(shades)) * 1.4, edgecolors="white", linewidth=0.5
    )
    for y, row in enumerate(table):
        for x, cell in enumerate(row):
            if cell is not None:
                shade = "white" if cell > 0.75 * np.nanmax(shades) else "black"
                axes.text(x + 0.5, y + 0.5, form.format(cell), ha="center", va="center", fontsize=6, color=shade)
    axes.set_xticks([x + 0.5 for x in range(len(columns))], columns)
    axes.set_yticks([y + 0.5 for y in range(len(rows))], rows)
    axes.grid(visible=False)
    axes.tick_params(length=0)

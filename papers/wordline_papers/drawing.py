"""Common drawings of studies: one style for all, each figure as SVG and PNG with its rows as CSV."""

from __future__ import annotations

import io
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from wordline import extras
from wordline.output.csv_table import write_rows
from wordline.output.plot import style

from .figure import Sheet, Table, grouped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

__all__ = [
    "FORMATS", "against_formula", "bars", "bars_of", "drawn", "label", "legend_above", "line_chart", "lines",
    "panels_by", "save", "save_rows",
]  # fmt: skip

FORMATS = ("svg", "png")
# Share of the distance between groups that a group of bars takes.
GROUP = 0.8
T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


class Paper:
    """A sheet that becomes a file, see `wordline_papers.Sheet`."""

    drawing: Drawing

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack

    def __call__(self, panels: int = 1, *, height: float = 2.1, width: float = 3.5) -> list[Axes]:
        self.drawing, axes = self._stack.enter_context(style.figure(panels, height, width))
        return axes


def save(table: Table[Any], folder: Path) -> None:
    """Saves a figure with its rows: `name.svg`, `name.png` and `name.csv`; for a table only the last one.

    Raises:
        OSError: A file cannot be written.
    """
    name, draw = table.figure.name, table.figure.draw
    save_rows(folder / f"{name}.csv", table.columns())
    if draw is None:
        return
    with ExitStack() as stack:
        paper = Paper(stack)
        draw(table.rows, paper)
        style.save(paper.drawing, *(folder / f"{name}.{ending}" for ending in FORMATS))


def drawn(table: Table[Any]) -> bytes:
    """Returns a figure as SVG that looks the same everywhere: its letters are outlines. Returns nothing for a table."""
    if table.figure.draw is None or not table.figure.is_saved:
        return b""
    target = io.BytesIO()
    with ExitStack() as stack:
        paper = Paper(stack)
        table.figure.draw(table.rows, paper)
        with extras.mpl.rc_context({"svg.fonttype": "path"}):
            paper.drawing.savefig(target, format="svg", metadata={"Date": None, "Creator": "wordline"})
    return target.getvalue()


def save_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Writes rows as CSV; the columns are the first row's keys, then any further ones."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    write_rows(path, columns, ([row.get(key) for key in columns] for row in rows))


def label(axes: Axes, x: str = "", y: str = "", title: str = "") -> None:
    """Sets labels of the axes, and a title on the left."""
    if x:
        axes.set_xlabel(x)
    if y:
        axes.set_ylabel(y)
    if title:
        axes.set_title(title, loc="left")


def panels_by(
    sheet: Sheet, rows: Iterable[T], by: Callable[[T], K], *, height: float = 2.1, width: float = 3.5
) -> list[tuple[Axes, K, list[T]]]:
    """Returns a panel for each value of a key, with the value and its rows, in order of appearance."""
    groups = grouped(rows, by)
    panels = sheet(len(groups), height=height, width=width)
    return [(axes, key, group) for axes, (key, group) in zip(panels, groups.items(), strict=True)]


def bars(
    axes: Axes,
    groups: Sequence[str],
    series: Mapping[str, Sequence[float]],
    colours: Sequence[str],
    hatches: Sequence[str] = (),
    *,
    fill: float = 1.0,
    **look: Any,  # noqa: ANN401 - of matplotlib
) -> None:
    """Draws groups of bars side by side.

    Args:
        axes: The axes.
        groups: The label below each group.
        series: Heights by legend entry, one height for each group.
        colours: One colour for each of the series.
        hatches: One hatch for each of the series, or none.
        fill: Share of its place that a bar takes.
        look: Further style of all bars.
    """
    width = GROUP / len(series)
    for number, (name, heights) in enumerate(series.items()):
        places = [group + (number - (len(series) - 1) / 2) * width for group in range(len(heights))]
        hatch = hatches[number] if hatches else None
        axes.bar(places, heights, width * fill, color=colours[number], hatch=hatch, label=name, **look)
    axes.set_xticks(range(len(groups)), groups)


def bars_of(
    axes: Axes,
    heights: Iterable[tuple[str, K, float]],
    looks: Mapping[K, tuple[str, str]],
    **look: Any,  # noqa: ANN401 - of matplotlib
) -> None:
    """Draws groups of bars: heights with the label of the group and a series.

    `looks` has the label and colour of each series to draw, in this order.
    """
    series = grouped(heights, lambda each: each[1])
    groups = list(dict.fromkeys(group for triples in series.values() for group, _, _ in triples))
    shown = {label: [height for _, _, height in series.get(key, ())] for key, (label, _) in looks.items()}
    bars(axes, groups, shown, [colour for _, colour in looks.values()], **look)


def lines(axes: Axes, points: Iterable[tuple[K, float, float]], look: Callable[[K], Mapping[str, Any]]) -> None:
    """Draws a line for each series of (series, x, y); `look` gives a series' style, including its label."""
    for name, line in grouped(points, lambda each: each[0]).items():
        axes.plot([x for _, x, _ in line], [y for _, _, y in line], **look(name))


def line_chart(
    sheet: Sheet,
    points: Iterable[tuple[K, float, float]],
    look: Callable[[K], Mapping[str, Any]],
    labels: tuple[str, str],
    *,
    height: float = 2.1,
) -> Axes:
    """Draws `lines` with labels of both axes and a legend on a sheet."""
    (axes,) = sheet(height=height)
    lines(axes, points, look)
    label(axes, *labels)
    style.legend(axes)
    return axes


def legend_above(axes: Axes, columns: int, *, y: float = 1.0, handle: float = 1.2) -> None:
    """Draws a legend in one row of some columns above a panel."""
    at: dict[str, Any] = {"loc": "lower right", "bbox_to_anchor": (1.0, y)}
    axes.legend(**at, ncols=columns, borderaxespad=0.2, handlelength=handle)


def against_formula(
    sheet: Sheet,
    points: Sequence[tuple[float, float, float]],
    **look: Any,  # noqa: ANN401 - of the axes
) -> None:
    """Draws simulations as marks on the line of a formula; points are place, formula and simulation."""
    (axes,) = sheet()
    places, formula, simulated = zip(*points, strict=True)
    axes.plot(places, formula, color=style.BLUE, label="formula")
    axes.plot(places, simulated, color=style.VERMILION, linestyle="", marker="o", ms=3, label="here")
    style.legend(axes)
    axes.set(**look)

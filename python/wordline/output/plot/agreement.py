"""Simulated numbers over measured ones: on the line they are alike; the data go beside the figure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..agreement_table import write_csv
from ..atomic import files
from .figure_data import data_path
from .style import BLUE, GREEN, ORANGE, VERMILION, figure, legend, log_ticks, save, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ...measured import Agreement

__all__ = ["draw", "line", "scatter"]

LATENCIES = (("p50_us", "p50", BLUE, "o"), ("p99_us", "p99", VERMILION, "s"), ("p999_us", "p99.9", ORANGE, "^"))
OPS = ("read", "write")
OPEN = ("write",)
"""Kinds of request whose marks are open."""


def draw(path: Path, agreement: Agreement) -> None:
    """Draws IOPS and latencies of all points to `path` and writes their data beside it.

    Raises:
        OSError: The file cannot be written.
    """
    with figure(2, height=2.6) as (drawing, (top, bottom)):
        ops = [op for op in OPS if any(row.point.op == op for row in agreement.rows)]
        for op in ops:
            scatter(top, agreement, "iops", f"{op}s", GREEN, "o", op)
        top.set(xlabel="Measured IOPS", ylabel="Simulated IOPS")
        legend(top)
        title(top, Path(agreement.drive).name)
        for op in ops:
            for name, label, colour, mark in LATENCIES:
                scatter(bottom, agreement, name, f"{label} of {op}s", colour, mark, op)
        bottom.set(xlabel="Measured latency (us)", ylabel="Simulated latency (us)")
        legend(bottom)
        for axes in (top, bottom):
            line(axes)
        files(
            (path, lambda work: save(drawing, work)),
            (data_path(path), lambda work: write_csv(work, agreement)),
        )


def scatter(
    axes: Axes, agreement: Agreement, name: str, label: str, colour: str, mark: str, op: str | None = None
) -> None:
    """Draws a number of each point where it counts: of all, or of one kind of request, with that one's fill."""
    pairs = [
        (measured, simulated)
        for row in agreement.rows
        if row.counts(name)
        and op in (None, row.point.op)
        and (measured := getattr(row.point.numbers, name)) is not None
        and (simulated := getattr(row.simulated, name)) is not None
    ]
    if pairs:
        axes.plot(
            *zip(*pairs, strict=True),
            linestyle="",
            marker=mark,
            markersize=3.5,
            color=colour,
            alpha=0.7,
            label=label,
            markerfacecolor="none" if op in OPEN else colour,
        )


def line(axes: Axes) -> None:
    """Draws where both are equal, and 10 % to each side of it."""
    axes.set(xscale="log", yscale="log")
    low, high = min(axes.get_xlim()[0], axes.get_ylim()[0]), max(axes.get_xlim()[1], axes.get_ylim()[1])
    ends = (low, high)
    axes.plot(ends, ends, color="#000000", linewidth=0.6)
    axes.fill_between(
        ends, [0.9 * each for each in ends], [1.1 * each for each in ends], color="#999999", alpha=0.2, linewidth=0
    )
    axes.set(xlim=ends, ylim=ends)
    for axis in (axes.xaxis, axes.yaxis):
        log_ticks(axis)

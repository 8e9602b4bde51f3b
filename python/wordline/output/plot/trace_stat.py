"""A trace in two panels: what arrives each second, and how large requests are; its data in a CSV beside it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..atomic import files
from ..csv_table import write_rows
from .figure_data import data_path
from .style import OP_STYLES, figure, legend, save, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KIB = 1024


def rows(stat: dict[str, Any]) -> list[tuple[str, int, int, int]]:
    """The numbers behind the figure: (quantity, x, reads, writes)."""
    seconds = [("requests in second", s["second"], s["reads"], s["writes"]) for s in stat["seconds"]]
    sizes = [("requests of bytes", s["bytes"], s["reads"], s["writes"]) for s in stat["sizes"]]
    return seconds + sizes


def draw(path: Path, stat: dict[str, Any], name: str) -> None:
    """Draws a trace's statistics to `path` and writes its data beside it as CSV.

    Raises:
        OSError: when a file cannot be written.
    """
    with figure(2) as (drawing, (top, bottom)):
        for op in ("read", "write"):
            if stat[f"{op}s"]:
                top.step(*rates(stat["seconds"], f"{op}s"), where="post", **{**OP_STYLES[op], "linewidth": 0.7})
        top.set(xlabel="Time (s)", ylabel="Requests per second")
        top.set_ylim(bottom=0)
        legend(top)
        title(top, name)
        _sizes(bottom, stat["sizes"])
        files(
            (path, lambda work: save(drawing, work)),
            (data_path(path), lambda work: write_rows(work, ("quantity", "x", "reads", "writes"), rows(stat))),
        )


def rates(seconds: list[dict[str, int]], op: str) -> tuple[list[int], list[int]]:
    """Requests in each second as steps; where seconds are left out nothing arrived, and the line falls to zero."""
    x: list[int] = []
    y: list[int] = []
    for s in seconds:
        if x and s["second"] > x[-1]:
            x.append(x[-1])
            y.append(0)
        x += [s["second"], s["second"] + 1]
        y += [s[op], s[op]]
    return x, y


def _sizes(axes: Axes, sizes: list[dict[str, int]]) -> None:
    """The share of reads, and of writes, that are no larger than a size."""
    for op in ("read", "write"):
        total = sum(s[f"{op}s"] for s in sizes)
        if total == 0:
            continue
        x, y, so_far = [], [], 0
        for s in sizes:
            so_far += s[f"{op}s"]
            x.append(s["bytes"] / KIB)
            y.append(so_far / total)
        # A single size would be a step without a width.
        axes.step([x[0] / 2, *x, x[-1] * 2], [0.0, *y, 1.0], where="post", **OP_STYLES[op])
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(lambda kib, _: f"{kib:g}")
    axes.set(xlabel="Request size (KiB)", ylabel="Share no larger")
    axes.set_ylim(0, 1.02)

"""A run in two panels: the tail of its response times, and its throughput over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .style import OP_STYLES, figure, legend, log_times, save, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

MB = 1e6
NS_PER_S = 1e9


def tail(rows: Sequence[tuple[str, float, int, int]], op: str) -> tuple[list[float], list[float]]:
    """Response times in us and the share of requests that took longer, for a log axis: no zero at the end."""
    rows = [row for row in rows if row[0] == op]
    total = rows[-1][3] if rows else 0
    # The slowest request's bin is where the share reaches zero; it is drawn at half a request.
    return [row[1] for row in rows], [max(total - row[3], 0.5) / total for row in rows]


def draw(
    paths: Sequence[Path],
    bins: Mapping[str, NDArray[Any]],
    series: Mapping[str, NDArray[Any]],
    document: Mapping[str, Any],
) -> None:
    """Draws a run to each path, in the format of its name.

    Raises:
        OSError: when a file cannot be written.
    """
    from ..csv_table import bin_rows

    rows = bin_rows(bins)
    with figure(2) as (drawing, (top, bottom)):
        for op, style in OP_STYLES.items():
            x, y = tail(rows, op)
            if x and (op != "all" or (document["requests"]["read"] and document["requests"]["write"])):
                top.step(x, y, where="post", **style)
        top.set(yscale="log", xlabel="Response time (us)", ylabel="Share of slower requests")
        log_times(top)
        legend(top)
        _throughput(bottom, {name: each.tolist() for name, each in series.items()}, document["window"]["end_s"])
        workload = document["workload"]
        title(top, f"{workload['name']}{' (synthetic)' if workload['synthetic'] else ''}")
        if document.get("stand_in"):
            title(bottom, f"stand-in chip: {document['stand_in']}")
        for path in paths:
            save(drawing, path)


def throughput(columns: dict[str, list[Any]], op: str, end_s: float) -> tuple[list[float], list[float]]:
    """Start of each sample in seconds, and its rate in MB/s; the last one ends with the run."""
    starts = [ns / NS_PER_S for ns in columns["start_ns"]]
    ends = [*starts[1:], max(end_s, starts[-1])] if starts else []
    rates = [
        amount / (end - start) / MB if end > start else 0.0
        for amount, start, end in zip(columns[f"{op}_bytes"], starts, ends, strict=True)
    ]
    return [*starts, *ends[-1:]], [*rates, *rates[-1:]]


def _throughput(axes: Axes, columns: dict[str, list[Any]], end_s: float) -> None:
    for op in ("read", "write"):
        x, y = throughput(columns, op, end_s)
        if any(y):
            axes.step(x, y, where="post", **OP_STYLES[op])
    axes.set(xlabel="Simulated time (s)", ylabel="Throughput (MB/s)")
    axes.set_ylim(bottom=0)
    legend(axes)

"""A run in two panels: the tail of its response times, and its throughput over time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ... import extras
from .style import OP_STYLES, PALETTE, figure, legend, log_times, save, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

MB = 1e6
NS_PER_S = 1e9
WHOLE = 0.99
"""A last sample shorter than this share of the others is left out."""
BANDS = 120
"""Into about so many parts samples are joined."""
STEP = 0.1
"""A change of the rate, as a share of the largest one, that begins a new part."""
BAND_ALPHA = 0.25


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
    drive: str = "",
    flows: Flows | None = None,
) -> None:
    """Draws a run to each path, in the format of its name.

    Args:
        paths: The files.
        bins: Response times.
        series: Throughput.
        document: The run.
        drive: The SSD's name, for the title.
        flows: Tables by flow, where there are several: two further panels.

    Raises:
        OSError: when a file cannot be written.
    """
    from ..csv_table import bin_rows

    rows = bin_rows(bins)
    by_flow = flows if flows is not None and len(flows.names) <= len(PALETTE) else None
    with figure(2 if by_flow is None else 4) as (drawing, (top, bottom, *further)):
        for op, style in OP_STYLES.items():
            x, y = tail(rows, op)
            if x and (op != "all" or (document["requests"]["read"] and document["requests"]["write"])):
                top.step(x, y, where="post", **style)
        top.set(yscale="log", xlabel="Response time (us)", ylabel="Share of slower requests")
        log_times(top)
        # The last drop of a curve stands on the frame otherwise.
        top.set_xlim(right=top.get_xlim()[1] * 1.05)
        legend(top)
        _throughput(bottom, {name: each.tolist() for name, each in series.items()}, document["window"]["end_s"])
        workload = document["workload"]
        of_drive = f"{drive}, " if drive else ""
        title(top, f"{of_drive}{workload['name']}{' (synthetic)' if workload['synthetic'] else ''}")
        stand_in = document.get("stand_in")
        title(bottom, f"Throughput; stand-in chip: {stand_in}" if stand_in else "Throughput")
        if by_flow is not None:
            _of_flows(further[0], further[1], by_flow, document["window"]["end_s"])
        for path in paths:
            save(drawing, path)


def _of_flows(top: Axes, bottom: Axes, flows: Flows, end_s: float) -> None:
    """Draws the tail of response times and the throughput of each flow."""
    from ..csv_table import bin_rows

    for name, colour in zip(flows.names, PALETTE, strict=False):
        style: dict[str, Any] = {"color": colour, "label": name.replace("$", r"\$")}
        here = {table: columns["flow"] == name for table, columns in (("bins", flows.bins), ("over", flows.intervals))}
        x, y = tail(bin_rows({key: flows.bins[key][here["bins"]] for key in ("op", "upper_ns", "count")}), "all")
        if x:
            top.step(x, y, where="post", **style)
        columns = {key: values[here["over"]].tolist() for key, values in flows.intervals.items() if key != "flow"}
        columns["all_bytes"] = [sum(each) for each in zip(columns["read_bytes"], columns["write_bytes"], strict=True)]
        starts = columns["start_ns"]
        # A flow may end before the run.
        own_s = min(end_s, (2 * starts[-1] - starts[-2]) / NS_PER_S) if len(starts) > 1 else end_s
        edges_s, rates = throughput(columns, "all", own_s)
        if any(rates):
            bottom.step(edges_s, rates, where="post", **style)
    top.set(yscale="log", xlabel="Response time (us)", ylabel="Share of slower requests")
    if top.lines:
        log_times(top)
    bottom.set(xlabel="Simulated time (s)", ylabel="Throughput (MB/s)")
    bottom.set_ylim(bottom=0)
    bottom.set_xlim(left=0)
    for axes, text in ((top, "Response times by flow"), (bottom, "Throughput by flow")):
        legend(axes)
        title(axes, text)


def throughput(columns: dict[str, list[Any]], op: str, end_s: float) -> tuple[list[float], list[float]]:
    """Start of each sample in seconds, and its rate in MB/s.

    The last sample, which ends with the run, is left out where it is shorter than the others: its rate is of a moment.
    """
    starts = [ns / NS_PER_S for ns in columns["start_ns"]]
    ends = [*starts[1:], max(end_s, starts[-1])] if starts else []
    if len(starts) > 1 and ends[-1] - starts[-1] < WHOLE * (starts[1] - starts[0]):
        starts, ends = starts[:-1], ends[:-1]
    rates = [
        amount / (end - start) / MB if end > start else 0.0
        for amount, start, end in zip(columns[f"{op}_bytes"], starts, ends, strict=False)
    ]
    return [*starts, *ends[-1:]], [*rates, *rates[-1:]]


class Flows(NamedTuple):
    """The tables of a run by flow, as arrays."""

    names: Sequence[str]
    bins: Mapping[str, NDArray[Any]]
    intervals: Mapping[str, NDArray[Any]]


class Band(NamedTuple):
    """Neighbouring samples, drawn as their mean and the range that they span."""

    start_s: float
    end_s: float
    mean: float
    low: float
    high: float


def bands(edges_s: Sequence[float], rates: Sequence[float]) -> list[Band]:
    """Joins samples where the rate stays, so that a figure has some hundred parts; none across a step of the rate.

    Args:
        edges_s: Where samples begin, and where the last one ends.
        rates: Their rates; the last one comes twice, as `throughput` returns them.
    """
    values = rates[:-1]
    size = max(-(-len(values) // BANDS), 1)
    step = STEP * max(values, default=0.0)
    groups: list[list[int]] = []
    for place, rate in enumerate(values):
        is_step = place > 0 and abs(rate - values[place - 1]) > step
        if not groups or len(groups[-1]) >= size or is_step:
            groups.append([])
        groups[-1].append(place)
    if len(groups) > 2 * BANDS:
        # Where each sample is a step, the range of neighbours says more.
        groups = [list(range(at, min(at + size, len(values)))) for at in range(0, len(values), size)]
    return [
        Band(
            edges_s[group[0]],
            edges_s[group[-1] + 1],
            math.fsum(values[place] for place in group) / len(group),
            min(values[place] for place in group),
            max(values[place] for place in group),
        )
        for group in groups
    ]


def _throughput(axes: Axes, columns: dict[str, list[Any]], end_s: float) -> None:
    label = "Simulated time (s)"
    for op in ("read", "write"):
        edges_s, rates = throughput(columns, op, end_s)
        if not any(rates):
            continue
        parts = bands(edges_s, rates)
        starts = [*(each.start_s for each in parts), parts[-1].end_s]
        style = OP_STYLES[op]
        low, mean, high = (
            [*(getattr(each, name) for each in parts), getattr(parts[-1], name)] for name in ("low", "mean", "high")
        )
        if high != low:
            axes.fill_between(starts, low, high, step="post", color=style["color"], alpha=BAND_ALPHA, linewidth=0)
            label = "Simulated time (s); light: range of joined samples"
        axes.step(starts, mean, where="post", **style)
    axes.set(xlabel=label, ylabel="Throughput (MB/s)")
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    axes.yaxis.set_major_formatter(extras.ticker.StrMethodFormatter("{x:,g}"))
    legend(axes)

"""The charts of a report as data: what is drawn, with units, and few enough points for a browser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..output.csv_table import bin_rows
from .entry import Entry

__all__ = ["Chart", "charts"]

Chart = dict[str, Any]
"""`id`, `title`, `note`, `kind` (`line`, `step`, `bar`, `stack`), axes `x`, `y` (`title`, `log`, `ticks`), `series`."""

# Enough for a smooth curve; a sweep of 100 points stays at some megabytes.
POINTS_MAX = 160
# Shares of slower requests that get a tick: p90 to p99.9999.
TAIL = [(10.0**-n, f"{100 * (1 - 10.0**-n):.{max(0, n - 2)}f} %") for n in range(1, 7)]
LOWEST = 5e-7
PARTS = (("cor", "COR"), ("write", "WRITE"), ("uncor", "UNCOR"), ("eccwait", "ECCWAIT"), ("idle", "IDLE"))
NS = 1e9


def charts(entries: Sequence[Entry]) -> list[Chart]:
    """All charts of some runs; those without any data are left out."""
    found = [_latency(entries, op) for op in ("read", "write")]
    found += [_throughput(entries), _channels(entries), _dies(entries), *_wear(entries)]
    return [chart for chart in found if chart["series"]]


def _latency(entries: Sequence[Entry], op: str) -> Chart:
    series = []
    for entry in entries:
        rows = [row for row in bin_rows(entry.result.arrays("bins")) if row[0] == op]
        if not rows:
            continue
        total = rows[-1][3]
        curve = [(rows[0][1], 1.0), *((upper_us, 1.0 - so_far / total) for _, upper_us, _, so_far in rows)]
        # The last bin has nobody slower: the curve ends at the slowest request.
        curve = [point for point in curve if point[1] > 0] + [(rows[-1][1], max(LOWEST, 0.5 / total))]
        series.append(_curve(entry.label, thinned(curve)))
    return {
        "id": f"latency-{op}",
        "title": f"Response times of {op}s",
        "note": f"Share of {op}s that take longer than a time: the tick 99 % is the 99th percentile.",
        "kind": "step",
        "x": {"title": "response time (us)", "log": True},
        "y": {"title": f"percentile of {op}s", "log": True, "ticks": [[1.0, "0 %"], *([y, text] for y, text in TAIL)]},
        "series": series,
    }


def thinned(curve: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """A falling curve with fewer points, dense where it falls by orders of magnitude: its tail keeps every bin."""
    if len(curve) <= POINTS_MAX:
        return list(curve)
    kept = [curve[0]]
    step = (curve[-1][1] / curve[0][1]) ** (1.0 / POINTS_MAX)
    for point in curve[1:-1]:
        # A step down the logarithmic axis, or a hundredth of all requests.
        if point[1] <= kept[-1][1] * step or point[1] <= kept[-1][1] - 0.01:
            kept.append(point)
    return [*kept, curve[-1]]


def _throughput(entries: Sequence[Entry]) -> Chart:
    series = []
    for entry in entries:
        columns = entry.result.arrays("series")
        starts = columns["start_ns"].tolist()
        if len(starts) < 2:
            continue
        width_s = (starts[1] - starts[0]) / NS
        sums = (columns["read_bytes"] + columns["write_bytes"]).tolist()
        group = -(-len(sums) // POINTS_MAX)
        points = [
            (starts[first] / NS, sum(part) / (len(part) * width_s) / 1e6)
            for first in range(0, len(sums), group)
            if (part := sums[first : first + group])
        ]
        series.append(_curve(entry.label, points))
    return {
        "id": "throughput",
        "title": "Throughput over time",
        "note": "Bytes read and written in each interval of simulated time.",
        "kind": "line",
        "x": {"title": "simulated time (s)", "log": False},
        "y": {"title": "MB/s", "log": False},
        "series": series,
    }


def _channels(entries: Sequence[Entry]) -> Chart:
    series = [
        _bars(name, [(entry.label, 100 * entry.result.document["channel_time"]["mean"][part]) for entry in entries])
        for part, name in PARTS
    ]
    note = "COR carries pages that decode, UNCOR pages that do not; in ECCWAIT a page waits for the decoder."
    return _stack("channels", "Channel time", note, series)


def _dies(entries: Sequence[Entry]) -> Chart:
    series = [
        _bars(part, [(entry.label, 100 * entry.result.die_utilisation.get(part, 0.0)) for entry in entries])
        for part in ("read", "program", "erase")
    ]
    return _stack("dies", "Die time", "What dies are busy with, mean of all dies.", series)


def _wear(entries: Sequence[Entry]) -> list[Chart]:
    amplification = [
        (entry.label, entry.result.write_amplification) for entry in entries if entry.result.write_amplification
    ]
    erases = [(entry.label, entry.result.counters["ftl"]["erases"]) for entry in entries]
    moved = [(entry.label, entry.result.counters["ftl"]["moved"]) for entry in entries]
    return [
        {
            "id": "amplification",
            "title": "Write amplification",
            "note": "Pages programmed over pages programmed for the user.",
            "kind": "bar",
            "x": {"title": "", "log": False},
            "y": {"title": "write amplification", "log": False},
            "series": [_bars("write amplification", amplification)] if amplification else [],
        },
        {
            "id": "wear",
            "title": "Wear",
            "note": "Blocks erased, and pages that garbage collection, wear levelling and refresh moved.",
            "kind": "bar",
            "x": {"title": "", "log": False},
            "y": {"title": "count", "log": False},
            "series": [_bars("blocks erased", erases), _bars("pages moved", moved)]
            if any(count for _, count in erases)
            else [],
        },
    ]


def _stack(name: str, title: str, note: str, series: list[Chart]) -> Chart:
    return {
        "id": name,
        "title": title,
        "note": note,
        "kind": "stack",
        "x": {"title": "", "log": False},
        "y": {"title": "share of time (%)", "log": False},
        "series": series,
    }


def _curve(name: str, points: Sequence[tuple[float, float]]) -> Chart:
    return {"name": name, "x": [_short(x) for x, _ in points], "y": [_short(y) for _, y in points]}


def _bars(name: str, points: Sequence[tuple[str, float | None]]) -> Chart:
    return {"name": name, "x": [label for label, _ in points], "y": [_short(y or 0.0) for _, y in points]}


def _short(value: float) -> float:
    """Six digits are more than anybody sees."""
    return float(f"{value:.6g}")

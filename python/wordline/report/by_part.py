"""The charts of a report with a curve for each flow, or for each placement handle, and a panel for each run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..result import Result
from .entry import Entry
from .over_time import NS, amplification, curve_over_time, rate, series_of, tail_of
from .tails import tail_curve

__all__ = ["charts_by_flow", "charts_by_handle"]

PARTS_MAX = 8
"""More curves of a panel are not told apart."""
PANELS_MAX = 12
Columns = Mapping[str, list[int]]


class Over(NamedTuple):
    """A chart over time: its id, title, note, unit, and how a point is made of some intervals."""

    name: str
    title: str
    note: str
    unit: str
    of: Callable[[Columns, slice], float | None]


FLOWS = (
    Over("flow-throughput", "Throughput by flow", "Bytes read and written by each flow.", "MB/s", rate),
    *(
        Over(
            f"flow-{op}-p99",
            f"p99 of {op}s by flow",
            f"p99 of the {op}s of each flow, by interval.",
            "response time (us)",
            tail_of(op, "p99"),
        )
        for op in ("read", "write")
    ),
)
HANDLES = (
    Over(
        "handle-wa",
        "Write amplification by handle",
        "Programmed for a placement handle over written to it by the host, by interval.",
        "ratio",
        amplification,
    ),
)


def charts_by_flow(entries: Sequence[Entry], points: int) -> list[dict[str, Any]]:
    """Charts with a curve for each flow; none where there are too many flows or runs to tell apart."""
    flows = [list(entry.result.document["response_us"]["flows"]) for entry in entries]
    names = _names(flows)
    if names is None:
        return []
    latency = {
        "id": "latency-flow",
        "group": "latency",
        "title": "Response times by flow",
        "note": "Share of the requests of each flow that take longer than a time.",
        "kind": "step",
        "x": {"title": "response time (us)", "log": True},
        "y": {"title": "share of slower requests", "log": True},
        "parts": names,
        "series": [
            {**tail_curve(number, columns, "all", points), "part": name}
            for number, name, columns in _each(entries, "flow_bins", "flow")
        ],
    }
    return [latency, *(_over_time(entries, over, "flow_intervals", "flow", names, points) for over in FLOWS)]


def charts_by_handle(entries: Sequence[Entry], points: int) -> list[dict[str, Any]]:
    """Charts with a curve for each placement handle; none where there are none, or too many."""
    handles = [
        sorted({*entry.result.arrays("handle_intervals")["handle"].tolist()} - {"mixed"}, key=int)
        if "handle_intervals" in entry.result.columns
        else []
        for entry in entries
    ]
    names = _names(handles)
    if names is None:
        return []
    return [_over_time(entries, over, "handle_intervals", "handle", names, points) for over in HANDLES]


def _names(of_runs: Sequence[Sequence[str]]) -> list[str] | None:
    """The parts of all runs; None where no run has several, or there are too many."""
    names = list(dict.fromkeys(name for names in of_runs for name in names))
    is_drawn = max(map(len, of_runs), default=0) > 1 and len(names) <= PARTS_MAX and len(of_runs) <= PANELS_MAX
    return names if is_drawn else None


def _each(entries: Sequence[Entry], table: str, column: str) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """The rows of each part of each run: the run's number, the part's name, and the other columns."""
    for number, entry in enumerate(entries):
        if table not in entry.result.columns:
            continue
        whole = entry.result.arrays(table)
        for name in dict.fromkeys(whole[column].tolist()):
            here = whole[column] == name
            yield number, name, {key: values[here] for key, values in whole.items() if key != column}


def _over_time(
    entries: Sequence[Entry], over: Over, table: str, column: str, names: Sequence[str], points: int
) -> dict[str, Any]:
    series = []
    for number, name, arrays in _each(entries, table, column):
        if name not in names:
            continue
        columns = {key: values.tolist() for key, values in arrays.items()}
        if table == "handle_intervals":
            # Over what the host has written to the whole drive.
            columns["write_bytes"] = entries[number].result.arrays("intervals")["host_written_bytes"].tolist()
        curve = curve_over_time(columns, _end_s(columns, entries[number].result), points, over.of)
        if curve is not None and any(y is not None for _, y in curve.points):
            series.append({**series_of(number, curve), "part": name})
    is_worth_it = len({y for each in series for y in each["y"] if y is not None}) > 1
    return {
        "id": f"time-{over.name}",
        "group": "time",
        "title": f"{over.title} over time",
        "note": over.note,
        "kind": "line",
        "x": {"title": "simulated time (s)", "log": False},
        "y": {"title": over.unit, "log": False, "zero": over.unit == "MB/s"},
        "parts": list(names),
        "series": series if is_worth_it else [],
    }


def _end_s(columns: Columns, result: Result) -> float:
    """When a part ends: with its last interval, or with the run."""
    starts, end_s = columns["start_ns"], float(result.document["window"]["end_s"])
    return min(end_s, (2 * starts[-1] - starts[-2]) / NS) if len(starts) > 1 else end_s

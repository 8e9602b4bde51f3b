"""The charts of a report over simulated time: throughput, tails, and what the flash does meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from .curves import curve_of
from .entry import Entry

__all__ = ["Curve", "alike", "amplification", "curve_over_time", "over_time", "rate", "series_of", "tail_of"]

NS = 1e9
GB = 1e9
US = 1e3
MB = 1e6
WHOLE_MIN = 8
"""Where there are more intervals, the last one is left out if the run ends within it."""
BYTES = ("media_written_bytes", "host_written_bytes")
PAGES = ("programs", "user_programs")
Columns = Mapping[str, list[int]]


class Curve(NamedTuple):
    """What a run did over time.

    Attributes:
        points: Seconds and values.
        written_gb: What the host had written at each point, GB.
    """

    points: list[tuple[float, float | None]]
    written_gb: list[float]


def over_time(entries: Sequence[Entry], points: int) -> list[dict[str, Any]]:
    """Charts over simulated time."""
    drawn = [
        _chart("throughput", "Throughput", "Bytes read and written.", "MB/s", _each(entries, "series", points, rate))
    ]
    for op in ("read", "write"):
        for name in ("p50", "p99"):
            title, note = f"{name} of {op}s", f"{name} of the {op}s of each interval."
            curves = _each(entries, "intervals", points, tail_of(op, name))
            drawn.append(_chart(f"{op}-{name}", title, note, "response time (us)", curves))
    for name, title, note, unit, of in FLASH:
        drawn.append(_chart(name, title, note, unit, _each(entries, "intervals", points, of)))
    return drawn


def _chart(name: str, title: str, note: str, unit: str, curves: list[tuple[int, Curve]]) -> dict[str, Any]:
    # A line that stays at one value in every run says nothing; one that is the same in all runs is drawn once.
    is_worth_it = len({y for _, curve in curves for _, y in curve.points if y is not None}) > 1
    if len(curves) > 1 and all(curve == curves[0][1] for _, curve in curves):
        curves, note = curves[:1], f"{note} The same in all runs."
    elif is_worth_it:
        note += alike(curves)
    return {
        "id": f"time-{name}" if name != "throughput" else name,
        "group": "time",
        "title": f"{title} over time",
        "note": note,
        "kind": "line",
        "x": {"title": "simulated time (s)", "log": False},
        "y": {"title": unit, "log": False, "zero": unit in FROM_ZERO},
        "series": [series_of(number, curve) for number, curve in curves] if is_worth_it else [],
    }


def series_of(number: int, curve: Curve) -> dict[str, Any]:
    """The data of a curve of a run, with what the host had written at each point."""
    return curve_of(number, curve.points) | {"written_gb": [float(f"{each:.5g}") for each in curve.written_gb]}


def alike(curves: list[tuple[int, Curve]]) -> str:
    """Says which lines lie on each other."""
    places: list[list[int]] = []
    for number, curve in curves:
        same = next((group for group in places if dict(curves)[group[0]] == curve), None)
        if same is None:
            places.append([number])
        else:
            same.append(number)
    groups = [" and ".join(str(number + 1) for number in group) for group in places if len(group) > 1]
    return "".join(f" The same in runs {group}." for group in groups)


def _each(
    entries: Sequence[Entry], name: str, points: int, of: Callable[[Columns, slice], float | None]
) -> list[tuple[int, Curve]]:
    """A curve of each run that has the table and enough rows of it."""
    curves = []
    for number, entry in enumerate(entries):
        if name not in entry.result.columns:
            continue
        columns = {key: values.tolist() for key, values in entry.result.arrays(name).items()}
        if (curve := curve_over_time(columns, entry.result.document["window"]["end_s"], points, of)) is not None:
            curves.append((number, curve))
    return curves


def curve_over_time(
    columns: dict[str, list[int]], end_s: float, points: int, of: Callable[[Columns, slice], float | None]
) -> Curve | None:
    """A curve of a table of intervals of a run that ends then; None where it has too few."""
    starts = columns["start_ns"]
    if len(starts) < 2:
        return None
    columns = {**columns, "end_ns": [*starts[1:], max(round(end_s * NS), starts[-1])]}
    count, width = len(starts), starts[1] - starts[0]
    # The run ends within the last one, while its queues empty: a fragment would look like a drop.
    if count > WHOLE_MIN and columns["end_ns"][-1] - starts[-1] < width:
        count -= 1
    group = -(-count // points)
    parts = [slice(first, min(first + group, count)) for first in range(0, count, group)]
    if len(parts) > WHOLE_MIN and parts[-1].stop - parts[-1].start < group:
        parts.pop()
    before = [0, *accumulate(columns.get("write_bytes") or columns.get("host_written_bytes") or [0] * len(starts))]
    drawn = [(starts[part.start] / NS, of(columns, part)) for part in parts]
    return Curve(drawn, [before[part.start] / GB for part in parts])


def rate(columns: Columns, part: slice) -> float | None:
    """Bytes read and written, MB/s."""
    time_s = (columns["end_ns"][part.stop - 1] - columns["start_ns"][part.start]) / NS
    amount = sum(columns["read_bytes"][part]) + sum(columns["write_bytes"][part])
    return amount / time_s / MB if time_s > 0 else None


def tail_of(op: str, name: str) -> Callable[[Columns, slice], float | None]:
    """A percentile of reads or writes, us."""

    def of(columns: Columns, part: slice) -> float | None:
        if f"{op}_{name}_ns" not in columns or not sum(columns[f"{op}s"][part]):
            return None
        return max(columns[f"{op}_{name}_ns"][part]) / US

    return of


def amplification(columns: Columns, part: slice) -> float | None:
    """Bytes programmed for each byte that the host wrote."""
    # Results of earlier versions have pages alone.
    names = BYTES if "host_written_bytes" in columns else PAGES
    programmed, written = (sum(columns[name][part]) for name in names)
    return programmed / written if written else None


def _per_second(name: str) -> Callable[[Columns, slice], float | None]:
    def of(columns: Columns, part: slice) -> float | None:
        time_s = (columns["end_ns"][part.stop - 1] - columns["start_ns"][part.start]) / NS
        return sum(columns[name][part]) / time_s if time_s > 0 else None

    return of


def _standing(name: str) -> Callable[[Columns, slice], float | None]:
    return lambda columns, part: columns[name][part.stop - 1]


def _outstanding(columns: Columns, part: slice) -> float | None:
    # It is counted when a request completes: an interval without one, as in a stall, has no count.
    # The last one ends with the run, when none is left.
    last = min(part.stop, len(columns["reads"]) - 1)
    counted = [place for place in range(part.start, last) if columns["reads"][place] or columns["writes"][place]]
    return columns["outstanding"][counted[-1]] if counted else None


FROM_ZERO = ("MB/s", "pages/s", "blocks/s", "requests")

FLASH = (
    ("wa", "Write amplification", "Programmed over written by the host, by interval.", "ratio", amplification),
    ("moves", "Moved pages", "By GC, wear levelling and refresh.", "pages/s", _per_second("moved_pages")),
    ("erases", "Erases", "Blocks erased.", "blocks/s", _per_second("erases")),
    ("free", "Free blocks", "At the end of each interval.", "blocks", _standing("free_blocks")),
    ("depth", "Requests under way", "Submitted and not complete, at the end of each interval in which one completed.",
     "requests", _outstanding),
)  # fmt: skip

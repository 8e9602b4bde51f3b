"""A timeline in the trace-event format, which ui.perfetto.dev and chrome://tracing open.

Dies, channels and decoders are processes; each of their number is a thread in it. A viewer draws the slices of one
thread as a stack, so slices that overlap without one holding the other (a read during a suspended program)
get a lane of their own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

NS_PER_US = 1000
PROCESSES = {"array": (1, "flash arrays", "die"), "channel": (2, "channels", "channel"), "ecc": (3, "ECC", "decoder")}
# Threads are numbered index * LANES + lane; what does not fit shares the last lane.
LANES = 16


class Lanes:
    """Gives each slice of a track the first lane that is free when it starts."""

    def __init__(self) -> None:
        self._ends: dict[tuple[str, int], list[int]] = {}

    def place(self, track: str, index: int, start: int, end: int) -> int:
        """The lane of a slice; slices of a track come in the order of their starts."""
        ends = self._ends.setdefault((track, index), [])
        for lane, busy_until in enumerate(ends):
            if busy_until <= start:
                ends[lane] = end
                return lane
        if len(ends) == LANES:
            return LANES - 1
        ends.append(end)
        return len(ends) - 1

    def used(self) -> Iterator[tuple[str, int, int]]:
        """Every (track, index, lane) that has a slice."""
        for (track, index), ends in sorted(self._ends.items()):
            for lane in range(len(ends)):
                yield track, index, lane


def events(timeline: Mapping[str, NDArray[Any]]) -> Iterator[dict[str, Any]]:
    """The events of a timeline: its slices in order of time, then the names of processes and threads."""
    order = timeline["start_ns"].argsort(kind="stable")
    names = ("track", "index", "name", "start_ns", "duration_ns", "class", "lpn")
    lanes = Lanes()
    for track, index, name, start, duration, owner, lpn in zip(
        *(timeline[n][order].tolist() for n in names), strict=True
    ):
        lane = lanes.place(track, index, start, start + duration)
        yield {
            "name": name,
            "cat": owner,
            "ph": "X",
            "ts": start / NS_PER_US,
            "dur": duration / NS_PER_US,
            "pid": PROCESSES[track][0],
            "tid": index * LANES + lane,
            "args": {"class": owner, "lpn": lpn},
        }
    for pid, title, _ in PROCESSES.values():
        yield {"ph": "M", "name": "process_name", "pid": pid, "args": {"name": title}}
        yield {"ph": "M", "name": "process_sort_index", "pid": pid, "args": {"sort_index": pid}}
    for track, index, lane in lanes.used():
        pid, _, word = PROCESSES[track]
        tid = index * LANES + lane
        label = f"{word} {index}" if lane == 0 else f"{word} {index} ({lane + 1})"
        yield {"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": label}}
        yield {"ph": "M", "name": "thread_sort_index", "pid": pid, "tid": tid, "args": {"sort_index": tid}}


def write(path: Path, timeline: Mapping[str, NDArray[Any]]) -> None:
    """Writes a timeline, an event a line; times are in microseconds, exact to the nanosecond.

    Raises:
        OSError: when the file cannot be written.
    """
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write('{"displayTimeUnit":"ns","traceEvents":[')
        separator = "\n"
        for event in events(timeline):
            file.write(separator + json.dumps(event, separators=(",", ":"), sort_keys=True))
            separator = ",\n"
        file.write("\n]}\n")

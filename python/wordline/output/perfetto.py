"""A timeline in the trace-event format, which ui.perfetto.dev and chrome://tracing open.

Requests, dies, channels and decoders are processes; each of their number is a thread in it. A viewer draws the slices
of one thread as a stack, so slices that overlap without one holding the other (a read during a suspended program)
get a lane of their own. Arrows lead from a request to what dies, channels and decoders do for its pages.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

NS_PER_US = 1000
PROCESSES = {"array": (1, "flash arrays", "die"), "channel": (2, "channels", "channel"), "ecc": (3, "ECC", "decoder")}
REQUESTS = (4, "requests")
# Threads are numbered index * LANES + lane; what does not fit shares the last lane.
LANES = 16
SECTOR_BYTES = 512
Table = Mapping[str, "NDArray[Any]"]
Event = dict[str, Any]


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


def events(timeline: Table, requests: Table | None = None, page_bytes: int = 0) -> Iterator[Event]:
    """The events of a timeline: its slices in order of time, then the names of processes and threads.

    Args:
        timeline: The slices.
        requests: The requests, to be drawn above; None: none.
        page_bytes: Bytes of a page, which say what pages a request has.
    """
    order = timeline["start_ns"].argsort(kind="stable")
    names = ("track", "index", "name", "start_ns", "duration_ns", "class", "lpn")
    lanes = Lanes()
    slices = []
    for track, index, name, start, duration, owner, lpn in zip(
        *(timeline[n][order].tolist() for n in names), strict=True
    ):
        lane = lanes.place(track, index, start, start + duration)
        event = _slice(name, owner, start, duration, PROCESSES[track][0], index * LANES + lane)
        slices.append({**event, "args": {"class": owner, "lpn": lpn}})
    yield from slices
    if requests is not None and len(timeline["start_ns"]):
        yield from _requests(requests, slices, page_bytes)
        yield from _named(REQUESTS[0], REQUESTS[1], 0)
    for pid, title, _ in PROCESSES.values():
        yield from _named(pid, title, pid)
    for track, index, lane in lanes.used():
        pid, _, word = PROCESSES[track]
        tid = index * LANES + lane
        label = f"{word} {index}" if lane == 0 else f"{word} {index} ({lane + 1})"
        yield {"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": label}}
        yield {"ph": "M", "name": "thread_sort_index", "pid": pid, "tid": tid, "args": {"sort_index": tid}}


def _slice(name: str, kind: str, start: int, duration: int, pid: int, tid: int) -> Event:
    return {
        "name": name,
        "cat": kind,
        "ph": "X",
        "ts": start / NS_PER_US,
        "dur": duration / NS_PER_US,
        "pid": pid,
        "tid": tid,
    }


def _named(pid: int, title: str, place: int) -> Iterator[Event]:
    yield {"ph": "M", "name": "process_name", "pid": pid, "args": {"name": title}}
    yield {"ph": "M", "name": "process_sort_index", "pid": pid, "args": {"sort_index": place}}


def _requests(requests: Table, slices: Sequence[Event], page_bytes: int) -> Iterator[Event]:
    """Requests that overlap the timeline as slices, each with an arrow through what was done for its pages."""
    # A request that arrives after the last transaction began has none to show.
    begin, end = slices[0]["ts"], max(each["ts"] for each in slices)
    by_page: dict[tuple[str, int], list[Event]] = {}
    for each in slices:
        by_page.setdefault((each["args"]["class"], each["args"]["lpn"]), []).append(each)
    names = ("flow", "op", "sector", "sectors", "arrival_ns", "completed_ns")
    order = requests["arrival_ns"].argsort(kind="stable")
    ends: list[int] = []
    sectors_of_page = page_bytes // SECTOR_BYTES
    rows = zip(*(requests[n][order].tolist() for n in names), strict=True)
    for number, (flow, op, sector, sectors, start, completed) in enumerate(rows):
        if completed / NS_PER_US < begin or start / NS_PER_US > end:
            continue
        lane = next((lane for lane, busy_until in enumerate(ends) if busy_until <= start), len(ends))
        ends[lane : lane + 1] = [completed]
        drawn = _slice(f"{op} {sectors * SECTOR_BYTES} B", flow, start, completed - start, REQUESTS[0], lane)
        yield {**drawn, "args": {"flow": flow, "sector": sector, "sectors": sectors}}
        pages = range(sector // sectors_of_page, (sector + max(sectors, 1) - 1) // sectors_of_page + 1)
        done = [
            each
            for page in pages
            for each in by_page.get((f"user-{op}", page), ())
            if drawn["ts"] <= each["ts"] and each["ts"] + each["dur"] <= drawn["ts"] + drawn["dur"]
        ]
        if done:
            yield from _arrow(number, [drawn, *sorted(done, key=lambda each: float(each["ts"]))])
    for lane in range(len(ends)):
        label = f"request {lane + 1}"
        yield {"ph": "M", "name": "thread_name", "pid": REQUESTS[0], "tid": lane, "args": {"name": label}}


def _arrow(number: int, way: Sequence[Event]) -> Iterator[Event]:
    """A flow event in each slice of a way: it starts, goes on, and finishes."""
    for place, each in enumerate(way):
        phase = "s" if place == 0 else "f" if place == len(way) - 1 else "t"
        yield {
            "name": "request",
            "cat": "request",
            "ph": phase,
            "id": number,
            "ts": each["ts"],
            "pid": each["pid"],
            "tid": each["tid"],
            **({"bp": "e"} if phase == "f" else {}),
        }


def write(path: Path, timeline: Table, requests: Table | None = None, page_bytes: int = 0) -> None:
    """Writes a timeline, an event a line; times are in microseconds, exact to the nanosecond.

    Args:
        path: The file.
        timeline: As for `events`.
        requests: As for `events`.
        page_bytes: As for `events`.

    Raises:
        OSError: when a file cannot be written.
    """
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write('{"displayTimeUnit":"ns","traceEvents":[')
        separator = "\n"
        for event in events(timeline, requests, page_bytes):
            file.write(separator + json.dumps(event, separators=(",", ":"), sort_keys=True))
            separator = ",\n"
        file.write("\n]}\n")

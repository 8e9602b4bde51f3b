"""The charts of a report as data: what is drawn, with units, and few enough points for a browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .by_part import charts_by_flow, charts_by_handle
from .curves import bars_of, points_of
from .entry import Entry
from .over_time import over_time
from .tails import tail_curve

__all__ = ["Chart", "charts"]

Chart = dict[str, Any]
"""`id`, `group`, `title`, `note`, `kind` (`line`, `step`, `bar`, `stack`), axes `x` and `y`, `series`.

A series of a curve has the number of its `run`, `x` and `y`; where a chart has `parts`, such as flows,
also its `part`. One of bars has a `name`, and in `y` a value for each run.
"""

# Shares of slower requests that get a tick: p90 to p99.9999.
TAIL = [(10.0**-n, f"{100 * (1 - 10.0**-n):.{max(0, n - 2)}f} %") for n in range(1, 7)]
# What a channel does, each with the place of its colour in the palette; idle is grey.
PARTS = (
    ("cor", "COR", "good"),
    ("write", "WRITE", "write"),
    ("uncor", "UNCOR", "bad"),
    ("eccwait", "ECCWAIT", "wait"),
    ("idle", "IDLE", "idle"),
)
DIES = (("read", "read", "good"), ("program", "program", "write"), ("erase", "erase", "bad"))
CHANNELS_NOTE = (
    "COR carries pages that decode, UNCOR pages that do not; in ECCWAIT a page waits for the decoder. "
    "Mean of all channels."
)


def charts(entries: Sequence[Entry]) -> list[Chart]:
    """All charts of some runs; those without any data are left out."""
    points = points_of(len(entries))
    drawn = [_latency(entries, op, points) for op in ("read", "write")]
    drawn += [*charts_by_flow(entries, points), *over_time(entries, points), *charts_by_handle(entries, points)]
    drawn += [_channels(entries), _dies(entries), *_wear(entries)]
    return [chart for chart in drawn if chart["series"]]


def _latency(entries: Sequence[Entry], op: str, points: int) -> Chart:
    curves = [tail_curve(number, entry.result.arrays("bins"), op, points) for number, entry in enumerate(entries)]
    series = [curve for curve in curves if curve["x"]]
    return {
        "id": f"latency-{op}",
        "group": "latency",
        "title": f"Response times of {op}s",
        "note": f"Share of {op}s that take longer than a time: the tick 99 % is the 99th percentile.",
        "kind": "step",
        "x": {"title": "response time (us)", "log": True},
        "y": {"title": f"percentile of {op}s", "log": True, "ticks": [[1.0, "0 %"], *([y, text] for y, text in TAIL)]},
        "series": series,
    }


def _channels(entries: Sequence[Entry]) -> Chart:
    shares: list[Mapping[str, Any]] = [entry.result.document["channel_time"]["mean"] for entry in entries]
    series = [bars_of(name, (100 * each[part] for each in shares), colour) for part, name, colour in PARTS]
    return _stack("channels", "Channel time", CHANNELS_NOTE, series)


def _dies(entries: Sequence[Entry]) -> Chart:
    shares: list[Mapping[str, Any]] = [entry.result.die_utilisation for entry in entries]
    series = [bars_of(name, (100 * each.get(part, 0.0) for each in shares), colour) for part, name, colour in DIES]
    idle = [100.0 - sum(values) for values in zip(*(each["y"] for each in series), strict=True)]
    series.append(bars_of("idle", idle, "idle"))
    return _stack("dies", "Die time", "What dies are busy with, mean of all dies.", series)


def _wear(entries: Sequence[Entry]) -> list[Chart]:
    if len(entries) == 1:
        # Three numbers of one run are in its summary; a bar each says no more.
        return []
    measures = (
        (
            "amplification",
            "Write amplification",
            "Pages programmed over pages programmed for the user.",
            [entry.result.write_amplification for entry in entries],
        ),
        ("erases", "Blocks erased", "In the run.", [entry.result.counters["ftl"]["erases"] for entry in entries]),
        (
            "moved",
            "Pages moved",
            "By garbage collection, wear levelling and refresh.",
            [entry.result.counters["ftl"]["moved"] for entry in entries],
        ),
    )
    return [
        {
            "id": name,
            "group": "wear",
            "title": title,
            "note": note,
            "kind": "bar",
            "x": {"title": title.lower(), "log": False},
            "y": {"title": "", "log": False},
            "series": [bars_of(title.lower(), values)] if any(values) else [],
        }
        for name, title, note, values in measures
    ]


def _stack(name: str, title: str, note: str, series: list[Chart]) -> Chart:
    # What never happened needs no colour.
    series = [each for each in series if any(each["y"])]
    return {
        "id": name,
        "group": "utilisation",
        "title": title,
        "note": note,
        "kind": "stack",
        "x": {"title": "share of time (%)", "log": False},
        "y": {"title": "", "log": False},
        "series": series,
    }

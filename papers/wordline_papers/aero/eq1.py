"""Eq. 1 in the SSD: the time of an erase is the sum of its pulses and verifies."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import accumulate

from .. import Outcome, Part, Point, of_runs
from ..lone import ONE_PLANE
from .published import LOOP_MS, PECS, PULSE_MS, VERIFY_MS
from .system import on_each, pairs

PULSE, VERIFY = "erase pulse", "verify"
US_PER_MS, NS_PER_US, NS_PER_S = 1000.0, 1000, 1e9
ROWS_OF_AN_ERASE_MAX = 64


def formula(_quick: bool) -> Iterator[Point]:
    """Yields one plane whose erases are never interrupted, with a record of all activity of its die."""
    given = {
        **ONE_PLANE, "ssd.blocks_per_plane": 40, "ssd.pages_per_block": 12, "erase.yield": "none",
        "nand.set_feature_us": 0.0, "precondition.fill": 1.0,
    }  # fmt: skip
    every = [*pairs(), ("m-ispe", PECS[1])]
    return on_each(every, "fio/random-write", given, requests=1_000, timeline_us=(0.0, 1e9))


def deviation_us(outcome: Outcome) -> float:
    """Returns the largest difference to Eq. 1, us, of an erase in the timeline, or of the SSD's mean."""
    if outcome.result is None:
        raise KeyError(f"{outcome.point} is no run")
    rows = sorted(
        (row for row in outcome.result.timeline().to_pylist() if row["name"] in (PULSE, VERIFY)),
        key=lambda row: row["start_ns"],
    )
    worst, end_ns = 0.0, -1
    spans: list[list[float]] = []
    for row in rows:
        us = row["duration_ns"] / NS_PER_US
        unit = US_PER_MS * (PULSE_MS if row["name"] == PULSE else VERIFY_MS)
        worst = max(worst, abs(us - unit * max(1, round(us / unit))))
        if row["start_ns"] == end_ns:
            spans[-1].append(us)
        else:
            spans.append([us])
        end_ns = row["start_ns"] + row["duration_ns"]
    if outcome.coordinates["scheme"] in ("ispe", "dpes"):
        # Eq. 1 for ISPE: every loop has tEP and tVR. Consecutive erases form one span.
        loop_us = US_PER_MS * (LOOP_MS + VERIFY_MS)
        worst = max(worst, *(abs(sum(span) - loop_us * round(sum(span) / loop_us)) for span in spans))
    counted = outcome["erase_us"]
    if not counted["count"]:
        return math.inf
    # Erases that end in the measured window are counted. It may end within one, whose beginning is in the timeline.
    in_window = [row for row in rows if row["start_ns"] + row["duration_ns"] <= outcome["window.end_s"] * NS_PER_S]
    sums = list(accumulate(row["duration_ns"] / NS_PER_US for row in in_window))[-ROWS_OF_AN_ERASE_MAX:]
    return float(max(worst, min(abs(counted["mean"] - summed / counted["count"]) for summed in sums)))


FIGURES = (
    of_runs(
        "formula", Part("formula", formula), claims=lambda rows: {"aero.erase.formula": max(map(deviation_us, rows))}
    ),
)

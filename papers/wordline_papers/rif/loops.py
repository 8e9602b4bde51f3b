"""Closed loops of eight workloads on four SSDs: bandwidth, channel activity, and the gain over failing reads."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from statistics import fmean
from typing import Any

from wordline.config import preset
from wordline.output.plot.style import BLUE, GREEN, ORANGE, SKY, VERMILION, legend
from wordline.workload import workload

from .. import Figure, Measured, Measurement, Point, Results, Row, Sheet, part
from ..at_hand import source_of, whose
from ..drawing import GROUP, bars_of, legend_above, lines, panels_by
from .predictor import AGES, CYCLES

# Slides "Experiment Settings" and "Impact of Read-Retry", and the policies.
ZERO, REAL = "SSD_zero", "SSD_real"
SYSTEMS = {"SENC": "sentinel", "SWR": "swift_read", "RiF": "rif"}
SHOWN = (ZERO, *SYSTEMS)
WORKLOADS = (*(f"rif/ali_{n}" for n in range(1, 7)), "rif/systor_1", "rif/systor_2")
WORST = CYCLES[-1]
REQUESTS, QUICK_REQUESTS = 300_000, 20_000
# Requests in which the look-alikes overwrite their written part once, by their presets.
PRESET_REQUESTS = 1_000_000
# "Read-heavy" for SSD_real against SSD_ideal: more reads than writes.
READ_HEAVY = 0.5
# Kinds of channel time in a result, from the bottom of the bars.
PARTS = {"cor": "COR", "write": "WRITE", "uncor": "UNCOR", "eccwait": "ECCWAIT", "idle": "IDLE"}


def written_bytes(name: str, requests: int) -> int:
    """Returns the written bytes, in proportion to the requests."""
    config = workload(name).config(preset("rif"))
    page_bytes = int(config["ssd.page_bytes"])
    share = min(1.0, requests / PRESET_REQUESTS)
    return int(int(config["workload.write_footprint_bytes"]) * share) // page_bytes * page_bytes


@part("grid")
def grid(quick: bool) -> Iterator[Point]:
    """Yields the closed loops. SSD_zero does not depend on cycles: one run per workload."""
    requests = QUICK_REQUESTS if quick else REQUESTS
    for name in WORKLOADS:
        source = source_of(name)
        written = {"workload.write_footprint_bytes": written_bytes(name, requests)}
        yield Point(
            "rif", {**written, "read.retry": "ideal"}, source, requests=requests, labels={"trace": name, "system": ZERO}
        )
        for pec in CYCLES:
            for system, policy in {**SYSTEMS, REAL: "one_step"}.items():
                keys = {**written, **AGES, "reliability.pec": pec, "read.retry": policy}
                yield Point("rif", keys, source, requests=requests, labels={"trace": name, "system": system})


class Loop(Row):
    """A closed loop; bandwidth in 10^6 bytes/s, and shares of the channels' time."""

    workload: str
    pec: int
    system: str
    mb_s: float
    over_zero: float
    failing_first: float
    channel: Mapping[str, float]
    read_ratio: float = field(repr=False)
    real: Mapping[str, str] = field(default_factory=dict)

    @property
    def waste(self) -> float:
        """Share of channel time that transfers uncorrectable pages or waits for the ECC."""
        return float(self.channel["uncor"] + self.channel["eccwait"])


class Gain(Row):
    """The fraction by which RiF's bandwidth exceeds another SSD's."""

    workload: str
    pec: int
    against: str
    failing_first: float
    gain: float


@functools.lru_cache(maxsize=1)
def loops(results: Results) -> list[Loop]:
    """Returns every closed loop."""
    runs, rows = grid.by(results, "trace", "system", "reliability.pec"), []
    for name, pec, system in itertools.product(WORKLOADS, CYCLES, (*SHOWN, REAL)):
        zero = runs[name, ZERO, None][0]
        outcome = zero if system == ZERO else runs[name, system, pec][0]
        rate, zero_rate = (float(each["bandwidth_mb_s.all"]) for each in (outcome, zero))
        failing, channel = outcome["read_retry.first_failure_share"], outcome["channel_time.mean"]
        read_ratio = float(zero["requests.read"] / zero["requests.all"])
        values = (rate, rate / zero_rate, failing, channel, read_ratio, whose(outcome))
        rows.append(Loop(name.partition("/")[2], pec, system, *values))
    return rows


def shown(results: Results) -> list[Loop]:
    """Returns the loops of the four SSDs in the drawing."""
    return [row for row in loops(results) if row.system in SHOWN]


def gains(rows: Sequence[Loop]) -> list[Gain]:
    """Returns RiF over SENC and SWR."""
    by = {(row.workload, row.pec, row.system): row for row in rows}
    return [
        Gain(
            mine.workload,
            mine.pec,
            other,
            mine.failing_first,
            mine.mb_s / by[mine.workload, mine.pec, other].mb_s - 1.0,
        )
        for mine in rows
        if mine.system == "RiF"
        for other in ("SENC", "SWR")
    ]


def claims(rows: Sequence[Loop]) -> Mapping[str, Measurement]:
    """Bandwidth and channel time."""
    by = {(row.workload, row.system, row.pec): row for row in rows}
    names = list(dict.fromkeys(row.workload for row in rows))
    failing = {pec: fmean(by[name, "SWR", pec].failing_first for name in names) for pec in CYCLES}
    shares = ", ".join(f"{share:.0%} at {pec}" for pec, share in failing.items())
    told = f"reads that fail first: {shares} cycles; every number of the SSD and of its workloads is assumed"
    most, at = max((by[name, "RiF", pec].over_zero, f"{name} at {pec}") for name in names for pec in CYCLES)
    nearest = f"RiF comes nearest to SSD_zero on rif/{at} cycles: {most:.4f} of its bandwidth"
    wrong = []
    for name, pec in itertools.product(names, CYCLES):
        rates = [by[name, system, pec].mb_s for system in (ZERO, "RiF", "SWR", "SENC")]
        if not rates[0] >= rates[1] > rates[2] >= rates[3]:
            wrong.append(f"rif/{name} at {pec}: " + " ".join(f"{rate:.0f}" for rate in rates))
    wasted = {system: fmean(by[name, system, WORST].waste for name in names) for system in ("RiF", "SWR")}
    heavy = [name for name in names if by[name, ZERO, WORST].read_ratio > READ_HEAVY]
    over = {
        against: fmean(row.gain for row in gains(rows) if (row.against, row.pec) == (against, WORST))
        for against in ("SENC", "SWR")
    }
    count = len(names) * len(CYCLES)
    return {
        "rif.bandwidth.senc": Measured(over["SENC"], note=told),
        "rif.bandwidth.swr": Measured(over["SWR"], note=told),
        "rif.order": Measured(
            f"holds at {count - len(wrong)} of {count} points", holds=not wrong, note="; ".join([*wrong[:3], nearest])
        ),
        "rif.channel.waste": Measured(
            wasted["RiF"] / wasted["SWR"],
            note=f"{wasted['RiF']:.2%} of the channels' time against {wasted['SWR']:.1%} at {WORST} cycles",
        ),
        "rif.one_retry_not_enough": Measured(
            fmean(by[name, REAL, WORST].over_zero for name in heavy),
            note=f"{len(heavy)} workloads that mostly read, {WORST} cycles, failing pages succeed at the first retry",
        ),
    }


def draw_bandwidth(rows: Sequence[Loop], sheet: Sheet) -> None:
    """Draws bandwidth by workload and SSD, a panel for each number of cycles."""
    panels = panels_by(sheet, rows, lambda row: row.pec, height=1.4, width=7.2)
    colours = zip(SHOWN, ("#999999", ORANGE, SKY, BLUE), strict=True)
    looks = {system: (system.replace("_", " "), colour) for system, colour in colours}
    for axes, pec, here in panels:
        bars_of(axes, [(row.workload, row.system, row.mb_s / 1000.0) for row in here], looks, linewidth=0)
        axes.set(xlim=(-0.5, len(here) / len(SHOWN) - 0.5), ylabel="bandwidth (GB/s)")
        axes.set_title(f"{pec // 1000}K P/E cycles", loc="left")
        axes.grid(visible=False, axis="x")
    legend_above(panels[0][0], 4)


def draw_channel(rows: Sequence[Loop], sheet: Sheet) -> None:
    """Draws channel activity, stacked: a bar for each SSD, in the order of the bandwidth figure."""
    (axes,) = sheet(height=2.4, width=7.2)
    names = list(dict.fromkeys(row.workload for row in rows))
    width = GROUP / len(SHOWN)
    places = [names.index(row.workload) - GROUP / 2 + (SHOWN.index(row.system) + 0.5) * width for row in rows]
    bottom = [0.0] * len(rows)
    for (kind, label), colour in zip(PARTS.items(), (BLUE, GREEN, VERMILION, ORANGE, "#dddddd"), strict=True):
        heights = [row.channel[kind] for row in rows]
        axes.bar(places, heights, width * 0.92, bottom=bottom, color=colour, label=label, linewidth=0)
        bottom = [low + height for low, height in zip(bottom, heights, strict=True)]
    for place, row in zip(places, rows, strict=True):
        axes.text(place, 1.01, row.system.replace("SSD_", ""), rotation=90, ha="center", va="bottom", size=5.5)
    axes.set_xticks(range(len(names)), names)
    axes.set(xlim=(-0.5, len(names) - 0.5), ylim=(0.0, 1.0), ylabel="share of channel time")
    axes.grid(visible=False, axis="x")
    legend_above(axes, 5, y=1.13)


def draw_gain(rows: Sequence[Gain], sheet: Sheet) -> None:
    """Draws RiF's gain over the share of reads that fail first."""
    (axes,) = sheet()
    looks = {"SENC": (ORANGE, "o"), "SWR": (SKY, "s")}

    def look(system: str) -> dict[str, Any]:
        colour, marker = looks[system]
        return {"color": colour, "marker": marker, "ms": 3, "linestyle": "", "label": f"over {system}"}

    lines(axes, [(row.against, row.failing_first, row.gain) for row in rows], look)
    axes.set(xlabel="share of reads that fail first", ylabel="RiF's gain in bandwidth", xlim=(0.0, 1.02))
    axes.set_ylim(bottom=0.0)
    legend(axes)


FIGURES = (
    Figure("bandwidth", (grid,), shown, draw=draw_bandwidth),
    Figure("channel", (grid,), lambda results: [row for row in shown(results) if row.pec == WORST], draw=draw_channel),
    Figure("gain", (grid,), lambda results: gains(shown(results)), draw=draw_gain),
    Figure("grid", (grid,), loops, claims),
)

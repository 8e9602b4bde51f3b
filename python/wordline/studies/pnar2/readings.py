"""What PR2 and AR2 leave open, and how the study reads it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from .. import Figure, Measurement, Part, Point
from ..readings import Alternative, Reading
from . import reads, responses
from .responses import BASELINE, NORR, Place
from .workloads import HOST_US, LOAD, TABLE_2

ENTERPRISE, SECTION = "collected from enterprise servers during one week", "section 7.1"
GAP = "higher average response time compared to the ideal NoRR"
PATH = "the path is the same for reads and writes here"
PACE = "workload.inter_arrival_us"


def grid(load: float = LOAD, host_us: float = HOST_US) -> Part:
    """Returns the study's grid under another load, or with another path."""

    def points(quick: bool) -> Iterator[Point]:
        few = responses.QUICK_CONDITIONS, responses.QUICK_REQUESTS
        conditions, requests = few if quick else (responses.CONDITIONS, responses.REQUESTS)
        systems = {**responses.FIG_14, **responses.FIG_15}
        return responses.runs(TABLE_2, conditions, systems, requests, load, host_us)

    return Part(responses.grid.name, points)


def at_their_own_pace(quick: bool) -> Iterator[Point]:
    """Yields the grid at the look-alikes' own rates."""
    for point in responses.grid.make(quick):
        if isinstance(point, Point):
            yield replace(point, settings={key: value for key, value in point.settings.items() if key != PACE})


def of_means(rows: Sequence[Place], system: str, against: str) -> float:
    """Returns the ratio of the means of two SSDs' response times over Baseline's."""
    return fmean(row.over[system] for row in rows) / fmean(row.over[against] for row in rows)


def fig_14_of_means(rows: Sequence[Place]) -> Mapping[str, Measurement]:
    """Fig. 14 with ratios of means where the study takes means of ratios."""
    left, gap = 1.0 - of_means(rows, "PnAR2", BASELINE), 1.0 - of_means(rows, NORR, BASELINE)
    return {
        **responses.claims_of_fig_14(rows),
        "pnar2.fig14.gap_to_norr": of_means(rows, "PnAR2", NORR),
        "pnar2.fig14.gap_closed": left / gap,
    }


def fig_15_of_means(rows: Sequence[Place]) -> Mapping[str, Measurement]:
    """Fig. 15 with ratios of means."""
    reading = [row for row in rows if row.workload in responses.READ_DOMINANT]
    writing = [row for row in rows if row.workload not in responses.READ_DOMINANT]
    return {
        **responses.claims_of_fig_15(rows),
        "pnar2.fig15.pso_over_norr.avg": of_means(reading, "PSO", NORR),
        "pnar2.fig15.psopnar2_over_norr": of_means(reading, "PSO+PnAR2", NORR),
        "pnar2.fig15.read_dominant.avg": 1.0 - of_means(reading, "PSO+PnAR2", "PSO"),
        "pnar2.fig15.write_dominant.avg": 1.0 - of_means(writing, "PSO+PnAR2", "PSO"),
    }


OF_MEANS = (
    Figure("fig14", (responses.grid,), responses.places, fig_14_of_means),
    Figure("fig15", (responses.grid,), responses.places, fig_15_of_means),
)

READINGS = (
    Reading(
        "means",
        "How are ratios averaged over the grid?",
        (responses.grid,),
        "mean of the ratios",
        (
            Alternative("mean of the ratios", "on average across all workloads", "section 7.2"),
            Alternative("ratio of the means over Baseline's", GAP, "section 7.2",
                why="so the paper's numbers agree: 0.289 / (1 - 0.711 / 2.37) = 0.41", figures=OF_MEANS),
        ),
        "The paper's three numbers support the second: 28.9 %, 41 % and 2.37 times.",
    ),
    Reading(
        "load",
        "How fast do requests come?",
        (responses.grid,),
        f"senses and programs keep dies busy {LOAD:.0%} of the time",
        (
            Alternative(f"senses and programs keep dies busy {LOAD:.0%} of the time", ENTERPRISE, SECTION,
                why="fitted: the ratios of Fig. 14 and 15 come near"),
            Alternative("0.1 %", ENTERPRISE, SECTION, parts=(grid(load=0.001),)),
            Alternative("2 %", ENTERPRISE, SECTION, parts=(grid(load=0.02),)),
            Alternative("5 %", ENTERPRISE, SECTION, parts=(grid(load=0.05),)),
            Alternative("each at its look-alike's own rate", ENTERPRISE, SECTION,
                parts=(Part(responses.grid.name, at_their_own_pace),)),
        ),
        "The text names no load. Each trace at its own rate would follow it most closely.",
    ),
    Reading(
        "path",
        "What time of a request do retries not multiply?",
        (responses.grid,),
        f"{HOST_US:g} us of the host's path",
        (
            Alternative(f"{HOST_US:g} us of the host's path", GAP, "section 7.2",
                why="fitted to it; MQSim ships 400 us for a SATA host"),
            Alternative("none", "open-source multi-queue SSD simulator", SECTION,
                why="MQSim ships no such time for an NVMe host", parts=(grid(host_us=0.0),)),
            Alternative("200 us", GAP, "section 7.2", parts=(grid(host_us=HOST_US / 2),)),
            Alternative("400 us, reads only", "PnAR2 improves SSD performance by 34%", "section 7.2, stg_0",
                missing=PATH),
            Alternative("garbage collection and write-back", "considerable performance improvement", "section 7.2",
                missing="the SSD of the study is filled lazily and never collects"),
        ),
        "The text does not mention a path. It is a setting of the study, not evidence.",
    ),
    Reading(
        "tpre",
        "By how much does AR2 shorten tPRE?",
        (responses.grid,),
        "by the chip's table, per condition",
        (
            Alternative("by the chip's table, per condition", "querying the RPT", "section 6.2",
                settings={"read.tpre_cut": 0.0}),
            Alternative("by 40 % everywhere", "by at least 40% under every tested condition", "section 5.2.1",
                settings={"read.tpre_cut": 0.4}),
        ),
    ),
    Reading(
        "writes",
        "When is a write done?",
        (responses.grid,),
        "in DRAM",
        (
            Alternative("in DRAM", "considerable performance improvement", "section 7.2",
                why="a gain on stg_0, 15 % reads, needs fast writes; it is MQSim's default",
                settings={"cache.mode": "write"}),
            Alternative("in flash", "it is important to optimize read-retry", "section 7.2",
                settings={"cache.mode": "off"}),
        ),
    ),
    Reading(
        "pso",
        "Where does PSO begin?",
        (responses.grid, reads.worn_reads),
        "three steps, or a quarter of the drift, below the lowest that worked",
        (
            Alternative("three steps, or a quarter of the drift, below the lowest that worked",
                "at least three retry steps", "section 3.1", why="and 70 % fewer steps; chosen after the next one",
                settings={"read.pso_min_steps": 3, "read.pso_drift_share": 0.25}),
            Alternative("four steps below", "at least three retry steps", "section 3.1",
                settings={"read.pso_min_steps": 4, "read.pso_drift_share": 0.0}),
            Alternative("three steps below", "at least three retry steps", "section 3.1",
                settings={"read.pso_min_steps": 3, "read.pso_drift_share": 0.0}),
        ),
    ),
    Reading(
        "temperature",
        "How hot are the chips when they are read?",
        (responses.grid,),
        "30 C",
        (
            Alternative("30 C", "under varying operating temperature", "section 5.2.3",
                why="errors are most at 30 C (section 5.1)",
                settings={"reliability.temperature_c": 30.0}),
            Alternative("85 C", "when we read a page at 85", "section 5.2.1",
                settings={"reliability.temperature_c": 85.0}),
        ),
    ),
    Reading(
        "first-read",
        "Does AR2 shorten the regular read, too?",
        (responses.grid,),
        "no",
        (
            Alternative("no", "Once a read failure occurs", "section 6.2", settings={"read.shorten_first": False}),
            Alternative("yes", "also for reducing the latency of a regular page read", "section 8",
                why="as further work",
                settings={"read.shorten_first": True}),
        ),
    ),
)  # fmt: skip

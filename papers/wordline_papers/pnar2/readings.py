"""What PR2 and AR2 leave open, and how the study reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

from wordline.lab.refit.chip_file import with_values

from .. import Figure, Measurement, Part, Point, default_folder
from ..checkout import ROOT
from ..common_readings import collected
from ..readings import Alternative, Reading
from . import reads, responses
from .responses import Place, multiples, reductions
from .workloads import GAP, OWN_RATES, PATH_US, READ_SIZE, YCSB_INTER_ARRIVAL_US, YCSB_READ_BYTES, Setup

ENTERPRISE, SECTION = "collected from enterprise servers during one week", "section 7.1"
MEANS = "higher average response time compared to the ideal NoRR"
PATH = "the path is the same for reads and writes here"
MQSIM_WORDS = "an open-source multi-queue SSD simulator"
MECHANISMS = f"MQSim's link, DRAM and cached mapping table, and {PATH_US:g} us"
OLD_MAPPING = {"reliability.mapping_ages": True}
PSO = "one step, or a quarter of the drift, below the lowest that worked"
YCSB = "Yahoo! Cloud Service Benchmark (YCSB)"
OWN, STEADY = "each workload at its own", "every page, then what the workload writes, until collection has begun"
BURSTS = {"workload.arrival": "bursts", "workload.burst_requests": 18}
# The chip's file, and what an early rise of its errors needs.
CHIP = ROOT / "presets" / "chips" / "tlc-48l.toml"
EARLY_FLOOR = {"read.floor.onset_months": 0.0166667, "read.floor.fresh_bits": 13.75}
# Gaps within a burst, as a share of the mean one, as in the volumes that AERO's study names.
BURST_GAP = 0.0126


# A path that stands for MQSim's mechanisms and the fitted time, and a write's time with MQSim's charge for DRAM.
LONG_PATH_US, WRITE_US = 130.0, 125.0
LONG_PATH = Setup(host_us=LONG_PATH_US, mechanisms={})
EARLY = "half a day, as the voltages drift"


def at(setup: Setup) -> tuple[Part, ...]:
    """Returns the study's grid with another setup."""
    return (Part(responses.grid.name, lambda quick: responses.whole_grid(quick, setup)),)


def with_settings(
    change: Callable[[Mapping[str, Any]], Mapping[str, Any]], only: str = "", setup: Setup = OWN_RATES
) -> tuple[Part, ...]:
    """Returns the study's grid with settings that follow from each point's own, of workloads whose names begin so."""

    def points(quick: bool) -> Iterator[Point]:
        for point in responses.whole_grid(quick, setup):
            is_meant = str(point.labels["trace"]).startswith(only)
            yield replace(point, settings={**point.settings, **change(point.settings)}) if is_meant else point

    return (Part(responses.grid.name, points),)


def in_bursts(own: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the settings for bursts at the point's own rate."""
    return {**BURSTS, "workload.burst_inter_arrival_us": BURST_GAP * own[GAP]}


def early_floor() -> Path:
    """Writes the study's chip with errors at the best voltages that rise as early as the voltages drift.

    Raises:
        OSError: It cannot be written.
    """
    path = default_folder() / "chips" / f"{CHIP.stem}-early-floor.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = with_values(CHIP.read_text(encoding="utf-8"), EARLY_FLOOR)
    path.write_text(text, encoding="utf-8", newline="\n")
    return path


def early(_: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the settings for that chip."""
    return {"cells.chip": str(early_floor())}


def fig_14_of_ratios(rows: Sequence[Place]) -> Mapping[str, Measurement]:
    """Fig. 14 with means of ratios where the study takes ratios of means."""
    closed = [(1.0 - row.over["PnAR2"]) / (1.0 - row.over[responses.NORR]) for row in rows]
    return {
        **responses.claims_of_fig_14(rows),
        "pnar2.fig14.gap_to_norr": fmean(multiples(rows, "PnAR2")),
        "pnar2.fig14.gap_closed": fmean(closed),
    }


def fig_15_of_ratios(rows: Sequence[Place]) -> Mapping[str, Measurement]:
    """Fig. 15 with means of ratios."""
    reading = [row for row in rows if row.workload in responses.READ_DOMINANT]
    writing = [row for row in rows if row.workload not in responses.READ_DOMINANT]
    return {
        **responses.claims_of_fig_15(rows),
        "pnar2.fig15.pso_over_norr.avg": fmean(multiples(reading, "PSO")),
        "pnar2.fig15.psopnar2_over_norr": fmean(multiples(reading, "PSO+PnAR2")),
        "pnar2.fig15.read_dominant.avg": fmean(reductions(reading, "PSO+PnAR2", "PSO")),
        "pnar2.fig15.write_dominant.avg": fmean(reductions(writing, "PSO+PnAR2", "PSO")),
    }


OF_RATIOS = (
    Figure("fig14", (responses.grid,), responses.places, fig_14_of_ratios),
    Figure("fig15", (responses.grid,), responses.places, fig_15_of_ratios),
)

READINGS = (
    Reading(
        "means",
        "How are ratios averaged over the grid?",
        (responses.grid,),
        "ratio of the means over Baseline's",
        (
            Alternative("ratio of the means over Baseline's", MEANS, "section 7.2",
                why="so the paper's numbers agree: 0.289 / (1 - 0.711 / 2.37) = 0.41"),
            Alternative("mean of the ratios", "on average across all workloads", "section 7.2", figures=OF_RATIOS),
        ),
        "The paper's three numbers support the first: 28.9 %, 41 % and 2.37 times.",
    ),
    Reading(
        "load",
        "How fast do requests come?",
        (responses.grid,),
        OWN,
        (
            Alternative(OWN, ENTERPRISE, SECTION, why="the week over the requests of each trace"),
            Alternative("usr_1 twice as fast", ENTERPRISE, SECTION, parts=at(Setup(faster={"usr_1": 2.0}))),
            Alternative("senses and programs keep dies busy 0.1 % of the time", ENTERPRISE, SECTION,
                parts=at(Setup(0.001))),
            Alternative("1 %", ENTERPRISE, SECTION, parts=at(Setup(0.01))),
            Alternative("2 %", ENTERPRISE, SECTION, parts=at(Setup(0.02))),
            Alternative("5 %", ENTERPRISE, SECTION, parts=at(Setup(0.05))),
            Alternative("1 %, with a path of 400 us, and nothing on the SSD", ENTERPRISE, SECTION,
                why="fitted: the ratios of Fig. 14 and 15 come near; once the study's default",
                parts=at(Setup(0.01, 400.0, {}, is_steady=False))),
        ),
        "The text names no load. The traces' own rates follow from it; a load for all does not.",
        is_scenario=True,
    ),
    Reading(
        "path",
        "What time of a request do retries not multiply?",
        (responses.grid,),
        MECHANISMS,
        (
            Alternative(MECHANISMS, MQSIM_WORDS, SECTION,
                why="the time is a fit to the two claims of kind `setting`"),
            Alternative("MQSim's link, DRAM and cached mapping table", MQSIM_WORDS, SECTION,
                parts=at(Setup(host_us=0.0))),
            Alternative("the same and 40 us", MQSIM_WORDS, SECTION, parts=at(Setup(host_us=40.0))),
            Alternative(f"{LONG_PATH_US:g} us in place of these", MEANS, "section 7.2",
                why="near the fit to the same two claims", parts=at(LONG_PATH)),
            Alternative("MQSim's mechanisms and the time, and mapping pages are as old as data", MQSIM_WORDS, SECTION,
                why="MQSim keeps the programming time of each page", parts=with_settings(lambda _: OLD_MAPPING)),
            Alternative("none of these: garbage collection and write-back", "block-erasure latency", "section 7.2",
                why="once the study's default", parts=at(Setup(host_us=0.0, mechanisms={}))),
            Alternative("400 us of the host's path in place of these", MEANS, "section 7.2",
                why="MQSim ships it for a SATA host", parts=at(Setup(host_us=400.0, mechanisms={}))),
            Alternative("also 400 us, reads only", "PnAR2 improves SSD performance by 34%", "section 7.2, stg_0",
                missing=PATH),
        ),
        "The text names MQSim and its repository, and no path. Its ratios (PnAR2 2.37, PSO 1.92 times NoRR) fit no SSD "
        "whose reads take 127 us and nothing else.",
        is_scenario=True,
    ),
    Reading(
        "conditions",
        "Which conditions does Fig. 14 average?",
        (responses.grid,),
        "0, 1K and 2K cycles by 3 and 6 months",
        (
            Alternative("0, 1K and 2K cycles by 3 and 6 months", "under a 6-month retention age at 2K P/E cycles",
                "section 7.2", why="at 0 months hardly a read retries, so a third of the grid would gain nothing"),
            Alternative("0, 1K and 2K cycles by 0, 3 and 6 months", "under different operating conditions",
                "section 7.2", missing="the text excludes it: at 0 months hardly a page retries, so the "
                "six other conditions would gain 0.434 on average, and the worst one gains 0.352"),
        ),
    ),
    Reading(
        "floor-onset",
        "From which age on have pages more errors at the best voltages?",
        (responses.grid,),
        "one month",
        (
            Alternative("one month", "more P/E cycling and longer retention age", "section 5.1", why="a guess"),
            Alternative(EARLY, "the worse the operating conditions, the larger the "
                "performance gain", "section 7.2",
                why="with `fresh_bits` 13.75, so that M_ERR(0, 3 months) stays; looked for after results were seen",
                parts=with_settings(early), file=CHIP),
            Alternative(f"{EARLY}, and a path of {LONG_PATH_US:g} us in place of MQSim's",
                "the worse the operating conditions, the larger the performance gain", "section 7.2",
                why="both at once, which come near alone; looked for after results were seen",
                parts=with_settings(early, setup=LONG_PATH), file=CHIP),
        ),
        is_scenario=True,
        seen="its other alternatives were looked for after results of the first",
    ),
    Reading(
        "steady",
        "What is on the SSD before the run?",
        (responses.grid,),
        STEADY,
        (
            Alternative(STEADY, "considerable performance improvement for workloads with many writes", "section 7.2",
                settings={"precondition.shape": "workload", "precondition.fill": 1.0}),
            Alternative("every page, then as many at random", "considerable performance improvement for workloads with "
                "many writes", "section 7.2", settings={"precondition.shape": "random", "precondition.fill": 1.0}),
            Alternative("nothing: reads find data", "", settings={"precondition.fill": "lazy",
                "precondition.overwrite": 0.0}, why="collection never runs"),
        ),
        "The text does not say. MQSim, the paper's simulator, fills an SSD and overwrites it as the workload does.",
        is_scenario=True,
    ),
    Reading(
        "bunches",
        "How do requests bunch?",
        (responses.grid,),
        "in two exponential phases",
        (
            Alternative("in two exponential phases", ENTERPRISE, SECTION, why="as the look-alikes do elsewhere",
                settings={"workload.arrival": "hyper-exponential"}),
            Alternative("at random", ENTERPRISE, SECTION, settings={"workload.arrival": "exponential"}),
            Alternative("in bursts", ENTERPRISE, SECTION, why="of 18 requests, as in AERO's study",
                parts=with_settings(in_bursts)),
        ),
        is_scenario=True,
    ),
    Reading(
        "ycsb-rate",
        "How fast do YCSB's requests come?",
        (responses.grid,),
        f"{YCSB_INTER_ARRIVAL_US / 1000:.2f} ms apart",
        (
            Alternative(f"{YCSB_INTER_ARRIVAL_US / 1000:.2f} ms apart", YCSB, SECTION,
                why="a recorded trace of YCSB on ext4 until its last read"),
            Alternative("1 ms apart", YCSB, SECTION, why="assumed for the look-alikes",
                parts=with_settings(lambda _: {GAP: 1000.0}, "YCSB")),
        ),
        is_scenario=True,
    ),
    Reading(
        "ycsb-size",
        "How large are YCSB's reads?",
        (responses.grid,),
        f"{YCSB_READ_BYTES / 1024:g} KiB",
        (
            Alternative(f"{YCSB_READ_BYTES / 1024:g} KiB", YCSB, SECTION, why="half of the look-alikes'"),
            Alternative("113 KiB", YCSB, SECTION, why="the mean of that trace",
                parts=with_settings(lambda _: {READ_SIZE: 115_899.0}, "YCSB")),
        ),
        "The paper names no size. The recorded trace supports the second; the first keeps the full run short.",
        is_scenario=True,
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
            Alternative(f"in DRAM, near {WRITE_US:g} us", MQSIM_WORDS, SECTION,
                why="MQSim's DRAM charges each write; the length is looked for after results were seen, for stg_0 and "
                "the workloads that mostly write",
                settings={"controller.command_write_ns": 1000.0 * (WRITE_US - PATH_US),
                    "controller.cores": 64}),
        ),
        seen="the third alternative was added after runs of the others",
    ),
    Reading(
        "pso",
        "Where does PSO begin?",
        (responses.grid, reads.worn_reads),
        PSO,
        (
            Alternative(PSO, "in an aged SSD", "section 1",
                why="three steps and 70 % fewer are of an aged SSD, 12 months at 2K cycles; chosen after the next two",
                settings={"read.pso_min_steps": 1, "read.pso_drift_share": 0.25, "read.pso_window": 512,
                    "read.pso_alone_after": 512}),
            Alternative("three steps, or a quarter of the drift", "at least three retry steps", "section 3.1",
                why="once the study's default", settings={"read.pso_min_steps": 3}),
            Alternative("a quarter of the drift", "in an aged SSD", "section 1",
                settings={"read.pso_min_steps": 0}),
            Alternative("as usual, of the layer's own last 128 reads at least", "at least three retry steps",
                "section 3.1", why="once the study's default: a layer's first reads know too little",
                settings={"read.pso_window": 128, "read.pso_alone_after": 0}),
            Alternative("four steps below", "at least three retry steps", "section 3.1",
                settings={"read.pso_min_steps": 4, "read.pso_drift_share": 0.0}),
            Alternative("three steps below", "at least three retry steps", "section 3.1",
                settings={"read.pso_min_steps": 3, "read.pso_drift_share": 0.0}),
        ),
        touches=lambda point: "pso" in str(point.settings["read.retry"]),
        seen="the default was chosen after runs of the next two",
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
    collected(responses.grid),
)  # fmt: skip

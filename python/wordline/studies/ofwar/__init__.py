"""OFWAR: fast writes on demand, rewritten later; Fig. 3, 4 and 9 to 20 on the 64-GB SSD of Section 4.2.

The real IOzone and Postmark runs and the head of Financial1 are used where they are at hand. They are reported on
their own; Financial2's look-alike beside them; look-alikes of Trace 1 to 6, of which the paper tells nothing, apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .. import Computation, Point, Results
from ..claims import Measured, Measurement
from . import draw, example, orders, power
from .workloads import Load, loads

TITLE = "OFWAR: response time, rewrites and power with fast writes on demand"
PAPERS = ("ofwar",)

# Programs that a channel has under way at once, for all traces; the paper does not say. Here its chips take turns, and
# the one whose turn it is programs a page in each plane: two dies of two planes (section 4.2). Chips that share a bus
# take turns in the paper's simulator too, with a page each (DiskSim's SSD extension, shared-bus gangs). See the sweep.
STREAMS = 4
STREAMS_SWEPT = (2, 3, 4, 5, 6, 8, 16, 32)
# Section 5: the thresholds of Fig. 9 to 12.
QUEUE_DEPTH, WRITE_THRESHOLD, REWRITE_THRESHOLD = 65_536, 128, 128
QUEUE_DEPTHS = (4_096, 16_384, 32_768, 65_536, 131_072)
WRITE_THRESHOLDS = (32, 64, 128, 256, 512, 1_024, 2_048)
# 0: whenever a channel is idle (Fig. 18a).
REWRITE_THRESHOLDS = (0, 128, 512, 2_048, 8_192)
FINANCIAL_THRESHOLDS = (8, 16, 32, 64, 128)
# Fig. 12: time between random writes, us. The paper has 10 billion of them.
RANDOM_WRITES = {"10ms": 10_000, "5ms": 10_000, "1ms": 20_000, "0_1ms": 200_000, "0_05ms": 400_000, "0_02ms": 1_000_000}
# Pages written before the run, as a multiple of the host's, in the order of the trace, without time: more than
# the 80 % of the flash at which GC begins.
OVERWRITE = 1.15
# Until when N_th_w counts a page: the write queue "stores the data of write requests from the host" (section 3.2), and
# a power failure must not lose what it has stored; so it holds a page until that is on flash. The paper also has
# requests "fetched" from it, which may mean that they leave it then. Settled after seeing what both do (CHOICES).
QUEUED_UNTIL = "done"
# What else the paper leaves open, the other way round, on the real traces.
CHOICES: dict[str, dict[str, Any]] = {
    "as stated": {},
    "GC takes any fast block first": {"program.gc_fast_first": "always"},
    "stale entries do not count": {"program.stale_entries": "ignore"},
    "pages leave the write queue when their programs begin": {"program.queued_until": "begun"},
    "an idle channel rewrites as many pages as it writes": {"program.rewrites_in_flight": STREAMS},
}
CUTS, CUTS_EACH = 1_000, 100

NOTES = (
    f"Each channel programs {STREAMS} pages at once (`program.write_streams`), for all traces; the paper does not say.",
    "That is a chip at a time, two dies of two planes; DiskSim's chips take turns on a shared bus too, a page each.",
    "With all 32 dies at work the two buses are the limit, and faster programs bring little: see the sweep.",
    "No fill: only a trace's footprint is valid. Its writes are repeated without time until GC collects.",
    "IOzone and Postmark: all of them, once; Financial1: its first 10,000 requests, ten times.",
    "Both Financials are taken whole where Financial1.spc and Financial2.spc are among the traces.",
    "N_th_w counts a page until it is on flash: the write queue stores its data. Settled after seeing what that does.",
    "Rewrites and extra writes are over all pages requested, reads included (captions of Fig. 10 and 15).",
    "A hit is a write of a page whose newest copy is a fast one; the hit rate is hits over pages written.",
    "Of two GC victims with as many live pages the fast one goes first.",
    "An idle channel rewrites one page at a time.",
    "Postmark's first 90 s bring 12,300 pages/s, 97 % of what four programs a channel can take: no time for rewrites.",
    "Orderings: steps of less than 0.01 count as equal; settled after seeing that close thresholds scatter by 0.006.",
    "Trace 1 to 6 are look-alikes made without a single number of theirs; they stand in no mean.",
)


def settings(policy: str = "ofwar", **changed: object) -> dict[str, Any]:
    """What is set over the preset."""
    names = {
        "depth": "program.rewrite_queue_pages",
        "write": "program.fast_write_threshold",
        "rewrite": "program.rewrite_threshold",
        "streams": "program.write_streams",
    }
    given = {
        "depth": QUEUE_DEPTH,
        "write": WRITE_THRESHOLD,
        "rewrite": REWRITE_THRESHOLD,
        "streams": STREAMS,
        **changed,
    }
    return {
        "program.policy": policy,
        "program.queued_until": QUEUED_UNTIL,
        **{names[key]: value for key, value in given.items()},
    }


STEADY = {"precondition.overwrite": OVERWRITE, "precondition.shape": "workload"}


def grid(quick: bool) -> list[Point | Computation]:
    """Every figure's runs; those that several figures share stand once."""
    steady = {} if quick else STEADY
    points: list[Point | Computation] = []
    for load in loads(quick):
        cases: list[dict[str, Any]] = [{"policy": "normal"}, {}]
        cases += [{"depth": n} for n in QUEUE_DEPTHS if n != QUEUE_DEPTH]
        cases += [{"write": n} for n in WRITE_THRESHOLDS if n != WRITE_THRESHOLD]
        cases += [{"rewrite": n} for n in REWRITE_THRESHOLDS if n != REWRITE_THRESHOLD]
        if load.name.startswith("financial"):
            cases += [{"write": n} for n in FINANCIAL_THRESHOLDS if n not in WRITE_THRESHOLDS]
            # One program at a time on a channel, as DiskSim's shared-bus gangs have it and Fig. 3 draws it.
            cases += [{"streams": 1, "policy": "normal"}, {"streams": 1, "write": min(FINANCIAL_THRESHOLDS)}]
        if load.is_real:
            swept = [n for n in STREAMS_SWEPT if n != STREAMS]
            cases += [{"streams": n, "policy": policy} for n in swept for policy in ("normal", "ofwar")]
        for case in cases:
            # A change of a threshold is nothing to a run without fast writes.
            labels = {"part": "traces", "load": load.name, "real": load.is_real}
            points.append(
                Point("ofwar", {**steady, **settings(**case)}, load.workload, requests=load.requests, labels=labels)
            )
        if load.is_real:
            points += choices(load, steady)
    for time, count in RANDOM_WRITES.items():
        for policy in ("normal", "ofwar"):
            labels = {"part": "random", "gap": time}
            requests = count // 20 if quick else count
            points.append(Point("ofwar", settings(policy), f"ofwar/rw10b_{time}", requests=requests, labels=labels))
    return [*points, *worked_examples(), *power_points(quick)]


def choices(load: Load, steady: Mapping[str, Any]) -> list[Point]:
    """A workload under every reading of what the paper leaves open."""
    runs = {"normal": settings("normal"), **{name: {**settings(), **other} for name, other in CHOICES.items()}}
    return [
        Point(
            "ofwar",
            {**steady, **run},
            load.workload,
            requests=load.requests,
            labels={"part": "choices", "load": load.name, "choice": name},
        )
        for name, run in runs.items()
    ]


def worked_examples() -> list[Point]:
    """Fig. 3: eleven writes on one die, slow and fast."""
    one_die = {
        "ssd.channels": 1,
        "ssd.chips_per_channel": 1,
        "ssd.dies_per_chip": 1,
        "ssd.planes_per_die": 1,
        "channel.rate_mb_s": 0.0,
        "channel.program_command_ns": 0,
        "host.link_rate_mb_s": 0.0,
        "host.submit_ns": 0,
        "host.complete_ns": 0,
        "host.link_request_ns": 0,
        "workload.inter_arrival_us": 300.0,
        "program.write_streams": 1,
    }
    # All fast: more than no page is queued whenever one is written.
    speeds: dict[str, dict[str, Any]] = {
        "slow": {"program.policy": "normal"},
        "fast": {"program.fast_write_threshold": 0},
    }
    return [
        Point("ofwar", {**one_die, **speed}, "fio/random-write", requests=11, labels={"part": "fig3", "speed": name})
        for name, speed in speeds.items()
    ]


def power_points(quick: bool) -> list[Point | Computation]:
    """A shutdown with a full rewrite queue, on two SSDs, and power cuts."""
    burst = {
        "program.policy": "ofwar",
        "program.fast_write_threshold": 0,
        "program.rewrite_threshold": 1_000_000,
        "cache.mode": "off",
        # The paper's cells, on whatever SSD.
        "cells.chip": "mlc-ofwar",
        "coding.cell": "mlc",
        "coding.scheme": "mlc-1-2",
        "nand.read_us": [50.0, 50.0],
        "nand.program_us": [600.0],
        "workload.inter_arrival_us": 40.0,
        "power.shutdown_at_s": 10.0,
    }
    # 64K entries of 4 KiB, or as many bytes in larger pages.
    devices = {"ofwar": (4_096, QUEUE_DEPTH), "datacenter-tlc": (16_384, QUEUE_DEPTH // 4)}
    shutdowns: list[Point | Computation] = [
        Point(
            ssd,
            {**burst, "program.rewrite_queue_pages": pages, "workload.write_block_bytes": page_bytes},
            "fio/sequential-write",
            requests=pages + pages // 10,
            labels={"part": "shutdown"},
        )
        for ssd, (page_bytes, pages) in devices.items()
    ]
    count = 10 if quick else CUTS_EACH
    rounds = range(2) if quick else range(CUTS // CUTS_EACH)
    return shutdowns + [
        Computation(power.cuts, {"seed": seed, "count": count}, labels={"part": "cuts"}) for seed in rounds
    ]


def measure(results: Results) -> Mapping[str, Measurement]:
    """All of OFWAR's claims."""
    rows = draw.trace_rows(results)
    fig3 = results.where(part="fig3")
    slow = fig3.one(speed="slow")
    cuts = results.where(part="cuts")
    shutdown = results.where(part="shutdown")
    shut, newer = shutdown.one(ssd="ofwar"), shutdown.one(ssd="datacenter-tlc")
    longest = max(o["response_us.write.max"] for o in fig3.where(speed="fast"))
    lost, cut = sum(o["lost_pages"] for o in cuts), sum(o["cuts"] for o in cuts)
    return {
        "ofwar.fig3.slow": Measured(
            slow["response_us.write.max"], note=f"the mean of the eleven is {slow['response_us.write.mean']:g} us"
        ),
        "ofwar.fig3.fast": longest,
        "ofwar.fig4.example": float(example.difference()),
        "ofwar.device.retention": float(shut["program.fast_retention_days"]),
        "ofwar.power.graceful": Measured(
            shut["power.shutdown.time_s"],
            synthetic=None,
            note=f"{shut['power.shutdown.rewritten_pages']} pages, on all dies at once; as many bytes on the "
            f"datacenter-tlc preset take {newer['power.shutdown.time_s']:.2f} s",
        ),
        "ofwar.power.failure": Measured(
            float(lost),
            synthetic=None,
            note=f"{cut} cuts here; the core's tests make tens of thousands against a shadow copy",
        ),
        **orders.claims(rows, draw.random_rows(results)),
    }


def figures(results: Results, out: Path) -> None:
    """Fig. 9 to 20, and the sweep of write streams."""
    draw.all_figures(results, out)


def tables(results: Results) -> dict[str, list[dict[str, Any]]]:
    """Every trace at every setting, the random writes, and what the paper leaves open."""
    return {
        "traces": draw.trace_rows(results),
        "random": draw.random_rows(results),
        "choices": draw.choice_rows(results),
    }

"""Closed forms: what a lone request takes, and how long requests wait for one die, against the formulas.

Claims that follow from a formula and need no technique; they are exact, so any deviation is a fault.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from .. import Measured, Outcome, Point, Results, cross
from .. import grid as combinations
from ..claims import Measurement
from . import draw

TITLE = "Closed forms: lone reads and writes, and the queue of one die"
PAPERS = ("pnar2", "ofwar")
NOTES = (
    "OFWAR's example is read as one plane with nothing but programs to wait for: transfers and commands take no time.",
    "M/D/1: one die, reads of one sense, exponential arrivals; the channel takes no time.",
)

# PR2/AR2, Eq. 1, Table 1 and section 7.1: one sense, senses of LSB, CSB and MSB, transfer of 16 KiB, decoding.
T_SENSE_US, SENSES, T_DMA_US, T_ECC_US = 39.0, (2, 3, 2), 16.0, 20.0
STEPS_MAX = 20
PAGE_BYTES = 16_384
# Pages that the allocation fills before it goes on to the next page type: one in each plane.
PLANES = 32
# OFWAR, Fig. 3: 11 writes, one every 300 us, and how long a program takes.
WRITES, GAP_US, PROGRAM_US = 11, 300.0, {"slow": 600.0, "fast": 300.0}
SENSE_US = 75.0
NS_PER_US = 1000

NO_BUS: dict[str, Any] = {
    "ssd.channels": 1,
    "ssd.chips_per_channel": 1,
    "ssd.dies_per_chip": 1,
    "ssd.planes_per_die": 1,
    "channel.rate_mb_s": 0.0,
    "channel.read_command_ns": 0,
    "channel.program_command_ns": 0,
    "host.link_rate_mb_s": 0.0,
    "host.link_request_ns": 0,
    "host.submit_ns": 0,
    "host.complete_ns": 0,
    "cache.mode": "off",
}


def grid(quick: bool) -> list[Point]:
    """Lone reads with 0 to 20 retry steps, OFWAR's example at two speeds, and one die under nine loads."""
    strided = {"workload.pattern": "strided", "workload.stride_bytes": PAGE_BYTES, "workload.read_block_bytes": 4096}
    # Every page takes the same number of steps.
    lone = {"host.queue_depth": 1, "cells.chip": "none", **strided}
    read = Point("pnar2", workload="fio/strided-read", requests=PLANES * len(SENSES))
    reads = [
        replace(read, settings={**lone, **step}, log_requests=True, labels={"part": "reads"})
        for step in combinations({"reliability.retry_steps": list(range(STEPS_MAX + 1))})
    ]
    # Without decoding only the transfer is left behind the array time.
    no_ecc = {"ecc.decode_us": 0.0, "ecc.decode_fail_us": 0.0}
    transfer = replace(read, settings={**lone, **no_ecc}, labels={"part": "transfer"})
    writes = [
        Point(
            "ofwar",
            {**NO_BUS, "nand.program_us": [time_us], "workload.inter_arrival_us": GAP_US},
            "fio/random-write",
            requests=WRITES,
            log_requests=True,
            labels={"part": "writes", "speed": speed},
        )
        for speed, time_us in PROGRAM_US.items()
    ]
    loads = [load / 10 for load in range(1, 10)]
    queue = [
        Point(
            "mqsim",
            {**NO_BUS, **gap, "nand.read_us": [SENSE_US] * 2, "workload.arrival": "exponential"},
            "fio/random-read",
            requests=20_000 if quick else 1_000_000,
            labels={"part": "queue", "load": load},
        )
        for load in loads
        for gap in cross([{"workload.inter_arrival_us": SENSE_US / load}])
    ]
    return [*reads, transfer, *writes, *queue]


def measure(results: Results) -> Mapping[str, Measurement]:
    """The claims that closed forms give."""
    reads = results.where(part="reads")
    first = reads.one({"reliability.retry_steps": 0})
    slow, fast = (responses_us(results.one(part="writes", speed=speed)) for speed in PROGRAM_US)
    return {
        "pnar2.timing.tR": float(first["read_breakdown_us.array"]),
        "pnar2.timing.regular_retry": max(deviation_us(outcome) for outcome in reads),
        "pnar2.timing.tdma": float(results.one(part="transfer")["read_breakdown_us.transfer"]),
        "ofwar.fig3.slow": Measured(max(slow), note=f"the mean of the {WRITES} writes is {sum(slow) / WRITES:g} us"),
        "ofwar.fig3.fast": max(fast, key=lambda us: abs(us - PROGRAM_US["fast"])),
    }


def figures(results: Results, out: Path) -> None:
    """Lone reads over retry steps, and the wait for one die over its load."""
    draw.reads(tables(results)["reads"], out)
    draw.queue(tables(results)["queue"], out)


def tables(results: Results) -> dict[str, list[dict[str, Any]]]:
    """What is simulated beside what the formulas give."""
    reads = [
        {
            "retry_steps": steps(outcome),
            "formula_us": read_us(steps(outcome), sum(SENSES) / len(SENSES)),
            "simulated_us": outcome["response_us.read.mean"],
            "largest_deviation_us": deviation_us(outcome),
        }
        for outcome in results.where(part="reads")
    ]
    queue = [
        {
            "load": outcome.coordinates["load"],
            "formula_us": waiting_us(outcome.coordinates["load"]),
            "simulated_us": outcome["response_us.read.mean"] - SENSE_US,
        }
        for outcome in results.where(part="queue")
    ]
    return {"reads": reads, "queue": queue}


def read_us(retry_steps: int, senses: float) -> float:
    """A lone read with regular retry steps, us (PR2/AR2, Eq. 2 and 3)."""
    return (retry_steps + 1) * (senses * T_SENSE_US + T_DMA_US + T_ECC_US)


def waiting_us(load: float) -> float:
    """Mean time in the queue of M/D/1, us (Pollaczek and Khinchine)."""
    return SENSE_US * load / (2.0 * (1.0 - load))


def steps(outcome: Outcome) -> int:
    """The retry steps of a point."""
    return int(outcome.coordinates["reliability.retry_steps"])


def responses_us(outcome: Outcome) -> list[float]:
    """Response times in the order of completion, us, to the nanosecond."""
    if outcome.result is None:
        return []
    table = outcome.result.requests()
    times = zip(table["arrival_ns"].to_pylist(), table["completed_ns"].to_pylist(), strict=True)
    return [(end - start) / NS_PER_US for start, end in times]


def deviation_us(outcome: Outcome) -> float:
    """The largest difference between a lone read and its formula, over all page types, us."""
    expected = [read_us(steps(outcome), SENSES[n // PLANES % len(SENSES)]) for n in range(PLANES * len(SENSES))]
    return max(abs(here - there) for here, there in zip(responses_us(outcome), expected, strict=True))

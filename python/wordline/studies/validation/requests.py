"""Lone reads with and without retries, and OFWAR's example of eleven writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .. import Measured, Outcome, Point, Results, grid
from ..claims import Measurement
from ..drawing import against_formula
from ..figure import Figure, Part, Sheet
from ..lone import PAGE_BYTES, PLANES, SENSES, page_senses, read_us, times_us

STEPS_MAX = 20
# OFWAR, Fig. 3: 11 writes, one every 300 us, and the time of a program.
WRITES, GAP_US, PROGRAM_US = 11, 300.0, {"slow": 600.0, "fast": 300.0}
# One plane behind a channel and a host that take no time.
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
READ = Point(
    "pnar2",
    {
        "host.queue_depth": 1,
        # Every page takes the same number of steps.
        "cells.chip": "none",
        "workload.pattern": "strided",
        "workload.stride_bytes": PAGE_BYTES,
        "workload.read_block_bytes": 4096,
    },
    "fio/strided-read",
    requests=PLANES * len(SENSES),
)


def lone_reads(quick: bool) -> Iterator[Point]:
    """Yields reads of all page types with 0 to 20 retry steps."""
    del quick
    for step in grid({"reliability.retry_steps": list(range(STEPS_MAX + 1))}):
        yield replace(READ, settings={**READ.settings, **step}, log_requests=True)


def undecoded(quick: bool) -> list[Point]:
    """Returns reads without decoding: only the transfer remains after the array time."""
    del quick
    return [replace(READ, settings={**READ.settings, "ecc.decode_us": 0.0, "ecc.decode_fail_us": 0.0})]


def example(quick: bool) -> Iterator[Point]:
    """Yields OFWAR's example at two speeds."""
    del quick
    for speed, time_us in PROGRAM_US.items():
        settings = {**NO_BUS, "nand.program_us": [time_us], "workload.inter_arrival_us": GAP_US}
        yield Point("ofwar", settings, "fio/random-write", requests=WRITES, log_requests=True, labels={"speed": speed})


READS = Part("reads", lone_reads)
TRANSFER = Part("transfer", undecoded)
WRITTEN = Part("writes", example)


@dataclass(frozen=True)
class Read:
    """Lone reads with a number of retry steps, and Eq. 2 and 3 for the mean page."""

    retry_steps: int
    formula_us: float
    simulated_us: float
    largest_deviation_us: float


def reads(results: Results) -> list[Read]:
    """Returns a row for each number of retry steps."""

    def row(outcome: Outcome) -> Read:
        steps = int(outcome.coordinates["reliability.retry_steps"])
        expected = [read_us(steps, senses) for senses in page_senses()]
        worst = max(abs(here - there) for here, there in zip(times_us(outcome), expected, strict=True))
        return Read(steps, read_us(steps, sum(SENSES) / len(SENSES)), outcome["response_us.read.mean"], worst)

    return [row(outcome) for outcome in READS.of(results)]


def claims_of_shares(rows: Sequence[Outcome]) -> Mapping[str, Measurement]:
    """The shares of sense and transfer in a read without retries."""
    plain, bare = rows
    return {
        "pnar2.timing.tR": float(plain["read_breakdown_us.array"]),
        "pnar2.timing.tdma": float(bare["read_breakdown_us.transfer"]),
    }


def claims_of_writes(rows: Sequence[Outcome]) -> Mapping[str, Measurement]:
    """OFWAR, Fig. 3: slow, then fast."""
    slow, fast = (times_us(outcome) for outcome in rows)
    note = f"the mean of the {WRITES} writes is {sum(slow) / WRITES:g} us"
    return {
        "ofwar.fig3.slow": Measured(max(slow), note=note),
        "ofwar.fig3.fast": max(fast, key=lambda us: abs(us - PROGRAM_US["fast"])),
    }


def draw_reads(rows: Sequence[Read], sheet: Sheet) -> None:
    """Draws the time of a lone read over its retry steps."""
    (axes,) = sheet()
    against_formula(axes, [(row.retry_steps, row.formula_us, row.simulated_us) for row in rows])
    axes.set(xlabel="retry steps", ylabel="mean lone read (us)")


FIGURES: tuple[Figure[Any], ...] = (
    Figure(
        "reads",
        (READS,),
        reads,
        lambda rows: {"pnar2.timing.regular_retry": max(row.largest_deviation_us for row in rows)},
        draw=draw_reads,
    ),
    Figure(
        "shares",
        (READS, TRANSFER),
        lambda results: [READS.of(results)[0], TRANSFER.of(results)[0]],
        claims_of_shares,
        is_saved=False,
    ),
    Figure("writes", (WRITTEN,), lambda results: list(WRITTEN.of(results)), claims_of_writes, is_saved=False),
)

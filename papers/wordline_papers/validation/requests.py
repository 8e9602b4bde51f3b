"""Lone reads with and without retries, OFWAR's example of eleven writes, and the queue of one die (M/D/1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wordline.sweeps import Until

from .. import Figure, Measured, Measurement, Outcome, Point, Results, Row, Sheet, of_runs, part
from ..drawing import against_formula
from ..lone import (
    FREE_HOST,
    NO_COMMANDS,
    ONE_PLANE,
    SENSES,
    deviation_us,
    page_senses,
    read_us,
    strided_reads,
    times_us,
)

STEPS_MAX = 20
# OFWAR, Fig. 3: 11 writes, one every 300 us, and the time of a program.
WRITES, GAP_US, PROGRAM_US = 11, 300.0, {"slow": 600.0, "fast": 300.0}
SENSE_US = 75.0
# One plane behind a channel and a host that take no time.
NO_BUS: dict[str, Any] = {
    **ONE_PLANE,
    **FREE_HOST,
    "channel.rate_mb_s": 0.0,
    "channel.read_command_ns": 0,
    "channel.program_command_ns": 0,
    "cache.mode": "off",
}


@part("reads")
def lone_reads(_quick: bool) -> Iterator[Point]:
    """Yields reads of all page types with 0 to 20 retry steps."""
    for steps in range(STEPS_MAX + 1):
        yield strided_reads("pnar2", {**NO_COMMANDS, "reliability.retry_steps": steps})


@part("transfer")
def undecoded(_quick: bool) -> list[Point]:
    """Returns reads without decoding: only the transfer remains after the array time."""
    without = {**NO_COMMANDS, "ecc.decode_us": 0.0, "ecc.decode_fail_us": 0.0}
    return [strided_reads("pnar2", without, log_requests=False)]


@part("writes")
def example(_quick: bool) -> Iterator[Point]:
    """Yields OFWAR's example at two speeds."""
    for speed, time_us in PROGRAM_US.items():
        settings = {**NO_BUS, "nand.program_us": [time_us], "workload.inter_arrival_us": GAP_US}
        yield Point("ofwar", settings, "fio/random-write", requests=WRITES, log_requests=True, labels={"speed": speed})


@part("queue")
def loads(quick: bool) -> Iterator[Point]:
    """Yields one die under nine loads, in full each as long as its mean needs: long queues need more requests."""
    for load in (tenths / 10 for tenths in range(1, 10)):
        arrivals = {"workload.arrival": "exponential", "workload.inter_arrival_us": SENSE_US / load}
        keys = {**NO_BUS, **arrivals, "nand.read_us": [SENSE_US] * 2}
        until = None if quick else Until(("read.mean ±1%",), group=load)
        yield Point("mqsim", keys, "fio/random-read", requests=20_000, until=until, labels={"load": load})


class Read(Row):
    """Lone reads with a number of retry steps, and Eq. 2 and 3 for the mean page."""

    retry_steps: int
    formula_us: float
    simulated_us: float
    largest_deviation_us: float


class Wait(Row):
    """Mean time in the queue of one die under a load, and the formula of Pollaczek and Khinchine for it."""

    load: float
    formula_us: float
    simulated_us: float


def reads(results: Results) -> list[Read]:
    """Returns a row for each number of retry steps."""

    def row(outcome: Outcome) -> Read:
        steps = int(outcome.coordinates["reliability.retry_steps"])
        worst = deviation_us(outcome, [read_us(steps, senses) for senses in page_senses()])
        return Read(steps, read_us(steps, sum(SENSES) / len(SENSES)), outcome["response_us.read.mean"], worst)

    return [row(outcome) for outcome in lone_reads.of(results)]


def waits(results: Results) -> list[Wait]:
    """Returns a row for each load."""
    return [
        Wait(load, SENSE_US * load / (2.0 * (1.0 - load)), outcome["response_us.read.mean"] - SENSE_US)
        for outcome in loads.of(results)
        for load in [outcome.coordinates["load"]]
    ]


def claims_of_shares(rows: Sequence[Outcome]) -> Mapping[str, Measurement]:
    """The shares of sense and transfer in a read without retries."""
    return {
        "pnar2.timing.tR": float(rows[0]["read_breakdown_us.array"]),
        "pnar2.timing.tdma": float(rows[-1]["read_breakdown_us.transfer"]),
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
    points = [(row.retry_steps, row.formula_us, row.simulated_us) for row in rows]
    against_formula(sheet, points, xlabel="retry steps", ylabel="mean lone read (us)")


def draw_waits(rows: Sequence[Wait], sheet: Sheet) -> None:
    """Draws the wait for one die over its load, on a logarithmic axis."""
    points = [(row.load, row.formula_us, row.simulated_us) for row in rows]
    against_formula(sheet, points, xlabel="load of the die", ylabel="mean wait (us)", yscale="log")


FIGURES = (
    Figure(
        "reads",
        (lone_reads,),
        reads,
        lambda rows: {"pnar2.timing.regular_retry": max(row.largest_deviation_us for row in rows)},
        draw=draw_reads,
    ),
    of_runs("shares", lone_reads, undecoded, claims=claims_of_shares),
    of_runs("writes", example, claims=claims_of_writes),
    Figure("queue", (loads,), waits, draw=draw_waits),
)

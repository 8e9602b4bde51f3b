"""The queue of one die: M/D/1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .. import Point, Results
from ..drawing import against_formula
from ..figure import Figure, Part, Sheet
from .requests import NO_BUS

SENSE_US = 75.0


def loads(quick: bool) -> Iterator[Point]:
    """Yields one die under nine loads."""
    for tenths in range(1, 10):
        arrivals = {"workload.arrival": "exponential", "workload.inter_arrival_us": SENSE_US / (tenths / 10)}
        yield Point(
            "mqsim",
            {**NO_BUS, **arrivals, "nand.read_us": [SENSE_US] * 2},
            "fio/random-read",
            requests=20_000 if quick else 1_000_000,
            labels={"load": tenths / 10},
        )


QUEUE = Part("queue", loads)


@dataclass(frozen=True)
class Wait:
    """Mean time in the queue under a load."""

    load: float
    formula_us: float
    simulated_us: float


def waiting_us(load: float) -> float:
    """Returns the mean time in the queue of M/D/1, us (Pollaczek and Khinchine)."""
    return SENSE_US * load / (2.0 * (1.0 - load))


def waits(results: Results) -> list[Wait]:
    """Returns a row for each load."""
    return [
        Wait(load, waiting_us(load), outcome["response_us.read.mean"] - SENSE_US)
        for outcome in QUEUE.of(results)
        for load in [outcome.coordinates["load"]]
    ]


def draw(rows: Sequence[Wait], sheet: Sheet) -> None:
    """Draws the wait for one die over its load, on a logarithmic axis."""
    (axes,) = sheet()
    against_formula(axes, [(row.load, row.formula_us, row.simulated_us) for row in rows])
    axes.set(xlabel="load of the die", ylabel="mean wait (us)", yscale="log")


FIGURES: tuple[Figure[Any], ...] = (Figure("queue", (QUEUE,), waits, draw=draw),)

"""Fig. 10: throughput of a closed loop, in the trace's order, reads first in the chips (Table II)."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Iterator, Mapping, Sequence

from ...output.plot.style import BLUE
from .. import Figure, Measured, Measurement, Part, Point, Results, Row, Sheet
from . import systems, workloads
from .points import PAIR, filled, names_of, requests_of

# Enough work for every chip, because throughput is a property of a saturated device. The other depths show the effect.
QUEUE_DEPTH = 256
QUEUE_DEPTHS = (16, 64, QUEUE_DEPTH, 1024)


def points(quick: bool) -> Iterator[Point]:
    """Yields every workload at every queue depth."""
    for depth, name in itertools.product(QUEUE_DEPTHS, names_of(quick)):
        its = {**filled(name), **workloads.scaled(name), **workloads.updated(name)}
        closed = {"host.mode": "closed", "host.queue_depth": depth}
        for system, keys in PAIR:
            yield Point(
                "ida",
                {**systems.CHIP_SERVERS, **its, **closed, **keys},
                workloads.full(name),
                requests=requests_of(quick),
                labels={"system": system, "trace": name, "queue_depth": depth},
            )


FIG_10 = Part("fig10", points)


class Throughput(Row):
    """Throughput of E20, relative to the baseline."""

    workload: str
    queue_depth: int
    normalised_throughput: float


def throughputs(results: Results) -> list[Throughput]:
    """Returns a row for each depth and workload."""
    rows = []
    for depth in QUEUE_DEPTHS:
        here = FIG_10.of(results, queue_depth=depth)
        for base in here.where(system="baseline"):
            trace = base.coordinates["trace"]
            ours = here.one(system="E20", trace=trace)
            rows.append(Throughput(trace, depth, ours["bandwidth_mb_s.all"] / base["bandwidth_mb_s.all"]))
    return rows


def claims(rows: Sequence[Throughput]) -> Mapping[str, Measurement]:
    """At the study's queue depth."""
    means = {
        depth: statistics.fmean(row.normalised_throughput - 1.0 for row in rows if row.queue_depth == depth)
        for depth in QUEUE_DEPTHS
    }
    others = ", ".join(f"{depth}: {gain:.3f}" for depth, gain in means.items() if depth != QUEUE_DEPTH)
    note = (
        f"queue depth {QUEUE_DEPTH} ({others}); a saturated device gains what it saves of its work, and programs, "
        "which IDA does not shorten, are much of it"
    )
    return {"ida.fig10.throughput": Measured(means[QUEUE_DEPTH], note=note)}


def draw(rows: Sequence[Throughput], sheet: Sheet) -> None:
    """Draws one queue depth; the rows have all of them."""
    (axes,) = sheet(width=7.2)
    here = [row for row in rows if row.queue_depth == QUEUE_DEPTH]
    axes.bar(range(len(here)), [row.normalised_throughput for row in here], 0.6, color=BLUE)
    axes.axhline(1.0, color="black", linewidth=0.6)
    axes.set_xticks(range(len(here)), [row.workload for row in here])
    axes.set_ylabel("throughput, baseline = 1")


FIGURES = (Figure("fig10", (FIG_10,), throughputs, claims, draw=draw),)

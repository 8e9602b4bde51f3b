"""Fig. 14 over what no text states: twelve columns, fixed before any of them was run.

How often reads meet erases is a bracket, not a choice. How busy the busy minutes are and how the drive was filled rest
on no text, and the shallow-erasure flag is in the text and not in the authors' simulator. Tails are estimated from the
erases of each run (`wordline.waits`), so that a point takes 100,000 reads and not ten million.
"""

from __future__ import annotations

import functools
import itertools
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from wordline._core import Drives
from wordline.api import run
from wordline.waits import ALL_US, dies_of, read_waits

from .. import Computation, Figure, Measured, Measurement, Part, Point, Results, Row
from ..readings import Alternative, Reading
from . import published as paper
from .ssds import MEAN, TailRow, claims_of_tails
from .system import BUSY_FACTOR, FULL, INTENDED, QUICK, TAILS, Size, busy_factor_of, pairs, points
from .tails import LAST, Saving

BUSY = {"none": 1.0, "5 times": 5.0, "25 times": BUSY_FACTOR}
FILL = {"half at random": "random", "as the workload writes": "workload"}
FLAG = {"flag": "sticky", "no flag": "none"}
READS, QUICK_READS = 100_000, 10_000
PERCENTILES = ("p9999", LAST)
# Of the age at which Table 4 has 99.8 % for AERO's writes.
WRITES_PEC = 2500


@dataclass(frozen=True)
class Column:
    """One column of the bracket.

    Attributes:
        busy: How busy busy times are, of `BUSY`.
        fill: What has been overwritten before the run, of `FILL`.
        flag: Whether AERO has the shallow-erasure flag, of `FLAG`.
    """

    busy: str
    fill: str
    flag: str

    @property
    def name(self) -> str:
        """The column in a table."""
        return f"busy times: {self.busy}; fill: {self.fill}; {self.flag}"

    def settings(self, workload: str, scheme: str) -> dict[str, Any]:
        """Returns what it sets for a workload and a scheme; no busy time is faster than a volume's disks."""
        own = {
            "workload_busy_factor": round(min(BUSY[self.busy], busy_factor_of(workload)), 2),
            "precondition_shape": FILL[self.fill],
        }
        return own | ({"erase_shallow_flag": FLAG[self.flag]} if scheme in paper.AEROS else {})


COLUMNS = tuple(itertools.starmap(Column, itertools.product(BUSY, FILL, FLAG)))
# What the study has.
USUAL = Column("25 times", "half at random", "flag")


class Estimate(Row):
    """The tail of a run's reads, and how often its dies erase."""

    workload: str
    scheme: str
    pec: int
    percentiles_us: Mapping[str, float]
    low_us: Mapping[str, float] = field(repr=False)
    high_us: Mapping[str, float] = field(repr=False)
    erases_100s: float
    write_us: float
    reads: int


def size_of(quick: bool) -> Size:
    """Returns the amount of simulation; the warm-up is that of the study."""
    return replace(QUICK, reads=QUICK_READS, seeds=1) if quick else replace(FULL, reads=READS, seeds=1)


def point_of(workload: str, scheme: str, pec: int, column: Column, quick: bool) -> Point:
    """Returns the run of a column."""
    size = replace(size_of(quick), workloads=(workload,))
    own = column.settings(workload, scheme)
    (point,) = points(size, [(scheme, pec)], size.reads, INTENDED, **own)
    return point


@functools.cache
def drives() -> Drives:
    """Returns what keeps a preconditioned drive in this process: schemes of one age begin with the same."""
    return Drives()


def estimate(
    workload: str, scheme: str, pec: int, busy: str, fill: str, flag: str, quick: bool, seed: int = 1
) -> dict[str, Any]:
    """Runs a column and returns its tail, estimated from the erases, with the number of erases of a die in 100 s."""
    task = replace(point_of(workload, scheme, pec, Column(busy, fill, flag), quick), seed=seed).resolve()
    result = run(task.config, task.flows, log_requests=True, timeline_us=ALL_US, drives=drives())
    found = read_waits(result)
    timeline, arrival = result.arrays("timeline"), result.arrays("requests")["submitted_ns"]
    erases = int(((timeline["track"] == "channel") & (timeline["class"] == "erase")).sum())
    seconds = float(arrival.max() - arrival.min()) / 1e9
    percentiles = {name: found.response_us[name] for name in PERCENTILES}
    return {
        "percentiles_us": {name: each.value for name, each in percentiles.items()},
        "low_us": {name: each.low for name, each in percentiles.items()},
        "high_us": {name: each.high for name, each in percentiles.items()},
        "erases_100s": 100.0 * erases / seconds / dies_of(task.config),
        "write_us": result.document["response_us"]["write"]["mean"],
        "reads": found.reads,
    }


def part_of(column: Column) -> Part:
    """Returns the points of a column, which stand for those of Fig. 14."""

    def computations(quick: bool) -> Iterator[Computation]:
        for workload in size_of(quick).workloads:
            for scheme, pec in pairs():
                # Other schemes have no flag: their runs are those of the column beside it.
                flag = column.flag if scheme in paper.AEROS else USUAL.flag
                arguments = {
                    "workload": workload, "scheme": scheme, "pec": pec, "busy": column.busy, "fill": column.fill,
                    "flag": flag, "quick": quick,
                }  # fmt: skip
                yield Computation(estimate, arguments, version=1)

    return Part(TAILS.name, computations)


def estimates(results: Results) -> list[Estimate]:
    """Returns the rows of a column."""
    keys = ("workload", "scheme", "pec")
    fields = [name for name in Estimate.field_names() if name not in keys]
    return [
        Estimate(**{key: outcome.coordinates[key] for key in keys}, **{name: outcome[name] for name in fields})
        for outcome in results
        if outcome.coordinates.get("function") == estimate.__name__
    ]


def tail_rows(rows: Sequence[Estimate]) -> list[TailRow]:
    """Returns the estimates as the rows of Fig. 14: each workload, then their mean with the savings over others."""
    by = {(row.workload, row.scheme, row.pec): row.percentiles_us for row in rows}
    workloads = list(dict.fromkeys(row.workload for row in rows))
    tails = []
    for pec in paper.PECS:
        schemes = [scheme for scheme, age in pairs() if age == pec]
        for scheme, percentile in itertools.product(schemes, PERCENTILES):

            def left(workload: str, other: str, scheme: str = scheme, percentile: str = percentile) -> float:
                return by[workload, scheme, pec][percentile] / by[workload, other, pec][percentile]  # noqa: B023

            for name in workloads:
                us = by[name, scheme, pec][percentile]
                tails.append(TailRow(pec, scheme, percentile, name, us, left(name, "ispe")))
            savings = {
                other: Saving(1.0 - statistics.fmean(left(name, other) for name in workloads)) for other in schemes
            }
            mean = 1.0 - savings["ispe"].mean
            tails.append(TailRow(pec, scheme, percentile, MEAN, None, mean, savings=savings))
    return tails


def claims(rows: Sequence[Estimate]) -> Mapping[str, Measurement]:
    """Fig. 14's claims on tails; each notes how often dies erase."""
    return {
        name: replace(given, note=told(rows)) if isinstance(given, Measured) else given
        for name, given in claims_of_tails(tail_rows(rows)).items()
    }


def told(rows: Sequence[Estimate]) -> str:
    """Returns how often a die erases in 100 s under ISPE, by workload, and what AERO does to writes."""
    by = {(row.workload, row.scheme, row.pec): row for row in rows}
    workloads = dict.fromkeys(row.workload for row in rows)
    erases = ", ".join(f"{name} {by[name, 'ispe', WRITES_PEC].erases_100s:.2g}" for name in workloads)
    writes = statistics.geometric_mean(
        by[name, "aero", WRITES_PEC].write_us / by[name, "ispe", WRITES_PEC].write_us for name in workloads
    )
    return f"erases of a die in 100 s at {WRITES_PEC} cycles: {erases}; AERO's mean writes {writes:.1%} of ISPE's there"


FIG_14 = Figure("fig14", (TAILS,), estimates, claims)

READING = Reading(
    "bracket",
    "How often do reads meet erases, and which?",
    (TAILS,),
    USUAL.name,
    tuple(
        Alternative(column.name, "Avg. Inter Req. Arrival Time", "Table 3", parts=(part_of(column),), figures=(FIG_14,))
        for column in COLUMNS
    ),
    "Tails are estimated from the erases of each run. Busy times and fill rest on no text; the flag is the text's.",
    is_scenario=True,
    is_estimate=True,
    only=(FIG_14.name,),
    seen="after runs of its default column, before any run of the others",
)

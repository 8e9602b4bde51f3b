"""Reads of the Sabrent Rocket 4 Plus that meet the order of writes: a job of fio has the same addresses in each run.

python3 tools/read_order.py real_drives.csv          # prints two tables; half a minute of processor time
python3 tools/read_order.py real_drives.csv --fit    # fits the drive without and with a history; three minutes

The jobs of each load write the addresses that it reads then, in the same order: alone, or in mixes of both, as those
that were measured before each load of reads. Without that it reads what filled the drive in another order.
"""
# ruff: noqa: INP001

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from statistics import fmean

from fit_cost import cost

import wordline as wl
from wordline.agreement import History, Length, Simulator
from wordline.fit import fit
from wordline.fit.written import error_lines
from wordline.measured import Agreement, Point, Row, read

PRESET = "sabrent-rocket-4-plus-2tb"
SCALE = "1/64"
LOADS = ((4, 1), (1, 4), (16, 1), (1, 16), (64, 1), (1, 64))
"""Depth and jobs of the loads that are shown one by one."""
PAGES: Mapping[str, object] = {"slc.policy": "off"}
"""All data have left the SLC cache, in the order in which they came."""
WORDLINES = {**PAGES, "program.unit": "wordline", "nand.program_wordline_us": 900.0}
"""Programs of three pages in both planes, which take as long as three of a page."""
MIXES = ("randrw5", "randrw35", "randrw50", "randrw65", "randrw95")
"""Reads in percent."""
NUMBERS = ("iops", "p50_us", "p99_us", "p999_us")


@dataclass(frozen=True)
class Case:
    """What the jobs of a load did before they read, and settings of the drive."""

    name: str
    kinds: tuple[str, ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)


NO_ORDER = Case("no order")
LAST_95 = Case("mixes, 95 % last", MIXES, WORDLINES)
LAST_5 = Case("mixes, 5 % last", MIXES[::-1], WORDLINES)
ONE_BY_ONE = (
    NO_ORDER,
    Case("writes, of pages", ("randwrite",), PAGES),
    Case("writes, of wordlines", ("randwrite",), WORDLINES),
    LAST_95,
    LAST_5,
)
FITTED: Mapping[str, object] = {
    "ssd.planes_per_die": 4,
    "ssd.blocks_per_plane": 1366,
    "host.job_ns": 2620,
    "host.reap_ns": 1437,
    "controller.command_read_ns": 2931,
    "nand.read_us": [37.3478, 38.9667, 64.5638, 64.5638],
}
"""What `--fit` found in place of the preset's."""
OF_ALL = (
    NO_ORDER,
    Case("no order, wordlines", (), WORDLINES),
    LAST_95,
    LAST_5,
    Case("fitted with mixes, 5 % last", LAST_5.kinds, {**WORDLINES, **FITTED}),
)
CASES = {case.name: case for case in (*ONE_BY_ONE, *OF_ALL)}


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("points", help="the points that were measured")
    parser.add_argument("--fit", action="store_true", help="fit the drive, without and with its history")
    asked = parser.parse_args()
    if asked.fit:
        for kinds in ((), LAST_5.kinds):
            print(*fitted(asked.points, kinds), sep="\n", flush=True)
    else:
        print(table(asked.points), errors(asked.points), sep="\n\n")


def table(points: str) -> str:
    """Returns the IOPS of some loads after each history, and their ratio to the measured ones, as Markdown."""
    lines = [
        f"| load | measured | {' | '.join(case.name for case in ONE_BY_ONE)} |",
        f"|---|---|{'---|' * len(ONE_BY_ONE)}",
    ]
    for depth, jobs in LOADS:
        own = [place for place, each in enumerate(measured(points)) if is_split(each, depth, jobs)]
        known = fmean(measured(points)[place].numbers.iops or 0.0 for place in own)
        # Units of one load differ in the rate that they were measured at, and so in the length of their runs.
        gave = [fmean(rows_of(points, case.name)[place].simulated.iops or 0.0 for place in own) for case in ONE_BY_ONE]
        cells = [f"{each:,.0f} ({each / known:.2f})" for each in gave]
        lines.append(f"| {depth}x{jobs} | {known:,.0f} | {' | '.join(cells)} |")
    return "\n".join(lines)


def errors(points: str) -> str:
    """Returns the errors of all reads after each history, median / 90th percentile in %, as Markdown."""
    lines = [f"| {len(measured(points))} reads | IOPS | p50 | p99 | p99.9 |", "|---|---|---|---|---|"]
    for case in OF_ALL:
        agreement = Agreement(case.name, list(rows_of(points, case.name)))
        cells = (f"{100 * (agreement.median(n) or 0):.1f} / {100 * (agreement.p90(n) or 0):.1f}" for n in NUMBERS)
        lines.append(f"| {case.name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def fitted(points: str, kinds: Sequence[str]) -> list[str]:
    """Returns what a fit with some history finds: its settings, its errors, its costs, and what it took."""
    base, own = wl.preset(PRESET).set_all(dict(WORDLINES)), measured(points)
    done = fit(base, own, history=kinds, jobs=os.cpu_count() or 1, with_intervals=False)
    values = {name: each.value for name, each in done.known.items()}
    costs = [
        f"{what}: {cost(own, rows):.0f}" for what, rows in (("cost", done.seen.rows), ("unseen", done.unseen.rows))
    ]
    return [
        f"history: {kinds}",
        str(done.model.settings(values)),
        *error_lines(done),
        ", ".join(costs),
        str(done.spent),
    ]


def is_split(point: Point, depth: int, jobs: int) -> bool:
    """Returns whether a point's load is so many jobs with so many requests each."""
    return (point.loads[0].depth, point.loads[0].jobs) == (depth, jobs)


@cache
def measured(points: str) -> tuple[Point, ...]:
    """Returns the reads that the preset is fitted to."""
    rows = [f"drive={PRESET}", "host=*nvme2n1*", "host=*nvme3n1*", "workload=randread"]
    return tuple(each for each in read([points], rows).points if not each.doubt and each.outstanding <= 64)


@cache
def rows_of(points: str, name: str) -> tuple[Row, ...]:
    """Returns all reads beside those that the preset makes in a case."""
    case = CASES[name]
    drive = wl.preset(PRESET).set("ssd.scale", SCALE).set_all(dict(case.settings))
    simulator = Simulator(Length(), os.cpu_count() or 1, history=History.of(case.kinds))
    numbers = simulator.numbers(drive, measured(points))
    return tuple(Row(point, each) for point, each in zip(measured(points), numbers, strict=True))


if __name__ == "__main__":
    main()

"""Which workloads meet erases: the share of the time that a die erases, which is the share of reads that find it so."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from wordline.output.plot.style import legend

from .. import Figure, Results, Row, Sheet
from ..drawing import bars_of, label, panels_by
from . import published as paper
from .system import GAPS_US, READ_SHARES, TAILS
from .tails import runs

# Table 2 and 3: what fills blocks, and how many dies share it.
DIES, BLOCK_KB = 16, 2112 * 16
SIZES_KB = {
    "ali.A": 54, "ali.B": 26, "ali.C": 38, "ali.D": 18, "ali.E": 36, "rsrch": 9, "stg": 12, "hm": 8, "prxy": 13,
    "proj": 42, "usr": 49,
}  # fmt: skip
# Reads that come at random meet an erase this often where erases begin to decide the 99.99th percentile.
DECIDES = 1e-4


class Erasing(Row):
    """Erases under a workload.

    `written_100s` is in closed form: the blocks that a die's share of the writes of Table 3 fills in 100 s. So many
    erases follow, beside those for what garbage collection copies. `die_erases` is the share of the time that a die
    erased in the run.
    """

    workload: str
    scheme: str
    pec: int
    written_100s: float
    erase_ms: float | None
    die_erases: float


def written_100s(workload: str) -> float:
    """Returns how many blocks of a die a workload fills in 100 s, by Table 2 and 3."""
    requests = 100e6 / GAPS_US[workload]
    return requests * (1.0 - READ_SHARES[workload]) * SIZES_KB[workload] / BLOCK_KB / DIES


def erasing(results: Results) -> list[Erasing]:
    """Returns a row for each scheme, age and workload of Fig. 14: means over the seeds."""
    return [
        Erasing(
            workload, scheme, pec, written_100s(workload),
            statistics.fmean(erases_ms) if erases_ms else None,
            statistics.fmean(o["die_utilisation.erase"] for o in outcomes),
        )
        for (workload, scheme, pec), outcomes in runs(results, TAILS).by_place.items()
        for erases_ms in [[o["erase_us.mean"] / 1000.0 for o in outcomes if o["erase_us.count"]]]
    ]  # fmt: skip


def draw(rows: Sequence[Erasing], sheet: Sheet) -> None:
    """Draws the share of the time that a die erases, by workload and age."""
    panels = panels_by(sheet, rows, lambda row: row.pec, height=1.3, width=7.2)
    for axes, pec, here in panels:
        bars_of(axes, [(row.workload, row.scheme, row.die_erases) for row in here], paper.looks(paper.SCHEMES))
        axes.axhline(DECIDES, color="k", lw=0.6)
        axes.set_yscale("log")
        label(axes, y="die erases (share)", title=f"{pec / 1000:g}K cycles")
    legend(panels[0][0])


FIGURES = (Figure("erases", (TAILS,), erasing, draw=draw),)

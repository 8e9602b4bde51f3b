"""The claims about SSDs, in blocks worn by each scheme or by ISPE; and Eq. 1 in the SSD."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .. import Measured, Results
from ..claims import Measurement, all_claims, judge
from ..figure import Figure
from . import published as paper
from .eq1 import deviation_us
from .ssds import IOPS_ALL, READ_US, WRITE_US
from .system import FORMULA, HELD_DIES, IOPS, MISPREDICTIONS, ONCE, OWN, SAME, SMOOTH, TAILS, WITHIN
from .tails import LAST, Runs, runs

LABELS = {500: "0.5k", 2500: "2.5k", 4500: "4.5k"}
# Number of reads with ten beyond the 99.9999th percentile.
ENOUGH_READS = 10_000_000
# The number of reads among the requests is random, so it may be slightly smaller.
NEARLY = 0.99
# A reason for differences from the paper, in which only erases cause waits at this percentile.
WHY_P9999 = "; in most workloads fewer reads than one in 10,000 meet an erase, so here reads wait for programs"
# Schemes of Table 4 that do not change programs.
ERASE_ONLY = ("i-ispe", "aero-cons", "aero")


@dataclass(frozen=True)
class Wear:
    """A claim for both kinds of wear."""

    claim: str
    paper: float | str
    tolerance: float
    own_wear: float
    own_wear_holds: bool | None
    same_wear: float
    same_wear_holds: bool | None
    note: str = field(repr=False)


def wears(results: Results) -> list[Wear]:
    """Returns a row for each claim."""
    same = {name: value for name, value, _ in of_wear(results, SAME)}
    own = {name: (value, note) for name, value, note in of_wear(results, OWN)}
    rows = []
    for name, claim in all_claims().items():
        if name in own:
            here, there = own[name][0], same[name]
            judged = [judge(claim, Measured(value)) for value in (here, there)]
            note = f"{own[name][1]}; in blocks worn by ISPE {there:.3f}"
            rows.append(Wear(name, claim.value, claim.tol, here, judged[0], there, judged[1], note))
    return rows


def of_wear(results: Results, worn_by: str) -> Iterator[tuple[str, float, str]]:
    """Yields the claims about SSDs in blocks with one wear: claim, value and note."""
    tails = runs(results, TAILS, worn_by)
    yield from table_4(results, tails, worn_by)
    side = {part: runs(results, part) for part in (WITHIN, ONCE)}
    for pec, name in LABELS.items():
        value, note = tail(tails, "p9999", "aero", pec)
        within, once = (side[part].saved("p9999", "aero", pec).mean for part in (WITHIN, ONCE))
        note += f"; suspended within a pulse (where all wait alike) {within:.3f}, so but once {once:.3f}{WHY_P9999}"
        yield f"aero.fig14.p9999.{name}", value, note
        yield f"aero.fig14.p999999.{name}", *tail(tails, LAST, "aero", pec)
    yield "aero.fig14.cons.p999999.0.5k", *tail(tails, LAST, "aero-cons", 500)
    for pec, name in LABELS.items():
        value, note = tail(runs(results, HELD_DIES, worn_by), LAST, "aero", pec)
        passing = tails.saved(LAST, "aero", pec).mean
        yield f"aero.fig15.no_suspend.{name}", value, f"{note}; where reads pass between loops: {passing:.3f}"
    wrong = runs(results, MISPREDICTIONS, worn_by, 0.2)
    yield "aero.fig16.tail", *tail(wrong, LAST, "aero", 500, tails)


def table_4(results: Results, tails: Runs, worn_by: str) -> Iterator[tuple[str, float, str]]:
    """Yields the means of Table 4."""
    closed, smooth = runs(results, IOPS, worn_by), runs(results, SMOOTH)
    changes = {
        f"{name} of {scheme} at {pec} cycles": abs(its.geomean(path, scheme, pec) - 1.0)
        for name, its, path in (("read", tails, READ_US), ("write", tails, WRITE_US), ("IOPS", closed, IOPS_ALL))
        for scheme in ERASE_ONLY
        for pec in paper.PECS
        if its.has(scheme, pec)
    }
    where, most = max(changes.items(), key=lambda item: item[1])
    yield "aero.table4.read_write", most, f"largest: {where}"
    calm = {pec: f"without bursts {smooth.geomean(WRITE_US, 'dpes', pec):.3f}" for pec in (500, 2500)}
    note = f"programs take 1.3 times as long; {calm[2500]}"
    yield "aero.table4.dpes_write", tails.geomean(WRITE_US, "dpes", 2500), note
    yield "aero.table4.dpes_write.0.5k", tails.geomean(WRITE_US, "dpes", 500), calm[500]
    note = f"at 0.5K: {closed.geomean(IOPS_ALL, 'dpes', 500):.3f} (paper: 0.957)"
    yield "aero.table4.dpes_iops", closed.geomean(IOPS_ALL, "dpes", 2500), note


def tail(its: Runs, percentile: str, scheme: str, pec: int, baseline: Runs | None = None) -> tuple[float, str]:
    """Returns a saving with a note: its interval, and whether the reads were enough for it."""
    found, reads = its.saved(percentile, scheme, pec, baseline), its.fewest_reads(scheme, pec)
    is_short = percentile == LAST and reads < ENOUGH_READS * NEARLY
    return found.mean, f"{found}" + (f"; {reads:,} reads a point are too few for it" if is_short else "")


def claims(rows: Sequence[Wear]) -> Mapping[str, Measurement]:
    """Returns the values with each scheme's own wear; the other number is in the note."""
    return {row.claim: Measured(row.own_wear, note=row.note) for row in rows}


def findings(rows: Sequence[Wear]) -> Iterator[str]:
    """Yields how many claims about SSDs hold, by the wear of the blocks."""
    own, same = [row for row in rows if row.own_wear_holds], [row for row in rows if row.same_wear_holds]
    only = ", ".join(f"`{row.claim}`" for row in own if not row.same_wear_holds) or "none"
    yield f"{len(rows)} claims are about SSDs. In blocks that their own scheme has worn {len(own)} hold."
    yield f"In blocks that ISPE has worn for all {len(same)} hold. With own wear only: {only}."


FIGURES: tuple[Figure[Any], ...] = (
    Figure(
        "formula",
        (FORMULA,),
        lambda results: list(FORMULA.of(results)),
        lambda rows: {"aero.erase.formula": max(deviation_us(outcome) for outcome in rows)},
        is_saved=False,
    ),
    Figure(
        "wear",
        (TAILS, HELD_DIES, WITHIN, ONCE, IOPS, MISPREDICTIONS, SMOOTH),
        wears,
        claims,
        findings=findings,
    ),
)

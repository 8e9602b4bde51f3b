"""Claims about SSDs: latencies, tails, IOPS."""

from __future__ import annotations

import functools
import math
import statistics
from collections.abc import Sequence
from typing import Any

from .. import Measured, Results
from ..claims import Measurement, rows
from . import published as paper
from .eq1 import deviation_us
from .system import OWN, SAME
from .tails import PERCENTILES, Saving, Tail, saving, tail_of

READ, WRITE, IOPS = "response_us.read.mean", "response_us.write.mean", "iops.all"
LABELS = {500: "0.5k", 2500: "2.5k", 4500: "4.5k"}
# Reads that leave ten beyond the 99.9999th percentile.
ENOUGH_READS = 10_000_000
# How many of the requests are reads is drawn, so that there may be a little fewer.
NEARLY = 0.99
LAST = "p999999"
# Why it may differ from the paper's, which has no wait but the erase's at this percentile.
REASONS = {"p9999": "; in most workloads fewer reads than one in 10,000 meet an erase, so here reads wait for programs"}
# Schemes of Table 4 that change no program.
ERASE_ONLY = ("i-ispe", "aero-cons", "aero")


class Runs:
    """The runs of one part of the grid in blocks of one wear, by workload, scheme and age; tails are read once."""

    def __init__(self, results: Results, worn_by: str = OWN, *, rate: float = 0.0, **labels: str) -> None:
        self.by_place = {
            (o.coordinates["trace"], scheme, o.coordinates["pec"]): o
            for o in results.where(labels)
            if o.coordinates.get("erase.mispredict_rate", 0.0) == rate
            # ISPE's own wear is the same for all.
            if o.coordinates["reliability.worn_by"]
            == (OWN if (scheme := o.coordinates["scheme"]) == "ispe" else worn_by)
        }
        self.workloads = list(dict.fromkeys(place[0] for place in self.by_place))

    @functools.cache  # noqa: B019 - lives as long as the study
    def tail(self, workload: str, scheme: str, pec: int) -> Tail:
        """The slowest reads of a run."""
        return tail_of(self.by_place[workload, scheme, pec])

    def has(self, scheme: str, pec: int) -> bool:
        """Whether this scheme was run at this age."""
        return any((workload, scheme, pec) in self.by_place for workload in self.workloads)

    def ratios(self, path: str, scheme: str, pec: int, base: str = "ispe") -> list[float]:
        """A number over Baseline's, by workload."""
        return [self.by_place[w, scheme, pec][path] / self.by_place[w, base, pec][path] for w in self.workloads]

    def geomean(self, path: str, scheme: str, pec: int) -> float:
        """The geometric mean over the workloads, as in Table 4."""
        return math.exp(statistics.fmean(math.log(ratio) for ratio in self.ratios(path, scheme, pec)))

    def saved(self, percentile: str, scheme: str, pec: int, baseline: Runs | None = None) -> Saving:
        """What a scheme saves of a percentile of the read latency, over the workloads."""
        before = baseline or self
        return saving(
            [(before.tail(w, "ispe", pec), self.tail(w, scheme, pec)) for w in self.workloads], PERCENTILES[percentile]
        )

    def fewest_reads(self, scheme: str, pec: int) -> int:
        """Reads of the point that has the fewest, among workloads of half reads or more."""
        own = [self.by_place[workload, scheme, pec] for workload in self.workloads]
        counts = [o["requests.read"] for o in own if o["requests.read"] * 2 >= o["requests.all"]]
        return int(min(counts, default=0))


def measure(results: Results) -> dict[str, Measurement]:
    """Every claim that needs an SSD: in blocks worn by their own scheme, with the other wear's number beside it."""
    same = of_wear(results, SAME)
    return {
        "aero.erase.formula": formula(results),
        **{
            name: Measured(found.value, note=f"{found.note}; in blocks worn by ISPE {same[name].value:.3f}")
            for name, found in of_wear(results, OWN).items()
        },
    }


def findings(results: Results) -> list[str]:
    """How many claims about SSDs hold, by whose wear the blocks have."""
    rows = wear_rows(results)
    own, same = ([row for row in rows if row[f"{wear}_wear_holds"]] for wear in ("own", "same"))
    only = ", ".join(f"`{row['claim']}`" for row in own if not row["same_wear_holds"]) or "none"
    return [
        f"{len(rows)} claims are about SSDs. In blocks that their own scheme has worn {len(own)} hold.",
        f"In blocks that ISPE has worn for all {len(same)} hold. With own wear only: {only}.",
    ]


@functools.lru_cache(maxsize=2)
def of_wear(results: Results, worn_by: str) -> dict[str, Measured]:
    """The claims about SSDs in blocks of one wear."""
    tails = Runs(results, worn_by, part="tails")
    found = table_4(results, tails, worn_by)
    for pec, label in LABELS.items():
        for percentile in ("p9999", "p999999"):
            found[f"aero.fig14.{percentile}.{label}"] = suspended(results, tails, percentile, "aero", pec)
    found["aero.fig14.cons.p999999.0.5k"] = suspended(results, tails, LAST, "aero-cons", 500)
    held = Runs(results, worn_by, part="held")
    for pec, label in LABELS.items():
        found[f"aero.fig15.no_suspend.{label}"] = held_claim(held, tails, pec)
    wrong = Runs(results, worn_by, rate=0.2, part="mispredictions")
    found["aero.fig16.tail"] = tail_claim(wrong, LAST, "aero", 500, tails)
    return found


def wear_rows(results: Results) -> list[dict[str, Any]]:
    """Both readings of whose wear the blocks have, a claim a row."""
    judged = [{row.claim.id: row for row in rows(of_wear(results, wear), "aero", [])} for wear in (OWN, SAME)]
    return [
        {
            "claim": name,
            "paper": own.claim.value,
            "tolerance": own.claim.tol,
            "own_wear": own.measured,
            "own_wear_holds": own.holds,
            "same_wear": judged[1][name].measured,
            "same_wear_holds": judged[1][name].holds,
        }
        for name, own in judged[0].items()
        if own.measured is not None
    ]


def formula(results: Results) -> float:
    """Eq. 1, in the SSD: the largest deviation of any scheme."""
    return max(deviation_us(outcome) for outcome in results.where(part="formula"))


def table_4(results: Results, tails: Runs, worn_by: str) -> dict[str, Measured]:
    """Means of Table 4."""
    closed = Runs(results, worn_by, part="iops")
    sources: Sequence[tuple[Runs, str]] = ((tails, READ), (tails, WRITE), (closed, IOPS))
    changes = {
        (path.split(".")[1] if path != IOPS else "IOPS", scheme, pec): abs(runs.geomean(path, scheme, pec) - 1.0)
        for runs, path in sources
        for scheme in ERASE_ONLY
        for pec in paper.PECS
        if runs.has(scheme, pec)
    }
    smooth = Runs(results, part="smooth")
    where, most = max(changes.items(), key=lambda item: item[1])
    return {
        "aero.table4.read_write": Measured(most, note=f"largest: {where[0]} of {where[1]} at {where[2]} cycles"),
        "aero.table4.dpes_write": Measured(
            tails.geomean(WRITE, "dpes", 2500),
            note=f"programs take 1.3 times as long; without bursts {smooth.geomean(WRITE, 'dpes', 2500):.3f}",
        ),
        "aero.table4.dpes_write.0.5k": Measured(
            tails.geomean(WRITE, "dpes", 500), note=f"without bursts {smooth.geomean(WRITE, 'dpes', 500):.3f}"
        ),
        "aero.table4.dpes_iops": Measured(
            closed.geomean(IOPS, "dpes", 2500), note=f"at 0.5K: {closed.geomean(IOPS, 'dpes', 500):.3f} (paper: 0.957)"
        ),
    }


def tail_claim(runs: Runs, percentile: str, scheme: str, pec: int, baseline: Runs | None = None) -> Measured:
    """A saving with its interval, and whether there were reads enough for it."""
    found = runs.saved(percentile, scheme, pec, baseline)
    reads = runs.fewest_reads(scheme, pec)
    is_short = percentile == LAST and reads < ENOUGH_READS * NEARLY
    few = f"; {reads:,} reads a point are too few for it" if is_short else ""
    return Measured(found.mean, note=f"{found}{few}")


def suspended(results: Results, tails: Runs, percentile: str, scheme: str, pec: int) -> Measured:
    """Fig. 14, suspended between pulses; in the note what comes out otherwise, where side grids have reads enough."""
    claim = tail_claim(tails, percentile, scheme, pec)
    if percentile == LAST:
        return claim
    within = Runs(results, part="within").saved(percentile, scheme, pec)
    once = Runs(results, part="once").saved(percentile, scheme, pec)
    note = (
        f"{claim.note}; suspended within a pulse (where all wait alike) {within.mean:.3f}, so but once {once.mean:.3f}"
    )
    return Measured(claim.value, note=f"{note}{REASONS.get(percentile, '')}")


def held_claim(held: Runs, tails: Runs, pec: int) -> Measured:
    """Fig. 15: the die held for the whole erase; beside it, reads that pass between loops (the paper's text)."""
    claim = tail_claim(held, LAST, "aero", pec)
    passing = tails.saved(LAST, "aero", pec)
    return Measured(claim.value, note=f"{claim.note}; where reads pass between loops: {passing.mean:.3f}")

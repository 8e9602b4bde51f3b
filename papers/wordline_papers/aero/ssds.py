"""SSDs under the schemes: read tails (Fig. 14 to 16), Table 4, and reads over life."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from wordline.output.plot.style import legend
from wordline.stats.interval import Interval

from .. import Figure, Measured, Measurement, Results, Row, Sheet, grouped
from ..at_hand import whose
from ..claims import Estimated
from ..drawing import bars, bars_of, label, lines, panels_by
from . import published as paper
from .system import (
    HELD,
    HELD_DIES,
    IOPS,
    MISPREDICT_RATES,
    MISPREDICTIONS,
    READS,
    RULES,
    SMOOTH,
    TAILS,
)
from .tails import LAST, PERCENTILES, Runs, Saving, average, runs

READ_US, WRITE_US, IOPS_ALL = "response_us.read.mean", "response_us.write.mean", "iops.all"
MEAN = "mean"
NAMES = {"p999": "99.9th", "p9999": "99.99th", "p999999": "99.9999th"}
# The ages, and AERO with and without its ECC margin, in the claims' ids.
AGES = {500: "0.5k", 2500: "2.5k", 4500: "4.5k"}
CLAIMED = {"aero": "", "aero-cons": ".cons"}
# Table 4's columns, and DPES's writes without bursts.
MEANS = ("read", "write", "iops", "smooth_write")
# Schemes of Table 4 that do not change programs.
ERASE_ONLY = ("i-ispe", *paper.AEROS)
# What differences from the paper depend on.
WHY_P9999 = "how often reads meet erases decides, and with it busy times and fill, which no text states"
WHY_LAST = "blocks with the shallow-erasure flag begin with a whole pulse, which no read stops if it is the last"
CLAIMED_TAILS = {"p9999": WHY_P9999, LAST: WHY_LAST}
# Schemes over which AERO's savings are claimed.
OVER = ("ispe", "i-ispe", "dpes", "aero-cons")
SUSPENDED = "restart"
HATCHES = {"none": "", "restart": "//", "loop": "..", "suspend": "xx"}


class TailRow(Row):
    """A percentile of a run over Baseline's; for the workloads' mean with its interval, and savings over schemes."""

    pec: int
    scheme: str
    percentile: str
    workload: str
    response_us: float | None
    over_ispe: float
    low: float | None = None
    high: float | None = None
    note: str = field(default="", repr=False)
    savings: Mapping[str, Saving] = field(default_factory=dict, repr=False)
    real: Mapping[str, str] = field(default_factory=dict)


class Suspended(Row):
    """A percentile, mean of the workloads, for one rule of suspension.

    `over` is over Baseline's, in Fig. 15 without suspension; `saved` is saved over Baseline's with the same rule.
    """

    yield_: str
    pec: int
    scheme: str
    percentile: str
    over: float
    saved: float
    found: Saving = field(repr=False)
    note: str = field(repr=False)


class Mispredicted(Row):
    """Saving of each percentile at a rate of wrong predictions, and what those add to the scheme's last percentile."""

    scheme: str
    pec: int
    mispredict_rate: float
    saved: Mapping[str, float]
    added: float
    last: Saving = field(repr=False)
    cost: Saving = field(repr=False)
    note: str = field(repr=False)


class WornReads(Row):
    """Reads in blocks with the wear of a scheme."""

    scheme: str
    pec: int
    mean_steps: float
    mean_us: float
    p9999_us: float


class Means(Row):
    """Table 4: geometric means over the workloads, percent of Baseline's; DPES's writes without bursts, too."""

    scheme: str
    pec: int
    percent: Mapping[str, Any]
    over_ispe: Mapping[str, Interval] = field(repr=False)


def tails(results: Results) -> list[TailRow]:
    """Returns percentiles of each run; after the workloads their mean."""
    compared, rows = runs(results, TAILS), []
    for pec in paper.PECS:
        for scheme in (name for name in paper.SCHEMES if compared.has(name, pec)):
            for percentile, share in PERCENTILES.items():
                for workload in compared.workloads:
                    us, base = (compared.tail(workload, each, pec).percentile_us(share) for each in (scheme, "ispe"))
                    real = whose(compared.by_place[workload, scheme, pec][0])
                    rows.append(TailRow(pec, scheme, percentile, workload, us, us / base, real=real))
                saving = compared.saved(percentile, scheme, pec)
                note, others = compared.shortage(percentile, scheme, pec), OVER if scheme == "aero" else ("ispe",)
                savings = {
                    other: compared.saved(percentile, scheme, pec, over=other)
                    for other in others
                    if percentile in CLAIMED_TAILS and compared.has(other, pec)
                }
                rows.append(TailRow(pec, scheme, percentile, MEAN, None, *saving.over(), note, savings))
    return rows


def held(results: Results) -> list[Suspended]:
    """Fig. 15: with suspension and without, over Baseline without it."""
    base = runs(results, HELD_DIES)
    ways = {"none": base, SUSPENDED: runs(results, TAILS)}
    return of_ways(ways, HELD, tuple(PERCENTILES), base)


def suspensions(results: Results) -> list[Suspended]:
    """Returns AERO's savings under each rule of suspension, over Baseline with the same, in runs of equal length."""
    ways = {way: runs(results, part) for way, part in RULES.items()}
    return of_ways(ways, paper.AEROS, [name for name in PERCENTILES if name != LAST])


def of_ways(
    ways: Mapping[str, Runs], schemes: Sequence[str], percentiles: Sequence[str], base: Runs | None = None
) -> list[Suspended]:
    """Returns each scheme at each age under some rules of suspension."""
    return [
        Suspended(
            way, pec, scheme, percentile,
            1.0 - savings.saved(percentile, scheme, pec, base).mean,
            savings.saved(percentile, scheme, pec).mean,
            savings.saved(percentile, scheme, pec),
            savings.shortage(percentile, scheme, pec),
        )
        for way, savings in ways.items()
        for pec in paper.PECS
        for scheme in schemes
        if savings.has(scheme, pec)
        for percentile in percentiles
    ]  # fmt: skip


def mispredicted(results: Results) -> list[Mispredicted]:
    """Fig. 16: compared with Baseline, young and old."""
    base = runs(results, TAILS)
    by_rate = {0.0: base} | {rate: runs(results, MISPREDICTIONS, rate) for rate in MISPREDICT_RATES}
    return [
        Mispredicted(
            scheme, pec, rate,
            {f"{name}_saved": savings.saved(name, scheme, pec, base).mean for name in PERCENTILES},
            -savings.saved(LAST, scheme, pec, base, over=scheme).mean,
            savings.saved(LAST, scheme, pec, base),
            savings.saved(LAST, scheme, pec, base, over=scheme).turned(),
            savings.shortage(LAST, scheme, pec),
        )
        for scheme in paper.AEROS
        for pec in (paper.PECS[0], paper.PECS[-1])
        for rate, savings in by_rate.items()
        if savings.has(scheme, pec)
    ]  # fmt: skip


def worn_reads(results: Results) -> list[WornReads]:
    """Returns a row for each scheme and age."""
    return [
        WornReads(
            o.coordinates["scheme"],
            o.coordinates["pec"],
            o["read_retry.mean_steps"],
            o[READ_US],
            # Of few reads the slowest one.
            o["response_us.read.p9999"] or o["response_us.read.max"],
        )
        for o in READS.of(results)
    ]


def table_4(results: Results) -> list[Means]:
    """Returns a row for each scheme and age."""
    open_, closed, smooth = (runs(results, part) for part in (TAILS, IOPS, SMOOTH))
    columns = {"read": (open_, READ_US), "write": (open_, WRITE_US), "iops": (closed, IOPS_ALL)}

    def row(scheme: str, pec: int) -> Means:
        over = {name: savings.geomean(path, scheme, pec) for name, (savings, path) in columns.items()}
        if smooth.has(scheme, pec):
            over["smooth_write"] = smooth.geomean(WRITE_US, scheme, pec)
        percent = {f"{name}_percent": 100 * over[name].value if name in over else None for name in MEANS}
        return Means(scheme, pec, percent, over)

    return [row(scheme, pec) for scheme in paper.SCHEMES[1:] for pec in paper.PECS if open_.has(scheme, pec)]


def claims_of_tails(rows: Sequence[TailRow]) -> Mapping[str, Measurement]:
    """Fig. 14: savings by percentile and age, and over other schemes than Baseline."""
    by_place = {(row.percentile, row.scheme, row.pec, row.workload): row for row in rows}
    workloads = list(dict.fromkeys(row.workload for row in rows if row.workload != MEAN))

    def over(other: str, percentile: str, *pecs: int) -> float:
        places = [(pec, name) for pec in pecs for name in workloads]
        ratios = [
            by_place[percentile, "aero", *place].over_ispe / by_place[percentile, other, *place].over_ispe
            for place in places
        ]
        return 1.0 - statistics.fmean(ratios)

    def saving(other: str, percentile: str, *pecs: int) -> Saving:
        return average([by_place[percentile, "aero", pec, MEAN].savings[other] for pec in pecs])

    young, middle, _ = AGES
    measurements: dict[str, Measurement] = {}
    for percentile, why in CLAIMED_TAILS.items():
        for scheme, mark in CLAIMED.items():
            name = f"aero.fig14{mark}.{percentile}"
            by_age = {age: by_place[percentile, scheme, pec, MEAN] for pec, age in AGES.items()}
            for age, row in by_age.items():
                note = "; ".join(filter(None, (row.note, why)))
                measurements[f"{name}.{age}"] = row.savings["ispe"].estimated(1.0 - row.over_ispe, note)
            mean = statistics.fmean(1.0 - row.over_ispe for row in by_age.values())
            measurements[f"{name}.avg"] = average([row.savings["ispe"] for row in by_age.values()]).estimated(mean)
        others = {
            **{f"over_iispe.{percentile}.{AGES[pec]}": ("i-ispe", (pec,)) for pec in (young, middle)},
            f"over_dpes.{percentile}": ("dpes", tuple(AGES)),
            f"over_cons.{percentile}.2.5k": ("aero-cons", (middle,)),
        }
        for name, (other, pecs) in others.items():
            its_saving = saving(other, percentile, *pecs)
            measurements[f"aero.fig14.{name}"] = its_saving.estimated(over(other, percentile, *pecs))
    slower = by_place["p9999", "dpes", middle, MEAN]
    measurements["aero.fig14.dpes.p9999.2.5k"] = slower.savings["ispe"].turned().estimated(slower.over_ispe - 1.0)
    return measurements


def claims_of_held(rows: Sequence[Suspended]) -> Mapping[str, Measurement]:
    """Fig. 15: AERO's savings without suspension, and whether they are larger than with it."""
    last = {(row.yield_, row.pec): row for row in rows if (row.scheme, row.percentile) == ("aero", LAST)}
    return {
        "aero.fig15.more": all(last["none", pec].saved > last[SUSPENDED, pec].saved for pec in AGES),
        **{
            f"aero.fig15.no_suspend.{age}": last["none", pec].found.estimated(
                last["none", pec].saved,
                "; ".join(filter(None, (last["none", pec].note, f"with suspension: {last[SUSPENDED, pec].saved:.3f}"))),
            )
            for pec, age in AGES.items()
        },
    }


def claims_of_mispredictions(rows: Sequence[Mispredicted]) -> Mapping[str, Measurement]:
    """Fig. 16: a fifth of the predictions is wrong."""
    worst = {(row.scheme, row.pec): row for row in rows if row.mispredict_rate == MISPREDICT_RATES[-1]}
    old = worst["aero", 4500]
    measurements: dict[str, Measurement] = {"aero.fig16.cost.4.5k": old.cost.estimated(old.added)}
    for scheme, mark in CLAIMED.items():
        row = worst[scheme, 500]
        measurements[f"aero.fig16{mark}.tail"] = row.last.estimated(row.saved[f"{LAST}_saved"], row.note)
        measurements[f"aero.fig16.cost{mark}.0.5k"] = row.cost.estimated(row.added)
    return measurements


def claims_of_means(rows: Sequence[Means]) -> Mapping[str, Measurement]:
    """Table 4: DPES changes means, the others do not."""
    changes = {
        f"{'IOPS' if what == 'iops' else what} of {row.scheme} at {row.pec} cycles": row.over_ispe[what]
        for row in rows
        if row.scheme in ERASE_ONLY
        for what in MEANS[:3]
    }
    where, most = max(changes.items(), key=lambda item: abs(item[1].value - 1.0))
    dpes = {row.pec: row.over_ispe for row in rows if row.scheme == "dpes"}
    calm = {pec: f"without bursts {dpes[pec]['smooth_write'].value:.3f}" for pec in (500, 2500)}
    why = "programs take 1.3 times as long; "
    return {
        "aero.table4.read_write": Measured(abs(most.value - 1.0), note=f"largest: {where}"),
        "aero.table4.dpes_write": estimated(dpes[2500]["write"], why + calm[2500]),
        "aero.table4.dpes_write.0.5k": estimated(dpes[500]["write"], calm[500]),
        "aero.table4.dpes_iops": estimated(dpes[2500]["iops"]),
        "aero.table4.dpes_iops.0.5k": estimated(dpes[500]["iops"]),
    }


def estimated(interval: Interval, note: str = "") -> Estimated:
    """Returns a number with its interval as a measurement; one seed has none."""
    return Estimated(interval.value, note=note, interval=interval if interval.count > 1 else None)


def draw_tails(rows: Sequence[TailRow], sheet: Sheet) -> None:
    """Draws the last two percentiles of the read latency over Baseline's, by workload."""
    shown = [row for row in rows if row.percentile in ("p9999", LAST)]
    panels = panels_by(sheet, shown, lambda row: (row.percentile, row.pec), height=1.3, width=7.2)
    looks = paper.looks(paper.SCHEMES[1:])
    for axes, (percentile, pec), here in panels:
        bars_of(axes, [(row.workload, row.scheme, row.over_ispe) for row in here], looks)
        axes.axhline(1.0, color="k", lw=0.6)
        label(axes, y="over ISPE's", title=f"{NAMES[percentile]} percentile, {pec / 1000:g}K cycles")
    legend(panels[0][0])


def draw_ways(rows: Sequence[Suspended], sheet: Sheet, what: str) -> None:
    """Draws bars by age: each scheme under each rule of suspension."""
    panels = panels_by(sheet, rows, lambda row: row.percentile, height=1.5, width=7.2)
    for axes, percentile, here in panels:
        series = grouped(here, lambda row: (row.scheme, row.yield_))
        heights = {", ".join(names): [row.over for row in group] for names, group in series.items()}
        colours, hatches = zip(*((paper.COLOURS[scheme], HATCHES[way]) for scheme, way in series), strict=True)
        ages = [f"{pec / 1000:g}K cycles" for pec in paper.PECS]
        bars(axes, ages, heights, colours, hatches, fill=0.9, edgecolor="white", linewidth=0.2)
        label(axes, y=what, title=f"{NAMES[percentile]} percentile")
    panels[0][0].legend(fontsize=5.5, ncols=3, loc="lower right", bbox_to_anchor=(1.0, 1.0))


def draw_mispredictions(rows: Sequence[Mispredicted], sheet: Sheet) -> None:
    """Draws tails with mispredictions."""
    panels = sheet(2, height=1.7)
    for axes, name in zip(panels, ("p9999", LAST), strict=True):
        for (scheme, pec), own in grouped(rows, lambda row: (row.scheme, row.pec)).items():
            look = {"linestyle": "-" if pec == paper.PECS[0] else "--", "label": f"{scheme}, {pec / 1000:g}K"}
            curve = [100 * row.mispredict_rate for row in own], [row.saved[f"{name}_saved"] for row in own]
            axes.plot(*curve, **{**paper.marked(scheme), **look})
        label(axes, y=f"{NAMES[name]} percentile saved")
    label(panels[1], "mispredictions (%)")
    legend(panels[0])


def draw_worn_reads(rows: Sequence[WornReads], sheet: Sheet) -> None:
    """Draws retry steps and mean read latency in blocks with the wear of a scheme."""
    steps, latency = sheet(2, height=1.7)
    lines(steps, [(row.scheme, row.pec / 1000, row.mean_steps) for row in rows], paper.marked)
    lines(latency, [(row.scheme, row.pec / 1000, row.mean_us) for row in rows], paper.marked)
    label(steps, y="retry steps a read")
    label(latency, "P/E cycles under the scheme (thousands)", "mean read latency (us)")
    legend(steps)


FIGURES = (
    Figure("fig14", (TAILS,), tails, claims_of_tails, draw=draw_tails),
    Figure(
        "fig15",
        (HELD_DIES, TAILS),
        held,
        claims_of_held,
        draw=lambda rows, sheet: draw_ways(rows, sheet, "over held ISPE's"),
    ),
    Figure(
        "suspension", tuple(RULES.values()), suspensions, draw=lambda rows, sheet: draw_ways(rows, sheet, "over ISPE's")
    ),
    Figure("fig16_tail", (TAILS, MISPREDICTIONS), mispredicted, claims_of_mispredictions, draw=draw_mispredictions),
    Figure("reads_over_life", (READS,), worn_reads, draw=draw_worn_reads),
    Figure("table4", (TAILS, IOPS, SMOOTH), table_4, claims_of_means),
)

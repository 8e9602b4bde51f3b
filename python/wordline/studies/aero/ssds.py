"""SSDs under the schemes: read tails (Fig. 14 to 16), Table 4, and reads over life."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import Results
from ..drawing import bars, label, lines
from ..figure import Figure, Sheet
from . import look
from . import published as paper
from .system import HELD, HELD_DIES, IOPS, MISPREDICT_RATES, MISPREDICTIONS, ONCE, OWN, READS, SAME, TAILS, WITHIN
from .tails import LAST, PERCENTILES, Runs, runs

READ_US, WRITE_US, IOPS_ALL = "response_us.read.mean", "response_us.write.mean", "iops.all"
MEAN = "mean"
NAMES = {"p999": "99.9th", "p9999": "99.99th", "p999999": "99.9999th"}
HATCHES = {"none": "", "loop": "//", "once": "..", "suspend": "xx"}


@dataclass(frozen=True)
class TailRow:
    """A percentile of a run over Baseline's; for the workloads' mean with its interval."""

    pec: int
    scheme: str
    percentile: str
    workload: str
    response_us: float | None
    over_ispe: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Suspended:
    """A percentile over Baseline's, mean of the workloads, for one reading of suspension."""

    yield_: str
    pec: int
    scheme: str
    percentile: str
    over: float


@dataclass(frozen=True)
class Mispredicted:
    """Saving of each percentile at a rate of wrong predictions."""

    scheme: str
    pec: int
    mispredict_rate: float
    saved: Mapping[str, float]


@dataclass(frozen=True)
class WornReads:
    """Reads in blocks with the wear of a scheme."""

    scheme: str
    pec: int
    mean_steps: float
    mean_us: float
    p9999_us: float


@dataclass(frozen=True)
class Means:
    """Table 4: geometric means over the workloads, percent of Baseline's."""

    scheme: str
    pec: int
    read_percent: float
    write_percent: float
    iops_percent: float


def tails(results: Results, worn_by: str) -> list[TailRow]:
    """Returns percentiles of each run; after the workloads their mean."""
    found, rows = runs(results, TAILS, worn_by), []
    for pec in paper.PECS:
        for scheme in (name for name in paper.SCHEMES if found.has(name, pec)):
            for percentile, share in PERCENTILES.items():
                for workload in found.workloads:
                    us, base = (found.tail(workload, each, pec).percentile_us(share) for each in (scheme, "ispe"))
                    rows.append(TailRow(pec, scheme, percentile, workload, us, us / base))
                its = found.saved(percentile, scheme, pec)
                over = 1.0 - its.mean, 1.0 - its.high, 1.0 - its.low
                rows.append(TailRow(pec, scheme, percentile, MEAN, None, *over))
    return rows


def held(results: Results) -> list[Suspended]:
    """Fig. 15: with suspension between pulses and without, over Baseline without it."""
    base = runs(results, HELD_DIES)
    ways = {"none": base, "loop": runs(results, TAILS)}
    return of_ways(ways, HELD[OWN], tuple(PERCENTILES), base)


def suspensions(results: Results) -> list[Suspended]:
    """Returns AERO's savings with suspension within a pulse, over Baseline with the same, in runs of equal length."""
    ways = {"once": runs(results, ONCE), "suspend": runs(results, WITHIN)}
    return of_ways(ways, HELD[OWN][1:], [name for name in PERCENTILES if name != LAST])


def of_ways(
    ways: Mapping[str, Runs], schemes: Sequence[str], percentiles: Sequence[str], base: Runs | None = None
) -> list[Suspended]:
    """Returns each scheme at each age under some readings of suspension."""
    return [
        Suspended(way, pec, scheme, percentile, 1.0 - its.saved(percentile, scheme, pec, base).mean)
        for way, its in ways.items()
        for pec in paper.PECS
        for scheme in schemes
        if its.has(scheme, pec)
        for percentile in percentiles
    ]


def mispredicted(results: Results) -> list[Mispredicted]:
    """Fig. 16: compared with Baseline, young and old."""
    base = runs(results, TAILS)
    by_rate = {0.0: base} | {rate: runs(results, MISPREDICTIONS, rate=rate) for rate in MISPREDICT_RATES}
    return [
        Mispredicted(
            scheme, pec, rate, {f"{name}_saved": its.saved(name, scheme, pec, base).mean for name in PERCENTILES}
        )
        for scheme in HELD[OWN][1:]
        for pec in (paper.PECS[0], paper.PECS[-1])
        for rate, its in by_rate.items()
        if its.has(scheme, pec)
    ]


def worn_reads(results: Results) -> list[WornReads]:
    """Returns a row for each scheme and age."""
    paths = ("read_retry.mean_steps", READ_US, "response_us.read.p9999")
    return [
        WornReads(o.coordinates["scheme"], o.coordinates["pec"], *(o[path] for path in paths))
        for o in READS.of(results)
    ]


def table_4(results: Results) -> list[Means]:
    """Returns a row for each scheme and age."""
    open_, closed = runs(results, TAILS), runs(results, IOPS)
    sources = ((open_, READ_US), (open_, WRITE_US), (closed, IOPS_ALL))
    return [
        Means(scheme, pec, *(100 * its.geomean(path, scheme, pec) for its, path in sources))
        for scheme in paper.SCHEMES[1:]
        for pec in paper.PECS
        if open_.has(scheme, pec)
    ]


def draw_tails(rows: Sequence[TailRow], sheet: Sheet) -> None:
    """Draws the last two percentiles of the read latency over Baseline's, by workload."""
    from ...output.plot.style import legend

    panels = sheet(6, height=1.3, width=7.2)
    groups = list(dict.fromkeys(row.workload for row in rows))
    places = [(percentile, pec) for pec in paper.PECS for percentile in ("p9999", LAST)]
    for axes, (percentile, pec) in zip(panels, places, strict=True):
        here = [row for row in rows if (row.percentile, row.pec) == (percentile, pec)]
        series = {
            paper.NAMES[scheme]: [row.over_ispe for row in here if row.scheme == scheme] for scheme in paper.SCHEMES[1:]
        }
        bars(axes, groups, series, [look.colours()[scheme] for scheme in paper.SCHEMES[1:]])
        axes.axhline(1.0, color="k", lw=0.6)
        label(axes, y="over ISPE's", title=f"{NAMES[percentile]} percentile, {pec / 1000:g}K cycles")
    legend(panels[0])


def draw_ways(rows: Sequence[Suspended], sheet: Sheet, what: str) -> None:
    """Draws bars by age: each scheme under each reading of suspension."""
    percentiles = list(dict.fromkeys(row.percentile for row in rows))
    panels = sheet(len(percentiles), height=1.5, width=7.2)
    for axes, percentile in zip(panels, percentiles, strict=True):
        series: dict[str, list[float]] = {}
        for row in rows:
            if row.percentile == percentile:
                series.setdefault(f"{row.scheme}, {row.yield_}", []).append(row.over)
        colours = [look.colours()[name.partition(",")[0]] for name in series]
        hatches = [HATCHES[name.rpartition(" ")[2]] for name in series]
        ages = [f"{pec / 1000:g}K cycles" for pec in paper.PECS]
        bars(axes, ages, series, colours, hatches, fill=0.9, edgecolor="white", linewidth=0.2)
        label(axes, y=what, title=f"{NAMES[percentile]} percentile")
    panels[0].legend(fontsize=5.5, ncols=3, loc="lower right", bbox_to_anchor=(1.0, 1.0))


def draw_mispredictions(rows: Sequence[Mispredicted], sheet: Sheet) -> None:
    """Draws tails with mispredictions."""
    from ...output.plot.style import legend

    panels = sheet(2, height=1.7)
    for axes, name in zip(panels, ("p9999", LAST), strict=True):
        for scheme, pec in dict.fromkeys((row.scheme, row.pec) for row in rows):
            own = [row for row in rows if (row.scheme, row.pec) == (scheme, pec)]
            its = {**look.marked(scheme), "linestyle": "-" if pec == paper.PECS[0] else "--"}
            its["label"] = f"{scheme}, {pec / 1000:g}K"
            axes.plot([100 * row.mispredict_rate for row in own], [row.saved[f"{name}_saved"] for row in own], **its)
        label(axes, y=f"{NAMES[name]} percentile saved")
    label(panels[1], "mispredictions (%)")
    legend(panels[0])


def draw_worn_reads(rows: Sequence[WornReads], sheet: Sheet) -> None:
    """Draws retry steps and mean read latency in blocks with the wear of a scheme."""
    from ...output.plot.style import legend

    steps, latency = sheet(2, height=1.7)
    lines(steps, rows, lambda row: row.scheme, lambda row: row.pec / 1000, lambda row: row.mean_steps, look.marked)
    lines(latency, rows, lambda row: row.scheme, lambda row: row.pec / 1000, lambda row: row.mean_us, look.marked)
    label(steps, y="retry steps a read")
    label(latency, "P/E cycles under the scheme (thousands)", "mean read latency (us)")
    legend(steps)


FIGURES: tuple[Figure[Any], ...] = (
    Figure("fig14", (TAILS,), lambda results: tails(results, OWN), draw=draw_tails),
    Figure("same_wear", (TAILS,), lambda results: tails(results, SAME), draw=draw_tails),
    Figure("fig15", (HELD_DIES, TAILS), held, draw=lambda rows, sheet: draw_ways(rows, sheet, "over held ISPE's")),
    Figure("suspension", (ONCE, WITHIN), suspensions, draw=lambda rows, sheet: draw_ways(rows, sheet, "over ISPE's")),
    Figure("fig16_tail", (TAILS, MISPREDICTIONS), mispredicted, draw=draw_mispredictions),
    Figure("reads_over_life", (READS,), worn_reads, draw=draw_worn_reads),
    Figure("table4", (TAILS, IOPS), table_4),
)

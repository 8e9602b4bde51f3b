"""Figures of SSDs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .. import Results
from ..figures import figure
from . import published as paper
from .draw_lab import PAGE, colours
from .ssd_claims import IOPS, LAST, READ, WRITE, Runs
from .system import HELD, MISPREDICT_RATES, OWN, SAME
from .tails import PERCENTILES

Rows = Sequence[Mapping[str, Any]]
MEAN = "mean"
NAMES = {"p999": "99.9th", "p9999": "99.99th", "p999999": "99.9999th"}


def draw(results: Results, out: Path) -> None:
    """All of them."""
    fig_14(Runs(results, part="tails"), out, "fig14")
    fig_14(Runs(results, SAME, part="tails"), out, "same_wear")
    fig_15(results, out)
    suspension(results, out)
    fig_16_tail(results, out)
    reads_over_life(results, out)


def fig_14(runs: Runs, out: Path, name: str) -> None:
    """The last two percentiles of the read latency over Baseline's, by workload."""
    from ...output.plot.style import legend

    rows = tail_rows(runs)
    with figure(out, name, rows, panels=6, height=1.3, width=PAGE) as panels:
        places = [*runs.workloads, MEAN]
        for number, axes in enumerate(panels):
            percentile, pec = ("p9999", LAST)[number % 2], paper.PECS[number // 2]
            for offset, scheme in enumerate(paper.SCHEMES[1:]):
                own = {
                    row["workload"]: row["over_ispe"]
                    for row in rows
                    if (row["percentile"], row["pec"], row["scheme"]) == (percentile, pec, scheme)
                }
                if own:
                    axes.bar(
                        [place + (offset - 1.5) * 0.2 for place in range(len(places))],
                        [own[each] for each in places],
                        0.2,
                        color=colours()[scheme],
                        label=paper.NAMES[scheme],
                    )
            axes.axhline(1.0, color="k", lw=0.6)
            axes.set_xticks(range(len(places)), places)
            axes.set_ylabel("over ISPE's")
            axes.set_title(f"{NAMES[percentile]} percentile, {pec / 1000:g}K cycles", loc="left")
        legend(panels[0])


def tail_rows(runs: Runs) -> list[dict[str, Any]]:
    """Percentiles of each run, over Baseline's; after the workloads their mean, with its interval."""
    rows = []
    for pec in paper.PECS:
        for scheme in paper.SCHEMES:
            if not runs.has(scheme, pec):
                continue
            for percentile, share in PERCENTILES.items():
                for workload in runs.workloads:
                    us = runs.tail(workload, scheme, pec).percentile_us(share)
                    base = runs.tail(workload, "ispe", pec).percentile_us(share)
                    rows.append(_row(pec, scheme, percentile, workload, us, us / base, None))
                found = runs.saved(percentile, scheme, pec)
                rows.append(
                    _row(pec, scheme, percentile, MEAN, None, 1.0 - found.mean, (1.0 - found.high, 1.0 - found.low))
                )
    return rows


def _row(
    pec: int,
    scheme: str,
    percentile: str,
    workload: str,
    us: float | None,
    over: float,
    interval: tuple[float, float] | None,
) -> dict[str, Any]:
    low, high = interval or (None, None)
    return {
        "pec": pec,
        "scheme": scheme,
        "percentile": percentile,
        "workload": workload,
        "response_us": us,
        "over_ispe": over,
        "low": low,
        "high": high,
    }


def fig_15(results: Results, out: Path) -> None:
    """With suspension between pulses and without, over Baseline without it; means over the workloads."""
    held = Runs(results, part="held")
    ways = {"none": held, "loop": Runs(results, part="tails")}
    rows: list[dict[str, Any]] = [
        {
            "yield": way,
            "pec": pec,
            "scheme": scheme,
            "percentile": percentile,
            "over": 1.0 - runs.saved(percentile, scheme, pec, held).mean,
        }
        for way, runs in ways.items()
        for pec in paper.PECS
        for scheme in HELD[OWN]
        if runs.has(scheme, pec)
        for percentile in PERCENTILES
    ]
    ways_of(rows, out, "fig15", "over held ISPE's")


def suspension(results: Results, out: Path) -> None:
    """What AERO saves with suspension within a pulse, over Baseline with the same; runs as short as each other."""
    ways = {"once": Runs(results, part="once"), "suspend": Runs(results, part="within")}
    rows: list[dict[str, Any]] = [
        {
            "yield": way,
            "pec": pec,
            "scheme": scheme,
            "percentile": percentile,
            "over": 1.0 - runs.saved(percentile, scheme, pec).mean,
        }
        for way, runs in ways.items()
        for pec in paper.PECS
        for scheme in HELD[OWN][1:]
        for percentile in PERCENTILES
        if percentile != LAST
    ]
    ways_of(rows, out, "suspension", "over ISPE's")


def ways_of(rows: Rows, out: Path, name: str, what: str) -> None:
    """Bars by age: each scheme under each reading of suspension."""
    bars = list(dict.fromkeys((row["yield"], row["scheme"]) for row in rows))
    percentiles = list(dict.fromkeys(row["percentile"] for row in rows))
    width = 0.8 / len(bars)
    with figure(out, name, rows, panels=len(percentiles), height=1.5, width=PAGE) as panels:
        for axes, percentile in zip(panels, percentiles, strict=True):
            for number, (way, scheme) in enumerate(bars):
                own = [
                    row["over"]
                    for row in rows
                    if (row["yield"], row["scheme"], row["percentile"]) == (way, scheme, percentile)
                ]
                axes.bar(
                    [place + (number - (len(bars) - 1) / 2) * width for place in range(len(own))],
                    own,
                    width * 0.9,
                    color=colours()[scheme],
                    hatch={"none": "", "loop": "//", "once": "..", "suspend": "xx"}[way],
                    edgecolor="white",
                    linewidth=0.2,
                    label=f"{scheme}, {way}",
                )
            axes.set_xticks(range(len(paper.PECS)), [f"{pec / 1000:g}K cycles" for pec in paper.PECS])
            axes.set_title(f"{NAMES[percentile]} percentile", loc="left")
            axes.set_ylabel(what)
        panels[0].legend(fontsize=5.5, ncols=3, loc="lower right", bbox_to_anchor=(1.0, 1.0))


def fig_16_tail(results: Results, out: Path) -> None:
    """Tails with mispredictions."""
    from ...output.plot.style import legend

    right = Runs(results, part="tails")
    by_rate = {0.0: right} | {rate: Runs(results, rate=rate, part="mispredictions") for rate in MISPREDICT_RATES}
    rows: list[dict[str, Any]] = [
        {
            "scheme": scheme,
            "pec": pec,
            "mispredict_rate": rate,
            **{f"{name}_saved": runs.saved(name, scheme, pec, right).mean for name in PERCENTILES},
        }
        for scheme in HELD[OWN][1:]
        for pec in (paper.PECS[0], paper.PECS[-1])
        for rate, runs in by_rate.items()
        if runs.has(scheme, pec)
    ]
    with figure(out, "fig16_tail", rows, panels=2, height=1.7) as panels:
        for axes, name in zip(panels, ("p9999", LAST), strict=True):
            for scheme in ("aero-cons", "aero"):
                for pec, line in ((paper.PECS[0], "-"), (paper.PECS[-1], "--")):
                    own = [row for row in rows if (row["scheme"], row["pec"]) == (scheme, pec)]
                    axes.plot(
                        [100 * row["mispredict_rate"] for row in own],
                        [row[f"{name}_saved"] for row in own],
                        line,
                        marker="o",
                        ms=3,
                        color=colours()[scheme],
                        label=f"{scheme}, {pec / 1000:g}K",
                    )
            axes.set_ylabel(f"{NAMES[name]} percentile saved")
        panels[1].set_xlabel("mispredictions (%)")
        legend(panels[0])


def reads_over_life(results: Results, out: Path) -> None:
    """Retry steps and mean read latency in blocks that a scheme has worn."""
    from ...output.plot.style import legend

    rows = life_rows(results)
    with figure(out, "reads_over_life", rows, panels=2, height=1.7) as (steps, latency):
        for scheme in dict.fromkeys(row["scheme"] for row in rows):
            own = [row for row in rows if row["scheme"] == scheme]
            for axes, key in ((steps, "mean_steps"), (latency, "mean_us")):
                axes.plot(
                    [row["pec"] / 1000 for row in own],
                    [row[key] for row in own],
                    "o-",
                    ms=3,
                    color=colours()[scheme],
                    label=paper.NAMES[scheme],
                )
        steps.set_ylabel("retry steps a read")
        latency.set_ylabel("mean read latency (us)")
        latency.set_xlabel("P/E cycles under the scheme (thousands)")
        legend(steps)


def life_rows(results: Results) -> list[dict[str, Any]]:
    """Reads over life: a row a scheme and age."""
    return [
        {
            "scheme": o.coordinates["scheme"],
            "pec": o.coordinates["pec"],
            "mean_steps": o["read_retry.mean_steps"],
            "mean_us": o[READ],
            "p9999_us": o["response_us.read.p9999"],
        }
        for o in results.where(part="reads")
    ]


def table_4_rows(results: Results) -> list[dict[str, Any]]:
    """Table 4: geometric means over the workloads, percent of Baseline's."""
    tails, closed = Runs(results, part="tails"), Runs(results, part="iops")
    return [
        {
            "scheme": scheme,
            "pec": pec,
            "read_percent": 100 * tails.geomean(READ, scheme, pec),
            "write_percent": 100 * tails.geomean(WRITE, scheme, pec),
            "iops_percent": 100 * closed.geomean(IOPS, scheme, pec),
        }
        for scheme in paper.SCHEMES[1:]
        for pec in paper.PECS
        if tails.has(scheme, pec)
    ]

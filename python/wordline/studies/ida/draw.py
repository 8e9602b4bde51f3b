"""The paper's figures, drawn from ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .. import Results
from ..figures import figure
from . import claims, gains, points

__all__ = ["all_figures"]


def all_figures(results: Results, out: Path) -> None:
    """Fig. 8 to 11, Table V, the load parameter, Table II to the letter, and QLC."""
    bars(results, out, "fig8", ["E0", "E20", "E50", "E80"])
    bars(results, out, "tableV", ["E20"])
    bars(results, out, "literal", ["E0", "E20"])
    bars(results, out, "programs", ["E0", "E20"])
    bars(results, out, "runs", ["E20"])
    bars(results, out, "random", ["E0", "E20", "E50", "E80"])
    bars(results, out, "equal", ["E0", "E20"])
    bars(results, out, "total", ["E0", "E20"])
    bars(results, out, "qlc", ["E0", "E20"])
    line(results, out, "fig9", "dtr_us", "difference between read times (us)")
    line(results, out, "load", "load", "share of the time that reads hold the baseline's chips")
    line(results, out, "extents", "extent_pages", "pages that were rewritten together")
    line(results, out, "fig11", "pec", "P/E cycles")
    throughput(results, out)


def bars(results: Results, out: Path, part: str, systems: list[str]) -> None:
    """Normalised response time by workload."""
    from ...output.plot.style import BLUE, GREEN, ORANGE, VERMILION, legend

    rows: list[dict[str, Any]] = [
        {"workload": trace, "system": system, "normalised_read_response": 1.0 - gain}
        for system in systems
        for trace, gain in gains.by_workload(results, system, part=part).items()
    ]
    with figure(out, part, rows, width=7.2) as (axes,):
        names = list(dict.fromkeys(row["workload"] for row in rows))
        width = 0.8 / len(systems)
        for number, (system, color) in enumerate(zip(systems, (BLUE, GREEN, ORANGE, VERMILION), strict=False)):
            heights = [row["normalised_read_response"] for row in rows if row["system"] == system]
            places = [x + (number - (len(systems) - 1) / 2) * width for x in range(len(names))]
            axes.bar(places, heights, width, color=color, label=f"IDA-{system}")
        axes.axhline(1.0, color="black", linewidth=0.6)
        axes.set_xticks(range(len(names)), names)
        axes.set_ylabel("read response, baseline = 1")
        legend(axes)


def line(results: Results, out: Path, part: str, label: str, x_label: str) -> None:
    """Mean gain of E20 over a parameter, with every workload's."""
    from ...output.plot.style import BLUE, VERMILION, legend

    values = sorted(results.where(part=part).values_of(label))
    every = {value: gains.by_workload(results, "E20", part=part, **{label: value}) for value in values}
    rows = [{label: value, "workload": trace, "gain": gain} for value in values for trace, gain in every[value].items()]
    with figure(out, part, rows) as (axes,):
        axes.plot(
            [row[label] for row in rows], [row["gain"] for row in rows], ".", color=BLUE, ms=3, label="a workload"
        )
        means = [sum(every[value].values()) / len(every[value]) for value in values]
        axes.plot(values, means, color=VERMILION, label="mean")
        axes.set_xlabel(x_label)
        axes.set_ylabel("read response saved, E20")
        legend(axes)


def throughput(results: Results, out: Path) -> None:
    """Fig. 10: throughput of a closed loop; all queue depths are in its table."""
    from ...output.plot.style import BLUE

    depths = sorted(results.where(part="fig10").values_of("queue_depth"))
    by_depth = {depth: claims.throughput_gains(results, depth) for depth in depths}
    rows = [
        {"workload": trace, "queue_depth": depth, "normalised_throughput": 1.0 + gain}
        for depth, found in by_depth.items()
        for trace, gain in found.items()
    ]
    with figure(out, "fig10", rows, width=7.2) as (axes,):
        found = by_depth[points.QUEUE_DEPTH]
        axes.bar(range(len(found)), [1.0 + gain for gain in found.values()], 0.6, color=BLUE)
        axes.axhline(1.0, color="black", linewidth=0.6)
        axes.set_xticks(range(len(found)), list(found))
        axes.set_ylabel("throughput, baseline = 1")

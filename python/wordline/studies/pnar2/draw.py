"""Fig. 14 and 15, and what the load does to them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from .. import Results
from ..figures import figure
from .gains import Responses, rows
from .points import BASELINE, FIG_14, NORR

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BAR = 0.8


def all_figures(results: Results, out: Path) -> None:
    """Draws all of them."""
    responses = Responses(results.where(part="grid"))
    bars(responses, out, "fig14", [*FIG_14, NORR])
    bars(responses, out, "fig15", [BASELINE, "PSO", "PSO+PnAR2", NORR])
    load(load_rows(results), out)


def bars(responses: Responses, out: Path, name: str, systems: Sequence[str]) -> None:
    """Response times over Baseline's: a panel for each condition, a group for each workload, then the mean."""
    from ...output.plot.style import BLUE, GREEN, ORANGE, SKY

    colours = dict(zip(systems, [*("#999999", SKY, ORANGE, BLUE)[: len(systems) - 1], GREEN], strict=True))
    table = rows(responses)
    conditions = responses.conditions
    with figure(out, name, table, panels=len(conditions), height=1.15, width=7.2) as panels:
        for axes, (pec, months) in zip(panels, conditions, strict=True):
            here = [row for row in table if (row["pec"], row["retention_months"]) == (pec, months)]
            mean = {system: fmean(row[system] for row in here) for system in systems}
            groups = [*here, {"workload": "mean", **mean}]
            width = BAR / len(systems)
            for i, system in enumerate(systems):
                places = [x - BAR / 2 + (i + 0.5) * width for x in range(len(groups))]
                heights = [row[system] for row in groups]
                axes.bar(places, heights, width, color=colours[system], label=system, linewidth=0)
            axes.axvline(len(here) - 0.5, color="black", linewidth=0.6)
            axes.set_xlim(-0.5, len(groups) - 0.5)
            axes.set_ylim(0.0, 1.05)
            axes.set_ylabel("response /\nBaseline")
            axes.set_title(f"{pec // 1000}K P/E cycles, {months:g} months", loc="left")
            axes.set_xticks(range(len(groups)), [row["workload"] for row in groups])
            axes.grid(visible=False, axis="x")
        _legend(panels[0], len(systems))


def load_rows(results: Results) -> list[dict[str, Any]]:
    """Gains and multiples of NoRR under each load, at each condition that was run."""
    table = []
    part = results.where(part="load")
    for load_, host_us in dict.fromkeys((o.coordinates["load"], o.coordinates["host_us"]) for o in part):
        responses = Responses(part.where(load=load_, host_us=host_us))
        reading = responses.read_dominant()
        for at in responses.conditions:
            places = list(responses.places(conditions=[at]))
            read_places = list(responses.places(reading, [at]))
            table.append(
                {
                    "load": load_,
                    "host_us": host_us,
                    "pec": at[0],
                    "retention_months": at[1],
                    "norr_us": fmean(responses.us(trace, NORR, at) for trace, _ in places),
                    "pnar2_reduction": fmean(responses.reductions("PnAR2", BASELINE, places)),
                    "psopnar2_reduction": fmean(responses.reductions("PSO+PnAR2", "PSO", read_places)),
                    "pnar2_over_norr": fmean(responses.multiples("PnAR2", places)),
                    "pso_over_norr": fmean(responses.multiples("PSO", read_places)),
                }
            )
    return table


def load(table: Sequence[dict[str, Any]], out: Path) -> None:
    """Gains, and multiples of NoRR, by load of the dies and time of the host's path."""
    from ...output.plot.style import BLUE, VERMILION

    settings = list(dict.fromkeys((row["load"], row["host_us"]) for row in table))
    names = [f"{share:.1%}\n{host_us:g} us" for share, host_us in settings]
    conditions = list(dict.fromkeys((row["pec"], row["retention_months"]) for row in table))
    panels = (
        ("reduction", {"PnAR2 over Baseline": "pnar2_reduction", "PSO+PnAR2 over PSO": "psopnar2_reduction"}),
        ("multiple of NoRR", {"PnAR2": "pnar2_over_norr", "PSO": "pso_over_norr"}),
    )
    with figure(out, "load", table, panels=2, height=1.9, width=7.2) as both:
        for axes, (label, quantities) in zip(both, panels, strict=True):
            for (name, key), colour in zip(quantities.items(), (BLUE, VERMILION), strict=True):
                for at, marker in zip(conditions, "os", strict=False):
                    here = [row[key] for row in table if (row["pec"], row["retention_months"]) == at]
                    axes.plot(
                        range(len(settings)), here, color=colour, marker=marker, ms=3, linestyle="",
                        label=f"{name}, {at[0] // 1000}K, {at[1]:g} mo.",
                    )  # fmt: skip
            axes.set_xticks(range(len(settings)), names)
            axes.set_ylabel(label)
            axes.set_ylim(bottom=0.0)
            axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, borderaxespad=0.2, handlelength=1.0)
        both[-1].set_xlabel("load of the dies without retries, time of the host's path")


def _legend(axes: Axes, columns: int) -> None:
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=columns, borderaxespad=0.2, handlelength=1.2)

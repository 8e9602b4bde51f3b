"""The effect of load and host path on the gains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from wordline.output.plot.style import BLUE, VERMILION

from .. import Figure, Point, Results, Row, Sheet, grouped, part
from . import responses
from .responses import BASELINE, FIG_14, FIG_15, NORR, QUICK_CONDITIONS, READ_DOMINANT, multiples, reductions
from .workloads import OWN_RATES, TABLE_2, Setup, size_of

# Other rates: utilisation of the dies without retries; and time of the host's path, us.
SETUPS = (
    OWN_RATES,
    *(Setup(load) for load in (0.01, 0.02)),
    *(Setup(load, 400.0) for load in (None, 0.01)),
    Setup(None, 0.0),
)
QUICK_SETUPS = (OWN_RATES, Setup(None, 400.0), Setup(0.01, 400.0))
SYSTEMS = {name: {**FIG_14, **FIG_15}[name] for name in (BASELINE, "PnAR2", *FIG_15)}
REQUESTS = 10_000
# Short runs have one workload of each kind: few reads, hot, cold.
FEW = ("stg_0", "mds_1", "YCSB-B")


@part("load")
def other_loads(quick: bool) -> Iterator[Point]:
    """Yields the ends of the grid under other loads, with fewer requests."""
    size = size_of(quick)
    fewer = replace(size, requests=size.requests // 2 if quick else REQUESTS)
    workloads = [traced for traced in TABLE_2 if not quick or traced.name in FEW]
    for setup in SETUPS if not quick else QUICK_SETUPS:
        yield from responses.runs(workloads, QUICK_CONDITIONS, SYSTEMS, fewer, setup)


class Load(Row):
    """Mean response time with NoRR, and gains and multiples of it, under a load in a condition.

    PSO's are of the workloads that mostly read.
    """

    rate: str
    host_us: float
    pec: int
    retention_months: float
    norr_us: float
    gains: Mapping[str, float]


def loads(results: Results) -> list[Load]:
    """Returns a row for each load and condition."""
    rows = []
    part = other_loads.of(results)
    for rate, host_us in dict.fromkeys((o.coordinates["rate"], o.coordinates["host_us"]) for o in part):
        places = responses.places_of(part.where(rate=rate, host_us=host_us))
        for at, here in sorted(grouped(places, lambda place: place.condition).items()):
            reading = [place for place in here if place.workload in READ_DOMINANT]
            gains = {
                "pnar2_reduction": reductions(here, "PnAR2", BASELINE),
                "psopnar2_reduction": reductions(reading, "PSO+PnAR2", "PSO"),
                "pnar2_over_norr": multiples(here, "PnAR2"),
                "pso_over_norr": multiples(reading, "PSO"),
            }
            norr_us = fmean(place.us(NORR) for place in here)
            rows.append(Load(rate, host_us, *at, norr_us, {name: fmean(values) for name, values in gains.items()}))
    return rows


def draw(rows: Sequence[Load], sheet: Sheet) -> None:
    """Draws gains, and multiples of NoRR, by load of the dies and time of the host's path."""
    names = list(dict.fromkeys(f"{row.rate}\n{row.host_us:g} us" for row in rows))
    both = sheet(2, height=1.9, width=7.2)
    panels = (
        ("reduction", {"PnAR2 over Baseline": "pnar2_reduction", "PSO+PnAR2 over PSO": "psopnar2_reduction"}),
        ("multiple of NoRR", {"PnAR2": "pnar2_over_norr", "PSO": "pso_over_norr"}),
    )
    for axes, (label, quantities) in zip(both, panels, strict=True):
        for (name, key), colour in zip(quantities.items(), (BLUE, VERMILION), strict=True):
            for (at, group), marker in zip(
                grouped(rows, lambda row: (row.pec, row.retention_months)).items(), "os", strict=False
            ):
                look: dict[str, Any] = {"color": colour, "marker": marker, "ms": 3, "linestyle": ""}
                text = f"{name}, {at[0] // 1000}K, {at[1]:g} mo."
                axes.plot(range(len(names)), [row.gains[key] for row in group], label=text, **look)
        axes.set_xticks(range(len(names)), names)
        axes.set_ylabel(label)
        axes.set_ylim(bottom=0.0)
        axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, borderaxespad=0.2, handlelength=1.0)
    both[-1].set_xlabel("rate, or load of the dies without retries; time of the host's path")


FIGURES = (Figure("load", (other_loads,), loads, draw=draw),)

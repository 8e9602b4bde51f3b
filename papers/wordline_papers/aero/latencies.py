"""Erase latency: Fig. 4, ISPE's latencies and the public table, and every scheme's with its own wear."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import field

from .. import Columns, Computation, Figure, Measured, Measurement, Outcome, Part, Results, Row, Sheet, of_runs
from ..at_hand import tables_folder
from ..drawing import label, line_chart, panels_by
from . import bench
from . import published as paper

# The public table of ISPE's latencies, if a copy is available.
MEASURED = "ispe_erase_latency.csv"
PECS = (0, 500, 1000, 2000, 2500, 3000, 3500, 4500)
LATENCIES, M_ISPE, STRESS = (bench.alone(each) for each in (bench.latencies, bench.m_ispe, bench.stress))
ERASES = Part(
    "erases",
    lambda _: [Computation(bench.erases, {"scheme": name, "pecs": list(PECS)}, version=1) for name in paper.SCHEMES],
)


class Latency(Row):
    """Fig. 4: the share of blocks that need at most `latency_ms`; `std_ms` is the spread of all."""

    latency_ms: float
    pec: int
    share: float
    std_ms: float = field(repr=False)


class Erases(Row):
    """The share of blocks with this erase latency under a scheme."""

    scheme: str
    latency_ms: float
    pec: int
    share: float


def latencies(results: Results) -> list[Latency]:
    """Returns the steps of the curve of each age."""
    outcome = LATENCIES.of(results)[0]
    std_ms = {age["pec"]: age["std_ms"] for age in outcome["ages"]}
    return [Latency(**row, std_ms=std_ms[row["pec"]]) for row in outcome["curve"]]


def loop_shares(results: Results) -> list[Columns]:
    """Returns blocks by age and loops under ISPE, measured ones too if the public table is available."""
    there = public_table()
    there |= {(pec, loops): there.get((pec, loops), 0.0) for pec, _ in there for loops in range(1, 6)}
    shares = {
        (age["pec"], int(loops)): 100 * share
        for age in LATENCIES.of(results)[0]["ages"]
        for loops, share in age["by_loops"].items()
    }
    return [
        Columns({"pec": pec, "loops": loops, "percent": percent, "measured_percent": there.get((pec, loops))})
        for (pec, loops), percent in shares.items()
    ]


def public_table() -> dict[tuple[int, int], float]:
    """Returns the measured percent of blocks by age and loops; empty if the table is not available."""
    path = tables_folder() / MEASURED
    if not path.is_file():
        return {}
    with path.open(newline="", encoding="utf-8") as file:
        return {
            (int(row["pec"]), round(float(row["latency_ms"]) / paper.LOOP_MS)): float(row["percent_of_blocks"])
            for row in csv.DictReader(file)
        }


def erases(results: Results) -> list[Erases]:
    """Returns a row for each scheme, age and latency."""
    return [Erases(scheme, **row) for scheme in paper.SCHEMES for row in ERASES.of(results).one(scheme=scheme)["rows"]]


def claims_of_latencies(rows: Sequence[Latency]) -> Mapping[str, Measurement]:
    """Fig. 4: blocks by the latency that they need."""

    def within(pec: int, ms: float) -> float:
        return max((row.share for row in rows if row.pec == pec and row.latency_ms <= ms), default=0.0)

    loop = paper.LOOP_MS
    return {
        "aero.fig4.pec0_single": within(0, loop),
        "aero.fig4.pec0_2.5ms": within(0, 2.5),
        "aero.fig4.pec1k_2.5ms": within(1000, 2.5),
        "aero.fig4.pec1k_single": within(1000, loop),
        "aero.fig4.pec2k_multi": 1.0 - max(within(row.pec, loop) for row in rows if row.pec >= 2000),
        "aero.fig4.pec3k_three": Measured(
            within(3000, 3 * loop) - within(3000, 2 * loop),
            note="the public table of ISPE latencies has 45 %, the text 40 %",
        ),
        "aero.fig4.pec3.5k_std": next(row.std_ms for row in rows if row.pec == 3500),
    }


def claims_of_erases(rows: Sequence[Erases]) -> Mapping[str, Measurement]:
    """Section 7.3: i-ISPE's mean pulse time; an erase is loops of a pulse and a verify."""
    mean_ms = sum(row.latency_ms * row.share for row in rows if (row.scheme, row.pec) == ("i-ispe", 2500))
    return {"aero.fig14.iispe.pulse.2.5k": mean_ms * paper.LOOP_MS / (paper.LOOP_MS + paper.VERIFY_MS)}


def claims_of_recovery(rows: Sequence[Outcome]) -> Mapping[str, Measurement]:
    """Section 5.1 and 3.1: wrong values and added errors of m-ISPE, and the stress of erases."""
    m_ispe, stress = rows
    return {
        "aero.mispe": m_ispe["wrong"],
        "aero.mispe.rber": stress["m_rber_added"],
        "aero.stress.erase_share": stress["erase_share"],
    }


def draw_latencies(rows: Sequence[Latency], sheet: Sheet) -> None:
    """Draws the latency that blocks need, by age."""
    ages = (0, 1000, 2000, 3000, 3500, 5000)
    points = [(row.pec, row.latency_ms, row.share) for row in rows if row.pec in ages]

    def look(pec: int) -> dict[str, str]:
        return {"drawstyle": "steps-post", "label": f"{pec / 1000:g}K cycles"}

    line_chart(sheet, points, look, ("least erase latency (ms)", "share of blocks"))


def draw_erases(rows: Sequence[Erases], sheet: Sheet) -> None:
    """Draws a panel for each scheme; for ISPE with the public table, if available."""
    there = public_table()
    panels = panels_by(sheet, rows, lambda row: row.scheme, height=1.25)
    for axes, scheme, own in panels:
        places = [PECS.index(row.pec) for row in own], [row.latency_ms for row in own]
        axes.scatter(*places, s=[120 * row.share for row in own], color=paper.COLOURS[scheme], linewidths=0)
        rings = {place: percent for place, percent in there.items() if scheme == "ispe" and place[0] in PECS}
        axes.scatter(
            [PECS.index(pec) + 0.3 for pec, _ in rings],
            [loops * (paper.LOOP_MS + paper.VERIFY_MS) for _, loops in rings],
            s=[1.2 * percent for percent in rings.values()],
            facecolors="none",
            edgecolors="0.4",
            linewidths=0.6,
        )
        axes.set_xticks(range(len(PECS)), [f"{pec / 1000:g}K" for pec in PECS])
        axes.set_ylim(0, 19)
        label(axes, y="tBERS (ms)", title=paper.NAMES[scheme] + ("; rings: the public table" if rings else ""))
    label(panels[-1][0], "P/E cycles under the scheme; areas are shares of blocks")


FIGURES = (
    Figure("fig4", (LATENCIES,), latencies, claims_of_latencies, draw=draw_latencies),
    Figure("ispe_latency", (LATENCIES,), loop_shares),
    of_runs("recovery", M_ISPE, STRESS, claims=claims_of_recovery),
    Figure("erase_latency", (ERASES,), erases, claims_of_erases, draw=draw_erases),
)

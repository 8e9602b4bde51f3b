"""The information in fail bits: Fig. 7 to 11 and Table 1, on the chips of sections 5 and 5.5."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from .. import Computation, Figure, Measured, Measurement, Part, Results, Row, Sheet, grouped
from ..drawing import bars, label, lines, panels_by
from . import bench
from . import published as paper

CHIP = bench.CHIPS[0]
RANGES, SHALLOW = bench.alone(bench.ranges), bench.alone(bench.shallow)
FAIL_BITS, MARGINS = bench.on_each_chip(bench.fail_bits), bench.on_each_chip(bench.margins)
TABLES = Part(
    "table",
    lambda _: [Computation(bench.table, {"requirement_bits": bits}, version=1) for bits in paper.REQUIREMENTS_BITS],
)
# Labels.
RANGE_NAMES = (r"$\leq\gamma$", r"$\leq\delta$", *(rf"$\leq{n}\delta$" for n in range(2, 8)))
LOOPS = [f"$N_{{ISPE}}$ = {loops}" for loops in range(1, 6)]
BITS = "$M_{RBER}$ (bits in 1 KiB)"


class FailBits(Row):
    """Fig. 7: fail bits after some pulses of the last loop, by loops and pulses needed in it."""

    erases: int
    fail_bits: float
    loops: int
    mean: float
    needed_pulses: int
    pulses: int


class Needed(Row):
    """Fig. 8: the share of erases in a fail-bit range that need this many pulses."""

    erases: int
    loops: int
    needed_pulses: int
    range: int
    share: float


class Shallow(Row):
    """Fig. 9: the share of blocks in a fail-bit range after a shallow erasure; `fast` of all erases take up to 2 ms."""

    pec: float
    shallow_ms: float
    mean_ms: float
    reduced_share: float
    range: int
    share: float
    fast: float = field(repr=False)


class Margin(Row):
    """Fig. 10: largest M_RBER with the last loop and without it."""

    complete_bits: float
    erases: int
    incomplete_bits: float
    loops: int
    range: int
    fresh_bits: float = field(repr=False)


class ChipStep(Row):
    """Fig. 11: a delta or gamma of a kind of chip, and that chip's margins."""

    chip: str
    what: str
    fail_bits: float
    margins: list[Margin] = field(repr=False)


class Times(Row):
    """A cell of Table 1 from profiling, in ms, with the printed one; `bytes` and `flags_bytes` are total sizes."""

    loops: int
    range: int
    t1_ms: float
    t2_ms: float
    paper_t1_ms: float
    paper_t2_ms: float
    same: bool
    bytes: int = field(repr=False)
    flags_bytes: int = field(repr=False)


def fail_bits(results: Results) -> list[FailBits]:
    """Returns the fail bits of the chip of section 5."""
    return [FailBits(**row) for row in FAIL_BITS.of(results).one(chip=CHIP)["rows"]]


def needs(results: Results) -> list[Needed]:
    """Returns a row for each range and need."""
    return [Needed(**row) for row in RANGES.of(results)[0]["rows"]]


def shallow(results: Results) -> list[Shallow]:
    """Returns a row for each age, shallow erasure and range."""
    return [
        Shallow(
            row["pec"], row["shallow_ms"], row["mean_ms"], row["reduced_share"], place, share,
            sum(row["latency_shares"][:4]),
        )
        for row in SHALLOW.of(results)[0]["rows"]
        for place, share in enumerate(row["range_shares"])
    ]  # fmt: skip


def margins(results: Results, chip: str = CHIP) -> list[Margin]:
    """Returns a row for each number of loops and range."""
    outcome = MARGINS.of(results).one(chip=chip)
    return [Margin(**row, fresh_bits=outcome["fresh_bits"]) for row in outcome["rows"]]


def chip_steps(results: Results) -> list[ChipStep]:
    """Returns the deltas, then the gammas of each kind of chip."""
    return [
        ChipStep(chip, what, bits, margins(results, chip))
        for chip in bench.CHIPS
        for what in ("deltas", "gammas")
        for bits in FAIL_BITS.of(results).one(chip=chip)[what]
    ]


def table_1(results: Results) -> list[Times]:
    """Returns the profiled table and the printed one."""
    table = TABLES.of(results).one(requirement_bits=paper.REQUIREMENT_BITS)
    sizes = table["bytes"], table["flags_bytes"]
    rows = []
    for loops, cells in enumerate(paper.TABLE_1, 1):
        pairs = zip(table["complete_ms"][loops - 1], table["with_margin_ms"][loops - 1], strict=True)
        for place, (here, printed) in enumerate(zip(pairs, cells, strict=True)):
            rows.append(Times(loops, place, *here, *printed, here == printed, *sizes))
    return rows


def claims_of_needs(rows: Sequence[Needed]) -> Mapping[str, Measurement]:
    """Fig. 8: blocks of a range need the same number of pulses."""
    places = grouped(rows, lambda row: (row.loops, row.range)).values()
    return {"aero.fig8.same": min(max(row.share for row in group) for group in places)}


def claims_of_steps(rows: Sequence[ChipStep]) -> Mapping[str, Measurement]:
    """Fig. 7: the mean delta."""
    deltas = [row.fail_bits for row in rows if (row.chip, row.what) == (CHIP, "deltas")]
    return {"aero.fig7.delta": statistics.fmean(deltas)}


def claims_of_shallow(rows: Sequence[Shallow]) -> Mapping[str, Measurement]:
    """Fig. 9: means over its two ages."""
    first = [row for row in rows if row.range == 0]
    one_ms = [row for row in first if row.shallow_ms == 1.0]
    times = [[row.mean_ms for row in first if row.pec == pec] for pec in (100, 500)]
    return {
        "aero.fig9.reduced": statistics.fmean(row.reduced_share for row in one_ms),
        "aero.fig9.latency": 1.0 - statistics.fmean(row.mean_ms for row in one_ms) / paper.LOOP_MS,
        "aero.fig9.spread": max((max(each) - min(each)) / min(each) for each in times),
        "aero.fig9.over": next(row.fast for row in one_ms if row.pec == 500),
    }


def claims_of_margins(rows: Sequence[Margin]) -> Mapping[str, Measurement]:
    """Fig. 10."""
    fits = {(row.loops, row.range): row.incomplete_bits <= paper.REQUIREMENT_BITS for row in rows}
    most = max(row.incomplete_bits for row in rows if paper.may_be_left(row.loops, row.range))
    return {
        "aero.fig10.margin": paper.REQUIREMENT_BITS - rows[0].fresh_bits,
        "aero.fig10.positive": max(row.complete_bits for row in rows),
        "aero.fig10.conditions": Measured(
            sum(fit != paper.may_be_left(*place) for place, fit in fits.items()),
            note=f"by C1 and C2 at most {most:.1f} bits are left, so the worst block of another seed may exceed "
            f"{paper.REQUIREMENT_BITS:g}",
        ),
    }


def claims_of_table(rows: Sequence[Times]) -> Mapping[str, Measurement]:
    """Table 1 and section 6."""
    return {
        "aero.table1": Measured(
            sum(not row.same for row in rows),
            note="t2 of one loop depends on the worst block, which is close to the requirement",
        ),
        "aero.overhead": Measured(rows[0].bytes, note=f"and {rows[0].flags_bytes:,} bytes of flags for 1 TB"),
    }


def draw_fail_bits(rows: Sequence[FailBits], sheet: Sheet) -> None:
    """Draws fail bits in the last loop: a line for each number of pulses that it needs."""
    (axes,) = sheet(width=7.2)
    look = {"linestyle": "-", "marker": "o", "color": "C0", "ms": 2, "lw": 0.7}
    points = [
        ((row.loops, row.needed_pulses), row.loops * 4 + row.pulses * paper.PULSE_MS, row.fail_bits) for row in rows
    ]
    lines(axes, points, lambda _: look)
    axes.set_xticks([4 * loops + 2 for loops in range(1, 6)], LOOPS)
    label(axes, "time in the last loop, 0.5 to 3 ms in each part", "most fail bits")


def draw_needs(rows: Sequence[Needed], sheet: Sheet) -> None:
    """Draws the pulses that blocks need, by fail-bit range."""
    panels = panels_by(sheet, rows, lambda row: row.loops, height=1.2)
    look: dict[str, Any] = {"s": 40, "marker": "s", "cmap": "Greys", "vmin": 0, "vmax": 1}
    for axes, loops, own in panels:
        places = [row.range for row in own], [row.needed_pulses * paper.PULSE_MS for row in own]
        axes.scatter(*places, c=[row.share for row in own], edgecolors="0.6", linewidths=0.3, **look)
        axes.set_xticks(range(8), RANGE_NAMES)
        label(axes, y="needed (ms)", title=LOOPS[loops - 1])
    label(panels[-1][0], "fail bits before the last loop")


def draw_shallow(rows: Sequence[Shallow], sheet: Sheet) -> None:
    """Draws shallow erasure: a panel for each age."""
    panels = panels_by(sheet, rows, lambda row: row.pec, height=1.6)
    for axes, pec, own in panels:
        series = grouped(own, lambda row: f"{row.shallow_ms:g} ms (mean {row.mean_ms:.2f} ms)")
        heights = {name: [row.share for row in group] for name, group in series.items()}
        bars(axes, RANGE_NAMES, heights, ("C0", "C1", "C2", "C3"))
        label(axes, y="share of blocks", title=f"{pec} cycles")
        axes.legend(fontsize=5.5)
    label(panels[-1][0], "fail bits after shallow erasure")


def draw_margins(rows: Sequence[Margin], sheet: Sheet) -> None:
    """Draws the largest M_RBER with and without the last loop."""
    complete, incomplete = sheet(2)
    for loops in range(1, 6):
        complete.bar(loops, max(row.complete_bits for row in rows if row.loops == loops), color="C0", width=0.5)
    for row in rows:
        incomplete.bar(row.loops + (row.range - 3.5) * 0.1, row.incomplete_bits, 0.09, color=f"C{row.range}")
    for axes, title in ((complete, "complete erasure"), (incomplete, "last loop left out")):
        axes.axhline(paper.REQUIREMENT_BITS, color="k", lw=0.7, ls="--")
        axes.set_xticks(range(1, 6), LOOPS)
        label(axes, y=BITS, title=title)


def draw_chips(rows: Sequence[ChipStep], sheet: Sheet) -> None:
    """Draws other kinds of chips."""
    steps, bits = sheet(2)
    places = range(len(bench.CHIPS))
    for what in ("deltas", "gammas"):
        group = [[row.fail_bits for row in rows if (row.chip, row.what) == (chip, what)] for chip in bench.CHIPS]
        steps.boxplot(group, positions=places, widths=0.3, showfliers=False)
    steps.set_xticks(places, bench.CHIPS)
    label(steps, y="delta (above), gamma")
    margins = [(chip, row) for chip, group in {row.chip: row.margins for row in rows}.items() for row in group]
    points = [(chip, row.loops + 0.5 * row.range, row.incomplete_bits) for chip, row in margins if row.range <= 1]
    lines(bits, points, lambda chip: {"linestyle": "", "marker": "o", "ms": 3, "label": chip})
    bits.axhline(paper.REQUIREMENT_BITS, color="k", lw=0.7, ls="--")
    ticks = {n + 0.5 * half: f"{n} {RANGE_NAMES[half]}" for n in range(1, 6) for half in (0, 1)}
    bits.set_xticks(list(ticks), list(ticks.values()), rotation=60)
    label(bits, "$N_{ISPE}$, fail bits", BITS)
    bits.legend(fontsize=6)


FIGURES = (
    Figure("fig7", (FAIL_BITS,), fail_bits, draw=draw_fail_bits),
    Figure("fig8", (RANGES,), needs, claims_of_needs, draw=draw_needs),
    Figure("fig11", (FAIL_BITS, MARGINS), chip_steps, claims_of_steps, draw=draw_chips),
    Figure("fig9", (SHALLOW,), shallow, claims_of_shallow, draw=draw_shallow),
    Figure("fig10", (MARGINS,), margins, claims_of_margins, draw=draw_margins),
    Figure("table1", (TABLES,), table_1, claims_of_table),
)

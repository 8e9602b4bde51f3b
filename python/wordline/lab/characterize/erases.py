"""Erase latency of blocks, fail bits during the erase, and the results of shallow erasure."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from typing import TYPE_CHECKING

from ...output.plot.style import PALETTE
from .drawing import colour, grid, heat, legend_above, letter, thousands
from .figure import Figure, Row, Rows, column, select, values
from .lab import Lab

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

# Ages of AERO's Fig. 4 that its text names, P/E cycles.
PECS = (0, 500, 1000, 2000, 3000, 3500, 4500)
BLOCKS = 4000
LOOPS = (1, 2, 3, 4, 5)
# AERO, Section 5.1: loops and pulses of the 48-layer TLC; all chips here have the same.
PULSE_MS, LOOP_MS = 0.5, 3.5
SHALLOW_PECS, SHALLOW_PULSES, SHALLOW_BLOCKS = (100, 500), (1, 2, 3, 4), 1000
RANGE_NAMES = ("\N{GREEK SMALL LETTER GAMMA}", "δ", "2δ", "3δ", "4δ", "5δ", "6δ", "7δ")


def latency_data(lab: Lab) -> Rows:
    """Returns the share of blocks that are erased within a time, by age."""
    rows: list[Row] = []
    for curve in lab.erases.latencies(PECS, BLOCKS):
        slowest = max(curve["latency_ms"])
        steps = [PULSE_MS * n for n in range(round(slowest / PULSE_MS) + 1)]
        rows += [
            {"pec": int(curve["pec"]), "latency_ms": ms, "share": bisect_right(curve["latency_ms"], ms + 1e-9) / BLOCKS}
            for ms in steps
        ]
    return rows


def latency_draw(rows: Rows) -> Drawing:
    """Draws AERO, Fig. 4: a distribution for each age; dashed lines at the ends of loops."""
    most = max(column(rows, "latency_ms"))
    with grid(1, width=4.6, height=2.5) as (drawing, axes):
        for line, pec in enumerate(PECS):
            own = select(rows, pec=pec)
            axes[0].step(
                column(own, "latency_ms"), column(own, "share"), where="post", label=thousands(pec), color=PALETTE[line]
            )
        for loop in LOOPS:
            if loop * LOOP_MS <= most:
                axes[0].axvline(loop * LOOP_MS, color="#999999", linewidth=0.6, linestyle=":")
                axes[0].text(
                    loop * LOOP_MS - 0.15, 1.01, f"loop {loop}", ha="right", va="bottom", fontsize=6, color="#444444"
                )
        axes[0].set(
            xlabel="Least erase latency $mt_{BERS}$ (ms of pulses)",
            ylabel="Share of blocks",
            ylim=(0, 1),
            xlim=(0, None),
        )
        axes[0].legend(title="P/E cycles", loc="center left", bbox_to_anchor=(1.0, 0.5))
    return drawing


def latency_says(rows: Rows) -> str:
    """Describes the blocks that need one loop."""
    # The rows of an age end at its slowest block, which may need less than a loop.
    within = [row for row in rows if row["latency_ms"] <= LOOP_MS]
    single = [max(column(select(within, pec=pec), "share")) for pec in (0, 1000, 2000)]
    return "erased by one loop: " + ", ".join(f"{s:.1%} at {p}" for s, p in zip(single, ("0", "1K", "2K"), strict=True))


def fail_data(lab: Lab) -> Rows:
    """Returns the largest number of fail bits after each pulse of the last loop, and the pulses to go."""
    table = lab.erases.table()
    fail_bits = lab.erases.fail_bits()
    return [
        {
            "loops": loops, "needed_ms": needed * PULSE_MS, "pulses_ms": pulses * PULSE_MS, "fail_bits": bits,
            "gamma": table["gamma"], "delta": table["delta"],
        }
        for loops, needed, pulses, bits in zip(
            *(fail_bits[key] for key in ("loops", "needed_pulses", "pulses", "fail_bits")), strict=True
        )
    ]  # fmt: skip


def fail_draw(rows: Rows) -> Drawing:
    """Draws AERO, Fig. 7: a panel for each number of loops, a line for each time that blocks need in the last one."""
    loops = values(rows, "loops")
    with grid(len(loops), height=2.1) as (drawing, axes):
        for index, (panel, count) in enumerate(zip(axes, loops, strict=True)):
            own = select(rows, loops=count)
            for needed in sorted(values(rows, "needed_ms")):
                of = select(own, needed_ms=needed)
                style = colour(round(needed / PULSE_MS))
                panel.plot(column(of, "pulses_ms"), column(of, "fail_bits"), label=f"{needed:g} ms", **style)
            for multiple in range(1, 7):
                panel.axhline(multiple * rows[0]["delta"], color="#BBBBBB", linewidth=0.4, zorder=0)
            letter(panel, index, f"$N_{{ISPE}}$ = {count}")
            panel.set(xlabel="Last loop so far (ms)", xlim=(0, LOOP_MS), ylim=(0, None))
            panel.grid(visible=False)
        axes[0].set_ylabel("Most fail bits")
        axes[0].set_yticks([n * rows[0]["delta"] for n in range(7)], ["0", "δ", "2δ", "3δ", "4δ", "5δ", "6δ"])
        legend_above(drawing, max(axes, key=lambda panel: len(panel.get_lines())))
    return drawing


def fail_says(rows: Rows) -> str:
    """Describes the decrease per pulse, and the fail bits before the last pulse."""
    drops = [
        before["fail_bits"] - after["fail_bits"]
        for before, after in itertools.pairwise(rows)
        if (before["loops"], before["needed_ms"]) == (after["loops"], after["needed_ms"])
        and after["needed_ms"] - after["pulses_ms"] > 1.5 * PULSE_MS
    ]
    last = [row["fail_bits"] for row in rows if abs(row["needed_ms"] - row["pulses_ms"] - PULSE_MS) < 0.01]
    mean = sum(drops) / len(drops)
    return f"each 0.5 ms removes {mean:,.0f} of the most fail bits; at most {max(last)} stand before the last"


def range_data(lab: Lab) -> Rows:
    """Returns how often blocks of a fail-bit range need a time."""
    ranges = lab.erases.ranges()
    rows = [dict(zip(ranges, each, strict=True)) for each in zip(*ranges.values(), strict=True)]
    totals: dict[tuple[int, int], int] = {}
    for row in rows:
        place = (row["loops"], row["range"])
        totals[place] = totals.get(place, 0) + row["erases"]
    return [
        {
            "loops": row["loops"], "range": row["range"], "needed_ms": row["needed_pulses"] * PULSE_MS,
            "erases": row["erases"], "share": row["erases"] / totals[row["loops"], row["range"]],
        }
        for row in rows
    ]  # fmt: skip


def range_draw(rows: Rows) -> Drawing:
    """Draws AERO, Fig. 8: probability of each time in each range, a panel for each number of loops."""
    loops = values(rows, "loops")
    times = sorted(values(rows, "needed_ms"))
    with grid(len(loops), height=2.1) as (drawing, axes):
        for index, (panel, count) in enumerate(zip(axes, loops, strict=True)):
            share = {(row["needed_ms"], row["range"]): row["share"] for row in select(rows, loops=count)}
            cells = [[share.get((time, place)) for place in range(len(RANGE_NAMES))] for time in times]
            heat(panel, cells, RANGE_NAMES, [f"{time:g}" for time in times], "{:.0%}")
            for text in panel.texts:
                text.set(fontsize=4.2)
            letter(panel, index, f"$N_{{ISPE}}$ = {count}")
            panel.set_xlabel("Fail bits up to")
        axes[0].set_ylabel("Needed in the last loop (ms)")
    return drawing


def range_says(rows: Rows) -> str:
    """Describes the least certain range."""
    cells = {(row["loops"], row["range"]) for row in rows}
    least = min(max(r["share"] for r in select(rows, loops=loops, range=place)) for loops, place in cells)
    return f"in every range {least:.0%} of blocks or more need the same time"


def shallow_data(lab: Lab) -> Rows:
    """Returns the blocks by fail-bit range after a shallow erasure."""
    rows: list[Row] = []
    for shallow in lab.erases.shallow(SHALLOW_PECS, SHALLOW_PULSES, SHALLOW_BLOCKS):
        rows += [
            {
                "shallow_ms": shallow["shallow_ms"], "pec": int(shallow["pec"]), "range": place, "share": share,
                "mean_ms": shallow["mean_ms"], "reduced_share": shallow["reduced_share"],
            }
            for place, share in enumerate(shallow["range_shares"])
        ]  # fmt: skip
    return rows


def shallow_draw(rows: Rows) -> Drawing:
    """Draws AERO, Fig. 9: a panel for each tSE, bars for the ranges, with the mean latency."""
    times = sorted(values(rows, "shallow_ms"))
    width = 0.38
    with grid(len(times)) as (drawing, axes):
        for index, (panel, time) in enumerate(zip(axes, times, strict=True)):
            for side, pec in enumerate(SHALLOW_PECS):
                own = select(rows, shallow_ms=time, pec=pec)
                x = [row["range"] + (side - 0.5) * width for row in own]
                panel.bar(x, column(own, "share"), width, color=PALETTE[side], label=f"{thousands(pec)} P/E cycles")
                text = f"{own[0]['mean_ms']:.2f} ms"
                panel.text(
                    0.97,
                    0.95 - 0.1 * side,
                    text,
                    transform=panel.transAxes,
                    ha="right",
                    va="top",
                    fontsize=7,
                    color=PALETTE[side],
                )
            panel.set_xticks(range(len(RANGE_NAMES)), RANGE_NAMES)
            panel.set_xlabel("Fail bits up to")
            letter(panel, index, f"$t_{{SE}}$ = {time:g} ms")
        axes[0].set_ylabel("Share of blocks")
        legend_above(drawing, axes[0])
    return drawing


def shallow_says(rows: Rows) -> str:
    """Describes the gain of a shallow erasure of 1 ms."""
    own = select(rows, shallow_ms=1.0)
    shares = {row["pec"]: row["reduced_share"] for row in own}
    return f"tSE = 1 ms: {sum(shares.values()) / len(shares):.0%} of blocks are erased before tEP"


FIGURES = (
    Figure(
        "erase-latency",
        "Least erase latency of blocks",
        "AERO, Fig. 4",
        "erase",
        latency_data,
        latency_draw,
        latency_says,
    ),
    Figure("fail-bits", "Fail bits over the last loop", "AERO, Fig. 7", "erase", fail_data, fail_draw, fail_says),
    Figure("fail-bit-ranges", "What fail bits predict", "AERO, Fig. 8", "erase", range_data, range_draw, range_says),
    Figure(
        "shallow-erase",
        "Fail bits after a shallow erasure",
        "AERO, Fig. 9",
        "erase",
        shallow_data,
        shallow_draw,
        shallow_says,
    ),
)

"""Shorter senses: errors from cuts of tPRE, tEVAL and tDISCH, alone, together and at low temperature; their table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..chips import Cut
from .drawing import colour, condition, grid, heat, legend_above, letter, limit, thousands
from .figure import Figure, Row, Rows, column, select, values
from .lab import Lab

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

# PR2/AR2, Fig. 8 to 10: cuts in percent on the paper's own grid.
PRECHARGE = (0, 7, 20, 27, 40, 47, 54, 60)
EVALUATION = (0, 10, 20)
DISCHARGE = (0, 7, 20, 27, 40)
SINGLE = {"tPRE": PRECHARGE, "tEVAL": EVALUATION, "tDISCH": DISCHARGE}
CONDITIONS = ((0, 0), (0, 12), (1000, 0), (1000, 12), (2000, 0), (2000, 12))
BOTH_CONDITIONS = ((1000, 0), (2000, 0), (0, 12), (1000, 12), (2000, 12))
COLD_CONDITIONS = ((0, 0), (0, 12), (1000, 6), (2000, 0), (2000, 12))
HOT_C, COLD_C = 85, (55, 30)
MOST_SHOWN_BITS = 100


def cut(parameter: str, percent: float) -> Cut:
    """Returns a cut of one parameter."""
    share = percent / 100.0
    return (share * (parameter == "tPRE"), share * (parameter == "tEVAL"), share * (parameter == "tDISCH"))


def single_data(lab: Lab) -> Rows:
    """Returns the errors that a cut of one parameter adds to M_ERR at 85 C."""
    rows: list[Row] = []
    for cycles, months in CONDITIONS:
        cuts = [(parameter, percent) for parameter, grid_ in SINGLE.items() for percent in grid_]
        bits = lab.reads.m_err(cycles, months, HOT_C, [cut(*each) for each in cuts])
        uncut = {parameter: bit for (parameter, percent), bit in zip(cuts, bits, strict=True) if percent == 0}
        rows += [
            {
                "parameter": parameter, "cycles": cycles, "months": months, "cut_percent": percent, "m_err_bits": bit,
                "added_bits": bit - uncut[parameter], "capability_bits": lab.capability_bits,
            }
            for (parameter, percent), bit in zip(cuts, bits, strict=True)
        ]  # fmt: skip
    return rows


def single_draw(rows: Rows) -> Drawing:
    """Draws PR2/AR2, Fig. 8: a panel for each parameter."""
    with grid(3, share=False) as (drawing, axes):
        for index, (panel, parameter) in enumerate(zip(axes, SINGLE, strict=True)):
            for line, where in enumerate(CONDITIONS):
                own = select(rows, parameter=parameter, cycles=where[0], months=where[1])
                panel.plot(
                    column(own, "cut_percent"), column(own, "added_bits"), label=condition(*where), **colour(line)
                )
            letter(panel, index, f"${parameter[0]}_{{{parameter[1:]}}}$")
            panel.set(xlabel="Cut (%)", ylim=(0, 80))
        axes[0].set_ylabel(r"$\Delta M_{ERR}$ (bits in 1 KiB)")
        legend_above(drawing, axes[0])
    return drawing


def single_says(rows: Rows) -> str:
    """Describes how deep each can be cut alone in the worst condition."""
    worst = select(rows, cycles=CONDITIONS[-1][0], months=CONDITIONS[-1][1])
    safe = [
        max(row["cut_percent"] for row in select(worst, parameter=name) if row["m_err_bits"] <= row["capability_bits"])
        for name in SINGLE
    ]
    return f"safe alone at {condition(*CONDITIONS[-1])}: " + ", ".join(
        f"{n} by {s} %" for n, s in zip(SINGLE, safe, strict=True)
    )


def both_data(lab: Lab) -> Rows:
    """Returns M_ERR with tPRE and tDISCH cut together."""
    pairs = [(precharge, discharge) for discharge in DISCHARGE for precharge in PRECHARGE]
    rows: list[Row] = []
    for cycles, months in BOTH_CONDITIONS:
        bits = lab.reads.m_err(cycles, months, HOT_C, [(p / 100.0, 0.0, d / 100.0) for p, d in pairs])
        rows += [
            {
                "cycles": cycles, "months": months, "tdisch_cut_percent": d, "tpre_cut_percent": p, "m_err_bits": bit,
                "capability_bits": lab.capability_bits,
            }
            for (p, d), bit in zip(pairs, bits, strict=True)
        ]  # fmt: skip
    return rows


def both_draw(rows: Rows) -> Drawing:
    """Draws PR2/AR2, Fig. 9: a panel for each condition, a line for each cut of tDISCH."""
    with grid(len(BOTH_CONDITIONS)) as (drawing, axes):
        for index, (panel, (cycles, months)) in enumerate(zip(axes, BOTH_CONDITIONS, strict=True)):
            for line, discharge in enumerate(DISCHARGE):
                own = select(rows, cycles=cycles, months=months, tdisch_cut_percent=discharge)
                label = rf"$\Delta t_{{DISCH}}$ = {discharge} %"
                panel.plot(column(own, "tpre_cut_percent"), column(own, "m_err_bits"), label=label, **colour(line))
            limit(panel, rows[0]["capability_bits"], "ECC capability")
            letter(panel, index, condition(cycles, months))
            panel.set(xlabel=r"$\Delta t_{PRE}$ (%)", ylim=(0, MOST_SHOWN_BITS), xticks=(0, 20, 40, 60))
        axes[0].set_ylabel("$M_{ERR}$ (bits in 1 KiB)")
        legend_above(drawing, axes[0])
    return drawing


def both_says(rows: Rows) -> str:
    """Compares cuts alone and together."""
    at = select(rows, cycles=1000, months=0)

    def bits(p: int, d: int) -> float:
        return float(select(at, tpre_cut_percent=p, tdisch_cut_percent=d)[0]["m_err_bits"])

    start = bits(0, 0)
    alone = f"+{bits(54, 0) - start:.0f} and +{bits(0, 20) - start:.0f} bits alone"
    return f"tPRE cut by 54 % and tDISCH by 20 % at (1K, 0): {alone}, +{bits(54, 20) - start:.0f} together"


def cold_data(lab: Lab) -> Rows:
    """Returns the additional errors of a cut of tPRE below 85 C."""
    rows: list[Row] = []
    for cycles, months in COLD_CONDITIONS:
        added = {}
        for celsius in (HOT_C, *COLD_C):
            bits = lab.reads.m_err(cycles, months, celsius, [cut("tPRE", percent) for percent in PRECHARGE])
            added[celsius] = [bit - bits[0] for bit in bits]
        rows += [
            {
                "temperature_c": celsius, "cycles": cycles, "months": months, "cut_percent": percent,
                "added_bits": added[celsius][at], "more_than_hot_bits": added[celsius][at] - added[HOT_C][at],
            }
            for celsius in COLD_C
            for at, percent in enumerate(PRECHARGE)
        ]  # fmt: skip
    return rows


def cold_draw(rows: Rows) -> Drawing:
    """Draws PR2/AR2, Fig. 10: a panel for each temperature."""
    with grid(len(COLD_C), width=5.0) as (drawing, axes):
        for index, (panel, celsius) in enumerate(zip(axes, COLD_C, strict=True)):
            for line, where in enumerate(COLD_CONDITIONS):
                own = select(rows, temperature_c=celsius, cycles=where[0], months=where[1])
                panel.plot(
                    column(own, "cut_percent"),
                    column(own, "more_than_hot_bits"),
                    label=condition(*where),
                    **colour(line),
                )
            letter(panel, index, f"{celsius} °C against {HOT_C} °C")
            panel.set(xlabel=r"$\Delta t_{PRE}$ (%)", ylim=(0, 8))
        axes[0].set_ylabel("Additional bits in 1 KiB")
        legend_above(drawing, axes[0])
    return drawing


def cold_says(rows: Rows) -> str:
    """Describes the largest addition at low temperature."""
    worst = max(rows, key=lambda row: row["more_than_hot_bits"])
    return f"at most {worst['more_than_hot_bits']:.1f} bits more, at {worst['temperature_c']} °C"


def table_data(lab: Lab) -> Rows:
    """Returns the deepest safe cut of tPRE by cycles and months."""
    table = lab.reads.timing_table()
    return [
        {
            "cycles_up_to": cycles, "months_up_to": months, "tpre_cut_percent": round(100.0 * share, 2),
            "safety_bits": table["safety_bits"], "table_bytes": table["bytes"],
        }
        for cycles, row in zip(table["cycles"], table["cuts"], strict=True)
        for months, share in zip(table["months"], row, strict=True)
    ]  # fmt: skip


def table_draw(rows: Rows) -> Drawing:
    """Draws PR2/AR2, Fig. 11: the table."""
    cycles, months = values(rows, "cycles_up_to"), values(rows, "months_up_to")
    cells = [[select(rows, cycles_up_to=c, months_up_to=m)[0]["tpre_cut_percent"] for m in months] for c in cycles]
    with grid(1, width=3.5, height=2.3) as (drawing, axes):
        heat(axes[0], cells, [f"{m:g}" for m in months], [thousands(c) for c in cycles], "{:.0f} %")
        axes[0].set(xlabel="Retention age up to (months)", ylabel="P/E cycles up to")
        axes[0].set_title(rf"Cut of $t_{{PRE}}$ with {rows[0]['safety_bits']:g} bits of safety")
    return drawing


def table_says(rows: Rows) -> str:
    """Describes the range of cuts."""
    cuts = column(rows, "tpre_cut_percent")
    return f"tPRE shorter by {min(cuts):g} to {max(cuts):g} %, {len(rows)} cells, {rows[0]['table_bytes']} bytes"


FIGURES = (
    Figure("cut-one", "One timing parameter cut", "PR2/AR2, Fig. 8", "read", single_data, single_draw, single_says),
    Figure("cut-both", "tPRE and tDISCH cut together", "PR2/AR2, Fig. 9", "read", both_data, both_draw, both_says),
    Figure("cut-cold", "tPRE cut in the cold", "PR2/AR2, Fig. 10", "read", cold_data, cold_draw, cold_says),
    Figure(
        "timing-table", "Read-timing table by profiling", "PR2/AR2, Fig. 11", "read", table_data, table_draw, table_says
    ),
)

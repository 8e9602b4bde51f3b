"""Later effects of erases: M_RBER after complete and incomplete erases, and over life for each scheme."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...output.plot.style import PALETTE
from .drawing import grid, letter, limit
from .erases import RANGE_NAMES
from .figure import Figure, Row, Rows, column, select, values
from .lab import Lab

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

# AERO, Section 7.1: the schemes of Fig. 13, with the names in the paper.
SCHEMES = {"ispe": "Baseline (ISPE)", "i-ispe": "i-ISPE", "dpes": "DPES", "aero-cons": "AERO$_{CONS}$", "aero": "AERO"}
STYLES = ("-", ":", "-.", "--", "-")


def margin_data(lab: Lab) -> Rows:
    """Returns the largest M_RBER with the last loop and without it, by loops and fail-bit range."""
    margins = lab.erases.margins()
    margins.pop("fresh_bits")
    return [
        {
            **dict(zip(margins, each, strict=True)), "requirement_bits": lab.config["erase.rber_requirement_bits"],
            "capability_bits": lab.capability_bits,
        }
        for each in zip(*margins.values(), strict=True)
    ]  # fmt: skip


def margin_draw(rows: Rows) -> Drawing:
    """Draws AERO, Fig. 10: complete erases by loops; incomplete ones by loops and range."""
    loops = values(rows, "loops")
    width = 0.8 / len(RANGE_NAMES)
    with grid(2, height=2.3, share=False, ratios=(1.0, 2.6)) as (drawing, axes):
        complete = [max(column(select(rows, loops=count), "complete_bits")) for count in loops]
        axes[0].bar(loops, complete, 0.6, color=PALETTE[0])
        for place, name in enumerate(RANGE_NAMES):
            own = select(rows, range=place)
            x = [row["loops"] + (place - 3.5) * width for row in own]
            shade = 0.15 + 0.75 * place / (len(RANGE_NAMES) - 1)
            axes[1].bar(x, column(own, "incomplete_bits"), width * 0.95, color=str(1.0 - shade), label=f"≤ {name}")
        for index, (panel, text) in enumerate(zip(axes, ("complete erase", "last loop left out"), strict=True)):
            limit(panel, rows[0]["capability_bits"], "" if index else "ECC capability")
            panel.axhline(
                rows[0]["requirement_bits"], color=PALETTE[1], linewidth=0.9, label="requirement" if index else "_"
            )
            panel.set(xlabel="$N_{ISPE}$", xticks=loops)
            letter(panel, index, text)
        most = max(column(rows, "incomplete_bits"))
        for panel in axes:
            panel.set_ylim(0, 1.05 * most)
        axes[0].set_ylabel("Largest $M_{RBER}$ (bits in 1 KiB)")
        axes[1].legend(title="Fail bits before it", loc="center left", bbox_to_anchor=(1.0, 0.5))
    return drawing


def margin_says(rows: Rows) -> str:
    """Describes when the last loop may be left out."""
    safe = [row for row in rows if row["incomplete_bits"] <= row["requirement_bits"]]
    where = [
        f"N = {n}: {', '.join(RANGE_NAMES[r['range']] for r in select(safe, loops=n))}" for n in values(safe, "loops")
    ]
    return f"the last loop may be left out up to {'; '.join(where) or 'nowhere'}"


def life_data(lab: Lab) -> Rows:
    """Returns the mean M_RBER over P/E cycles with the wear that each scheme causes."""
    rows: list[Row] = []
    for scheme in SCHEMES:
        life = lab.erases.lifetime(scheme)
        common = {"requirement_bits": lab.config["erase.rber_requirement_bits"], "lifetime_pec": life["lifetime_pec"]}
        points = zip(life["pec"], life["m_rber_bits"], life["stress"], life["residual_bits"], strict=True)
        rows += [
            {"scheme": scheme, "pec": pec, "m_rber_bits": bits, "stress": stress, "residual_bits": residual, **common}
            for pec, bits, stress, residual in points
        ]
    return rows


def life_draw(rows: Rows) -> Drawing:
    """Draws AERO, Fig. 13."""
    with grid(1, width=3.8, height=2.6) as (drawing, axes):
        for line, (scheme, name) in enumerate(SCHEMES.items()):
            own = select(rows, scheme=scheme)
            x = [row["pec"] / 1000.0 for row in own]
            axes[0].plot(x, column(own, "m_rber_bits"), label=name, color=PALETTE[line], linestyle=STYLES[line])
        limit(axes[0], rows[0]["requirement_bits"], "requirement")
        axes[0].set(
            xlabel="P/E cycles (thousands)", ylabel="Mean $M_{RBER}$ (bits in 1 KiB)", ylim=(0, 72), xlim=(0, None)
        )
        axes[0].legend(loc="lower right")
    return drawing


def life_says(rows: Rows) -> str:
    """Describes the lifetimes."""
    lives = {scheme: select(rows, scheme=scheme)[0]["lifetime_pec"] for scheme in SCHEMES}
    return "P/E cycles: " + ", ".join(f"{scheme} {pec:,.0f}" for scheme, pec in lives.items())


FIGURES = (
    Figure(
        "margins",
        "Errors after complete and incomplete erases",
        "AERO, Fig. 10 and 11b",
        "erase",
        margin_data,
        margin_draw,
        margin_says,
    ),
    Figure("lifetime", "Errors over life by erase scheme", "AERO, Fig. 13", "erase", life_data, life_draw, life_says),
)

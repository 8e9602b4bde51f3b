"""The drift of read voltages and its cost: V_TH, retry steps, errors in the last steps, M_ERR."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ... import _core
from ...output.plot.style import PALETTE
from .drawing import colour, condition, grid, legend_above, letter, limit, thousands
from .figure import Figure, Row, Rows, column, select, values
from .lab import CYCLES, Lab, LeftOut

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

MONTHS = tuple(range(13))
M_ERR_MONTHS = (0, 3, 6, 9, 12)
TEMPERATURES_C = (85, 55, 30)
# Conditions of the V_TH figure: fresh, after a year, and after a year with wear.
VTH_CONDITIONS = ((0, 0), (0, 12), (2000, 12))
VTH_POINTS = 700
READS: dict[str, tuple[dict[str, Any], str]] = {
    "default_reads": ({"color": "#999999", "linestyle": ":"}, "default read voltages"),
    "best_reads": ({"color": "#000000", "linestyle": "-"}, "retry-table entry closest to the best ones"),
}
# PR2/AR2, Fig. 4b: pages of so many steps; it names no condition. These have both.
LAST_STEPS, LAST_COUNT, LAST_CONDITION = (16, 21), 4, (2000, 12)


def vth_data(lab: Lab) -> Rows:
    """Returns the density of cells over V_TH in the mean page, and the read voltages."""
    if lab.has_own_steps:
        raise LeftOut("measured retry steps (cells.retry_table) do not say where the threshold voltages are")
    rows: list[Row] = []
    for cycles, months in VTH_CONDITIONS:
        voltages = lab.reads.vth(cycles, months)
        states = list(zip(voltages["mean_v"], voltages["sigma_v"], strict=True))
        low, high = states[0][0] - 4 * states[0][1], states[-1][0] + 4 * states[-1][1]
        start = {"cycles": cycles, "months": months}
        for point in range(VTH_POINTS + 1):
            volts = low + (high - low) * point / VTH_POINTS
            for state, (mean, sigma) in enumerate(states):
                density = _core.normal_density((volts - mean) / sigma) / sigma
                if density > 1e-6:
                    rows.append({**start, "what": "state", "number": state, "volts": volts, "density_per_v": density})
        for what in ("default_reads", "best_reads"):
            for number, volts in enumerate(voltages[f"{what}_v"], 1):
                rows.append({**start, "what": what, "number": number, "volts": volts, "density_per_v": None})
    return rows


def vth_draw(rows: Rows) -> Drawing:
    """Draws panels below each other with one scale: states drift away from the default read voltages."""
    with grid(1, len(VTH_CONDITIONS), height=1.35) as (drawing, axes):
        for index, (panel, (cycles, months)) in enumerate(zip(axes, VTH_CONDITIONS, strict=True)):
            own = select(rows, cycles=cycles, months=months)
            humps = select(own, what="state")
            for state in values(humps, "number"):
                of = select(humps, number=state)
                shade = "#000000" if state == 0 else PALETTE[(state - 1) % 6]
                panel.fill_between(
                    column(of, "volts"), column(of, "density_per_v"), color=shade, alpha=0.18, linewidth=0
                )
                panel.plot(column(of, "volts"), column(of, "density_per_v"), color=shade, linewidth=0.9)
            for what, (style, label) in READS.items():
                for number, volts in enumerate(column(select(own, what=what), "volts")):
                    panel.axvline(volts, linewidth=0.8, label=label if number == 0 else "_", **style)
            letter(panel, index, f"{thousands(cycles)} P/E cycles, {months} months")
            panel.set(ylabel="Cells (1/V)", ylim=(0, None))
        axes[-1].set_xlabel("Threshold voltage (V)")
        legend_above(drawing, axes[0])
    return drawing


def vth_says(rows: Rows) -> str:
    """Describes the shift of the highest read voltage."""
    worst = select(rows, cycles=VTH_CONDITIONS[-1][0], months=VTH_CONDITIONS[-1][1])
    moved = [select(worst, what=what)[-1]["volts"] for what in ("default_reads", "best_reads")]
    return f"the highest read voltage drifts by {moved[0] - moved[1]:.2f} V at {condition(*VTH_CONDITIONS[-1])}"


def steps_data(lab: Lab) -> Rows:
    """Returns the share of pages by retry steps."""
    return [
        {"cycles": cycles, "months": months, "retry_steps": steps, "share": share}
        for cycles in lab.cycles
        for months in MONTHS
        for steps, share in numbered(lab.reads.retry_steps(cycles, months))
        if share > 0.0
    ]


def numbered(shares: list[float]) -> list[tuple[int, float]]:
    """Returns shares with their number of steps, without the last share, which no step can read."""
    return list(enumerate(shares[:-1]))


def steps_draw(rows: Rows) -> Drawing:
    """Draws PR2/AR2, Fig. 5: probability in grey over months and steps, with the mean."""
    import numpy as np

    most = max(column(rows, "retry_steps"))
    cycles_shown = values(rows, "cycles")
    with grid(len(cycles_shown), height=2.3) as (drawing, axes):
        for index, (panel, cycles) in enumerate(zip(axes, cycles_shown, strict=True)):
            own = select(rows, cycles=cycles)
            shades = np.zeros((most + 1, len(MONTHS)))
            for row in own:
                shades[row["retry_steps"], MONTHS.index(row["months"])] = row["share"]
            mesh = panel.pcolormesh(
                np.arange(len(MONTHS) + 1) - 0.5, np.arange(most + 2) - 0.5, shades, cmap="Greys", vmin=0, vmax=0.5
            )
            means = [sum(r["retry_steps"] * r["share"] for r in select(own, months=month)) for month in MONTHS]
            panel.plot(MONTHS, means, color=PALETTE[1], linewidth=1.0, label="mean")
            letter(panel, index, f"{thousands(cycles)} P/E cycles")
            panel.set(xlabel="Retention age (months)", xticks=MONTHS[::3])
        axes[0].set_ylabel("Retry steps")
        axes[0].legend(loc="lower right")
        drawing.colorbar(mesh, ax=axes, label="Probability", pad=0.01)
    return drawing


def steps_says(rows: Rows) -> str:
    """Describes the mean in the worst condition."""
    cycles = values(rows, "cycles")[-1]
    mean = sum(row["retry_steps"] * row["share"] for row in select(rows, cycles=cycles, months=MONTHS[-1]))
    return f"{mean:.1f} steps on average at {condition(cycles, MONTHS[-1])}"


def last_data(lab: Lab) -> Rows:
    """Returns the errors in the last steps of two pages."""
    if lab.has_own_steps:
        raise LeftOut("pages of 16 and 21 steps are those of the chip's own drift; cells.retry_table takes its place")
    cycles, months = LAST_CONDITION
    rows = [
        {
            "page_steps": steps,
            "cycles": cycles,
            "months": months,
            "steps_before_last": LAST_COUNT - 1 - place,
            "bits": bits,
        }
        for steps in LAST_STEPS
        for place, bits in enumerate(lab.reads.errors_in_last_steps(steps, LAST_COUNT, cycles, months))
    ]
    if not rows:
        raise LeftOut(f"no page takes {' or '.join(map(str, LAST_STEPS))} steps at {condition(cycles, months)}")
    return [{**row, "capability_bits": lab.capability_bits} for row in rows]


def last_draw(rows: Rows) -> Drawing:
    """Draws PR2/AR2, Fig. 4b: errors fall drastically in the last step."""
    with grid(1, width=3.5) as (drawing, axes):
        for index, steps in enumerate(values(rows, "page_steps")):
            own = select(rows, page_steps=steps)
            axes[0].plot(
                [-x for x in column(own, "steps_before_last")],
                column(own, "bits"),
                label=f"N = {steps}",
                **colour(index),
            )
        ticks = range(1 - LAST_COUNT, 1)
        axes[0].set_xticks(list(ticks), ["$N$" if x == 0 else f"$N - {-x}$" for x in ticks])
        axes[0].set(yscale="log", xlabel="Retry step", ylabel="Errors in 1 KiB", ylim=(5, None))
        limit(axes[0], rows[0]["capability_bits"], "ECC capability")
        axes[0].legend(loc="upper right")
    return drawing


def last_says(rows: Rows) -> str:
    """Describes the errors that remain after the last step."""
    last = select(rows, steps_before_last=0)
    before = select(rows, steps_before_last=1)
    parts = [f"{b['bits']:.0f} to {a['bits']:.0f} bits" for b, a in zip(before, last, strict=True)]
    return f"the last step brings {' and '.join(parts)}"


def m_err_data(lab: Lab) -> Rows:
    """Returns the most errors of any page at the step that succeeds."""
    return [
        {
            "temperature_c": celsius, "cycles": cycles, "months": months,
            "m_err_bits": lab.reads.m_err(cycles, months, celsius)[0], "capability_bits": lab.capability_bits,
        }
        for celsius in TEMPERATURES_C
        for cycles in CYCLES
        for months in M_ERR_MONTHS
    ]  # fmt: skip


def m_err_draw(rows: Rows) -> Drawing:
    """Draws PR2/AR2, Fig. 7: a panel for each temperature."""
    with grid(len(TEMPERATURES_C)) as (drawing, axes):
        for index, (panel, celsius) in enumerate(zip(axes, TEMPERATURES_C, strict=True)):
            for line, cycles in enumerate(CYCLES):
                own = select(rows, temperature_c=celsius, cycles=cycles)
                panel.plot(
                    column(own, "months"),
                    column(own, "m_err_bits"),
                    label=f"{thousands(cycles)} P/E cycles",
                    **colour(line),
                )
            limit(panel, rows[0]["capability_bits"], "ECC capability")
            letter(panel, index, f"{celsius} °C")
            panel.set(xlabel="Retention age (months)", xticks=M_ERR_MONTHS, ylim=(0, 80))
        axes[0].set_ylabel("$M_{ERR}$ (bits in 1 KiB)")
        legend_above(drawing, axes[0])
    return drawing


def m_err_says(rows: Rows) -> str:
    """Describes the remaining margin in the worst condition."""
    worst = max(rows, key=lambda row: row["m_err_bits"])
    margin = 1.0 - worst["m_err_bits"] / worst["capability_bits"]
    where = f"{condition(worst['cycles'], worst['months'])}, {worst['temperature_c']} °C"
    return f"at most {worst['m_err_bits']:.1f} bits ({where}): {margin:.0%} of the ECC to spare"


FIGURES = (
    Figure(
        "vth", "Threshold voltages by stress and months", "PR2/AR2, Fig. 3 and 4a", "read", vth_data, vth_draw, vth_says
    ),
    Figure(
        "retry-steps", "Retry steps by months and cycles", "PR2/AR2, Fig. 5", "read", steps_data, steps_draw, steps_says
    ),
    Figure("last-steps", "Errors in the last retry steps", "PR2/AR2, Fig. 4b", "read", last_data, last_draw, last_says),
    Figure("m-err", "Errors at the step that succeeds", "PR2/AR2, Fig. 7", "read", m_err_data, m_err_draw, m_err_says),
)

"""The cost of program speed: V_TH distributions, error rate over time and cycles, retention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...output.plot.style import PALETTE
from .drawing import colour, grid, legend_above, letter, limit, thousands
from .figure import Figure, Row, Rows, column, select, values
from .lab import Lab

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

FACTORS = (1.0, 2.0)
CYCLES = (1000, 2000, 3000, 4000)
# A century, in equal steps of the logarithm of time.
AGES_DAYS = tuple(10 ** (-1 + 0.125 * n) for n in range(45))
DENSITY_LEAST = 1e-5
MOST_FACTOR, POINTS = 2.5, 31


def speed(factor: float) -> str:
    """Describes a program step."""
    return f"{factor:g} $\\times$ $\\Delta V_{{PP}}$"


def vth_data(lab: Lab) -> Rows:
    """Returns densities before and after interference, RTN and retention; the reads; the retention of each speed."""
    rows: list[Row] = []
    cycles, _, _ = lab.programs.rated()
    kept = lab.programs.retention(FACTORS[-1], 2)["days"]
    for factor, days in zip(FACTORS, kept, strict=True):
        voltages = lab.programs.vth(factor, cycles, days)
        start = {"dvpp_factor": factor, "cycles": cycles, "age_days": days}
        for curve in voltages["curves"]:
            rows += [
                {**start, "what": curve["stage"], "number": curve["state"], "volts": volts, "density_per_v": density}
                for volts, density in zip(curve["volts"], curve["density"], strict=True)
                if density > DENSITY_LEAST
            ]
        rows += [
            {**start, "what": "reads", "number": number, "volts": volts, "density_per_v": None}
            for number, volts in enumerate(voltages["reads_v"], 1)
        ]
    return rows


def vth_draw(rows: Rows) -> Drawing:
    """Draws a panel for each speed, densities on a logarithmic axis: errors are where states cross a read voltage."""
    looks = {"written": ("#AAAAAA", "-"), "disturbed": (PALETTE[0], "-"), "retained": (PALETTE[1], "--")}
    names = {"written": "as written", "disturbed": "with interference and RTN", "retained": "after retention"}
    with grid(1, len(FACTORS), height=1.7) as (drawing, axes):
        for index, (panel, factor) in enumerate(zip(axes, FACTORS, strict=True)):
            own = select(rows, dvpp_factor=factor)
            for what, (shade, line) in looks.items():
                stage = select(own, what=what)
                for state in values(stage, "number"):
                    of = select(stage, number=state)
                    label = names[what] if state == 0 else "_"
                    panel.plot(
                        column(of, "volts"),
                        column(of, "density_per_v"),
                        color=shade,
                        linestyle=line,
                        linewidth=0.9,
                        label=label,
                    )
            for number, volts in enumerate(column(select(own, what="reads"), "volts")):
                panel.axvline(volts, color="#000000", linewidth=0.6, label="read voltages" if number == 0 else "_")
            age = own[0]["age_days"]
            when = f"{age / 365.25:.1f} years" if age > 365 else f"{age:.1f} days"
            letter(panel, index, f"{speed(factor)}, {thousands(own[0]['cycles'])} P/E cycles, {when}")
            panel.set(yscale="log", ylabel="Cells (1/V)", ylim=(1e-4, 20), xlim=(0, 5.6))
        axes[-1].set_xlabel("Threshold voltage (V, normalised)")
        legend_above(drawing, axes[0])
    return drawing


def vth_says(rows: Rows) -> str:
    """Describes the retention of each speed."""
    ages = [select(rows, dvpp_factor=factor)[0]["age_days"] for factor in FACTORS]
    return (
        f"the same error rate after {ages[0] / 365.25:.1f} years at the nominal step and {ages[1]:.1f} days at twice it"
    )


def rber_data(lab: Lab) -> Rows:
    """Returns the raw bit error rate by step, cycles and age."""
    rates = lab.programs.rber(FACTORS, CYCLES, AGES_DAYS)
    _, _, most = lab.programs.rated()
    return [{**dict(zip(rates, each, strict=True)), "limit": most} for each in zip(*rates.values(), strict=True)]


def rber_draw(rows: Rows) -> Drawing:
    """Draws a panel for each speed, a line for each cycle count."""
    with grid(len(FACTORS), width=5.6, height=2.3) as (drawing, axes):
        for index, (panel, factor) in enumerate(zip(axes, FACTORS, strict=True)):
            for line, cycles in enumerate(CYCLES):
                own = select(rows, dvpp_factor=factor, cycles=cycles)
                panel.plot(
                    column(own, "age_days"),
                    column(own, "rber"),
                    label=f"{thousands(cycles)} P/E cycles",
                    color=PALETTE[line],
                )
            limit(panel, rows[0]["limit"], "limit")
            letter(panel, index, speed(factor))
            panel.set(xscale="log", yscale="log", xlabel="Age (days)")
        axes[0].set_ylabel("Raw bit error rate")
        legend_above(drawing, axes[0])
    return drawing


def rber_says(rows: Rows) -> str:
    """Describes the limit."""
    return f"data may reach {rows[0]['limit']:.2e}: the nominal step's rate at the rated cycles and age"


def retention_data(lab: Lab) -> Rows:
    """Returns days of retention and program time by step."""
    retention = lab.programs.retention(MOST_FACTOR, POINTS)
    return [dict(zip(retention, each, strict=True)) for each in zip(*retention.values(), strict=True)]


def retention_draw(rows: Rows) -> Drawing:
    """Draws days over the step, with the program time above."""
    with grid(1, width=3.5, height=2.4) as (drawing, axes):
        lasting = [row for row in rows if row["days"] > 0.0]
        axes[0].plot(column(lasting, "dvpp_factor"), column(lasting, "days"), **{**colour(0), "markersize": 2.0})
        for days, name in ((3652.5, "10 years"), (365.25, "1 year"), (30.0, "1 month"), (4.0, "4 days")):
            limit(axes[0], days, name)
        axes[0].set(
            yscale="log",
            ylim=(0.05, 2e4),
            xlabel=r"Program step over the nominal one ($\Delta V_{PP}$)",
            ylabel="Retention (days)",
        )
        axes[0].set_xlim(1.0, max(column(rows, "dvpp_factor")))
        nominal_us = rows[0]["program_us"]
        above = axes[0].secondary_xaxis("top", functions=(lambda x: x, lambda x: x))
        times = [us for us in (600, 500, 400, 300, 240) if us <= nominal_us + 1e-9 or nominal_us == us]
        above.set_xticks([nominal_us / us for us in times], [str(us) for us in times])
        above.set_xlabel("Program time (us)")
    return drawing


def retention_says(rows: Rows) -> str:
    """Describes the cost of half the program time."""
    half = min(rows, key=lambda row: abs(row["dvpp_factor"] - 2.0))
    slow = f"{rows[0]['days'] / 365.25:.1f} years at {rows[0]['program_us']:.0f} us"
    return f"{slow} become {half['days']:.1f} days at {half['program_us']:.0f} us"


FIGURES = (
    Figure(
        "program-vth",
        "Threshold voltages by program speed",
        "OFWAR, Section 4.1",
        "program",
        vth_data,
        vth_draw,
        vth_says,
    ),
    Figure(
        "program-rber",
        "Error rate over time by program speed",
        "OFWAR, Section 4.1",
        "program",
        rber_data,
        rber_draw,
        rber_says,
    ),
    Figure(
        "retention",
        "Retention by program speed",
        "OFWAR, Section 4.1.4",
        "program",
        retention_data,
        retention_draw,
        retention_says,
    ),
)

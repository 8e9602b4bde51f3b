"""The ECC from its tables: frame error rate, iterations, and the accuracy of RiF's predictor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...output.plot.style import PALETTE
from ..ecc import curves
from .drawing import LIMIT, condition, grid, legend_above, letter
from .figure import Figure, Rows, column, select
from .lab import Lab

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

FRAME_ERRORS_LEAST = 1e-12
# A rate counts as extrapolated if more than half of it comes from numbers of errors that were not decoded.
HALF = 0.5
# Conditions that the predictor's figure marks: P/E cycles after a year, read at the step that succeeds.
MARKED_CYCLES, MARKED_MONTHS, MARKED_C = (0, 1000, 2000), 12, 30


def ldpc_data(lab: Lab) -> Rows:
    """Returns frame error rate and iterations by raw errors."""
    del lab
    decoded = curves()
    names = (
        "errors_per_kib",
        "rber",
        "frame_error_rate",
        "extrapolated",
        "mean_iterations",
        "iterations_p99",
        "iterations_p9999",
    )
    level = {key: decoded[key] for key in ("capability_level", "capability_per_kib")}
    rows = zip(*(decoded["curves"][name] for name in names), strict=True)
    return [{**dict(zip(names, row, strict=True)), **level} for row in rows]


def ldpc_draw(rows: Rows) -> Drawing:
    """Draws two panels: the share of chunks that do not decode, and the iterations."""
    with grid(2, width=6.4, height=2.3, share=False) as (drawing, axes):
        for label, extrapolated, style in (("counted", False, "-"), ("extrapolated", True, ":")):
            own = [
                row
                for row in rows
                if (row["extrapolated"] > HALF) == extrapolated and row["frame_error_rate"] > FRAME_ERRORS_LEAST
            ]
            axes[0].plot(column(own, "rber"), column(own, "frame_error_rate"), style, color=PALETTE[0], label=label)
        capability = rows[0]["capability_per_kib"] / 8192.0
        axes[0].axvline(capability, **LIMIT)
        axes[0].text(
            capability, 1e-11, f" {rows[0]['capability_per_kib']:.1f} bits in 1 KiB", fontsize=6, color="#444444"
        )
        axes[0].set(yscale="log", ylim=(FRAME_ERRORS_LEAST, 2), xlabel="Raw bit error rate", ylabel="Frame error rate")
        axes[0].legend(loc="lower right")
        for line, (name, label) in enumerate(
            (("mean_iterations", "mean"), ("iterations_p99", "99 %"), ("iterations_p9999", "99.99 %"))
        ):
            axes[1].plot(column(rows, "rber"), column(rows, name), color=PALETTE[line], label=label)
        axes[1].set(xlabel="Raw bit error rate", ylabel="Iterations", ylim=(0, None))
        axes[1].legend(loc="upper left")
        letter(axes[0], 0, "4-KiB chunks that do not decode")
        letter(axes[1], 1, "iterations")
    return drawing


def ldpc_says(rows: Rows) -> str:
    """Describes the capability."""
    return f"{rows[0]['capability_level']:.0%} of chunks fail at {rows[0]['capability_per_kib']:.1f} bits in 1 KiB"


def predictor_data(lab: Lab) -> Rows:
    """Returns the predictor's accuracy and both kinds of mistakes; marks for the chip's own pages."""
    decoded = curves()
    names = ("errors_per_kib", "rber", "predictor_accuracy", "predictor_false_retry", "predictor_missed_retry")
    short = ("errors_per_kib", "rber", "accuracy", "false_retry", "missed_retry")
    nothing = dict.fromkeys(("cycles", "worst_page_rber"))
    columns = (decoded["curves"][name] for name in names)
    rows = [
        {"what": "predictor", **dict(zip(short, row, strict=True)), **nothing} for row in zip(*columns, strict=True)
    ]
    if "read" not in lab.chip.parts:
        return rows
    marks = []
    for cycles in MARKED_CYCLES:
        middle, worst = lab.reads.rber_quantiles(cycles, MARKED_MONTHS, MARKED_C, (0.5, 1.0))
        marks.append(
            {"what": "pages", **dict.fromkeys(short), "cycles": cycles, "rber": middle, "worst_page_rber": worst}
        )
    return [*rows, *marks]


def predictor_draw(rows: Rows) -> Drawing:
    """Draws RiF's accuracy over raw errors, both kinds of mistakes, and the chip's pages at their best step."""
    curve = select(rows, what="predictor")
    with grid(1, width=4.4, height=2.5) as (drawing, axes):
        looks = (
            ("accuracy", "right", "-"),
            ("false_retry", "retries a page that would decode", "--"),
            ("missed_retry", "lets a doomed page through", ":"),
        )
        for line, (name, label, style) in enumerate(looks):
            axes[0].plot(column(curve, "rber"), column(curve, name), style, color=PALETTE[line], label=label)
        for place, mark in enumerate(select(rows, what="pages")):
            y = 0.60 - 0.09 * place
            axes[0].plot(
                [mark["rber"], mark["worst_page_rber"]],
                [y, y],
                color="#444444",
                linewidth=1.0,
                marker="|",
                markersize=4,
            )
            axes[0].text(
                mark["rber"],
                y + 0.015,
                f"median to worst page, {condition(mark['cycles'], MARKED_MONTHS)}",
                fontsize=5.5,
                color="#444444",
            )
        axes[0].set(xlabel="Raw bit error rate", ylabel="Share of reads", ylim=(0, 1.02))
        legend_above(drawing, axes[0])
    return drawing


def predictor_says(rows: Rows) -> str:
    """Describes the point of lowest accuracy."""
    worst = min(select(rows, what="predictor"), key=lambda row: row["accuracy"])
    return f"least right ({worst['accuracy']:.1%}) at {worst['errors_per_kib']:.0f} bits in 1 KiB"


FIGURES = (
    Figure("ldpc", "LDPC: frame errors and iterations", "RiF, Fig. 3", "none", ldpc_data, ldpc_draw, ldpc_says),
    Figure(
        "predictor",
        "RiF's predictor: right and wrong",
        "RiF, Section 4",
        "none",
        predictor_data,
        predictor_draw,
        predictor_says,
    ),
)

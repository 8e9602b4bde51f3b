"""Erases under several schemes: voltage over time, and the fail bits that each verify counted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..atomic import files
from ..csv_table import write_rows
from ..erase_drawing import rows
from .figure_data import data_path
from .style import BLUE, GREEN, figure, save, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = (
    "scheme", "pulse", "loop", "stage", "voltage_v", "start_ms", "pulse_ms", "verify_ms", "feature_ms", "end_ms",
    "fail_bits",
)  # fmt: skip
# Voltages are drawn from here: what is below hides how little they differ.
LOWEST_V = 16.0


def draw(path: Path, documents: Sequence[dict[str, Any]]) -> None:
    """Draws erases to `path`, one panel a scheme, and writes their data beside it as CSV.

    Raises:
        OSError: when a file cannot be written.
    """
    longest = max(document["latency_ms"] for document in documents)
    with figure(len(documents), height=0.9) as (drawing, panels):
        for axes, document in zip(panels, documents, strict=True):
            panel(axes, document, longest)
        panels[-1].set_xlabel("time (ms)")
        table = [[row[column] for column in COLUMNS] for row in rows(documents)]
        files(
            (path, lambda work: save(drawing, work)),
            (data_path(path), lambda work: write_rows(work, COLUMNS, table)),
        )


def panel(axes: Axes, document: dict[str, Any], longest_ms: float) -> None:
    """One erase: a bar a pulse as high as its voltage, fail bits written over its verify."""
    for row in rows([document]):
        pulse_ends = row["start_ms"] + row["feature_ms"] / 2 + row["pulse_ms"]
        height = row["voltage_v"] - LOWEST_V
        axes.bar(row["start_ms"], height, row["pulse_ms"], bottom=LOWEST_V, align="edge", color=BLUE, linewidth=0)
        axes.bar(pulse_ends, height, row["verify_ms"], bottom=LOWEST_V, align="edge", color=GREEN, linewidth=0)
        axes.annotate(
            f"{row['fail_bits']:,}",
            (pulse_ends, row["voltage_v"]),
            (0, 2),
            textcoords="offset points",
            ha="right",
            fontsize=5.5,
        )
    axes.set_xlim(0, longest_ms * 1.05)
    axes.set_ylim(LOWEST_V, 31)
    axes.set_ylabel("V")
    title(axes, f"{document['scheme']}: {document['latency_ms']:.1f} ms")

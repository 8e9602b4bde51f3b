"""What each placement writes, by handle; the data go beside the figure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..atomic import file
from ..placement_table import MIXED, WHOLE_DRIVE, write_csv
from .figure_data import data_path
from .style import PALETTE, figure, legend, save

__all__ = ["draw"]


def draw(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Draws a bar for each placement, of bytes by handle over those that the host wrote, and writes the data beside it.

    Raises:
        OSError: The file cannot be written.
    """
    placements = [row["placement"] for row in rows if row["handle"] == WHOLE_DRIVE]
    host = {row["placement"]: row["host_bytes"] or 1 for row in rows if row["handle"] == WHOLE_DRIVE}
    with_handles = {row["placement"] for row in rows if row["handle"] != WHOLE_DRIVE}
    parts = [row for row in rows if (row["handle"] != WHOLE_DRIVE) == (row["placement"] in with_handles)]
    names = list(dict.fromkeys(row["handle"] for row in parts))
    with figure(1, height=2.2) as (drawing, (axes,)):
        below = dict.fromkeys(placements, 0.0)
        for number, name in enumerate(names):
            label = {WHOLE_DRIVE: "no handles", MIXED: "mixed"}.get(name, f"handle {name}")
            for row in (row for row in parts if row["handle"] == name):
                placement = row["placement"]
                share = row["media_bytes"] / host[placement]
                colour = PALETTE[number % len(PALETTE)]
                axes.bar(placements.index(placement), share, 0.6, bottom=below[placement], color=colour, label=label)
                below[placement] += share
                label = "_"
        axes.set_xticks(range(len(placements)), placements)
        axes.set_ylabel("Bytes programmed over written")
        axes.axhline(1.0, color="black", linewidth=0.6, linestyle=":")
        legend(axes)
        file(path, lambda work: save(drawing, work))
    file(data_path(path), lambda work: write_csv(work, rows))

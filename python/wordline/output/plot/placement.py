"""What each placement writes, by handle, and how long the drive lasts; the data go beside the figure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..atomic import files
from ..placement_table import MIXED, WHOLE_DRIVE, write_csv
from .figure_data import data_path
from .style import PALETTE, figure, legend, save

__all__ = ["draw"]


def draw(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Draws a bar for each placement, of bytes by handle over those that the host wrote, and the years of each.

    Years are drawn where they are known. The data are written beside the figure.

    Raises:
        OSError: The file cannot be written.
    """
    placements = [row["placement"] for row in rows if row["handle"] == WHOLE_DRIVE]
    host = {row["placement"]: row["host_bytes"] or 1 for row in rows if row["handle"] == WHOLE_DRIVE}
    with_handles = {row["placement"] for row in rows if row["handle"] != WHOLE_DRIVE}
    parts = [row for row in rows if (row["handle"] != WHOLE_DRIVE) == (row["placement"] in with_handles)]
    names = list(dict.fromkeys(row["handle"] for row in parts))
    years = {row["placement"]: row["years"] for row in rows if row["handle"] == WHOLE_DRIVE}
    with_years = any(value is not None for value in years.values())
    with figure(2 if with_years else 1, height=2.2 if not with_years else 1.7) as (drawing, panels):
        axes = panels[0]
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
        if with_years:
            panels[1].bar(range(len(placements)), [years[name] or 0.0 for name in placements], 0.6, color=PALETTE[0])
            panels[1].set_xticks(range(len(placements)), placements)
            panels[1].set_ylabel("Years at a drive write a day")
        files(
            (path, lambda work: save(drawing, work)),
            (data_path(path), lambda work: write_csv(work, rows)),
        )

"""Reads of one page: a panel each, with lanes for die, channel and ECC, all to one scale of time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..atomic import files
from ..csv_table import write_rows
from .figure_data import data_path
from .style import BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION, figure, save, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LANES = ("die", "channel", "ecc")
NAMES = {"die": "Die", "channel": "Channel", "ecc": "ECC"}
# Letters for slices that are wide enough, as the papers have them.
STYLES: dict[str, tuple[str, str]] = {
    "sense": (BLUE, r"$t_\mathrm{R}$"),
    "predict": (PURPLE, ""),
    "set feature": (ORANGE, "SET"),
    "reset": (VERMILION, "RST"),
    "data out": (GREEN, "DMA"),
    "decode": (SKY, "ECC"),
}
OTHER = ("#999999", "")
# A letter needs this share of the panel's width.
LABEL_LEAST = 0.035


def draw(path: Path, reads: Sequence[dict[str, Any]]) -> None:
    """Draws timelines to `path` and writes their data beside it as CSV.

    Raises:
        OSError: when a file cannot be written.
    """
    longest = max(read["die_free_us"] for read in reads)
    with figure(len(reads), height=0.85, width=7.0) as (drawing, panels):
        for axes, read in zip(panels, reads, strict=True):
            _panel(axes, read, longest)
        panels[-1].set_xlabel("Time since the read's first sense began (us)")
        columns = ("read", "lane", "what", "start_us", "duration_us", "useful")
        rows = [(read["label"], *(s[name] for name in columns[1:])) for read in reads for s in read["slices"]]
        files(
            (path, lambda work: save(drawing, work)),
            (data_path(path), lambda work: write_rows(work, columns, rows)),
        )


def _panel(axes: Axes, read: dict[str, Any], longest: float) -> None:
    for piece in read["slices"]:
        colour, letters = STYLES.get(piece["what"], OTHER)
        start, length = piece["start_us"], piece["duration_us"]
        lane = len(LANES) - 1 - LANES.index(piece["lane"])
        axes.barh(
            lane,
            length,
            left=start,
            height=0.72,
            color=colour,
            alpha=1.0 if piece["useful"] or piece["what"] not in ("sense", "data out", "decode") else 0.4,
            edgecolor="white",
            linewidth=0.4,
        )
        if letters and length >= LABEL_LEAST * longest:
            axes.text(start + length / 2, lane, letters, ha="center", va="center", fontsize=5.5, color="black")
    axes.axvline(read["latency_us"], color="black", linewidth=0.6, linestyle="--")
    axes.set_yticks(range(len(LANES)), [NAMES[lane] for lane in reversed(LANES)])
    axes.set_xlim(0, longest * 1.01)
    axes.set_ylim(-0.5, len(LANES) - 0.5)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    title(axes, f"{read['label']}: {read['latency_us']:.5g} us")

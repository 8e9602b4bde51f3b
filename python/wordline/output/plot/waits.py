"""What reads would wait for: the share of them that waits longer than a time, for each cause."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..atomic import files
from ..csv_table import write_rows
from .figure_data import data_path
from .style import BLUE, GREEN, ORANGE, VERMILION, figure, legend, save

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

COLOURS = (VERMILION, BLUE, GREEN, ORANGE)
LEAST = 1e-8
"""Shares below are not drawn."""


def draw(path: Path, tails: Mapping[str, Sequence[tuple[float, float]]]) -> None:
    """Draws the tail of each cause to `path` and writes the data beside it as CSV.

    Args:
        path: The figure.
        tails: By cause: waits, us, with the share of the reads that wait longer.

    Raises:
        OSError: when a file cannot be written.
    """
    with figure(1, height=2.4, width=4.5) as (drawing, (axes,)):
        for (name, tail), colour in zip(tails.items(), COLOURS, strict=False):
            shown = [(wait_us / 1000.0, share) for wait_us, share in tail if share >= LEAST]
            if shown:
                axes.plot(*zip(*shown, strict=True), color=colour, label=name)
        axes.set_yscale("log")
        axes.set_xlabel("Wait (ms)")
        axes.set_ylabel("Reads that wait longer")
        legend(axes)
        rows = [(name, *point) for name, tail in tails.items() for point in tail]
        files(
            (path, lambda work: save(drawing, work)),
            (data_path(path), lambda work: write_rows(work, ("cause", "wait_us", "share"), rows)),
        )

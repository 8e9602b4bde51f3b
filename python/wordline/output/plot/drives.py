"""Simulated numbers over measured ones of several drives: a colour for each drive."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..atomic import file
from .agreement import line, scatter
from .style import PALETTE, figure, save, title

if TYPE_CHECKING:
    from ...measured import Agreement

__all__ = ["draw"]

PANELS = (("iops", "IOPS"), ("p50_us", "p50 latency (us)"), ("p99_us", "p99 latency (us)"))
MARKS = "os^Dv<>p"


def draw(path: Path, drives: Mapping[str, Agreement]) -> None:
    """Draws IOPS, median and 99th percentile of all points to `path`.

    Raises:
        OSError: The file cannot be written.
    """
    with figure(len(PANELS), height=3.4, width=5.0) as (drawing, panels):
        for axes, (name, label) in zip(panels, PANELS, strict=True):
            for (drive, agreement), colour, mark in zip(drives.items(), PALETTE, MARKS, strict=False):
                scatter(axes, agreement, name, drive, colour, mark)
            axes.set(xlabel=f"Measured {label}", ylabel=f"Simulated {label}")
            line(axes)
        title(panels[0], "Real drives beside their presets; band: 10 %")
        panels[0].legend(loc="upper left", frameon=False)
        file(path, lambda work: save(drawing, work))

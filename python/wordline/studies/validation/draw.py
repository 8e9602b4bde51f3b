"""The figures of the closed forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..figures import figure

Rows = Sequence[Mapping[str, Any]]


def reads(rows: Rows, out: Path) -> None:
    """Time of a lone read over its retry steps."""
    _compare(rows, out, "reads", "retry_steps", "retry steps", "mean lone read (us)")


def queue(rows: Rows, out: Path) -> None:
    """Wait for one die over its load, on a logarithmic axis."""
    _compare(rows, out, "queue", "load", "load of the die", "mean wait (us)", log=True)


def _compare(rows: Rows, out: Path, name: str, x: str, x_label: str, y_label: str, log: bool = False) -> None:
    from ...output.plot.style import BLUE, VERMILION, legend

    with figure(out, name, rows) as (axes,):
        places = [row[x] for row in rows]
        axes.plot(places, [row["formula_us"] for row in rows], color=BLUE, label="formula")
        axes.plot(
            places, [row["simulated_us"] for row in rows], color=VERMILION, linestyle="", marker="o", ms=3, label="here"
        )
        if log:
            axes.set_yscale("log")
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)
        legend(axes)

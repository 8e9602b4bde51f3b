"""The table of flows beside each other and alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .certainty import time_unit
from .console import grid
from .numbers import NOTHING, factor, measure

if TYPE_CHECKING:
    from rich.console import Console

NUMBERS = ("mean", "p99")


def show(rows: Mapping[str, Mapping[str, Any]], fairness: float, console: Console) -> None:
    """Prints for each flow its mean and p99 together and alone, how many times longer they are, and its rate.

    Args:
        rows: What `wordline.stats.flows.beside_alone` returns.
        fairness: The smallest slowdown over the largest.
        console: Prints it.
    """
    units = {name: time_unit(row[name] for row in rows.values()) for name in NUMBERS}
    heads = [head for name in NUMBERS for head in (f"{name} {units[name][0]}", "alone", "slower")]
    table = grid("flow", *heads, "IOPS", "alone")
    for flow, row in rows.items():
        times = [
            text
            for name in NUMBERS
            for text in (
                _time(row[name], units[name][1]),
                _time(row[f"{name}_alone"], units[name][1]),
                factor(row[f"{name}_slowdown"]),
            )
        ]
        table.add_row(flow, *times, measure(row["iops"]), measure(row["iops_alone"]))
    console.print("\nEach flow beside the others, and in a run of its own:", style="dim", markup=False)
    console.print(table)
    console.print(
        f"fairness {fairness:.2f}: the smallest slowdown of a mean over the largest", style="dim", markup=False
    )


def _time(value_us: float | None, scale: float) -> str:
    return NOTHING if value_us is None else measure(value_us * scale)

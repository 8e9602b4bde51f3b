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
TITLE = "Each flow beside the others, and in a run of its own"


def table(rows: Mapping[str, Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Returns heads and cells: for each flow its mean and p99 together and alone, how many times longer, and its rate.

    Args:
        rows: What `wordline.stats.flows.beside_alone` returns.
    """
    units = {name: time_unit(row[name] for row in rows.values()) for name in NUMBERS}
    heads = [head for name in NUMBERS for head in (f"{name} {units[name][0]}", "alone", "slower")]
    made = []
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
        made.append([flow, *times, measure(row["iops"]), measure(row["iops_alone"])])
    return ["flow", *heads, "IOPS", "alone"], made


def told(fairness: float) -> str:
    """Returns a fairness with its meaning: the smallest slowdown over the largest."""
    return f"fairness {fairness:.2f}: the smallest slowdown of a mean over the largest"


def show(rows: Mapping[str, Mapping[str, Any]], fairness: float, console: Console) -> None:
    """Prints the table and the fairness."""
    heads, made = table(rows)
    drawn = grid(*heads)
    for cells in made:
        drawn.add_row(*cells)
    console.print(f"\n{TITLE}:", style="dim", markup=False)
    console.print(drawn)
    console.print(told(fairness), style="dim", markup=False)


def _time(value_us: float | None, scale: float) -> str:
    return NOTHING if value_us is None else measure(value_us * scale)

"""The table that `wordline compare` prints, and the same as CSV: a row a point, each next to the first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .csv_table import write_rows
from .numbers import NOTHING, change, dig, measure

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

Point = tuple[dict[str, Any], dict[str, Any]]
"""What was set at a point (dotted key to value), and the JSON document of its run."""

SHOWN = (
    ("IOPS", ("iops", "all")),
    ("MB/s", ("bandwidth_mb_s", "all")),
    ("mean us", ("response_us", "all", "mean")),
    ("read p99 us", ("response_us", "read", "p99")),
    ("read p99.99 us", ("response_us", "read", "p9999")),
    ("write p99 us", ("response_us", "write", "p99")),
    ("WA", ("write_amplification",)),
)
# What gives way first where a terminal is narrow.
LEAST_WANTED = ("MB/s", "write p99 us", "read p99 us", "WA", "read p99.99 us", "mean us")
GAP = 2
OPS = ("all", "read", "write")
SUMMARY = ("mean", "std", "min", "p50", "p90", "p95", "p99", "p999", "p9999", "p99999", "p999999", "max")


def value_text(value: object) -> str:
    """A configuration value as one writes it on the command line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(value_text(item) for item in value) + "]"
    return f"{value:g}" if isinstance(value, float) else str(value)


def show(points: Sequence[Point], console: Console) -> None:
    """Prints a row a point: what differs, then the main numbers, each with its change against the first row.

    A terminal too narrow for that gets the changes below the numbers, and then fewer columns.
    """
    columns = {label: column(points, path) for label, path in SHOWN}
    columns = {label: cells for label, cells in columns.items() if any(value != NOTHING for value, _ in cells)}
    keys = {key: [value_text(settings[key]) for settings, _ in points] for key in points[0][0]}
    stacked, dropped = False, list[str]()
    if console.is_terminal:
        stacked = width(keys, columns, stacked=False) > console.width
        for label in LEAST_WANTED:
            if label in columns and width(keys, columns, stacked) > console.width:
                dropped.append(label)
                del columns[label]
    console.print(_table(keys, columns, stacked))
    if dropped:
        console.print(f"no room for {', '.join(dropped)}: --json and --out have all", style="dim", markup=False)


def column(points: Sequence[Point], path: tuple[str, ...]) -> list[tuple[str, str]]:
    """A number of every point as text, and its change against the first point."""
    numbers = [_number(document, path) for _, document in points]
    changes = ["", *(change(number, numbers[0]) for number in numbers[1:])]
    return [(measure(number), beside) for number, beside in zip(numbers, changes, strict=True)]


def width(keys: dict[str, list[str]], columns: dict[str, list[tuple[str, str]]], stacked: bool) -> int:
    """Characters that the table takes side by side, or with the changes below the numbers."""
    wide = sum(max(len(key), *map(len, texts)) + GAP for key, texts in keys.items())
    for label, cells in columns.items():
        head = max(map(len, _heading(label, stacked).split("\n")))
        wide += max(head, *(len(line) for cell in cells for line in _cell(cell, cells, stacked).split("\n"))) + GAP
    return wide - GAP


def _heading(label: str, stacked: bool) -> str:
    return label.replace(" ", "\n", 1) if stacked else label


def _cell(cell: tuple[str, str], column: list[tuple[str, str]], stacked: bool) -> str:
    value, beside = cell
    if stacked:
        return f"{value}\n{beside}" if beside else value
    return f"{value} {beside:>{max(len(text) for _, text in column)}}"


def _table(keys: dict[str, list[str]], columns: dict[str, list[tuple[str, str]]], stacked: bool) -> Table:
    from .console import grid

    table = grid(*keys, *(_heading(label, stacked) for label in columns))
    for each in table.columns[: len(keys)]:
        each.justify, each.style = "left", "bold"
    for row in range(len(next(iter(keys.values())))):
        cells = (_cell(column[row], column, stacked) for column in columns.values())
        table.add_row(*(texts[row] for texts in keys.values()), *cells)
    return table


def _number(document: dict[str, Any], path: tuple[str, ...]) -> float | None:
    # The latency of no requests is written as 0, which is no measurement.
    if path[0] == "response_us" and not dig(document, "requests", path[1]):
        return None
    number: float | None = dig(document, *path)
    return number


def flat(document: dict[str, Any]) -> dict[str, Any]:
    """The numbers of a run side by side, named by their path in the JSON document."""
    row: dict[str, Any] = {}
    for part in ("requests", "iops", "bandwidth_mb_s"):
        row |= {f"{part}.{op}": dig(document, part, op) for op in OPS}
    row |= {f"response_us.{op}.{name}": dig(document, "response_us", op, name) for op in OPS for name in SUMMARY}
    for name in ("write_amplification", "simulated_s", "wall_s", "config_hash", "seed"):
        row[name] = document.get(name)
    row |= {f"gc.{name}": value for name, value in (document.get("gc") or {}).items()}
    row["synthetic"] = dig(document, "workload", "synthetic")
    return row


def write_csv(path: Path, points: Sequence[Point]) -> None:
    """A row a point: its settings, then every main number with its path in the JSON document as its name."""
    rows = [
        ({key: value_text(value) for key, value in settings.items()}, flat(document)) for settings, document in points
    ]
    names = [*rows[0][0], *rows[0][1]]
    write_rows(path, names, ([*settings.values(), *numbers.values()] for settings, numbers in rows))

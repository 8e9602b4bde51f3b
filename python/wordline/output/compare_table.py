"""The table that `wordline compare` prints, and the same as CSV: a row a point, each next to the first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .csv_table import write_rows
from .numbers import change, dig, measure

if TYPE_CHECKING:
    from rich.console import Console

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
    """Prints a row a point: what differs, then the main numbers, each with its change against the first row."""
    from .console import grid

    keys = list(points[0][0])
    present = [(label, path) for label, path in SHOWN if any(_number(document, path) for _, document in points)]
    table = grid(*keys, *(label for label, _ in present))
    for column in table.columns[: len(keys)]:
        column.justify, column.style = "left", "bold"
    first = points[0][1]
    for row, (settings, document) in enumerate(points):
        cells = []
        for _, path in present:
            value = _number(document, path)
            beside = change(value, _number(first, path)) if row else ""
            cells.append(f"{measure(value)} {beside:>8}" if len(points) > 1 else measure(value))
        table.add_row(*(value_text(settings[key]) for key in keys), *cells)
    console.print(table)


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

"""The table that `wordline compare` prints, and the same as CSV: a row a point, each next to the first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .certainty import cell, legend
from .console import GAP
from .csv_table import write_rows
from .losses import LOSSES, MEANING
from .losses import columns as losses
from .numbers import NOTHING, change, scale_text
from .view import FIRST, SHOWN, View, in_units

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ..stats.comparison import Change

Point = tuple[Mapping[str, Any], Mapping[str, Any]]
"""What was set at a point (dotted key to value), and the JSON document of its run."""

# What gives way first where a terminal is narrow.
LEAST_WANTED = ("MB/s", "write p99 us", "read p99 us", "WA", "read p99.99 us", "mean us")
NOT_SEPARATED, UNKNOWN = "~", "?"
SIGNS = {"separated": "", "not separated": NOT_SEPARATED, "unknown": UNKNOWN}
"""What marks a change, by its verdict."""
SIGNS_MEAN = {
    NOT_SEPARATED: f"{NOT_SEPARATED} not separated: the interval (95 %) of the change from the first row holds 0",
    UNKNOWN: f"{UNKNOWN} not known: a run is too short for an interval of the change, or its numbers change meanwhile",
}


def value_text(value: object) -> str:
    """A configuration value as one writes it on the command line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(value_text(item) for item in value) + "]"
    return f"{value:g}" if isinstance(value, float) else str(value)


def setting_text(key: str, value: object) -> str:
    """A value of a key as text; a scale is a fraction, `1/256`."""
    return scale_text(value) if key == "ssd.scale" and isinstance(value, float) else value_text(value)


def show(points: Sequence[Point], console: Console, partial: str = "", view: View | None = None) -> None:
    """Prints a row a point: what differs, then the main numbers, each with its change against another row.

    A terminal too narrow for that gets the changes below the numbers, and then fewer columns.

    Args:
        points: The points.
        console: Prints it.
        partial: The mark of a table that lacks points, such as `stopped early: 1 of 4 points`; it stands above.
        view: Which numbers, and with which row each is compared; None: the main ones, with the first row.
    """
    view = in_units(view or View(), [document for _, document in points])
    if partial:
        console.print(partial, style="bold red", markup=False, highlight=False)
    columns = columns_of(points, view)
    keys = {key: [setting_text(key, settings[key]) for settings, _ in points] for key in points[0][0]}
    stacked, dropped = False, list[str]()
    if console.is_terminal:
        stacked = width(keys, columns, stacked=False) > console.width
        asked = [label for label, _ in reversed(view.columns)]
        for label in LEAST_WANTED if view.columns == SHOWN else asked[:-1]:
            if label in columns and width(keys, columns, stacked) > console.width:
                dropped.append(label)
                del columns[label]
    console.print(_table(keys, columns, stacked))
    for line in legend_of(points, columns, view):
        console.print(line, style="dim", markup=False)
    if dropped:
        console.print(f"no room for {', '.join(dropped)}: --json and --out have all", style="dim", markup=False)


def legend_of(
    points: Sequence[Point], columns: Mapping[str, list[tuple[str, str]]], view: View | None = None
) -> list[str]:
    """What the marks and columns of a comparison mean, as far as there are any."""
    view = view or View()
    paths: list[tuple[str, ...]] = [path for label, path in view.columns if label in columns]
    shown = [(path[1], path[2]) for path in paths if path[0] == "response_us"]
    lines = dict.fromkeys(line for _, document in points for line in legend(document, shown))
    for sign, meaning in SIGNS_MEAN.items():
        if any(beside.endswith(sign) for cells in columns.values() for _, beside in cells):
            lines[meaning.replace(FIRST, view.beside)] = None
    if view.firsts and any(beside for cells in columns.values() for _, beside in cells):
        lines[f"changes: from {view.beside}, other settings alike"] = None
    if LOSSES.keys() & columns:
        lines |= dict.fromkeys(MEANING)
    return list(lines)


def columns_of(points: Sequence[Point], view: View | None = None) -> dict[str, list[tuple[str, str]]]:
    """What runs lost, then the numbers of the view.

    Numbers that no point has are left out, but for those that somebody asked for.
    """
    view = view or View()
    columns = {label: column(points, path, view, label) for label, path in view.columns}
    # The default ones may have other units.
    is_asked = [path for _, path in view.columns] != [path for _, path in SHOWN]
    measured = {
        label: cells for label, cells in columns.items() if is_asked or any(value != NOTHING for value, _ in cells)
    }
    lost = losses([document for _, document in points])
    return {label: [(text, "") for text in texts] for label, texts in lost.items()} | measured


def column(points: Sequence[Point], path: tuple[str, ...], view: View, label: str) -> list[tuple[str, str]]:
    """A number of every point as text, and its change against another point."""
    documents = [document for _, document in points]
    firsts = [documents[view.first_of(row)] for row in range(len(documents))]
    changes = [
        "" if first is each else _change(first, each, path) for first, each in zip(firsts, documents, strict=True)
    ]
    scale = view.scales.get(label, 1.0)
    return [(cell(document, *path, scale=scale), beside) for document, beside in zip(documents, changes, strict=True)]


def _change(first: Mapping[str, Any], second: Mapping[str, Any], path: tuple[str, ...]) -> str:
    """How far a number is from that of another point, and whether intervals tell the two apart."""
    measured = _measured(first, second, path)
    if measured is None:
        return ""
    text = change(measured.second, measured.first)
    sign = SIGNS[measured.verdict] if text and measured.second != measured.first else ""
    return f"{text} {sign}".rstrip()


def _measured(first: Mapping[str, Any], second: Mapping[str, Any], path: tuple[str, ...]) -> Change | None:
    from ..stats.comparison import change as change_of

    return change_of(first, second, ".".join(path)) if cell(second, *path) != NOTHING else None


def changes(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """The main numbers' changes against another point, by dotted path: interval of the difference, and verdict."""
    found = {".".join(path): _measured(first, second, path) for _, path in SHOWN}
    return {path: each.to_dict() for path, each in found.items() if each is not None}


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
    for each, label in zip(table.columns[len(keys) :], columns, strict=True):
        if label in LOSSES:
            each.style = "bold red"
    for row in range(len(next(iter(keys.values())))):
        cells = (_cell(column[row], column, stacked) for column in columns.values())
        table.add_row(*(texts[row] for texts in keys.values()), *cells)
    return table


def write_csv(path: Path, points: Sequence[Point]) -> None:
    """A row a point: its settings, then its `numbers`, by their path in the JSON document."""
    rows = [{key: value_text(value) for key, value in settings.items()} | dict(numbers) for settings, numbers in points]
    names = list(dict.fromkeys(name for row in rows for name in row))
    write_rows(path, names, ([row.get(name) for name in names] for row in rows))

"""The table of a drive beside what was measured: a row a point, and the errors of all below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .csv_table import write_rows
from .numbers import NOTHING, count, measure, percent

if TYPE_CHECKING:
    from rich.console import Console

    from ..measured import Agreement

__all__ = ["show", "show_errors", "write_csv"]

SHOWN = (
    ("IOPS", "iops"),
    ("mean us", "mean_us"),
    ("p50 us", "p50_us"),
    ("p99 us", "p99_us"),
    ("p99.9 us", "p999_us"),
)
"""Numbers of a row, each as measured with the ratio behind it."""
DOUBT = "in doubt, and left out of the errors"


def rows(agreement: Agreement) -> Iterator[list[str]]:
    """Returns a row for each point: its load, then each number as measured and simulated over measured."""
    for row in agreement.rows:
        cells = [row.point.name + (" *" if row.point.doubt else "")]
        for _, name in SHOWN:
            value, ratio = getattr(row.point.numbers, name), row.ratio(name)
            show_value = count if name == "iops" else measure
            cells += [show_value(value), NOTHING if ratio is None else f"{ratio:.2f}"]
        yield cells


def columns() -> list[str]:
    """Returns the heads of `rows`."""
    return ["measured", *(head for label, _ in SHOWN for head in (label, "ratio"))]


def errors(agreement: Agreement) -> list[str]:
    """Returns a line for each number that was measured: median and 90th percentile of its relative error."""
    lines = []
    summary = agreement.summary()
    for label, name in SHOWN:
        each = summary[name]
        if each["points"]:
            half, most = percent(each["median"]), percent(each["p90"])
            number = label.removesuffix(" us")
            lines.append(
                f"{number}: error {half} in the median, {most} at the 90th percentile of {each['points']} points"
            )
    return lines


def notes(agreement: Agreement) -> list[str]:
    """Returns why points are in doubt, and what a ratio is."""
    doubts = list(dict.fromkeys(row.point.doubt for row in agreement.rows if row.point.doubt))
    return [f"* {DOUBT}: {doubt}" for doubt in doubts] + ["ratio: simulated over measured"]


def show(agreement: Agreement, console: Console) -> None:
    """Prints all points, then the errors."""
    from .console import grid

    table = grid(*columns())
    for cells in rows(agreement):
        table.add_row(*cells)
    console.print(table)
    for line in errors(agreement):
        console.print(line, markup=False)
    for line in notes(agreement):
        console.print(line, style="dim", markup=False)


def show_errors(compared: Sequence[tuple[Mapping[str, Any], Agreement]], console: Console) -> None:
    """Prints for each drive of a grid the median error of each number, with the 90th percentile behind it."""
    from .compare_table import value_text
    from .console import grid

    keys = list(compared[0][0])
    table = grid(*keys, *(head for label, _ in SHOWN for head in (label.removesuffix(" us"), "p90")))
    for chosen, agreement in compared:
        cells = [percent(value) for _, name in SHOWN for value in (agreement.median(name), agreement.p90(name))]
        table.add_row(*(value_text(value) for value in chosen.values()), *cells)
    console.print(table)
    console.print("relative error over all points: median, and 90th percentile", style="dim", markup=False)


def write_csv(path: Path, agreement: Agreement) -> None:
    """Writes a row a point, with everything that was measured and simulated."""
    from ..measured import NUMBERS

    kinds = ("measured", "simulated", "ratio")
    names = ["point", "where", "doubt", *(f"{name} {kind}" for name in NUMBERS for kind in kinds)]
    made: list[list[Any]] = []
    for row in agreement.to_dict()["points"]:
        values = [row[kind][name] for name in NUMBERS for kind in kinds]
        made.append([row["point"], row["where"], row["doubt"] or "", *values])
    write_rows(path, names, made)

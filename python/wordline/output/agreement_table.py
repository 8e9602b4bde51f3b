"""The table of a drive beside what was measured: a row a point, and the errors of all below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..measured.distance import many, one, short
from ..measured.labels import HOSTS, labels_of
from ..measured.point import BEYOND_MIN
from .csv_table import write_rows
from .numbers import count, factor, measure

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
"""Numbers of a point, each a column."""
DOUBT = "in doubt, and left out of the errors"
FEW = f"* fewer than {BEYOND_MIN} measured requests lie beyond this percentile, which is left out of the errors"
RATIO = "ratio: simulated over measured"


def shown(agreement: Agreement) -> list[tuple[str, str]]:
    """Returns the numbers that some point has; all if none has any."""
    some = [each for each in SHOWN if any(getattr(row.point.numbers, each[1]) is not None for row in agreement.rows)]
    return some or list(SHOWN)


def hosts_of(agreement: Agreement) -> list[str]:
    """Returns the columns of what the drive was measured on, as far as it differs between points."""
    points = [row.point for row in agreement.rows]
    return [name for name in HOSTS if len(labels_of(points, name)) > 1]


def rows(agreement: Agreement) -> Iterator[list[str]]:
    """Returns three rows for each point: its load with what was measured, what was simulated, and the ratio."""
    numbers, hosts = [name for _, name in shown(agreement)], hosts_of(agreement)
    for row in agreement.rows:
        point = row.point.name + (" *" if row.point.doubt else "")
        for label, kind, values in ((point, "measured", row.point.numbers), ("", "simulated", row.simulated)):
            cells = [(count if name == "iops" else measure)(getattr(values, name)) for name in numbers]
            if kind == "measured":
                few = [row.point.is_few(name) for name in numbers]
                cells = [f"{cell}*" if is_few else cell for cell, is_few in zip(cells, few, strict=True)]
            labels = (row.point.label(name) if kind == "measured" else "" for name in hosts)
            yield [label, *labels, kind, *cells]
        yield ["", *("" for _ in hosts), "ratio", *(factor(row.ratio(name)) for name in numbers)]


def columns(agreement: Agreement) -> list[str]:
    """Returns the heads of `rows`."""
    return ["load", *hosts_of(agreement), "", *(label for label, _ in shown(agreement))]


def errors(agreement: Agreement) -> list[str]:
    """Returns a line for each number that was measured: how far one point is, or median and 90th percentile of all."""
    lines = []
    for label, name in SHOWN:
        number, ratios = label.removesuffix(" us"), agreement.ratios(name)
        if len(ratios) == 1:
            lines.append(f"{number}: {one(ratios[0])} (1 point)")
        elif ratios:
            lines.append(f"{number}: {many(ratios)}")
    return lines


def notes(agreement: Agreement) -> list[str]:
    """Returns why points are in doubt, and what a ratio is."""
    doubts = list(dict.fromkeys(row.point.doubt for row in agreement.rows if row.point.doubt))
    is_some_few = any(row.point.is_few(name) for row in agreement.rows for _, name in SHOWN)
    return [*(f"* load {DOUBT}: {doubt}" for doubt in doubts), *([FEW] if is_some_few else []), RATIO]


def show(agreement: Agreement, console: Console) -> None:
    """Prints all points, then the errors."""
    from rich.text import Text

    from .console import grid

    table = grid(*columns(agreement))
    place = 1 + len(hosts_of(agreement))
    for column in table.columns[: place + 1]:
        column.justify = "left"
    for cells in rows(agreement):
        table.add_row(*(Text(cell) for cell in cells), style="dim" if cells[place] == "ratio" else None)
    console.print(table)
    for line in errors(agreement):
        console.print(line, markup=False)
    for line in notes(agreement):
        console.print(line, style="dim", markup=False)


def show_errors(compared: Sequence[tuple[Mapping[str, Any], Agreement]], console: Console) -> None:
    """Prints for each drive of a grid how far each number is: the median, with the 90th percentile behind it."""
    from .compare_table import value_text
    from .console import grid

    keys = list(compared[0][0])
    table = grid(*keys, *(head for label, _ in SHOWN for head in (label.removesuffix(" us"), "p90")))
    for chosen, agreement in compared:
        cells = [short(agreement.ratios(name), share) for _, name in SHOWN for share in (0.5, 0.9)]
        table.add_row(*(value_text(value) for value in chosen.values()), *cells)
    console.print(table)
    console.print(
        "relative error over all points: median, and 90th percentile; x3 is three times more or less than was measured",
        style="dim",
        markup=False,
    )


def write_csv(path: Path, agreement: Agreement) -> None:
    """Writes a row a point, with everything that was measured and simulated."""
    from ..measured import NUMBERS

    kinds = ("measured", "simulated", "ratio")
    hosts = hosts_of(agreement)
    names = ["point", "where", *hosts, "doubt", "few", *(f"{name} {kind}" for name in NUMBERS for kind in kinds)]
    made: list[list[Any]] = []
    for row in agreement.to_dict()["points"]:
        values = [row[kind][name] for name in NUMBERS for kind in kinds]
        on = [row["labels"].get(name, "") for name in hosts]
        made.append([row["point"], row["where"], *on, row["doubt"] or "", " ".join(row["few"]), *values])
    write_rows(path, names, made)

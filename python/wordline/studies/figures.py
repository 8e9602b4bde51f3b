"""Figures of a study: one look for all, each as SVG and PNG with its data beside it as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..output.csv_table import write_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["FORMATS", "figure", "rows_only"]

FORMATS = ("svg", "png")
Rows = Sequence[Mapping[str, Any]]
_kept: ContextVar[dict[str, Rows] | None] = ContextVar("kept", default=None)


@contextmanager
def rows_only() -> Iterator[dict[str, Rows]]:
    """Within it `figure` saves nothing; gives the rows of each figure by its name."""
    kept: dict[str, Rows] = {}
    token = _kept.set(kept)
    try:
        yield kept
    finally:
        _kept.reset(token)


@contextmanager
def figure(
    out: Path, name: str, rows: Rows, *, panels: int = 1, height: float = 2.1, width: float = 3.5
) -> Iterator[list[Axes]]:
    """A figure to draw into; it is saved when the block ends: `name.svg`, `name.png`, and `name.csv` with the rows.

    Colours and helpers are in `wordline.output.plot.style`; a column of a paper is 3.5 inches wide, a page 7.2.

    Args:
        out: The folder.
        name: The files' name without ending, such as `"fig14"`.
        rows: The data that are drawn, a mapping a row, all with the same keys.
        panels: Axes, one below the other.
        height: Height of one panel, inches.
        width: Width of the figure, inches.

    Raises:
        OSError: A file cannot be written.
    """
    from ..output.plot import style

    with style.figure(panels, height, width) as (drawing, axes):
        yield axes
        kept = _kept.get()
        if kept is not None:
            kept[name] = rows
            return
        for ending in FORMATS:
            style.save(drawing, out / f"{name}.{ending}")
    save_rows(out / f"{name}.csv", rows)


def save_rows(path: Path, rows: Rows) -> None:
    """Writes rows as CSV; the first row's keys, then any further ones, are the columns."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    write_rows(path, columns, ([row.get(key) for key in columns] for row in rows))

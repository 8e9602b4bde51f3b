"""One figure of a chip: its data, its drawing, and its summary in one line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from .lab import Lab

Row = Mapping[str, Any]
Rows = Sequence[Row]
Needs = Literal["read", "erase", "program", "none"]


@dataclass(frozen=True)
class Figure:
    """A figure.

    Attributes:
        name: The name of its files, and its name for `--only`.
        title: What it shows.
        source: The paper's figure that it follows.
        needs: The part of a chip that it needs.
        data: Returns the numbers, one row each, all with the same keys.
        draw: Draws rows; returns the drawing.
        says: Summarises the rows in one line.
    """

    name: str
    title: str
    source: str
    needs: Needs
    data: Callable[[Lab], Rows]
    draw: Callable[[Rows], Drawing]
    says: Callable[[Rows], str]


def select(rows: Rows, **wanted: object) -> list[Row]:
    """Returns the rows whose columns have these values."""
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def values(rows: Rows, key: str) -> list[Any]:
    """Returns every value of a column once, in order of appearance."""
    return list(dict.fromkeys(row[key] for row in rows))


def column(rows: Rows, key: str) -> list[Any]:
    """Returns a column."""
    return [row[key] for row in rows]

"""One figure of a chip: where its numbers come from, what it looks like, and what it says in a line."""

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
        name: Its files' name, and what `--only` takes.
        title: What it shows.
        source: The paper's figure that it is like.
        needs: The part of a chip that must be known.
        data: The numbers, a row each, all with the same keys.
        draw: Draws rows; gives the drawing.
        says: The rows in a line.
    """

    name: str
    title: str
    source: str
    needs: Needs
    data: Callable[[Lab], Rows]
    draw: Callable[[Rows], Drawing]
    says: Callable[[Rows], str]


def select(rows: Rows, **wanted: object) -> list[Row]:
    """The rows whose columns have these values."""
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def values(rows: Rows, key: str) -> list[Any]:
    """Every value of a column once, in the order in which they come."""
    return list(dict.fromkeys(row[key] for row in rows))


def column(rows: Rows, key: str) -> list[Any]:
    """A column."""
    return [row[key] for row in rows]

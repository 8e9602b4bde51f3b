"""A list that a notebook shows as a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

__all__ = ["Listed"]

T = TypeVar("T")


class Listed(list[T]):
    """A list of things with names.

    Args:
        things: The things.
        columns: The attributes that a notebook shows of each.
    """

    def __init__(self, things: Iterable[T], columns: tuple[str, ...]) -> None:
        super().__init__(things)
        self._columns = columns

    def _repr_html_(self) -> str:
        from .output.notebook import table

        rows = [[str(getattr(each, name)) for name in self._columns] for each in self]
        return table("", self._columns, rows, rows_max=len(rows))

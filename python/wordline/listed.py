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
        from html import escape

        head = "".join(f"<th>{name}</th>" for name in self._columns)
        rows = ("".join(f"<td>{escape(str(getattr(each, name)))}</td>" for name in self._columns) for each in self)
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

"""Named things with a line about each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from . import talk


class Named(Protocol):
    """Something with a name and a line about it."""

    @property
    def name(self) -> str: ...

    @property
    def summary(self) -> str: ...


def show(items: Sequence[Named], as_json: bool, what: str) -> None:
    """Prints a table, or a JSON list of objects with `name` and `summary`."""
    if as_json:
        from ..output.json_document import text

        talk.data(text([{"name": item.name, "summary": item.summary} for item in items]))
        return
    from rich.text import Text

    from ..output.console import grid

    table = grid(what, "what it is", right=False)
    table.columns[0].no_wrap = True
    for item in items:
        table.add_row(Text(item.name, style="bold"), Text(item.summary))
    talk.show(lambda console: console.print(table))

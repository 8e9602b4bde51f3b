"""Where tables are drawn: coloured and as wide as the terminal, or plain and as wide as they are."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console, JustifyMethod
    from rich.table import Table

# Nothing is cut or wrapped where there is no terminal: a pager or a program reads it.
PLAIN_WIDTH = 10_000
GAP = 2
"""Characters between two columns of a table."""


def console(file: TextIO | None = None) -> Console:
    """A console for data on `file`, standard output by default. Colours follow NO_COLOR and the terminal."""
    from rich.console import Console

    file = file or sys.stdout
    width = None if file.isatty() else PLAIN_WIDTH
    return Console(file=file, width=width, highlight=False, soft_wrap=False, force_terminal=file.isatty(), emoji=False)


def grid(*columns: str, right: bool = True) -> Table:
    """A table without lines: its first column to the left, the others to the right."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, GAP, 0, 0))
    for number, name in enumerate(columns):
        justify: JustifyMethod = "right" if right and number > 0 else "left"
        table.add_column(name, justify=justify, no_wrap=right, overflow="fold")
    return table

"""The results for a chip as a table: one line per figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...output.console import grid

if TYPE_CHECKING:
    from rich.console import Console

    from . import Document


def show(document: Document, console: Console) -> None:
    """Draws the table on a console."""
    chip = document.to_dict(data=False)
    console.print(f"{chip['chip']}: {chip['description']}")
    table = grid("figure", "what it says", right=False)
    for each in document.drawn:
        table.add_row(each.figure.name, each.says)
    console.print(table)

"""`wordline presets`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypeVar

import typer

from . import options as opt
from .errors import BadInputError

Row = TypeVar("Row")


def presets(
    text: Annotated[
        str | None,
        typer.Argument(metavar="TEXT", help="Only those with this text, such as 980 or QLC.", show_default=False),
    ] = None,
    json: opt.Json = False,
    chips: Annotated[
        bool, typer.Option("--chips", help="List the kinds of NAND chips instead, which cells.chip takes.")
    ] = False,
) -> None:
    """List the SSDs that come with Wordline."""
    if chips:
        from ..lab.chips import all_chips
        from .listing import show

        chips_there = [(chip.name, chip.description) for chip in all_chips()]
        show(having(text, chips_there, [" ".join(each) for each in chips_there]), json, "chip")
        return
    from ..config import presets as known
    from .listing import show

    rows = [(each.name, each.summary, each.lacks) for each in known()]
    heads = [f"{each.name} {head_of(each.text)}" for each in known()]
    show(having(text, rows, heads), json, "preset", ("lacks",))


def head_of(text: str) -> str:
    """Returns the comment at the head of a preset."""
    return text.partition("\n[")[0]


def having(text: str | None, rows: Sequence[Row], texts: Sequence[str]) -> Sequence[Row]:
    """Returns the rows with a text in them, whatever its case.

    Raises:
        BadInputError: None has it.
    """
    if text is None:
        return rows
    there = [row for row, words in zip(rows, texts, strict=True) if text.lower() in words.lower()]
    if not there:
        raise BadInputError(f"nothing has `{text}` in it", "`wordline presets` lists all")
    return there

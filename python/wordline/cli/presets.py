"""`wordline presets`."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options as opt
from . import talk

FIT = "; `wordline fit` makes a preset of what fio measured on a drive (docs/how-to/fit.md)"


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
        from .listing import having, show

        chips_there = [(chip.name, chip.description) for chip in all_chips()]
        show(having(text, chips_there, [" ".join(each) for each in chips_there], "presets --chips"), json, "chip")
        return
    from ..config import presets as known
    from ..fitted import basis_of, use_of
    from .listing import having, show

    every = known()
    heads = [f"{each.name} {head_of(each.text)}" for each in every]
    there = having(text, every, heads, "presets", FIT)
    uses = [use_of(each, every) for each in there]
    bases = [basis_of(each) for each in there]
    rows = [(each.name, each.summary, each.lacks) for each in there]
    if json:
        whole = [(*row, use, basis) for row, use, basis in zip(rows, uses, bases, strict=True)]
        show(whole, json, "preset", ("lacks", "use", "basis"))
        return
    show(rows, json, "preset", ("lacks",))
    for each, use, basis in zip(there, uses, bases, strict=True):
        for line in filter(None, (use, basis)):
            talk.note(f"{each.name}: {line}")


def head_of(text: str) -> str:
    """Returns the comment at the head of a preset."""
    return text.partition("\n[")[0]

"""`wordline presets`."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options as opt


def presets(
    json: opt.Json = False,
    chips: Annotated[
        bool, typer.Option("--chips", help="List the kinds of NAND chips instead, which cells.chip takes.")
    ] = False,
) -> None:
    """List the SSDs that come with Wordline."""
    if chips:
        from ..lab.chips import all_chips
        from .listing import show

        show([(chip.name, chip.description) for chip in all_chips()], json, "chip")
        return
    from ..config import presets as known
    from .listing import show

    show([(each.name, each.summary, each.lacks) for each in known()], json, "preset", ("lacks",))

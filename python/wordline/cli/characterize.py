"""`wordline characterize`: the figures of a chip lab for a kind of chip."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import options as opt
from . import paths, talk
from .errors import BadInputError
from .paths import FILLS, READS

CHIP = "tlc-48l"


def characterize(
    chip: Annotated[
        str,
        typer.Argument(metavar="[CHIP]", help="A chip's name, a TOML file of a chip, or an SSD whose chip is taken."),
        READS,
    ] = CHIP,
    sets: opt.Sets = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DIR", help="Where the figures go; by default characterize-CHIP."),
        FILLS,
    ] = None,
    only: Annotated[
        str | None, typer.Option("--only", metavar="FIG,…", help="Some figures only, such as m-err,margins.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, metavar="N", help="Seed of the chips; by default the SSD's.")
    ] = None,
    blocks: Annotated[
        int | None,
        typer.Option(
            "--blocks", min=1, max=1000, metavar="N", help="Blocks to read of each of 160 chips; 12 by default."
        ),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print all data as JSON; write files only where --out says so.")
    ] = False,
) -> None:
    """Measure and draw a kind of chip as a lab would: retries, errors, timing cuts, erases, lifetimes, retention, ECC.

    To use your own measurements, add --set cells.retry_table=FILE.csv and
    --set cells.erase_table=FILE.csv.
    """
    from ..extras import need
    from ..lab.characterize import FIGURES, find
    from ..lab.characterize import characterize as measure
    from ..lab.characterize.lab import BLOCKS
    from ..lab.chips import on_bench
    from .progress import bar

    config = on_bench(chip)
    assignments = [*(sets or []), *([] if seed is None else [f"seed={seed}"])]
    if assignments:
        config = config.assign(*assignments)
    if only is not None and not only.strip(", "):
        raise BadInputError("--only names no figure", f"figures: {', '.join(figure.name for figure in FIGURES)}")
    figures = FIGURES if only is None else find([name.strip() for name in only.split(",") if name.strip()])
    target = out if out is not None or json else Path(f"characterize-{Path(chip).stem}")
    if target is not None:
        need("characterize", "plot", "tables")
        if out is None:
            paths.declare("the figures' folder", target, FILLS)
    with bar() as show:
        document = measure(
            config,
            out=target,
            figures=figures,
            blocks=blocks or BLOCKS,
            progress=None if show is None else lambda n, all_, figure: show("characterizing", n / all_, figure.title),
        )
    for why in dict.fromkeys(why for _, why in document.left_out):
        names = [name for name, reason in document.left_out if reason == why]
        talk.note(f"left out, since {why}: {', '.join(names)}")
    if json:
        from ..output.json_document import text

        talk.data(text(document.to_dict()))
    else:
        from ..lab.characterize.table import show as show_table

        talk.show(lambda console: show_table(document, console))
    if target is not None:
        talk.note(f"figures and their data in {target}")

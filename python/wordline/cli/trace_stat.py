"""`wordline trace stat`: statistics of a trace."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import options as opt
from . import talk
from .paths import READS


def stat(
    *,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A trace, also .gz, .zst, .bz2 or .xz; - is stdin."), READS
    ],
    json: opt.Json = False,
    plot: opt.Figure = None,
    reading: opt.Reading,
) -> None:
    """Measure a trace: requests, sizes, times between arrivals, footprint, cold reads, sequentiality."""
    from .progress import of_trace
    from .source import trace

    source = trace(file, reading)
    with of_trace("reading") as progress:
        measured = source.stat(progress=progress)
    for warning in measured["warnings"]:
        talk.warning(warning)
    if plot is not None:
        from ..output.plot.figure_data import data_path
        from ..output.plot.trace_stat import draw

        draw(plot, measured, Path(file).name)
        talk.note(f"figure in {plot}, its data in {data_path(plot)}")
    if json:
        from ..output.json_document import text

        talk.data(text(measured))
        return
    from ..output.stat_table import show

    talk.show(lambda console: show(measured, console, file))

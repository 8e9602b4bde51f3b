"""`wordline trace stat`: statistics of a trace."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import options as opt
from . import talk
from .errors import BadInputError
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

    if plot is not None:
        check_figure(plot)
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


def check_figure(path: Path) -> None:
    """Checks before the work whether a figure can be written.

    Raises:
        BadInputError: The suffix is not a format of figures, or the folder does not exist.
        MissingExtraError: A package that draws it is not installed.
    """
    from ..extras import need
    from ..output.plot.style import ENDINGS

    if path.suffix.lower().removeprefix(".") not in ENDINGS:
        raise BadInputError(f"--plot {path}: not a format of figures", f"let its name end in .{', .'.join(ENDINGS)}")
    if not path.absolute().parent.is_dir():
        raise BadInputError(f"--plot {path}: there is no folder {path.parent}", "make it first")
    need("--plot", "plot")

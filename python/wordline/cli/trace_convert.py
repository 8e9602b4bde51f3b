"""`wordline trace convert`: from any format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import options as opt
from . import talk
from .errors import BadInputError, unknown

Target = Annotated[
    Path,
    typer.Argument(metavar="OUT", help="The file to write; .gz and .zst are compressed. It appears when complete."),
]
FORMATS = ("native", "csv", "mqsim", "fio-iolog")
To = Annotated[
    str | None,
    typer.Option("--to", metavar="FORMAT", help=f"{', '.join(FORMATS)}; by default what OUT's name says, else native."),
]


def convert(
    file: Annotated[str, typer.Argument(metavar="IN", help="A trace; .gz and .zst are read directly, - is stdin.")],
    out: Target,
    to: To = None,
    format: opt.Format = None,  # noqa: A002 - the option's name
    csv_columns: opt.CsvColumns = None,
    device: opt.Device = None,
    skip: opt.Skip = 0,
    limit: opt.Limit = None,
    on_time_back: opt.TimeBack = None,
    on_zero_length: opt.ZeroLength = None,
) -> None:
    """Convert a trace, for example to Wordline's compact native format."""
    from .progress import of_trace
    from .source import TraceArguments, trace

    check_target(out, to)
    source = trace(file, TraceArguments(format, csv_columns, device, skip, limit, on_time_back, on_zero_length))
    with of_trace("converting") as progress:
        requests = source.convert(out, to=to, progress=progress)
    talk.note(f"{requests:,} requests written to {out}")


def check_target(out: Path, to: str | None) -> None:
    """Finds out before the work whether the file can be written.

    Raises:
        BadInputError: for an unknown one, or a folder that does not exist.
    """
    if to is not None and to not in FORMATS:
        raise unknown("output format", to, FORMATS, "traces are written as " + ", ".join(FORMATS))
    if not out.absolute().parent.is_dir():
        raise BadInputError(f"{out}: there is no folder {out.parent}", "make it first")
    if out.is_dir():
        raise BadInputError(f"{out}: is a folder", "name a file")

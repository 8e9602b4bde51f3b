"""`wordline trace convert`: from any format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import options as opt
from . import talk
from .errors import BadInput, unknown

Target = Annotated[
    Path,
    typer.Argument(metavar="OUT", help="The file to write; .gz and .zst are compressed. It appears when complete."),
]
To = Annotated[
    str | None, typer.Option("--to", metavar="FORMAT", help="native (the default), csv, mqsim or fio-iolog.")
]


def convert(
    file: Annotated[str, typer.Argument(metavar="IN", help="A trace; .gz and .zst are read directly, - is stdin.")],
    out: Target,
    to: To = None,
    format: opt.Format = None,
    csv_columns: opt.CsvColumns = None,
    device: opt.Device = None,
    skip: opt.Skip = 0,
    limit: opt.Limit = None,
    on_time_back: opt.TimeBack = None,
    zero_length: opt.ZeroLength = None,
) -> None:
    """Convert a trace, by default to Wordline's compact native format."""
    from .source import TraceArguments, trace

    to_format = check_target(out, to)
    source = trace(file, TraceArguments(format, csv_columns, device, skip, limit, on_time_back, zero_length))
    requests = source.write(out, to=to_format)
    talk.note(f"{requests:,} requests written to {out}")


def check_target(out: Path, to: str | None) -> str:
    """The format to write.

    Raises:
        BadInput: for an unknown one, or a folder that does not exist.
    """
    import wordline as wl

    known = wl.output_formats()
    if to is not None and to not in known:
        raise unknown("output format", to, known, "traces are written as " + ", ".join(known))
    if not out.absolute().parent.is_dir():
        raise BadInput(f"{out}: there is no folder {out.parent}", "make it first")
    if out.is_dir():
        raise BadInput(f"{out}: is a folder", "name a file")
    return to or "native"

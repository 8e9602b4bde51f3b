"""`wordline trace convert`: converts a trace to another format."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options as opt
from . import talk
from .errors import BadInputError, ClosedPipeError, unknown
from .paths import READS, WRITES

if TYPE_CHECKING:
    from ..workload import Written

Target = Annotated[
    Path,
    typer.Argument(
        metavar="OUT",
        help="The file to write; .gz and .zst are compressed, - is stdout. The file appears when it is complete.",
    ),
    WRITES,
]
To = Annotated[
    str | None,
    typer.Option(
        "--to", metavar="FORMAT", help="native, csv, mqsim or fio-iolog; by default from OUT's name, else native."
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Replace OUT if it is there. The input is never replaced.")]


def convert(
    *,
    file: Annotated[str, typer.Argument(metavar="IN", help="A trace, also .gz, .zst, .bz2 or .xz; - is stdin."), READS],
    out: Target,
    to: To = None,
    force: Force = False,
    reading: opt.Reading,
) -> None:
    """Convert a trace, for example to Wordline's compact native format."""
    from .progress import of_trace
    from .source import trace

    check_target(out, to, [file], force=force)
    source = trace(file, reading)
    with of_trace("converting") as progress:
        written = piped(lambda: source.convert(out, to=to, force=force, progress=progress))
    for warning in written.warnings:
        talk.warning(warning)
    talk.note(f"{written.requests:,} requests written to {name_of(out)}")


def check_target(out: Path, to: str | None, inputs: Sequence[str] = (), *, force: bool) -> None:
    """Checks before the work whether the file can be written.

    Raises:
        BadInputError: The format is unknown, the folder does not exist, or binary data would go to a terminal.
        TraceTargetError: The file exists already, or is the input.
    """
    from .. import _core
    from ..workload import trace_output_formats

    formats = trace_output_formats()
    if to is not None and to not in formats:
        raise unknown("output format", to, formats, "traces are written as " + ", ".join(formats))
    if str(out) == "-":
        if to in (None, "native") and sys.stdout.isatty():
            raise BadInputError("the native format is binary, and standard output is a terminal", "take --to csv")
        return
    if not out.absolute().parent.is_dir():
        raise BadInputError(f"{out}: there is no folder {out.parent}", "make it first")
    if out.is_dir():
        raise BadInputError(f"{out}: is a folder", "name a file")
    _core.check_trace_target(str(out), list(inputs), force=force)


def piped(write: Callable[[], Written]) -> Written:
    """Runs a writer whose target may be standard output.

    Raises:
        ClosedPipeError: The reader is gone.
    """
    try:
        return write()
    except BrokenPipeError as gone:
        raise ClosedPipeError from gone


def name_of(out: Path) -> str:
    """Returns the target's name for a message."""
    return "standard output" if str(out) == "-" else str(out)

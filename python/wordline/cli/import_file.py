"""`wordline import`: the configuration of another simulator as one of Wordline's."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import talk
from .paths import READS, WRITES


def import_file(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A script that starts FEMU, a .cfg of SimpleSSD, or SSDsim's page.parameters."
        ),
        READS,
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE.toml", help="Write it here, instead of printing it."),
        WRITES,
    ] = None,
) -> None:
    """Make a configuration from that of FEMU, SimpleSSD or SSDsim; keys that have no meaning here are named.

    MQSim's files come in pairs, which `wordline run --mqsim` takes.
    """
    from ..imports import read
    from ..output import atomic

    imported = read(file)
    for warning in imported.warnings:
        talk.warning(warning)
    text = f"# The SSD of {file.name}, a configuration of {imported.simulator}.\n\n{imported.toml}"
    if out is None:
        talk.data(text)
        return
    atomic.file(out, lambda work: work.write_text(text, encoding="utf-8", newline="\n") and None)
    talk.note(f"configuration in {out}; `wordline run {out}` runs it")

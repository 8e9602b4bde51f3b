"""`wordline cite`: the works that a paper should cite for a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import talk
from .paths import READS

if TYPE_CHECKING:
    from ..cite import Work
    from ..record import Record
    from ..workload import Trace


def cite(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="A folder that --out wrote."), READS],
) -> None:
    """Print BibTeX for Wordline and for the works whose techniques and workloads a run used."""
    from ..cite import bibtex
    from ..record import Record

    talk.data(bibtex(_works(Record.read(folder))))


def _works(record: Record) -> list[Work]:
    from ..cite import works_of
    from ..workload import Trace

    works: dict[str, Work] = {}
    for run in record.runs:
        names = [layer.name.split(maxsplit=1) for layer in run.config.layers]
        presets = [name[1] for name in names if len(name) == 2 and name[0] == "preset"]
        workloads = [flow.workload.name or "" for flow in run.flows if not isinstance(flow.workload, Trace)]
        traces = [flow.workload for flow in run.flows if isinstance(flow.workload, Trace)]
        formats = [_format(trace) for trace in traces]
        for work in works_of({key: run.config[key] for key in run.config}, presets, workloads, formats):
            works[work.key] = work
    return list(works.values())


def _format(trace: Trace) -> str:
    """Returns the format of a trace; empty if its file no longer exists."""
    from ..errors import TraceError

    try:
        return trace.format
    except TraceError as error:
        talk.warning(f"the trace's own paper may be missing: {error}")
        return ""

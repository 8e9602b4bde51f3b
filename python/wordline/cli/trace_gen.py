"""`wordline trace gen`: a synthetic workload as a trace file."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options as opt
from . import talk
from .trace_convert import Target, To, check_target


def gen(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A workload (`wordline workloads`).")],
    out: Target,
    to: To = None,
    ssd: Annotated[
        str | None,
        typer.Option("--ssd", metavar="PRESET|CONFIG.toml", help="The SSD whose capacity the addresses fit."),
    ] = None,
    sets: opt.Sets = None,
) -> None:
    """Generate a synthetic workload as a trace, for example with --set workload.requests=100000."""
    import wordline as wl

    from .progress import of_trace
    from .source import configuration

    check_target(out, to)
    config = configuration(ssd, sets or [])
    with of_trace("generating") as progress:
        requests = wl.workload(name).write(out, config, to=to, progress=progress)
    talk.note(f"{requests:,} synthetic requests written to {out}")

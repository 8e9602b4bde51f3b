"""`wordline trace gen`: a synthetic workload as a trace file."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options as opt
from . import talk
from .paths import READS
from .trace_convert import Force, Target, To, check_target, name_of, piped


def gen(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A workload (`wordline workloads`).")],
    out: Target,
    to: To = None,
    force: Force = False,
    ssd: Annotated[
        str | None,
        typer.Option("--ssd", metavar="PRESET|CONFIG.toml", help="The SSD whose capacity the addresses fit."),
        READS,
    ] = None,
    sets: opt.Sets = None,
    requests: opt.Requests = None,
    seed: opt.Seed = None,
) -> None:
    """Generate a synthetic workload as a trace, for example of 100,000 requests with -n 100k."""
    from ..workload import workload
    from .progress import of_trace
    from .source import configuration

    check_target(out, to, force=force)
    given = {"workload.requests": requests, "seed": seed}
    config = configuration(ssd, [*(f"{key}={value}" for key, value in given.items() if value), *(sets or [])])
    with of_trace("generating") as progress:
        made = workload(name)
        written = piped(lambda: made.write(out, config, to=to, force=force, progress=progress))
    talk.note(f"{written.requests:,} synthetic requests written to {name_of(out)}")

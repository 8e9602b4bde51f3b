"""`wordline explain limits`: what the parts of an SSD allow, in closed form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options as opt
from . import talk

if TYPE_CHECKING:
    from rich.console import Console

    from ..limits import Limit


def limits(
    ssd: opt.SSD = None,
    sets: opt.Sets = None,
    write_amplification: Annotated[
        float,
        typer.Option("--wa", min=1.0, metavar="BYTES", help="Bytes programmed for each byte of random writes."),
    ] = 1.0,
    json: opt.Json = False,
) -> None:
    """Show what dies, channels, controller and link allow, each for itself; the lowest limit holds.

    Retries are left out. Random writes are those of a drive whose GC has the write amplification --wa.
    """
    from ..limits import limits as limits_of
    from ..limits import spare_share
    from .source import configuration

    config = configuration(ssd, sets or [])
    every = limits_of(config, write_amplification)
    if json:
        from ..output.json_document import text

        talk.data(text({"limits": [row(limit) for limit in every], "spare_share": spare_share(config)}))
        return
    talk.show(lambda console: show(every, console))
    if any(limit.is_of_job for limit in every):
        job, reap = (f"{key} = {config[key]:,.0f}" for key in ("host.job_ns", "host.reap_ns"))
        talk.note(f"One job (a flow, fio's numjobs=1) makes no more: its processor takes {job} and {reap} a request.")
    if config["slc.policy"] != "off":
        talk.note("These are limits of the chip's own mode: what the SLC cache takes is written and read faster.")
    if config["ftl.parity"]:
        talk.note(
            f"One page in {config['ftl.parity']} is parity: of over-provisioning of "
            f"{config['ssd.overprovisioning']:.1%} {spare_share(config):.1%} of the other pages are left to GC."
        )


def row(limit: Limit) -> dict[str, Any]:
    """A limit as `--json` prints it."""
    return {
        "load": limit.load,
        "part": limit.part,
        "request_bytes": limit.bytes_per_request,
        "iops": limit.requests_per_s,
        "mb_s": limit.mb_per_s,
        "is_of_job": limit.is_of_job,
    }


def show(every: list[Limit], console: Console) -> None:
    """Prints a row for each load and part, and marks the lowest of each load."""
    from rich.table import Table

    from ..limits import jobs_for, lowest

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("load", "part"):
        table.add_column(name)
    for name in ("IOPS", "MB/s", ""):
        table.add_column(name, justify="right" if name else "left")
    last = None
    for limit in every:
        size = f"{limit.bytes_per_request // 1024} KiB"
        load = f"{limit.load}, {size}" if limit.load != last else ""
        mark = "the limit" if limit == lowest(every, limit.load) else ""
        if limit.is_of_job and (jobs := jobs_for(every, limit.load)) > 1:
            mark = f"the limit of fewer than {jobs} jobs"
        table.add_row(load, limit.part, f"{limit.requests_per_s:,.0f}", f"{limit.mb_per_s:,.0f}", mark)
        last = limit.load
    console.print(table)

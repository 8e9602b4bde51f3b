"""`wordline log`: random writes through a log-structured host, on a drive of zones or a plain one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import counts, talk
from . import options as opt
from .errors import BadInputError
from .grouped import Options

if TYPE_CHECKING:
    from rich.console import Console

    from ..held import LogResult


class Shape(Options):
    """The log."""

    spare: Annotated[
        float, typer.Option("--spare", metavar="SHARE", help="Share of the segments that the user does not see.")
    ] = 0.2
    segment: Annotated[
        str,
        typer.Option("--segment", metavar="SIZE", help="Bytes of a segment on a plain drive; zones are segments."),
    ] = "64MiB"
    free_segments: Annotated[
        int,
        typer.Option(
            "--free-segments", min=1, metavar="N", help="The log collects garbage while fewer segments are free."
        ),
    ] = 2
    no_fill: Annotated[
        bool, typer.Option("--no-fill", help="Begin with an empty log; else all that the user sees is written first.")
    ] = False
    warmup: Annotated[
        int,
        typer.Option(
            "--warmup", parser=counts.from_zero, metavar="N", help="So many requests are carried out and not counted."
        ),
    ] = 0


def log(
    *,
    ssd: opt.SSD = None,
    job: opt.Job = None,
    source: opt.Source,
    sets: opt.Sets = None,
    drive: opt.Drive,
    requests: opt.Requests = None,
    shape: Shape,
    check: Annotated[bool, typer.Option("--check", help="Check every read against a second account of all writes.")] = (
        False
    ),
    json: opt.Json = False,
    replay: opt.Replay,
) -> None:
    """Run a workload on a log-structured host: its map and garbage collection, over zones or a plain drive.

    The host puts what its user writes in order, so that random writes run on a drive of zones. One flow, in a closed
    loop. How much the host writes, how much the drive adds, and how long the user waits.
    """
    from ..held import run_log
    from ..kv_cache.settings import bytes_of
    from ..output import json_document
    from ..workload import flows_of
    from .progress import of_run
    from .run import requests_of
    from .source import configuration

    if ssd is None:
        raise BadInputError("there is no SSD", "name a preset of `wordline presets`, or a configuration file")
    config = configuration(ssd, [*drive.settings(), *(sets or [])])
    flows = flows_of(requests_of(ssd, config, job, source, replay, is_one_run=True), config)
    with of_run() as bar:
        result = run_log(
            config,
            flows,
            requests=requests,
            spare=shape.spare,
            segment_bytes=bytes_of("--segment", shape.segment),
            free_segments=shape.free_segments,
            fill=not shape.no_fill,
            warmup_requests=shape.warmup,
            check=check,
            progress=bar,
        )
    talk.warnings(result.result.warnings)
    if json:
        talk.data(json_document.text({"ssd": ssd, **result.to_dict()}))
        return
    talk.show(lambda console: show(result, console))


def show(result: LogResult, console: Console) -> None:
    """Prints what the log and its drive did."""
    from ..output.console import grid
    from ..output.numbers import NOTHING, measure

    table = grid("", "read", "write", "all")
    times: dict[str, Any] = result.response_us
    kinds = ("read", "write", "all")
    table.add_row("requests", *(f"{int(times[kind]['count']):,}" for kind in kinds))
    for name in ("mean", "p50", "p99", "p999", "max"):
        cells = (measure(times[kind][name]) if times[kind]["count"] else NOTHING for kind in kinds)
        table.add_row(f"{name}, us", *cells)
    console.print(table)
    own, whole, drive = (
        measure(value)
        for value in (result.host_write_amplification, result.write_amplification, result.device_write_amplification)
    )
    sees, wrote, moved = (
        f"{size / 1e9:,.2f} GB" for size in (result.logical_bytes, result.written_bytes, result.moved_bytes)
    )
    told = f"write amplification {whole}: host {own}, drive {drive}"
    console.print(told, markup=False, highlight=False)
    told = f"the user sees {sees} and wrote {wrote}; the log moved {moved} and cleared {result.cleared:,} segments"
    console.print(told, markup=False, highlight=False)
    if result.failed:
        talk.warning(f"{result.failed:,} jobs of the drive failed; --json has their statuses in drive.requests")

"""`wordline explain waits`: what the reads of a workload would wait for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import options as opt
from . import talk
from .errors import BadInputError

if TYPE_CHECKING:
    from rich.console import Console

    from ..stats.interval import Interval
    from ..waits import ReadWaits


def waits(
    ssd: opt.SSD = None,
    *,
    source: opt.Source,
    sets: opt.Sets = None,
    drive: opt.Drive,
    json: opt.Json = False,
    plot: opt.Figure = None,
    replay: opt.Replay,
) -> None:
    """Run a workload and show what its reads would wait for: erases, programs, data that move.

    Percentiles are estimated from every operation of the run, with its length and the reads that came to its die, so
    that also those are known which hardly a read met. Counted percentiles stand beside them. Arrivals must be open.
    """
    from ..api import run
    from ..waits import ALL_US, read_waits
    from .progress import of_run
    from .source import configuration, workload

    if ssd is None:
        raise BadInputError("there is no SSD to run", "name a preset of `wordline presets`, or a configuration file")
    config = configuration(ssd, [*drive.settings(), *(sets or [])])
    requests = workload(ssd, source, replay)
    with of_run() as progress:
        result = run(config, requests, log_requests=True, timeline_us=ALL_US, progress=progress)
    talk.warnings(result.warnings)
    try:
        found = read_waits(result)
    except ValueError as error:
        raise BadInputError(
            str(error), "this is about open arrivals and reads: see `wordline explain waits --help`"
        ) from None
    if plot is not None:
        from ..output.plot.figure_data import data_path
        from ..output.plot.waits import draw

        draw(plot, {cause.name: cause.tail for cause in found.causes})
        talk.note(f"figure in {plot}, its data in {data_path(plot)}")
    if json:
        from ..output.json_document import text

        talk.data(text(found.to_dict()))
        return
    talk.show(lambda console: show(found, console))


def show(found: ReadWaits, console: Console) -> None:
    """Prints a row for each cause, then the percentiles of the response time."""
    from rich.table import Table

    from ..output.numbers import NOTHING, measure, percent

    def of(interval: Interval) -> str:
        ends = f" ({measure(interval.low)} to {measure(interval.high)})" if interval.low != interval.high else ""
        return f"{measure(interval.value)} us{ends}"

    names = {"p99": "p99", "p999": "p99.9", "p9999": "p99.99", "p99999": "p99.999", "p999999": "p99.9999"}
    causes = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("reads wait for", "share of them", "mean wait", "p99.99", "p99.9999"):
        causes.add_column(column, justify="left" if column == "reads wait for" else "right")
    for cause in found.causes:
        waits = (of(cause.percentiles_us[name]) for name in ("p9999", "p999999"))
        causes.add_row(cause.name, percent(cause.met.value), f"{measure(cause.mean_us)} us", *waits)
    console.print(causes)
    console.print()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("response time of reads", "estimated", "counted"):
        table.add_column(column, justify="left" if column.startswith("response") else "right")
    for name, interval in found.response_us.items():
        counted = found.counted_us[name]
        table.add_row(names[name], of(interval), NOTHING if counted is None else f"{measure(counted)} us")
    console.print(table)
    console.print(f"{found.reads:,} reads; a read that waits for nothing takes {measure(found.unhindered_us)} us.")

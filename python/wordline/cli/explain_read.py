"""`wordline explain read`: one page read as a timeline of die, channel and ECC, under each policy."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options as opt
from . import talk

if TYPE_CHECKING:
    from ..config import Config

# The default SSD: that of PR2/AR2, with the on-die module that `rif` needs.
SSD, MODULE = "pnar2", "nand.on_die_check=true"
# The run ends long before this, us.
FOREVER_US = 1e9
# The pages of a block before the drawn one are read first.
PAGE_MAX = 5000


def read(
    ssd: opt.SSD = None,
    sets: opt.Sets = None,
    page: Annotated[
        int,
        typer.Option(
            "--page",
            "-p",
            min=0,
            max=PAGE_MAX,
            metavar="N",
            help="Draw page N of a block (0 is an LSB page); those before it are read first, which `pso` learns from.",
        ),
    ] = 3,
    json: opt.Json = False,
    plot: opt.Figure = None,
) -> None:
    """Draw the read of one page: what die, channel and ECC do until it is decoded (PR2/AR2, Fig. 6, 12 and 13).

    Comma lists in --set draw one timeline each, such as read.retry=baseline,pr2,pnar2,rif. Without an SSD it is that of
    PR2/AR2.
    """
    from .assignment import grid
    from .source import configuration

    single, lists = grid(sets or [])
    config = configuration(ssd or SSD, single if ssd is not None else [MODULE, *single])
    reads = []
    for values in itertools.product(*lists.values()):
        settings = dict(zip(lists, values, strict=True))
        label = ", ".join(str(value) for value in values) or str(config["read.retry"])
        reads.append({"label": label, "set": settings, **timeline(config.set_all(settings), page)})
    document = {"page": page, "reads": reads}
    if plot is not None:
        from ..output.plot.figure_data import data_path
        from ..output.plot.read import draw

        draw(plot, reads)
        talk.note(f"figure in {plot}, its data in {data_path(plot)}")
    if json:
        from ..output.json_document import text

        talk.data(text(document))
        return
    from ..output.read_drawing import show

    talk.show(lambda console: show(reads, console))


def timeline(config: Config, page: int) -> dict[str, Any]:
    """Simulates the read of page `page` of a block on an idle SSD; returns the slices and the result.

    Times are in us from the start of the read's first sense.
    """
    from ..api import run
    from ..workload import workload as workload_of

    planes = config["ssd.channels"] * config["ssd.chips_per_channel"]
    planes *= config["ssd.dies_per_chip"] * config["ssd.planes_per_die"]
    size = config["ssd.page_bytes"]
    # Pages of the same block in order, each after the previous one is done.
    workload = workload_of(
        requests=page + 1,
        read_ratio=1.0,
        pattern="strided",
        read_block_bytes=size,
        stride_bytes=planes * size,
        inter_arrival_us=0.0,
    )
    alone = {"host.mode": "closed", "host.queue_depth": 1, "cache.mode": "off", "ftl.transfer": "page"}
    result = run(config.set_all(alone), workload, log_requests=True, timeline_us=(0, FOREVER_US))
    columns = result.arrays("timeline")
    rows = list(
        zip(*(columns[name].tolist() for name in ("start_ns", "duration_ns", "track", "name", "lpn")), strict=True)
    )
    latest = max(rows)[4]
    mine = sorted(row for row in rows if row[4] == latest)
    begin = min(start for start, _, track, *_ in mine if track == "array")
    slices = [
        {"lane": LANES[track], "what": name, "start_us": (start - begin) / 1000, "duration_us": duration / 1000}
        for start, duration, track, name, _ in mine
        if duration > 0
    ]
    return {"slices": marked(slices), **summary(slices)}


LANES = {"array": "die", "channel": "channel", "ecc": "ecc"}


def marked(slices: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Marks the slices whose work was useful: the last transferred sense, its transfer and decoding."""
    moved = [s for s in slices if s["lane"] == "channel" and s["what"] == "data out"]
    decoded = [s for s in slices if s["lane"] == "ecc"]
    done = moved[-1]["start_us"] if moved else 0.0
    senses = [s for s in slices if s["what"] == "sense" and end(s) <= done + 1e-9]
    useful = [each[-1] for each in (moved, decoded, senses) if each]
    return [{**s, "useful": any(s is each for each in useful)} for s in slices]


def summary(slices: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Returns the time of the page's arrival, the time when its die was free, and the useful share of its work."""
    counts = {name: sum(s["what"] == what for s in slices) for name, what in COUNTED.items()}
    arrived = [end(s) for s in slices if s["lane"] == "ecc"] or [end(s) for s in slices if s["lane"] == "channel"]
    free = [end(s) for s in slices if s["lane"] == "die"]
    return {"latency_us": max(arrived), "die_free_us": max(free + arrived), **counts}


COUNTED = {"senses": "sense", "transfers": "data out", "resets": "reset", "features_set": "set feature"}


def end(piece: dict[str, Any]) -> float:
    """Returns the end of a slice, us."""
    return float(piece["start_us"] + piece["duration_us"])

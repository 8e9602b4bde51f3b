"""Draws the figures that how-tos open with, and prints the numbers that their pages say.

python tools/how_to_pictures.py             # all of them: a quarter of an hour of processor time
python tools/how_to_pictures.py wear sweep  # these alone
"""
# ruff: noqa: INP001

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from embed_fonts import embed

import wordline as wl
from wordline.drive_table.reader import Table
from wordline.output.plot.style import PALETTE, figure, legend, save

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.axes import Axes

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "how-to"
EXAMPLES = ROOT / "examples"
GROUPS = {
    "planes of a die": {"ftl.group": "planes"},
    "superblock": {"ftl.group": "superblock"},
    "parity of 16": {"ftl.group": "superblock", "ftl.parity": 16},
    "parity of 8": {"ftl.group": "superblock", "ftl.parity": 8},
}

CUTS_S = (0.01, 0.02, 0.03, 0.05, 0.07, 0.09)
SIZES = (4096, 65_536, 2_097_152)
BETWEEN = (1, 2, 3, 6, 8, 12, 24, 32, 48, 64)
WARMUP = 37_000
LENGTHS = (500, 1000, 2000, 5000, 10_000, 20_000, 50_000)


def keep(name: str, panels: Sequence[Callable[[Axes], None]], height: float = 1.6) -> None:
    """Draws panels, one below the other, into the figure of a page."""
    with figure(len(panels), height=height, width=4.6) as (drawing, axes):
        for each, draw in zip(axes, panels, strict=True):
            draw(each)
        path = PAGES / f"{name}.svg"
        save(drawing, path)
    embed(path)


def lines(series: Mapping[str, tuple[Sequence[float], Sequence[float]]], **axis: object) -> Callable[[Axes], None]:
    """Returns what draws a line with points for each series."""

    def draw(axes: Axes) -> None:
        for color, (name, (x, y)) in zip(PALETTE, series.items(), strict=False):
            axes.plot(x, y, marker="o", markersize=3.0, color=color, label=name)
        axes.margins(y=0.1)
        axes.set(**cast("Any", axis))
        legend(axes)

    return draw


def bars(series: Mapping[str, Sequence[float]], places: Sequence[str], **axis: object) -> Callable[[Axes], None]:
    """Returns what draws a group of bars at each place, one for each series."""

    def draw(axes: Axes) -> None:
        width = 0.8 / len(series)
        for number, (name, heights) in enumerate(series.items()):
            shift = width * (number - (len(series) - 1) / 2)
            axes.bar([place + shift for place in range(len(places))], heights, width, color=PALETTE[number], label=name)
        axes.set_xticks(range(len(places)), places)
        axes.set(**cast("Any", axis))
        if len(series) > 1:
            legend(axes)

    return draw


def of(results: wl.Results, column: str) -> list[float]:
    """Returns a column of all runs."""
    return [float(one.result[column] or 0.0) for one in results]


def lifetime() -> None:
    """Years of a drive over its spare."""
    spares = (0.07, 0.127, 0.2, 0.28, 0.4)
    load = {"workload.inter_arrival_us": 20.0, "host.mode": "open"}
    config = wl.preset("datacenter-tlc").set_all(load)
    years: dict[str, tuple[Sequence[float], Sequence[float]]] = {}
    for name, workload in {"at random": "fio/random-write", "by Zipf": "fio/zipf-write"}.items():
        runs = wl.compare(
            config, workload, {"ssd.overprovisioning": spares}, requests=400_000, scale="1/256", steady=True
        )
        years[name] = (spares, [one.result.lifetime().years or 0.0 for one in runs])
    print(years)
    keep(
        "lifetime",
        [lines(years, xlabel="spare flash (ssd.overprovisioning)", ylabel="years", ylim=(0, None))],
        height=1.9,
    )


def superblocks() -> None:
    """What groups and parity cost."""
    config = wl.preset("datacenter-tlc").set_all({"ssd.overprovisioning": 0.28})
    runs = [
        wl.run(config.set_all(settings), "fio/random-write", requests=100_000, scale="1/64", steady=True)
        for settings in GROUPS.values()
    ]
    rates = [run["iops"] / 1000 for run in runs]
    waf = [run["wa"] for run in runs]
    print(dict(zip(GROUPS, zip(rates, waf, strict=True), strict=True)))
    keep(
        "superblocks",
        [
            bars({"": rates}, list(GROUPS), ylabel="thousand IOPS"),
            bars({"": waf}, list(GROUPS), ylabel="write amplification"),
        ],
    )


def wear() -> None:
    """What bad blocks cost."""
    shares = (0.0, 0.01, 0.02, 0.03, 0.04)
    runs = wl.compare(
        wl.config(EXAMPLES / "small-ssd.toml"),
        "fio/random-write",
        {"reliability.factory_bad": shares},
        requests=200_000,
    )
    percent = [100 * share for share in shares]
    print(of(runs, "wa"), of(runs, "iops"))
    axis: dict[str, Any] = {"xlabel": "bad blocks, %", "ylim": (0, None)}
    keep(
        "wear",
        [
            lines({"": (percent, of(runs, "wa"))}, ylabel="write amplification", **axis),
            lines({"": (percent, [rate / 1000 for rate in of(runs, "iops")])}, ylabel="thousand IOPS", **axis),
        ],
    )


def open_blocks() -> None:
    """What a time-out for open blocks costs."""
    timeouts_ms = (2, 10, 50, 100, 200, 500, 1000)
    config = wl.preset("consumer-tlc").set_all({"host.mode": "open", "workload.inter_arrival_us": 5000.0})
    runs = wl.compare(config, "fio/random-write", {"ftl.open_timeout_ms": timeouts_ms}, requests=2000, scale="1/64")
    print(timeouts_ms, of(runs, "wa"))
    axis: dict[str, Any] = {
        "xlabel": "ftl.open_timeout_ms",
        "ylabel": "write amplification",
        "xscale": "log",
        "ylim": (0, None),
    }
    keep("open-blocks", [lines({"": (timeouts_ms, of(runs, "wa"))}, **axis)], height=1.9)


def power_loss() -> None:
    """What a loss of power takes, and how long the host waits, with and without backup power."""
    lost: dict[str, tuple[Sequence[float], Sequence[float]]] = {}
    waits: dict[str, tuple[Sequence[float], Sequence[float]]] = {}
    for name, protected in {"backup power": True, "none": False}.items():
        config = wl.preset("datacenter-tlc").set_all({"power.protected": protected, "journal.mode": "on"})
        cuts_s = {"power.cut_at_s": CUTS_S}
        runs = wl.compare(config, "fio/random-write", cuts_s, requests=100_000, scale="1/64")
        powers: list[Any] = [one.result.document["power"] for one in runs]
        lost[name] = (CUTS_S, [power["cut"]["lost_bytes"] / 2**20 for power in powers])
        waits[name] = (CUTS_S, [power["power_up"]["replay_ms"] for power in powers])
    print(lost, waits)
    axis: dict[str, Any] = {"xlabel": "seconds of random writes before the cut", "ylim": (0, None)}
    keep(
        "power-loss",
        [
            lines(lost, ylabel="lost, MiB", **axis),
            lines(waits, ylabel="ms until the host is served", **axis),
        ],
        height=1.8,
    )


def table() -> None:
    """A table of a drive, and points that are not in it."""
    drive = wl.preset("datacenter-tlc")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        wl.table(drive, sizes=SIZES, read_shares=(1.0,), states=("fresh",), requests=4000).write_csv(path)
        made = Table(path, state="fresh")
    runs = {
        size: wl.compare(
            drive.set_all({"workload.read_block_bytes": size}),
            "fio/random-read",
            {"host.queue_depth": BETWEEN},
            requests=4000,
        )
        for size in SIZES
    }

    def draw(axes: Axes) -> None:
        for color, (size, each) in zip(PALETTE, runs.items(), strict=False):
            rates = [made.at("bandwidth_mb_s", depth=depth, size_bytes=size, read_share=1.0) for depth in BETWEEN]
            axes.plot(BETWEEN, rates, color=color, label=f"{size >> 10} KiB: table")
            axes.plot(BETWEEN, of(each, "bandwidth_mb_s.all"), "o", markersize=3.0, color=color, label="run")
        axes.set(xlabel="depth", ylabel="MB/s", xscale="log", yscale="log")
        legend(axes)

    keep("table", [draw], height=2.1)


def tenants() -> None:
    """Each tenant alone, and beside the others."""
    flows = wl.flows(EXAMPLES / "tenants.toml")
    runs = wl.run("datacenter-tlc", flows, scale="1/256", steady=True).document["flows"]
    others = wl.alone("datacenter-tlc", flows, scale="1/256", steady=True, jobs=1)
    together = [float(each["response_us"]["all"]["p99"] or 0.0) for each in runs.values()]
    alone = [float(others[name]["all.p99"]) for name in runs]
    print(together, alone)
    keep("tenants", [bars({"alone": alone, "beside the others": together}, list(runs), ylabel="p99, us")], height=1.9)


def my_workload() -> None:
    """What the requests of the page see, by how often they come."""
    config = wl.preset("datacenter-tlc").set_all(
        {"workload.read_ratio": 0.7, "workload.pattern": "zipf", "host.mode": "open"}
    )
    pauses_us = (50.0, 20.0, 10.0, 5.0, 3.0, 2.5, 2.0)
    runs = wl.compare(config, None, {"workload.inter_arrival_us": pauses_us}, requests=20_000)
    rates = [1000.0 / pause for pause in pauses_us]
    series = {name: (rates, of(runs, column)) for name, column in {"mean": "read.mean", "p99": "read.p99"}.items()}
    print(series)
    axis: dict[str, Any] = {"xlabel": "thousand requests a second", "ylabel": "reads, us", "yscale": "log"}
    keep("my-workload", [lines(series, **axis)], height=1.9)


def sweep() -> None:
    """The study of the page."""
    rows = wl.sweep(EXAMPLES / "retries.toml").to_pandas()
    print(rows.columns)
    means = rows.groupby(["host.mode", "reliability.retention_months"])["response_us.read.mean"].mean()
    series = {mode: ([0, 3, 6], [means[mode, months] for months in (0, 3, 6)]) for mode in ("closed", "open")}
    print(series)
    keep("sweep", [lines(series, xlabel="age of the data, months", ylabel="mean read, us", ylim=(0, None))], height=1.9)


def certainty() -> None:
    """The interval of a mean over the length of its run, and that of one run of many requests."""
    runs = [wl.run("pnar2", "ycsb/a", requests=length) for length in LENGTHS]
    means = [run["read.mean"] for run in runs]
    ends: list[Any] = [run.document["uncertainty"]["values"]["response_us"]["read"]["mean"] for run in runs]
    around = [
        [mean - end["low"] for mean, end in zip(means, ends, strict=True)],
        [end["high"] - mean for mean, end in zip(means, ends, strict=True)],
    ]
    print(means, around)

    def draw(axes: Axes) -> None:
        axes.errorbar(LENGTHS, means, around, marker="o", markersize=3.0, capsize=2.0)
        axes.set(xlabel="requests of the run", ylabel="mean read, us", xscale="log")

    keep("certainty", [draw], height=1.9)


def used_drive() -> None:
    """The same writes on a new drive, a full one, one at equilibrium, and that one without the beginning of the run."""
    cases = {
        "new": ({}, False, 200_000),
        "full": ({"precondition.fill": 1.0}, False, 200_000),
        "--steady": ({}, True, 200_000),
        "and warm-up": ({"host.warmup_requests": WARMUP}, True, 200_000 + WARMUP),
    }
    preset = wl.preset("datacenter-tlc")
    runs = [
        wl.run(preset.set_all(settings), "fio/random-write", requests=count, scale="1/256", steady=steady)
        for settings, steady, count in cases.values()
    ]
    rates = [run.iops / 1000 for run in runs]
    amplifications = [run["wa"] or 0.0 for run in runs]
    print(rates, amplifications)
    keep(
        "used-drive",
        [
            bars({"": rates}, list(cases), ylabel="1,000 IOPS"),
            bars({"": amplifications}, list(cases), ylabel="WA"),
        ],
    )


if __name__ == "__main__":
    figures: dict[str, Callable[[], None]] = {
        "lifetime": lifetime,
        "superblocks": superblocks,
        "wear": wear,
        "open-blocks": open_blocks,
        "power-loss": power_loss,
        "table": table,
        "tenants": tenants,
        "my-workload": my_workload,
        "sweep": sweep,
        "certainty": certainty,
        "used-drive": used_drive,
    }
    for name in sys.argv[1:] or figures:
        print(name)
        figures[name]()

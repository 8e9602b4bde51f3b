"""What is run: each part of the evaluation as a list of points."""

from __future__ import annotations

import functools
import itertools
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .. import Point
from . import pace, systems, workloads
from .systems import PAGE_BYTES, PAGES_PER_BLOCK, PLANES

__all__ = ["ERROR_RATES", "EXTENTS", "LOAD", "LOADS", "QUEUE_DEPTH", "QUEUE_DEPTHS", "STEPS_US", "all_points"]

# The study's only load parameter: how busy reads keep the baseline's chips, mean of the workloads.
LOAD = 0.78
LOADS = (0.6, 0.7, LOAD, 0.85)
ERROR_RATES = (0.0, 0.2, 0.5, 0.8)
STEPS_US = (30.0, 40.0, 50.0, 60.0, 70.0)
# Enough for every chip to have work: throughput is what a saturated device has. The other depths show what it does.
QUEUE_DEPTH = 256
QUEUE_DEPTHS = (16, 64, QUEUE_DEPTH, 1024)
# P/E cycles round which the chip's reads begin to need a second sense.
LATE_PEC = tuple(range(1820, 1871, 5))
# Where every block is refreshed once in a month (the preset's period), data is of all ages up to that.
LATE_AGES = {"reliability.retention_months": 0.5, "reliability.retention_spread": 1.0}
WRITE_INTENSIVE = ("hm_0", "rsrch_0", "stg_0")
# IDA, section III-C: workloads of 20 to 110 GB.
WORKLOAD_BYTES_MAX = 110_000_000_000
CAPACITY_BYTES = 512_110_190_592
# Pages that are rewritten together: the presets' 64 KiB, and others that share no divisor with 16 chips.
EXTENTS = (8, 11, 13)

Keys = Mapping[str, Any]


def all_points(quick: bool) -> list[Point]:
    """Everything; with `quick` three workloads and short runs."""
    names = ("proj_1", "src1_1", "usr_1") if quick else workloads.NAMES
    requests = 4_000 if quick else 60_000
    return [
        *figure_8(names, requests),
        *figure_9(names, requests),
        *loads(names, requests),
        *programs(names, requests),
        *runs(names, requests),
        *extents(names, requests),
        *at_random(names, requests),
        *equal(names, requests),
        *total(names, requests),
        *figure_11(names, requests),
        *table_v(names, requests),
        *figure_10(names, requests),
        *literal(names, requests),
        *qlc(names, requests),
        *in_use(names, quick),
        *write_intensive(quick),
        *lone(),
    ]


def pair() -> list[tuple[str, dict[str, Any]]]:
    """The baseline and IDA-E20."""
    return [("baseline", systems.BASELINE), ("E20", systems.ida(0.2))]


def pair_and_e0() -> list[tuple[str, dict[str, Any]]]:
    """These two and IDA-E0."""
    return [*pair(), ("E0", systems.ida(0.0))]


def all_rates() -> list[tuple[str, dict[str, Any]]]:
    """The baseline, and IDA with each share of pages that break."""
    return [("baseline", systems.BASELINE), *((f"E{rate * 100:.0f}", systems.ida(rate)) for rate in ERROR_RATES)]


def latency(
    part: str,
    names: Sequence[str],
    requests: int,
    compared: Sequence[tuple[str, Keys]],
    *,
    ssd: str = "ida",
    paced_by: str | None = None,
    base: Keys = systems.CHIP_SERVERS,
    extra: Keys | None = None,
    updated: Callable[[str], Keys] = workloads.updated,
    arriving: Keys | None = None,
    load: float = LOAD,
    counted: pace.Counted = "reads",
    labels: Keys | None = None,
) -> Iterator[Point]:
    """Systems under the arrivals that load the chips of `base`, of this or another preset; `extra` holds for all."""
    comes = arriving or {}
    settings = {name: {**base, **filled(name), **workloads.scaled(name), **updated(name), **comes} for name in names}
    arrivals = pace.offered(paced_by or ssd, settings, requests, load, counted)
    for name in names:
        for system, keys in compared:
            yield Point(
                ssd,
                {
                    **settings[name],
                    **arrivals[name],
                    **(extra or {}),
                    **keys,
                    "host.warmup_requests": requests // 20,
                },
                workloads.full(name),
                requests=requests,
                labels={"part": part, "system": system, "trace": name, **(labels or {})},
            )


def filled(name: str) -> dict[str, Any]:
    """The footprint written before anything else."""
    footprint = min(workloads.footprint(name), workloads.FOOTPRINT_BYTES)
    blocks = systems.SMALL["ssd.blocks_per_plane"]
    capacity = PLANES * blocks * PAGES_PER_BLOCK * PAGE_BYTES * (1 - 0.0704928)
    return {"precondition.fill": footprint / capacity}


def figure_8(names: Sequence[str], requests: int) -> Iterator[Point]:
    """Error rates."""
    return latency("fig8", names, requests, all_rates())


def figure_9(names: Sequence[str], requests: int) -> Iterator[Point]:
    """Differences between read times; requests come as in Fig. 8."""
    for step_us in STEPS_US:
        yield from latency(
            "fig9", names, requests, pair(), extra=systems.read_times(step_us), labels={"dtr_us": step_us}
        )


def loads(names: Sequence[str], requests: int) -> Iterator[Point]:
    """The load parameter."""
    for load in LOADS:
        yield from latency("load", names, requests, pair(), load=load, labels={"load": load})


def programs(names: Sequence[str], requests: int) -> Iterator[Point]:
    """Reads that wait until a running program is over; requests come as in Fig. 8."""
    waiting = {"program.suspend": False}
    return latency("programs", names, requests, pair_and_e0(), extra=waiting)


def runs(names: Sequence[str], requests: int) -> Iterator[Point]:
    """What was rewritten, partly in runs that leave whole wordlines invalid."""
    return latency("runs", names, requests, pair(), updated=workloads.as_presets)


def extents(names: Sequence[str], requests: int) -> Iterator[Point]:
    """What was rewritten, in pieces of other lengths: those of eight pages end on the same chips everywhere."""
    for pages in EXTENTS:
        its = functools.partial(workloads.updated, extent_pages=pages)
        yield from latency("extents", names, requests, pair_and_e0(), updated=its, labels={"extent_pages": pages})


def at_random(names: Sequence[str], requests: int) -> Iterator[Point]:
    """Requests that come at random, without the bursts of the presets."""
    return latency("random", names, requests, all_rates(), arriving=workloads.AT_RANDOM)


def equal(names: Sequence[str], requests: int) -> Iterator[Point]:
    """A factor for each workload, so that each comes to the load, instead of one for all and their mean."""
    for name in names:
        yield from latency("equal", [name], requests, pair_and_e0())


def total(names: Sequence[str], requests: int) -> Iterator[Point]:
    """The load counted with programs, which take 2.3 ms a page."""
    return latency("total", names, requests, pair_and_e0(), counted="all")


def figure_11(names: Sequence[str], requests: int) -> Iterator[Point]:
    """Late in life, when a read that fails is read again with other voltages (section V-F); requests as in Fig. 8."""
    cells = {"cells.chip": "tlc-micron", **LATE_AGES, "read.retry": "baseline"}
    for pec in LATE_PEC:
        late = {**cells, "reliability.pec": pec}
        yield from latency("fig11", names, requests, pair(), extra=late, labels={"pec": pec})


def table_v(names: Sequence[str], requests: int) -> Iterator[Point]:
    """MLC, under the requests of the TLC device."""
    return latency("tableV", names, requests, pair(), ssd="ida-mlc", paced_by="ida")


def figure_10(names: Sequence[str], requests: int) -> Iterator[Point]:
    """Throughput of a closed loop: requests in the trace's order, reads first in the chips (Table II), as in Fig. 8."""
    for depth, name in itertools.product(QUEUE_DEPTHS, names):
        for system, keys in pair():
            its = {**filled(name), **workloads.scaled(name), **workloads.updated(name)}
            closed = {"host.mode": "closed", "host.queue_depth": depth}
            yield Point(
                "ida",
                {**systems.CHIP_SERVERS, **its, **closed, **keys},
                workloads.full(name),
                requests=requests,
                labels={"part": "fig10", "system": system, "trace": name, "queue_depth": depth},
            )


def literal(names: Sequence[str], requests: int) -> Iterator[Point]:
    """Table II to the letter; the load is that of the channels, which saturate first."""
    return latency("literal", names, requests, pair_and_e0(), base=systems.TABLE_II)


def qlc(names: Sequence[str], requests: int) -> Iterator[Point]:
    """Four bits per cell, at the same load of its own chips."""
    return latency("qlc", names, requests, pair_and_e0(), base={**systems.CHIP_SERVERS, **systems.QLC})


def in_use(names: Sequence[str], quick: bool) -> Iterator[Point]:
    """Blocks before and after the refresh of a whole workload on the whole SSD; hardly a request is needed."""
    for name in names:
        footprint = min(workloads.footprint(name), WORKLOAD_BYTES_MAX if not quick else 4 << 30)
        size = {"workload.footprint_bytes": footprint, "precondition.fill": footprint / CAPACITY_BYTES}
        for system, keys in pair():
            yield Point(
                "ida",
                {"refresh.period_days": 0.0, **size, **workloads.updated(name), **keys},
                workloads.full(name),
                requests=100,
                labels={"part": "blocks", "system": system, "trace": name},
            )


def write_intensive(quick: bool) -> Iterator[Point]:
    """A full SSD with 15 % over-provisioning (section III-C), few of its blocks, refreshed, then written over once."""
    blocks, requests = (49, 300_000) if quick else (196, 1_500_000)
    invalid = statistics.fmean(workloads.invalid_at_refresh(name) for name in workloads.NAMES)
    for name in WRITE_INTENSIVE[: 1 if quick else None]:
        for system, keys in pair():
            full = {
                "ssd.blocks_per_plane": blocks,
                "ssd.overprovisioning": 1 - 1 / 1.15,
                "refresh.period_days": 0.0,
                "precondition.fill": 1.0,
                "workload.footprint_bytes": 0,
                "workload.footprint_ratio": 1.0,
                "workload.write_footprint_bytes": 0,
                "workload.update_scattered_ratio": invalid,
                "workload.update_run_ratio": 0.0,
                "host.mode": "closed",
            }
            yield Point(
                "ida",
                {**full, **keys},
                workloads.full(name),
                requests=requests,
                labels={"part": "erases", "system": system, "trace": name},
            )


def lone() -> Iterator[Point]:
    """Lone reads on one plane, plain and merged; and a refresh in the run, with hardly another read."""
    tiny = {
        "ssd.channels": 1,
        "ssd.chips_per_channel": 1,
        "ssd.dies_per_chip": 1,
        "ssd.planes_per_die": 1,
        "ssd.blocks_per_plane": 256,
        "ssd.overprovisioning": 0.5,
        "host.link_rate_mb_s": 0.0,
        "refresh.period_days": 0.0,
        "precondition.fill": 0.5,
        "host.mode": "closed",
        "host.queue_depth": 1,
        "workload.footprint_ratio": 0.5,
        "workload.read_block_bytes": PAGE_BYTES,
        "workload.update_scattered_ratio": 0.3,
        "workload.update_extent_bytes": PAGE_BYTES,
        "workload.reads_skip_updated": True,
    }
    for ssd in ("ida", "ida-mlc"):
        for system, keys in (("baseline", {"refresh.at_start": "never"}), ("E0", systems.ida(0.0))):
            yield Point(
                ssd,
                {**tiny, **keys},
                "fio/random-read",
                requests=2_000,
                log_requests=True,
                labels={"part": "lone", "system": system},
            )
    for rate in ERROR_RATES:
        during = {**systems.ida(rate), "refresh.at_start": "during"}
        yield Point(
            "ida",
            {**tiny, **during},
            "fio/random-read",
            requests=1,
            check=True,
            labels={"part": "refresh", "system": f"E{rate * 100:.0f}"},
        )

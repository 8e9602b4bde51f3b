"""What is run: each part of the evaluation as a list of points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .. import Point
from . import systems, workloads

__all__ = ["ERROR_RATES", "LOAD", "LOADS", "STEPS_US", "all_points"]

# The study's only load parameter: how busy reads keep the baseline's chips.
LOAD = 0.78
LOADS = (0.6, 0.7, LOAD, 0.85)
ERROR_RATES = (0.0, 0.2, 0.5, 0.8)
STEPS_US = (30.0, 40.0, 50.0, 60.0, 70.0)
# Enough for every chip to have work: throughput is what a saturated device has.
QUEUE_DEPTH = 256
# P/E cycles round which the chip's reads begin to need a second sense, the data being half a refresh period old.
LATE_PEC = (1920, 1930, 1940, 1950)
LATE_MONTHS = 0.5
WRITE_INTENSIVE = ("hm_0", "rsrch_0", "stg_0")
# IDA, section III-C: workloads of 20 to 110 GB.
WORKLOAD_BYTES_MAX = 110_000_000_000
CAPACITY_BYTES = 512_110_190_592
PLANES, PAGES_PER_BLOCK, PAGE_BYTES = 64, 192, 8192

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


def latency(
    part: str,
    names: Sequence[str],
    requests: int,
    compared: Sequence[tuple[str, Keys]],
    *,
    ssd: str = "ida",
    base: Keys = systems.CHIP_SERVERS,
    extra: Keys | None = None,
    load: float = LOAD,
    load_of: Keys | None = None,
    labels: Keys | None = None,
) -> Iterator[Point]:
    """Systems under the same arrivals. `extra` holds for all of them; the load is that of `base` with `load_of`."""
    for name in names:
        arrivals = workloads.offered(ssd, {**base, **(load_of or {})}, name, load)
        for system, keys in compared:
            settings = {**base, **filled(name), **workloads.scaled(name), **arrivals, **(extra or {}), **keys}
            yield Point(
                ssd,
                {**settings, "host.warmup_requests": requests // 20},
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
    compared = [("baseline", systems.BASELINE), *((f"E{rate * 100:.0f}", systems.ida(rate)) for rate in ERROR_RATES)]
    return latency("fig8", names, requests, compared)


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
    """Reads that wait until a running program is over."""
    waiting = {"program.suspend": False}
    compared = [("baseline", systems.BASELINE), ("E0", systems.ida(0.0)), ("E20", systems.ida(0.2))]
    return latency("programs", names, requests, compared, extra=waiting)


def figure_11(names: Sequence[str], requests: int) -> Iterator[Point]:
    """Late in life, when reads are retried; requests come as in Fig. 8."""
    cells = {"cells.chip": "tlc-micron", "reliability.retention_months": LATE_MONTHS, "read.retry": "baseline"}
    for pec in LATE_PEC:
        late = {**cells, "reliability.pec": pec}
        yield from latency("fig11", names, requests, pair(), extra=late, labels={"pec": pec})


def table_v(names: Sequence[str], requests: int) -> Iterator[Point]:
    """MLC, under the requests of the TLC device."""
    for name in names:
        arrivals = workloads.offered("ida", systems.CHIP_SERVERS, name, LOAD)
        yield from latency("tableV", [name], requests, pair(), ssd="ida-mlc", extra=arrivals)


def figure_10(names: Sequence[str], requests: int) -> Iterator[Point]:
    """Throughput of a closed loop in which chips serve what comes in its order."""
    for name in names:
        for system, keys in pair():
            in_order = {"schedule.policy": "fifo", "program.suspend": False}
            closed = {"host.mode": "closed", "host.queue_depth": QUEUE_DEPTH, **in_order}
            settings = {**systems.CHIP_SERVERS, **filled(name), **workloads.scaled(name), **closed, **keys}
            yield Point(
                "ida",
                settings,
                workloads.full(name),
                requests=requests,
                labels={"part": "fig10", "system": system, "trace": name},
            )


def literal(names: Sequence[str], requests: int) -> Iterator[Point]:
    """Table II to the letter; the load is that of the channels, which saturate first."""
    compared = [("baseline", systems.BASELINE), ("E0", systems.ida(0.0)), ("E20", systems.ida(0.2))]
    return latency("literal", names, requests, compared, base=systems.TABLE_II)


def qlc(names: Sequence[str], requests: int) -> Iterator[Point]:
    """Four bits per cell, at the same load of its own chips."""
    compared = [("baseline", systems.BASELINE), ("E0", systems.ida(0.0)), ("E20", systems.ida(0.2))]
    return latency("qlc", names, requests, compared, base={**systems.CHIP_SERVERS, **systems.QLC})


def in_use(names: Sequence[str], quick: bool) -> Iterator[Point]:
    """Blocks before and after the refresh of a whole workload on the whole SSD; hardly a request is needed."""
    for name in names:
        footprint = min(workloads.footprint(name), WORKLOAD_BYTES_MAX if not quick else 4 << 30)
        size = {"workload.footprint_bytes": footprint, "precondition.fill": footprint / CAPACITY_BYTES}
        for system, keys in pair():
            yield Point(
                "ida",
                {"refresh.period_days": 0.0, **size, **keys},
                workloads.full(name),
                requests=100,
                labels={"part": "blocks", "system": system, "trace": name},
            )


def write_intensive(quick: bool) -> Iterator[Point]:
    """A full SSD with 15 % over-provisioning (section III-C), few of its blocks, refreshed, then written over once."""
    blocks, requests = (49, 300_000) if quick else (196, 1_500_000)
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
                "workload.update_scattered_ratio": 0.16,
                "workload.update_run_ratio": 0.26,
                "workload.update_run_bytes": 25_165_824,
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

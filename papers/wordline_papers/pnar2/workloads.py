"""The twelve workloads of PR2/AR2, Table 2, at their own rates, on an SSD in steady state."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from wordline.config import preset
from wordline.workload import workload

# Section 7.1.
DIES, PAGE_BYTES = 16, 16_384
T_R_US, T_PROG_US = 91.0, 700.0
# Mean time between requests of YCSB: a blktrace of YCSB on ext4 (`ycsb_ext4.blkparse`, its `D` events) has 9,316
# requests until its last read, 84.17 s after the first one. Afterwards only the journal writes.
YCSB_INTER_ARRIVAL_US = 9_035.0
# YCSB's reads: the paper does not give their size; between a 4-KiB block and Linux's 128-KiB read-ahead, and half of
# the look-alikes' size, so that the whole grid takes minutes. That trace has 113 KiB.
YCSB_READ_BYTES = 32_768.0
# Requests in which the look-alikes overwrite their written part once, by their presets.
REQUESTS = 1_000_000
# The buffer that acknowledges writes: too small to serve the reads of written pages.
BUFFER_SHARE, BUFFER_MIN_BYTES, BUFFER_MAX_BYTES = 1 / 16, 256 * 1024, 16 * 1024 * 1024
WRITTEN_MIN_BYTES = 1024 * 1024
READ_SIZE, GAP = "workload.read_size_mean_bytes", "workload.inter_arrival_us"
# What MQSim ships beside the flash; section 7.1 builds on it and names its repository, and states none of these. By
# ssdconfig.xml: a link of 4 lanes of 1 GB/s, less 28 bytes of overhead for 128; the DRAM of the write cache, 100 MT/s
# of one byte, tRCD 13 + tCL 13 ns, by MQSim's formula; a mapping table of which 2 MiB are cached. Its pages carry no
# retention age: they are written as the drive is used, and what the paper profiled are blocks of data.
MQSIM: Mapping[str, Any] = {
    "host.link_rate_mb_s": 3282.0,
    "dram.timing": "mqsim",
    "dram.rate_mb_s": 200.0,
    "dram.latency_ns": 26,
    "ftl.mapping": "dftl",
    "ftl.cmt_bytes": 2 * 1024 * 1024,
    "reliability.mapping_ages": False,
}
# A fit, and the only one: with this time of each request on top of MQSim's mechanisms the two claims of kind `setting`
# hold (`pnar2.fig14.pr2.avg` and `pnar2.fig14.gap_to_norr`). The least squares of both, over their tolerances, are at
# 49 us; in place of the mechanisms they would be at 117 us (2,000 requests a point of the short SSD, all conditions).
PATH_US = 50.0
# Garbage collection catches up with preconditioning in this simulated time; its requests do not count.
WARMUP_S = 20.0


@dataclass(frozen=True)
class Traced:
    """A row of Table 2 and its look-alike."""

    name: str
    look_alike: str
    read_ratio: float
    cold_ratio: float

    @property
    def is_read_dominant(self) -> bool:
        """Section 7.3 separates read-dominant from write-dominant workloads without a limit; 0.5 lies in a gap."""
        return self.read_ratio > 0.5

    @property
    def is_ycsb(self) -> bool:
        """Whether it is a benchmark and no recorded week."""
        return self.look_alike.startswith("ycsb/")


TABLE_2 = (
    Traced("stg_0", "msrc/stg_0", 0.15, 0.38),
    Traced("hm_0", "msrc/hm_0", 0.36, 0.22),
    Traced("prn_1", "msrc/prn_1", 0.75, 0.72),
    Traced("proj_1", "msrc/proj_1", 0.89, 0.96),
    Traced("mds_1", "msrc/mds_1", 0.92, 0.98),
    Traced("usr_1", "msrc/usr_1", 0.96, 0.73),
    Traced("YCSB-A", "ycsb/a", 0.98, 0.72),
    Traced("YCSB-B", "ycsb/b", 0.99, 0.59),
    Traced("YCSB-C", "ycsb/c", 0.99, 0.6),
    Traced("YCSB-D", "ycsb/d", 0.98, 0.58),
    Traced("YCSB-E", "ycsb/e", 0.99, 0.98),
    Traced("YCSB-F", "ycsb/f", 0.98, 0.87),
)


@dataclass(frozen=True)
class Size:
    """The amount of simulation.

    Attributes:
        requests: Requests that count.
        overwrite: Pages that the workload has overwritten before the run, as a share of the SSD's: enough for garbage
            collection to have begun in every plane.
        ssd: Settings that make the SSD smaller.
        capacity_bytes: The host's space.
    """

    requests: int
    overwrite: float
    ssd: Mapping[str, Any] = field(default_factory=dict)
    capacity_bytes: int = 512 * 1024**3


FULL = Size(50_000, 0.04)
# A short run fills 64 blocks of each plane and has 24 more, 19 of which garbage collection keeps free as in the
# paper's SSD.
QUICK = Size(
    2_000,
    0.12,
    {"ssd.blocks_per_plane": 88, "ssd.overprovisioning": 24 / 88, "gc.threshold": 19 / 88, "gc.hard_threshold": 3 / 88},
    64 * 576 * 32 * PAGE_BYTES,
)


def size_of(quick: bool) -> Size:
    """Returns the amount of simulation of a full or a short run."""
    return QUICK if quick else FULL


@dataclass(frozen=True)
class Setup:
    """How requests come, and what takes time beside the flash.

    Attributes:
        load: Share of the time for which senses and programs keep each die busy without retries; None: every workload
            has its own rate.
        host_us: Time of the host's path for every request, us.
        mechanisms: Settings of what MQSim ships beside the flash.
        is_steady: Whether the SSD was filled and collects; otherwise it was never written.
        faster: Workloads whose requests come more often than that: by how much.
    """

    load: float | None = None
    host_us: float = PATH_US
    mechanisms: Mapping[str, Any] = field(default_factory=lambda: MQSIM)
    is_steady: bool = True
    faster: Mapping[str, float] = field(default_factory=dict)

    @property
    def rate(self) -> str:
        """The rate as a label."""
        return "own" if self.load is None else f"{self.load:.1%}"


OWN_RATES = Setup()


@functools.cache
def _preset(traced: Traced) -> dict[str, Any]:
    config = workload(traced.look_alike).config(preset("pnar2"))
    own = {key: config[key] for key in config if key.startswith("workload.")}
    return own | ({READ_SIZE: YCSB_READ_BYTES, GAP: YCSB_INTER_ARRIVAL_US} if traced.is_ycsb else {})


def pages(size_bytes: float, unit_bytes: int) -> float:
    """Returns the pages of a request of this mean size that may start at any multiple of a unit."""
    return (size_bytes - unit_bytes) / PAGE_BYTES + 1.0


def die_time_us(traced: Traced) -> float:
    """Returns the mean time of senses and programs of a request without retries, us."""
    own = _preset(traced)
    unit = int(own["workload.size_unit_bytes"])
    read_bytes = own[READ_SIZE]
    write_bytes = own["workload.write_size_mean_bytes"] or read_bytes
    reads = traced.read_ratio * pages(read_bytes, unit) * T_R_US
    return float(reads + (1.0 - traced.read_ratio) * pages(write_bytes, unit) * T_PROG_US)


def inter_arrival_us(traced: Traced, setup: Setup = OWN_RATES) -> float:
    """Returns the mean time between requests, us."""
    own = float(_preset(traced)[GAP])
    gap_us = own if setup.load is None else die_time_us(traced) / (DIES * setup.load)
    return gap_us / setup.faster.get(traced.name, 1.0)


def warmup_of(traced: Traced, size: Size, setup: Setup) -> int:
    """Returns the first requests that do not count, at most as many as those that do."""
    return min(size.requests, ceil(WARMUP_S * 1e6 / inter_arrival_us(traced, setup))) if setup.is_steady else 0


def settings(traced: Traced, size: Size, setup: Setup = OWN_RATES) -> dict[str, Any]:
    """Returns a workload's settings: Table 2, its rate, and the written part, in proportion to the requests."""
    own = _preset(traced)
    share = min(1.0, size.requests / REQUESTS)
    written_bytes = max(
        WRITTEN_MIN_BYTES, int(int(own["workload.write_footprint_bytes"]) * share) // PAGE_BYTES * PAGE_BYTES
    )
    buffer_bytes = int(written_bytes * BUFFER_SHARE)
    given = {
        "workload.read_ratio": traced.read_ratio,
        "workload.cold_ratio": traced.cold_ratio,
        READ_SIZE: own[READ_SIZE],
        "workload.footprint_bytes": min(int(own["workload.footprint_bytes"]), size.capacity_bytes),
        "workload.write_footprint_bytes": written_bytes,
        GAP: round(inter_arrival_us(traced, setup), 3),
        "cache.capacity_bytes": min(BUFFER_MAX_BYTES, max(BUFFER_MIN_BYTES, buffer_bytes)),
        "host.complete_ns": round(setup.host_us * 1000.0),
        **setup.mechanisms,
    }
    if not setup.is_steady:
        return given
    return {
        **given, **size.ssd, "precondition.fill": 1.0, "precondition.overwrite": size.overwrite,
        "precondition.shape": "workload", "host.warmup_requests": warmup_of(traced, size, setup),
        # Two look-alikes were made for IDA, and rewrite half of their pages before the run: IDA's refreshes need it.
        "workload.update_scattered_ratio": 0.0, "workload.update_run_ratio": 0.0,
    }  # fmt: skip

"""The twelve workloads of PR2/AR2, Table 2, with one rule for their load."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from ...config import preset
from ...workload import workload

# Section 7.1.
DIES, PAGE_BYTES = 16, 16_384
T_R_US, T_PROG_US = 91.0, 700.0
# The load: without retries, senses and programs alone keep each die busy for this share of the time.
LOAD = 0.01
# Host, link and firmware, for every request: the value of `SATA_Processing_Delay` that MQSim ships. See NOTES.
HOST_US = 400.0
# YCSB's reads: nobody published their size; between a 4-KiB block and Linux's 128-KiB read-ahead, and half of the
# look-alikes' size, so that the whole grid takes minutes.
YCSB_READ_BYTES = 32_768.0
# Requests in which the look-alikes overwrite their written part once, by their presets.
REQUESTS = 1_000_000
# The buffer that acknowledges writes: too small to serve the reads of written pages.
BUFFER_SHARE, BUFFER_MIN_BYTES, BUFFER_MAX_BYTES = 1 / 16, 256 * 1024, 16 * 1024 * 1024
WRITTEN_MIN_BYTES = 1024 * 1024
READ_SIZE = "workload.read_size_mean_bytes"


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


@functools.cache
def _preset(traced: Traced) -> dict[str, Any]:
    config = workload(traced.look_alike).config(preset("pnar2"))
    own = {key: config[key] for key in config if key.startswith("workload.")}
    return own | ({READ_SIZE: YCSB_READ_BYTES} if traced.look_alike.startswith("ycsb/") else {})


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


def inter_arrival_us(traced: Traced, load: float) -> float:
    """Returns the mean time between arrivals that gives the dies this load, us."""
    return die_time_us(traced) / (DIES * load)


def settings(traced: Traced, requests: int, load: float = LOAD, host_us: float = HOST_US) -> dict[str, Any]:
    """Returns the settings of a workload: Table 2, the load, and the written part, in proportion to the requests."""
    share = min(1.0, requests / REQUESTS)
    full_bytes = int(_preset(traced)["workload.write_footprint_bytes"])
    written_bytes = max(WRITTEN_MIN_BYTES, int(full_bytes * share) // PAGE_BYTES * PAGE_BYTES)
    buffer_bytes = int(written_bytes * BUFFER_SHARE)
    return {
        "workload.read_ratio": traced.read_ratio,
        "workload.cold_ratio": traced.cold_ratio,
        READ_SIZE: _preset(traced)[READ_SIZE],
        "workload.write_footprint_bytes": written_bytes,
        "workload.inter_arrival_us": round(inter_arrival_us(traced, load), 3),
        "cache.capacity_bytes": min(BUFFER_MAX_BYTES, max(BUFFER_MIN_BYTES, buffer_bytes)),
        "host.complete_ns": round(host_us * 1000.0),
    }

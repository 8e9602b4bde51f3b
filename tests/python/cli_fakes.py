"""A run's document and tables, small and invented, for tests of drawings and files made from them."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

SPREAD = {
    name: float(number)
    for number, name in enumerate(
        ("min", "p50", "mean", "std", "p90", "p95", "p99", "p999", "p9999", "p99999", "p999999", "max"), 100
    )
}
DOCUMENT: dict[str, Any] = {
    "wordline": "0.1.0",
    "config_hash": "0123456789abcdef" * 4,
    "seed": 1,
    "workload": {"name": "fio/random-mix", "source": "fio-like", "synthetic": True, "flows": []},
    "requests": {"all": 1000, "read": 700, "write": 300, "other": 0, "warmup": 0},
    "response_us": {"all": SPREAD, "read": SPREAD, "write": {**SPREAD, "p99": 98765.4}, "flows": {}},
    "iops": {"all": 12345.6, "read": 8000.0, "write": 4345.6},
    "bandwidth_mb_s": {"all": 50.5, "read": 32.1, "write": 18.4},
    "window": {"start_s": 0.0, "end_s": 0.081},
    "write_amplification": 1.25,
    "write_amplification_pages": 1.25,
    "gc": {"jobs": 3, "moved_pages": 75, "erases": 3},
    "channel_time": {
        "mean": {"idle": 0.5, "cor": 0.25, "uncor": 0.0, "eccwait": 0.0, "write": 0.25},
        "channels": [{"idle": 0.5, "cor": 0.25, "uncor": 0.0, "eccwait": 0.0, "write": 0.25}],
    },
    "die_utilisation": {"mean": 0.3, "min": 0.2, "max": 0.4, "read": 0.1, "program": 0.2, "erase": 0.0},
    "stand_in": None,
    "checked": False,
    "reads_checked": 0,
    "simulated_s": 0.081,
    "wall_s": 0.5,
    "wall_requests_per_s": 2000.0,
    "warnings": [],
}


def document(**changes: object) -> dict[str, Any]:
    """The document with some of its parts replaced."""
    return {**copy.deepcopy(DOCUMENT), **changes}


Table = dict[str, NDArray[Any]]


def _arrays(columns: dict[str, list[Any]]) -> Table:
    return {name: np.array(values) for name, values in columns.items()}


def bins() -> Table:
    """Two bins of reads, one of writes, and both together."""
    return _arrays(
        {
            "op": ["all", "all", "all", "read", "read", "write"],
            "upper_ns": [1500, 2000, 900_000, 1500, 2000, 900_000],
            "count": [600, 100, 300, 600, 100, 300],
        }
    )


def series() -> Table:
    """Two samples of throughput."""
    return _arrays(
        {
            "start_ns": [0, 40_000_000],
            "reads": [400, 300],
            "writes": [100, 200],
            "read_bytes": [4_000_000, 2_050_000],
            "write_bytes": [1_000_000, 0],
            "read_latency_sum_ns": [1, 2],
            "write_latency_sum_ns": [3, 4],
        }
    )


def timeline() -> Table:
    """A program on die 3 that a read interrupts, and a transfer that begins before both; out of order."""
    return _arrays(
        {
            "track": ["array", "array", "channel"],
            "index": [3, 3, 1],
            "name": ["program", "sense", "transfer"],
            "start_ns": [1000, 1500, 10],
            "duration_ns": [750_000, 75_001, 12_288],
            "class": ["user-write", "user-read", "user-read"],
            "lpn": [7, 8, 9],
        }
    )


STAT: dict[str, Any] = {
    "requests": 4,
    "reads": 3,
    "writes": 1,
    "trims": 0,
    "flushes": 0,
    "closes": 0,
    "devices": 1,
    "read_ratio": 0.75,
    "read_bytes": 3 * 4096,
    "write_bytes": 8192,
    "trim_bytes": 0,
    "mean_bytes": 5120.0,
    "mean_read_bytes": 4096.0,
    "mean_write_bytes": 8192.0,
    "sizes": [{"bytes": 4096, "reads": 3, "writes": 0}, {"bytes": 8192, "reads": 0, "writes": 1}],
    "duration_s": 1.5,
    "mean_iops": 2.67,
    "inter_arrival": {
        "mean_us": 500_000.0,
        "p50_us": 1.0,
        "p90_us": 1.0,
        "p99_us": 1.0,
        "p999_us": 1.0,
        "max_us": 999_000.0,
    },
    "footprint_bytes": 16384,
    "read_footprint_bytes": 8192,
    "write_footprint_bytes": 8192,
    "capacity_sectors": 128,
    "cold_ratio": None,
    "sequential_ratio": 0.25,
    "aligned_ratio": 1.0,
    "seconds": [
        {"second": 0, "reads": 3, "writes": 0, "bytes": 12288},
        {"second": 1, "reads": 0, "writes": 1, "bytes": 8192},
    ],
}

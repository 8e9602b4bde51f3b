"""A short self-test: three SSDs with generated requests, and a hash of their measurements."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

from .api import run
from .config import preset
from .workload import workload

__all__ = ["EXPECTED", "self_test"]

# The result of `self_test` on every machine. An intended change of results changes it: then write the new one here.
EXPECTED = "1e58d2b19e500233"

# The hashed fields: measured values, whose names do not change. Fields that are added later are not included.
KINDS = ("all", "read", "write")
MEASURED = ("mean", "std", "min", "p50", "p99", "p9999", "max")

# Reads of worn pages with retries, writes with garbage collection, and a plain run.
RUNS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("mqsim", "fio/random-mix", {"workload.requests": 400_000}),
    (
        "pnar2",
        "ycsb/a",
        {
            "workload.requests": 100_000,
            "read.retry": "pso+pnar2",
            "reliability.pec": 1000,
            "reliability.retention_months": 3.0,
        },
    ),
    (
        "datacenter-tlc",
        "fio/random-write",
        {
            "workload.requests": 60_000,
            "ssd.channels": 2,
            "ssd.blocks_per_plane": 64,
            "ssd.overprovisioning": 0.28,
            "precondition.fill": 1.0,
            "precondition.overwrite": 1.0,
        },
    ),
)


def self_test(progress: Callable[[int, int], object] | None = None) -> str:
    """Runs the self-test and returns its hash, 16 hexadecimal digits.

    Args:
        progress: Called before each run with its number, from 0, and the number of runs.
    """
    digest = hashlib.sha256()
    for number, (ssd, requests, settings) in enumerate(RUNS):
        if progress is not None:
            progress(number, len(RUNS))
        document: Any = run(preset(ssd).set_all(settings), workload(requests)).to_dict()
        measured = [
            [[document["response_us"][kind][name] or 0.0 for name in MEASURED] for kind in KINDS],
            [document["iops"][kind] for kind in KINDS],
            document["write_amplification"],
            document["simulated_s"],
        ]
        digest.update(json.dumps(measured).encode())
    return digest.hexdigest()[:16]

"""Runs what most users run, for the compiler to see: which paths of the extension are taken, and how often.

`maturin --pgo` calls it with an extension that counts (`pgo-command` in pyproject.toml); `make tuned` does. It takes
some ten seconds. Profiles change the speed of the extension, and never its results.
"""
# ruff: noqa: INP001

from __future__ import annotations

from typing import Any

import wordline
from wordline._core import Drives

FULL = {"precondition.fill": 1.0, "precondition.overwrite": 0.5}
WORN = {"reliability.pec": 1000, "reliability.retention_months": 3}
SMALL = {"ssd.blocks_per_plane": 64}
# Two dies of a drive of today.
DIES = {
    "ssd.channels": 2,
    "ssd.chips_per_channel": 1,
    "ssd.dies_per_chip": 1,
    "ssd.blocks_per_plane": 256,
    "ssd.pages_per_block": 96,
}
STOPS = {"erase.yield": "restart", "nand.erase_suspend_us": 100.0, "workload.arrival": "bursts"}
# Preset, workload, requests, settings: each technique, and what its study runs most.
RUNS: tuple[tuple[str, str, int, dict[str, Any]], ...] = (
    ("mqsim", "fio/random-read", 300_000, {}),
    ("mqsim", "fio/random-write", 300_000, {}),
    ("mqsim", "fio/random-mix", 300_000, {}),
    ("mqsim", "fio/random-write", 50_000, {**FULL, "ssd.blocks_per_plane": 256}),
    ("aero", "ali/a", 100_000, {**FULL, **SMALL}),
    ("aero", "ali/a", 50_000, {**FULL, **SMALL, "host.mode": "closed", "host.queue_depth": 32}),
    ("aero", "ali/b", 200_000, {**FULL, **SMALL, **STOPS}),
    ("aero", "ali/e", 200_000, {**FULL, **SMALL, **STOPS}),
    ("aero", "msrc/prxy_1", 200_000, {**FULL, **SMALL, **STOPS, "erase.scheme": "ispe"}),
    ("aero", "msrc/usr_1", 200_000, {**FULL, **SMALL, **STOPS}),
    ("pnar2", "ycsb/a", 50_000, WORN),
    ("pnar2", "ycsb/c", 50_000, {**WORN, "read.retry": "pso+pnar2"}),
    ("pnar2", "ycsb/c", 20_000, {**WORN, "read.retry": "baseline"}),
    ("ida", "ycsb/a", 100_000, {}),
    ("ofwar", "ycsb/a", 100_000, {**FULL, **SMALL, "gc.threshold": 0.15}),
    ("rif", "ycsb/c", 50_000, {}),
    ("datacenter-tlc", "fio/random-write", 100_000, {**FULL, **DIES}),
    ("datacenter-tlc", "fio/random-read", 200_000, DIES),
    ("datacenter-tlc", "fio/sequential-write", 5_000, {**FULL, **DIES}),
)


def configured(preset: str, requests: int, settings: dict[str, Any]) -> wordline.Config:
    """The configuration of a run."""
    return wordline.preset(preset).set_all({**settings, "workload.requests": requests})


def main() -> None:
    """Each twice: the second run begins on the kept drive of the first."""
    for preset, workload, requests, settings in RUNS:
        config = configured(preset, requests, settings)
        drives = Drives()
        for _ in range(2):
            wordline.run(config, wordline.workload(workload), drives=drives)


if __name__ == "__main__":
    main()

"""A shutdown with a full rewrite queue, and power cuts at random moments on small SSDs in checked mode."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...api import run
from ...config import preset
from ...workload import workload
from .. import Computation, Figure, Measured, Measurement, Outcome, Point, of_runs, part

# A device of 1,536 pages, on which an open-loop burst takes about 20 ms.
SMALL: dict[str, Any] = {
    "ssd.chips_per_channel": 1,
    "ssd.dies_per_chip": 1,
    "ssd.blocks_per_plane": 24,
    "ssd.pages_per_block": 16,
    "ssd.overprovisioning": 0.5,
    "program.write_streams": 1,
    "program.fast_write_threshold": 2,
    "program.rewrite_threshold": 8,
    "program.rewrite_queue_pages": 200,
    # The wear for which the paper states the short retention.
    "reliability.pec": 3_000,
}
REQUESTS, GAP_US = 400, 120.0
# Within the slack of forced rewrites (24 h), minus the possible delay of a scan for them.
OFF_MAX_H = 22.0


def cuts(seed: int, count: int) -> dict[str, Any]:
    """Cuts the power of `count` SSDs, each once, at a random moment and for a random time."""
    draw = random.Random(seed)  # noqa: S311 - nothing secret
    totals = {"cuts": 0, "lost_pages": 0, "fast_pages": 0, "programs_cut_off": 0, "queued_pages": 0}
    burst = workload("fio/random-write", requests=REQUESTS, inter_arrival_us=GAP_US)
    base = preset("ofwar").set_all(SMALL)
    for _ in range(count):
        at_s = draw.uniform(0.0, REQUESTS * GAP_US / 1e6)
        settings = {
            "power.cut_at_s": max(at_s, 1e-6),
            "power.off_h": draw.uniform(0.0, OFF_MAX_H),
            "program.queue_at_power_loss": draw.choice(["saved", "lost"]),
            "seed": draw.randrange(1 << 30),
        }
        document = run(base.set_all(settings), burst, check=True).document
        power, counters = document["power"], document["counters"]["ftl"]
        totals["lost_pages"] += counters["lost_pages"]
        if power is not None:
            totals["cuts"] += 1
            for name in ("fast_pages", "programs_cut_off", "queued_pages"):
                totals[name] += power["cut"][name]
    return totals


ROUNDS, CUTS_EACH = 10, 100
# 64K entries of 4 KiB, or the same number of bytes in larger pages: bytes of a page, and pages.
DEVICES = {"ofwar": (4_096, 65_536), "datacenter-tlc": (16_384, 16_384)}
BURST: dict[str, Any] = {
    "program.policy": "ofwar",
    "program.fast_write_threshold": 0,
    "program.rewrite_threshold": 1_000_000,
    "cache.mode": "off",
    # The paper's cells, on any SSD.
    "cells.chip": "mlc-ofwar",
    "coding.cell": "mlc",
    "coding.scheme": "mlc-1-2",
    "nand.read_us": [50.0, 50.0],
    "nand.program_us": [600.0],
    "workload.inter_arrival_us": 40.0,
    "power.shutdown_at_s": 10.0,
}


@part("shutdown")
def shutdowns(_quick: bool) -> Iterator[Point]:
    """Yields a full rewrite queue on two SSDs."""
    for ssd, (page_bytes, pages) in DEVICES.items():
        keys = {**BURST, "program.rewrite_queue_pages": pages, "workload.write_block_bytes": page_bytes}
        yield Point(ssd, keys, "fio/sequential-write", requests=pages + pages // 10)


@part("cuts")
def failures(quick: bool) -> Iterator[Computation]:
    """Yields a thousand cuts."""
    for seed in range(2 if quick else ROUNDS):
        yield Computation(cuts, {"seed": seed, "count": 10 if quick else CUTS_EACH})


def claims_of_shutdown(rows: Sequence[Outcome]) -> Mapping[str, Measurement]:
    """Retention, and the time of a graceful shutdown on the paper's SSD, then on a newer one."""
    its, newer = rows
    pages, time_s, newer_s = (
        its["power.shutdown.rewritten_pages"], its["power.shutdown.time_s"], newer["power.shutdown.time_s"]
    )  # fmt: skip
    note = f"{pages} pages, on all dies at once; as many bytes on the datacenter-tlc preset take {newer_s:.2f} s"
    return {
        "ofwar.device.retention": float(its["program.fast_retention_days"]),
        "ofwar.power.graceful": Measured(time_s, synthetic=None, note=note),
    }


def claims_of_failures(rows: Sequence[Outcome]) -> Mapping[str, Measurement]:
    """No data is lost."""
    cut, lost = (sum(outcome[name] for outcome in rows) for name in ("cuts", "lost_pages"))
    note = f"{cut} cuts here; the core's tests make tens of thousands against a shadow copy"
    return {"ofwar.power.failure": Measured(float(lost), note=note)}


FIGURES: tuple[Figure[Any], ...] = (
    of_runs("shutdown", shutdowns, claims=claims_of_shutdown),
    of_runs("cuts", failures, claims=claims_of_failures),
)

"""What is simulated: eight workloads on four SSDs, lone reads, and the predictor over the device's pages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...config import preset
from ...workload import workload
from .. import Computation, Point
from . import device
from .device import AGES

# Slides "Experiment Settings" and "Impact of Read-Retry", and the policies.
ZERO, REAL = "SSD_zero", "SSD_real"
SYSTEMS = {"SENC": "sentinel", "SWR": "swift_read", "RiF": "rif"}
WORKLOADS = (*(f"rif/ali_{n}" for n in range(1, 7)), "rif/systor_1", "rif/systor_2")
CYCLES = (0, 1000, 2000)
REQUESTS, QUICK_REQUESTS = 300_000, 20_000
# Requests over which the look-alikes write their written part over, by their presets.
PRESET_REQUESTS = 1_000_000
PAGES, QUICK_PAGES = 1_000_000, 50_000
MIXED_PAGES, QUICK_MIXED_PAGES = 20_000, 2_000
# Lone reads: tECC of PR2/AR2, section 7.1, as a latency.
T_ECC_US = 20.0
LONE_PAGES = 64


def written_bytes(name: str, requests: int) -> int:
    """Bytes that are written, in proportion to the requests."""
    config = workload(name).config(preset("rif"))
    page_bytes = int(config["ssd.page_bytes"])
    share = min(1.0, requests / PRESET_REQUESTS)
    return int(int(config["workload.write_footprint_bytes"]) * share) // page_bytes * page_bytes


def bandwidth(quick: bool) -> list[Point]:
    """The closed loops. SSD_zero knows no cycles, so it runs once for each workload."""
    requests = QUICK_REQUESTS if quick else REQUESTS
    points = []
    for name in WORKLOADS:
        written = {"workload.write_footprint_bytes": written_bytes(name, requests)}
        labels = {"part": "grid", "system": ZERO}
        zero = Point("rif", {**written, "read.retry": "ideal"}, name, requests=requests, labels=labels)
        points.append(zero)
        for pec in CYCLES:
            aged = {**written, **AGES, "reliability.pec": pec}
            points += [
                replace(zero, settings={**aged, "read.retry": policy}, labels={"part": "grid", "system": system})
                for system, policy in {**SYSTEMS, REAL: "one_step"}.items()
            ]
    return points


def lone() -> list[Point]:
    """Reads of one page at a time: good ones with and without the check, doomed ones with one and two checks."""
    page_bytes = int(preset("rif")["ssd.page_bytes"])
    given = {
        "cells.chip": "none",
        "ecc.engine": "pipelined",
        "ecc.code": "bounded",
        "ecc.decode_us": T_ECC_US,
        "host.queue_depth": 1,
        "workload.pattern": "strided",
        "workload.stride_bytes": page_bytes,
        "workload.read_block_bytes": 4096,
    }
    reads: dict[str, dict[str, Any]] = {
        "plain": {"read.retry": "ideal"},
        "checked": {"read.retry": "rif"},
        "checked once": {"read.retry": "rif", "reliability.retry_steps": 1, "read.on_die_retries": 1},
        "checked twice": {"read.retry": "rif", "reliability.retry_steps": 1, "read.on_die_retries": 2},
    }
    return [
        Point(
            "rif",
            {**given, **keys},
            "fio/strided-read",
            requests=LONE_PAGES,
            log_requests=True,
            labels={"part": "lone", "read": name},
        )
        for name, keys in reads.items()
    ]


def surveys(quick: bool) -> list[Computation]:
    """First reads of the device's pages, and the predictor over them, with and without the randomizer."""
    pages, mixed = (QUICK_PAGES, QUICK_MIXED_PAGES) if quick else (PAGES, MIXED_PAGES)
    return [
        Computation(function, {"pec": pec, "pages": count}, {"part": function.__name__})
        for function, count in ((device.first_reads, pages), (device.randomizer, mixed))
        for pec in CYCLES
    ]


def all_points(quick: bool) -> list[Point | Computation]:
    """All parts."""
    return [*lone(), *surveys(quick), *bandwidth(quick)]

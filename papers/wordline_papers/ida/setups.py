"""The compared SSDs (two readings of Table II), and the eleven workloads as look-alikes, as small as latency needs."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from typing import Any

from wordline.workload import Trace, Workload, workload

from ..at_hand import first, real_trace

# Table II.
PLANES, PAGES_PER_BLOCK, PAGE_BYTES = 64, 192, 8192

# Enough blocks for the scaled footprints without garbage collection: the paper's read-intensive runs have almost none.
SMALL: dict[str, Any] = {"ssd.blocks_per_plane": 192, "refresh.period_days": 0.0}

# Reads first, even if a program is running: a read that waits for programs of 2.3 ms would gain little from 50 us less,
# with any coding (see the readings).
OVERTAKING: dict[str, Any] = {
    "program.suspend": True,
    "nand.program_suspend_us": 0.0,
    "schedule.suspend_min_remaining_us": 0.0,
    "schedule.max_suspends": 1_000_000,
}
# (a) The likely model of the paper's simulator: a chip is one server with a link of its own, held for tR and 48 us.
CHIP_SERVERS: dict[str, Any] = {
    **SMALL,
    **OVERTAKING,
    "ssd.channels": 16,
    "ssd.chips_per_channel": 1,
    "schedule.unit": "chip",
    "nand.multiplane": "off",
}
# (b) Table II to the letter: four chips of two dies share a channel.
TABLE_II: dict[str, Any] = {
    **SMALL,
    **OVERTAKING,
    "ssd.channels": 4,
    "ssd.chips_per_channel": 4,
    "schedule.unit": "die",
    "nand.multiplane": "same-page",
}
BASELINE: dict[str, Any] = {"coding.policy": "conventional", "refresh.at_start": "before"}
LSB_US = 50.0
# The paper leaves QLC as future work: each further page type takes dtR more, like from LSB to CSB to MSB. Other numbers
# of senses are interpolated.
QLC: dict[str, Any] = {
    "coding.cell": "qlc",
    "coding.scheme": "qlc-1-2-4-8",
    "nand.read_us": [50.0, 100.0, 125.0, 150.0, 162.5, 175.0, 187.5, 200.0],
}


def ida(error_rate: float) -> dict[str, Any]:
    """Returns IDA whose adjustments break a share of the remaining pages."""
    return {"coding.policy": "ida", "coding.ida_error_rate": error_rate, "refresh.at_start": "before"}


def read_times(step_us: float) -> dict[str, Any]:
    """Returns read times with another dtR; the LSB's stays (the paper does not say which page's does)."""
    return {"nand.read_us": [LSB_US, LSB_US + step_us, LSB_US + 1.5 * step_us, LSB_US + 2 * step_us]}


# IDA, Table III.
NAMES = ("proj_1", "proj_2", "proj_3", "proj_4", "hm_1", "src1_0", "src1_1", "src2_0", "stg_1", "usr_1", "usr_2")
# Replaces the presets' bursts (two exponential phases, a variance of four squared means): there is no published data on
# the bursts of these volumes, and they affect read waits as much as the load does.
AT_RANDOM: dict[str, Any] = {"workload.arrival": "exponential"}
# Pages go round all planes in turn, so that a workload uses the same chips with any footprint.
FOOTPRINT_BYTES = 4 << 30
# One page more than the presets' 64 KiB: see `updated`.
EXTENT_PAGES = 9
# Sixteen wordlines on each plane, like the runs of the presets.
RUN_PAGES = 16 * 3 * 64


def full(name: str) -> str:
    """Returns a workload's name among the presets."""
    return f"msrc/{name}"


def replayed(name: str, requests: int) -> Trace | Workload:
    """Returns the first requests of a workload: of the real trace if it is at hand, else of its look-alike."""
    real = real_trace(full(name))
    return workload(full(name), requests=requests) if real is None else first(real, requests)


@functools.cache
def settings_of(name: str) -> Mapping[str, Any]:
    """Returns a look-alike's keys of `[workload]`, without the section."""
    info = workload(full(name)).info
    return {} if info is None else tomllib.loads(info.text)["workload"]


def footprint(name: str) -> int:
    """Returns the bytes of a look-alike's footprint."""
    return int(settings_of(name)["footprint_bytes"])


def scaled(name: str) -> dict[str, Any]:
    """Returns a look-alike on a smaller footprint; its writes shrink in proportion."""
    share = FOOTPRINT_BYTES / footprint(name)
    if share >= 1:
        return {}
    written = int(settings_of(name)["write_footprint_bytes"] * share)
    smallest = 64 << 20
    return {
        "workload.footprint_bytes": FOOTPRINT_BYTES,
        "workload.write_footprint_bytes": max(written // 4096 * 4096, smallest),
    }


def invalid_at_refresh(name: str) -> float:
    """Returns the share of a block's pages that are invalid when it is refreshed (Table IV)."""
    info = workload(full(name)).info
    published = [] if info is None else info.published
    valid = [row["valid_page_ratio"] for row in published if row["paper"] == "ida"]
    return 1.0 - float(valid[0])


def updated(name: str, extent_pages: int = EXTENT_PAGES) -> dict[str, Any]:
    """Returns the rewrites before the refresh: the share of Table IV, each place independently.

    The look-alikes of the presets rewrite a part in runs of whole wordlines, so that Table III's last column (MSB reads
    that find LSB or CSB invalid) also holds at the refresh. But like the others of the table, that column covers all
    reads of a trace (section IV-D). Table IV covers blocks at the end of their refresh period, when most is invalid
    (section V-C). Nothing in the paper makes the pages of a wordline invalid together. If a share U is invalid at the
    end and grew evenly with time, U - U^2/3 of the MSBs have an invalid companion on average: 34 % over the workloads,
    compared with 29 % in Table III. `as_presets` has the presets' reading (part `runs`).

    Reads use only places that were not rewritten, so few of them reach the ends of a rewritten piece. The presets'
    pieces have eight pages, which CWDP (Table II) puts on the first or the last eight of 16 chips. The chips at their
    ends would have up to 15 % less load than the mean, those in their middle up to 11 % more, and a mean of 78 % would
    be one of 66 and 87 %. Nothing in the paper describes such chips; CWDP is there to spread the work. With nine pages
    the ends fall on all chips in turn (see the readings).
    """
    extent = extent_pages * PAGE_BYTES
    return {
        "workload.update_scattered_ratio": invalid_at_refresh(name),
        "workload.update_extent_bytes": extent,
        "workload.update_run_ratio": 0.0,
        "workload.update_run_bytes": RUN_PAGES // extent_pages * extent,
    }


def as_presets(name: str) -> dict[str, Any]:
    """Returns rewrites that are partly in runs, which leave whole wordlines invalid, as in the presets."""
    shares = ("update_scattered_ratio", "update_run_ratio")
    return {**updated(name), **{f"workload.{key}": settings_of(name)[key] for key in shares}}

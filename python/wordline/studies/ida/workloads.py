"""The paper's eleven workloads as look-alikes, scaled to what latency needs, and how fast each is offered."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from typing import Any

from ... import preset, run, workload

__all__ = ["NAMES", "footprint", "full", "invalid_at_refresh", "offered", "reads_busy", "scaled", "updated"]

# IDA, Table III.
NAMES = ("proj_1", "proj_2", "proj_3", "proj_4", "hm_1", "src1_0", "src1_1", "src2_0", "stg_1", "usr_1", "usr_2")
# Pages go round all planes in turn, so that a workload sees the same chips however large its footprint is.
FOOTPRINT_BYTES = 4 << 30
CALIBRATION_REQUESTS = 20_000
REPEATS = 2
Hashable = tuple[tuple[str, Any], ...]
US_PER_S = 1e6


def full(name: str) -> str:
    """A workload's name among the presets."""
    return f"msrc/{name}"


@functools.cache
def settings_of(name: str) -> Mapping[str, Any]:
    """A look-alike's keys of `[workload]`, without the section."""
    info = workload(full(name)).info
    return {} if info is None else tomllib.loads(info.text)["workload"]


def footprint(name: str) -> int:
    """Bytes of a look-alike's footprint."""
    return int(settings_of(name)["footprint_bytes"])


def scaled(name: str) -> dict[str, Any]:
    """A look-alike on a smaller footprint; what it writes shrinks in proportion."""
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
    """Share of a block's pages that are invalid when it is refreshed (Table IV)."""
    info = workload(full(name)).info
    published = [] if info is None else info.published
    valid = [row["valid_page_ratio"] for row in published if row["paper"] == "ida"]
    return 1.0 - float(valid[0])


def updated(name: str) -> dict[str, Any]:
    """What has been rewritten when the data is refreshed: as much as Table IV says, each place for itself.

    The look-alikes of the presets rewrite a part of it in runs of whole wordlines, so that Table III's last column
    (MSB reads that find LSB or CSB invalid) holds at the refresh, too. But that column, as all others of the table, is
    of all reads of a trace (section IV-D), while Table IV is of blocks whose refresh period is over, when most is
    invalid (section V-C); and nothing in the paper makes the pages of a wordline invalid together. Where a share U is
    invalid in the end and as much became so in each hour, U - U^2/3 of the MSBs have an invalid companion on the mean:
    34 % over the workloads, beside 29 % in Table III. The part `runs` has the presets' reading.
    """
    return {"workload.update_scattered_ratio": invalid_at_refresh(name), "workload.update_run_ratio": 0.0}


@functools.cache
def busy_us(ssd: str, settings: Hashable, name: str, time_scale: float) -> float:
    """Time that all the baseline's chips (or channels, where chips share them) spend on the reads of a request, us."""
    keys: dict[str, Any] = {key: list(value) if isinstance(value, tuple) else value for key, value in settings}
    pace = {"host.mode": "open", "host.time_scale": time_scale, "refresh.at_start": "never"}
    its = workload(full(name), requests=CALIBRATION_REQUESTS)
    document = run(preset(ssd).set_all({**keys, **scaled(name), **updated(name), **pace}), its).document
    share = reads_busy(document, has_own_link=keys["schedule.unit"] == "chip")
    return float(share * keys["ssd.channels"] * document["simulated_s"] * US_PER_S / CALIBRATION_REQUESTS)


def reads_busy(document: Mapping[str, Any], has_own_link: bool) -> float:
    """Share of the time that reads hold a chip, by its array or its own link; without one, that they hold a channel."""
    channel = document["channel_time"]["mean"]
    link = channel["cor"] + channel["uncor"]
    return float(document["die_utilisation"]["read"] + link if has_own_link else link)


def offered(ssd: str, settings: Mapping[str, Any], name: str, load: float) -> dict[str, Any]:
    """Arrivals at which reads hold the baseline's chips, or the channels that chips share, for a share of the time.

    How much a request costs depends a little on the pace: the faster requests come, the more of the data that reads
    want is still on its way to flash. So it is measured at the trace's pace, then twice at the pace that follows.
    Where programs pile up, as under `src1_0`, the load of a run longer than these falls below that.
    """
    hashable = tuple((k, tuple(v) if isinstance(v, list) else v) for k, v in settings.items())
    recorded_us = float(settings_of(name)["inter_arrival_us"])
    time_scale = 1.0
    for _ in range(1 + REPEATS):
        gap_us = busy_us(ssd, hashable, name, time_scale) / (settings["ssd.channels"] * load)
        time_scale = gap_us / recorded_us
    return {"host.mode": "open", "host.time_scale": time_scale}

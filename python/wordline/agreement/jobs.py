"""The jobs of a load as fio makes them: job `i` has the same addresses in each run, whatever its mix."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from ..config import Config
from ..errors import WorkloadError
from ..fio_jobs.document import JobSection, Option
from ..fio_jobs.job import Extent, generator
from ..measured import Load
from ..workload import FioJob, Flow
from .flows import Window

__all__ = ["jobs_for", "jobs_within"]


def jobs_within(loads: Sequence[Load], config: Config, window: Window) -> list[Flow]:
    """Returns the flows of loads for as long as a window takes; those of load `i` are named `i.0`, `i.1` and so on."""
    flows = _flows(loads, config, [{"time_based": "1"}] * len(loads))
    return [replace(flow, lasts_s=window.end_s, ramp_s=window.begin_s) for flow in flows]


def jobs_for(loads: Sequence[Load], config: Config, requests: Sequence[int]) -> list[Flow]:
    """Returns the flows of loads whose jobs make so many requests each, at most one for each block of their range."""
    return _flows(loads, config, [{"number_ios": str(count)} for count in requests])


def _flows(loads: Sequence[Load], config: Config, options: Sequence[dict[str, str]]) -> list[Flow]:
    jobs = [
        (f"{place}.{job}", load, own)
        for place, (load, own) in enumerate(zip(loads, options, strict=True))
        for job in range(load.jobs)
    ]
    return [_flow(name, number, load, config, own) for number, (name, load, own) in enumerate(jobs)]


def _flow(name: str, number: int, load: Load, config: Config, options: dict[str, str]) -> Flow:
    pattern = "rand" if load.is_random else ""
    written = {
        "rw": f"{pattern}{load.ops[0]}" if len(load.ops) == 1 else f"{pattern}rw",
        "rwmixread": str(round(100 * load.read_ratio)),
        "bs": f"{load.read_bytes},{load.write_bytes}",
        "ioengine": "io_uring",
        **options,
    }
    section = JobSection("", name, 0, {key: Option(key, value, 0) for key, value in written.items()})
    definition = generator(section, _extent(load, config))
    if load.rate_iops is not None:
        definition["gap_ns"] = round(1e9 / load.rate_iops)
    return Flow(
        name,
        FioJob(name, "", json.dumps(definition), number),
        mode="closed" if load.rate_iops is None else "paced",
        queue_depth=load.depth,
    )


def _extent(load: Load, config: Config) -> Extent:
    """Returns the part of a drive that a load uses: its range, or what a part of a drive has of that.

    Raises:
        WorkloadError: It has none of it.
    """
    block = max(load.read_bytes, load.write_bytes)
    behind = config.host_bytes - load.first_byte
    region = min(load.range_bytes or behind, behind) // block * block
    if region <= 0:
        raise WorkloadError(
            f"its range begins at byte {load.first_byte:,}, and {config.host_bytes:,} are simulated; "
            "set a larger ssd.scale"
        )
    return Extent(load.first_byte, region, load.first_byte + region, region)

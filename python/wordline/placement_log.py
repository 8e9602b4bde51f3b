"""A workload on a log over zones, beside the same workload on drives with placement handles."""

from __future__ import annotations

import csv
import math
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from .api import run
from .config import Config
from .errors import ConfigError
from .held.log_host import LogResult, run_log
from .placements import placed
from .progress import ProgressCallback
from .workload import Flow, Trace, Workload, flows_of, trace

__all__ = ["ZONED_OFF", "on_zones", "run_on_zones"]

ZONED_OFF: dict[str, Any] = {
    "fdp.isolation": "off",
    "ftl.placement": "flow",
    "ftl.streams": 1,
    "cache.mode": "off",
    "slc.policy": "off",
    "journal.mode": "off",
    "ftl.mapping": "flat",
    "ftl.parity": 0,
}
"""What does not go with zones, and is off there."""
RESERVE_BLOCKS = 3
"""Superblocks that are no zone: a zone that is reset takes another one."""
SPARE_ZONES_MIN = 5
"""Two zones of a log are open and two are free; one is emptied."""
MOST_OVERWRITES = 3.0
"""Drive writes before the log is measured, at most: it has been steady for long then."""
SECTOR_BYTES = 512
COLUMNS = ("time_ns", "operation", "offset", "size")
LETTERS = {"read": "R", "write": "W", "trim": "T"}
"""Operations of a log's user, as traces name them."""


def on_zones(config: Config) -> tuple[Config, float]:
    """Returns a drive of zones with the flash of another one, and the spare share of a log that shows the same bytes.

    Raises:
        ConfigError: The drive has no room for a log.
    """
    blocks = config.simulated("ssd.blocks_per_plane")
    zoned = config.set_all(
        {
            **{key: value for key, value in ZONED_OFF.items() if config[key] != value},
            # A part of a drive of zones has fewer zones; here it has those superblocks that the other drive simulates.
            "ssd.scale": 1,
            "ssd.blocks_per_plane": blocks,
            "ssd.pages_per_block": config.simulated("ssd.pages_per_block"),
            "ftl.group": "superblock",
            "ftl.unmapped_read": "zero",
            "ssd.overprovisioning": RESERVE_BLOCKS / blocks,
            "precondition.fill": 0.0,
            "precondition.overwrite": 0.0,
            "zones.mode": "on",
        }
    )
    zones = zoned.zones
    spare = 0.0 if zones is None else 1.0 - config.host_bytes / (zones.number * zones.capacity_bytes)
    spare_zones = (blocks - RESERVE_BLOCKS) * spare
    if spare_zones < SPARE_ZONES_MIN:
        raise ConfigError(
            f"zones-log: the log has {spare_zones:.1f} spare zones, and needs {SPARE_ZONES_MIN}; "
            "raise ssd.overprovisioning"
        )
    return zoned, spare


def run_on_zones(
    config: Config,
    workload: Any,  # noqa: ANN401 - as `run`
    requests: int | None = None,
    progress: bool | ProgressCallback | None = None,
) -> LogResult:
    """Runs a workload on a log over zones that has the flash and the logical bytes of a drive.

    The log carries out one flow in a closed loop: several become one, by their times, or in step where one has none.
    Flows that end by time have no number of requests: they ask for what they ask of the plain drive in that time.
    The log is written over before, as `precondition.overwrite` says, by more requests of the same flows.

    Raises:
        WordlineError: As for `run_log`.
    """
    zoned, spare = on_zones(config)
    flows = [flow if requests is None else flow.limited(requests) for flow in flows_of(workload, config)]
    timed = config["host.duration_s"] > 0 or any(flow.lasts_s is not None for flow in flows)
    if timed:
        once = [_requests_in_time(config, flows, progress)]
    else:
        once = [_requests(config, flow, number, 1) for number, flow in enumerate(flows)]
    written = sum(row[3] for rows in once for row in rows if row[1] == "W") or 1
    overwrite = config["precondition.overwrite"]
    wanted = MOST_OVERWRITES if isinstance(overwrite, str) else min(float(overwrite), MOST_OVERWRITES)
    rounds = 1 + math.ceil(wanted * config.host_bytes / written)
    if timed:
        merged = once[0] * rounds
    elif rounds > 1:
        merged = _merged([_requests(config, flow, number, rounds) for number, flow in enumerate(flows)])
    else:
        merged = _merged(once)
    counted = sum(map(len, once))
    depth = max((flow.queue_depth or config["host.queue_depth"]) for flow in flows)
    load = Flow("log", _trace(merged), mode="closed", queue_depth=depth)
    return run_log(zoned, load, spare=spare, warmup_requests=len(merged) - counted, progress=progress)


Row = tuple[int, str, int, int]


def _requests_in_time(config: Config, flows: Sequence[Flow], progress: bool | ProgressCallback | None) -> list[Row]:
    """Returns the requests of flows that end by time, as the plain drive was asked for them."""
    plain = placed(config, "plain")
    asked = run(plain, list(flows), log_requests=True, write_iologs=False, progress=progress).arrays("requests")
    columns = (asked[name].tolist() for name in ("submitted_ns", "op", "sector", "sectors"))
    rows = [
        (time, LETTERS[kind], sector * SECTOR_BYTES, sectors * SECTOR_BYTES)
        for time, kind, sector, sectors in zip(*columns, strict=True)
        if kind in LETTERS
    ]
    # They are kept as they end.
    return sorted(rows, key=lambda row: row[0])


def _requests(config: Config, flow: Flow, number: int, rounds: int) -> list[Row]:
    """Returns the requests of the flow of a number, so many times as many, with addresses on the drive."""
    source = flow.workload
    if isinstance(source, Workload):
        of_flow = flow.config(config)
        settings = {
            "requests": of_flow["workload.requests"] * rounds,
            "footprint_bytes": of_flow["workload.footprint_bytes"] or _size(config, flow),
            # As in a run: two flows do not ask for the same places at the same times.
            "seed": dict(source.settings).get("seed", of_flow["workload.seed"] + number),
        }
        source = source.with_settings(settings)
    elif isinstance(source, Trace) and rounds > 1:
        source = Trace(source.paths, tuple({**dict(source.options), "rounds": rounds}.items()))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "flow.csv"
        if isinstance(source, Trace):
            source.convert(path, to="csv")
        else:
            source.write(path, replace(flow, workload=source).config(config), to="csv")
        with path.open(encoding="ascii", newline="") as file:
            rows = [
                (int(time), kind, (int(sector) + flow.first_sector) * SECTOR_BYTES, int(sectors) * SECTOR_BYTES)
                for time, kind, sector, sectors, *_ in csv.reader(file)
                if kind in LETTERS.values()
            ]
    return rows if isinstance(source, Workload | Trace) else rows * rounds


def _size(config: Config, flow: Flow) -> int:
    end = config.host_bytes // SECTOR_BYTES - flow.first_sector
    return (end if flow.sectors is None else flow.sectors) * SECTOR_BYTES


def _merged(parts: Sequence[list[Row]]) -> list[Row]:
    """Returns the requests of all flows by their times; where a flow has none, such that all end together."""
    if all(rows and rows[-1][0] > 0 for rows in parts):
        return sorted((row for rows in parts for row in rows), key=lambda row: row[0])
    longest = max(map(len, parts), default=0)
    placed = [
        (round(longest * 1000 * (number + 0.5) / len(rows)), *row[1:])
        for rows in parts
        for number, row in enumerate(rows)
    ]
    return sorted(placed, key=lambda row: row[0])


def _trace(rows: Sequence[Row]) -> Trace:
    return trace({name: list(column) for name, column in zip(COLUMNS, zip(*rows, strict=True), strict=True)})

"""A host that writes a log: random writes become writes in order, on zones or on a plain drive."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from ..api import resolved
from ..config import Config, preset
from ..drive import as_wanted
from ..errors import ConfigError, WorkloadError
from ..progress import ProgressCallback, raw, reporting
from ..result import Result
from ..workload import WorkloadLike, count_of, flows_of, limited
from .opening import open as open_drive

__all__ = ["LogResult", "run_log"]

SEGMENT_BYTES = 64 << 20
"""Bytes of a segment of a log on a plain drive, unless it is said."""
SPARE = 0.2
"""Share of the segments that the user does not see, unless it is said."""
FREE_SEGMENTS = 2
FREE_MAX, SEGMENT_MAX = 1_000_000, 1 << 40
"""A log collects while fewer segments are free, unless it is said."""


@dataclass(frozen=True)
class LogResult:
    """What a log did, and its drive.

    Attributes:
        result: What the drive measured, of the log's reads, writes, resets and trims.
        logical_bytes: Bytes that the user of the log sees.
        requests: Requests of the user.
        written_bytes: Bytes that they wrote, in whole units.
        moved_bytes: Bytes that the log wrote again.
        cleared: Segments that it reset or trimmed.
        flushes: Flushes that it sent: those of the user, and its own before it clears a segment of a drive that may
            lose what it has acknowledged.
        failed: Jobs of the drive that did not succeed.
        response_us: Response times of the user's requests: of `read`, `write` and `all`, each with `mean`, `max`,
            `count` and percentiles such as `p99`, as in a result.
    """

    result: Result
    logical_bytes: int
    requests: int
    written_bytes: int
    moved_bytes: int
    cleared: int
    flushes: int
    failed: int
    response_us: dict[str, dict[str, float]]

    @property
    def mean_us(self) -> float:
        """Mean response time of the user's requests."""
        return self.response_us["all"]["mean"]

    @property
    def max_us(self) -> float:
        """The longest."""
        return self.response_us["all"]["max"]

    def to_dict(self) -> dict[str, Any]:
        """Returns what the log did, and in `drive` what the drive measured."""
        return {
            "logical_bytes": self.logical_bytes,
            "requests": self.requests,
            "written_bytes": self.written_bytes,
            "moved_bytes": self.moved_bytes,
            "cleared": self.cleared,
            "flushes": self.flushes,
            "failed": self.failed,
            "host_write_amplification": self.host_write_amplification,
            "device_write_amplification": self.device_write_amplification,
            "write_amplification": self.write_amplification,
            "response_us": self.response_us,
            "drive": self.result.to_dict(),
        }

    @property
    def host_write_amplification(self) -> float | None:
        """Bytes that the log wrote over those of the user; None if that wrote nothing."""
        return (self.written_bytes + self.moved_bytes) / self.written_bytes if self.written_bytes else None

    @property
    def device_write_amplification(self) -> float | None:
        """Bytes that the flash programmed over those of the log; None if that wrote nothing."""
        value: float | None = self.result.write_amplification
        return value

    @property
    def write_amplification(self) -> float | None:
        """Bytes that the flash programmed over those of the user."""
        host, device = self.host_write_amplification, self.device_write_amplification
        return None if host is None or device is None else host * device


def run_log(
    config: Config | str,
    workload: WorkloadLike = None,
    *,
    requests: int | str | None = None,
    scale: str | float | None = None,
    steady: bool = False,
    seed: int | None = None,
    spare: float = SPARE,
    segment_bytes: int = SEGMENT_BYTES,
    free_segments: int = FREE_SEGMENTS,
    fill: bool = True,
    warmup_requests: int = 0,
    check: bool = False,
    progress: bool | ProgressCallback | None = None,
) -> LogResult:
    """Runs a workload on a log-structured host, in a closed loop of its queue depth.

    The log has a map of its own, and puts what is written in order into segments: the zones of a drive of zones, or
    pieces of a plain one. Where few segments are free, it empties the one with the fewest live units.

    Args:
        config: The drive, or the name of a preset.
        workload: One flow, as for `run`. It sees what the log leaves it.
        requests: So many are counted, after those of the warm-up, of a trace at most; None: as many as it has.
        scale: As for `run`.
        steady: As for `run`, on a plain drive with `precondition.shape=random`: what a log writes is not known before.
        seed: As for `run`.
        spare: Share of the segments that the user does not see.
        segment_bytes: Bytes of a segment on a plain drive.
        free_segments: The log collects while fewer segments are free.
        fill: Write all that the user sees once, in order, before the workload.
        warmup_requests: Requests of the workload after which counting begins.
        check: Checked mode, as for `run`.
        progress: As for `run`.

    Raises:
        WordlineError: As for `run`; or the log does not fit.
    """
    if isinstance(config, str):
        config = preset(config)
    if not isinstance(config, Config):
        raise ConfigError(
            f"a {type(config).__name__} is no configuration; use wordline.preset(…) or wordline.config(…)"
        )
    if not 0 < spare < 1:
        raise WorkloadError(f"spare = {spare}: give the share of the log's segments that is spare, above 0 and below 1")
    if not 1 <= free_segments <= FREE_MAX:
        raise WorkloadError(f"free_segments = {free_segments}: give 1 to {FREE_MAX}")
    if not 0 < segment_bytes <= SEGMENT_MAX:
        raise WorkloadError(f"segment_bytes = {segment_bytes}: give 1 to {SEGMENT_MAX}")
    config = as_wanted(config, scale, steady=steady, seed=seed)
    count = count_of(requests)
    flows = flows_of(limited(workload, None if count is None else count + warmup_requests, config), config)
    if len(flows) != 1:
        raise WorkloadError(f"a log carries out one flow, and there are {len(flows)}")
    if flows[0].lasts_s is not None:
        raise WorkloadError(
            f"flow `{flows[0].name}` ends by time, and a log by the number of its requests: "
            "leave out its time (runtime, lasts_s), and say how many it has (number_ios, requests)"
        )
    config, (form,) = resolved(config, flows)
    depth = form.get("queue_depth") or config["host.queue_depth"]
    with open_drive(config, flows=("log",), check=check, progress=progress) as drive:
        with reporting(progress) as callback:
            counts, times = drive.run_log(
                json.dumps(form),
                spare,
                segment_bytes,
                free_segments,
                depth,
                fill,
                warmup_requests,
                raw(callback),
            )
        units, unit_bytes, requests, written, moved, cleared, flushes, failed = counts
        return LogResult(
            result=drive.result(),
            logical_bytes=units * unit_bytes,
            requests=requests,
            written_bytes=written * unit_bytes,
            moved_bytes=moved * unit_bytes,
            cleared=cleared,
            flushes=flushes,
            failed=failed,
            response_us=json.loads(times),
        )

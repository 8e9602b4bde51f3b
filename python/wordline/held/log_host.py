"""A host that writes a log: random writes become writes in order, on zones or on a plain drive."""

from __future__ import annotations

import json
from dataclasses import dataclass

from ..api import resolved
from ..config import Config, preset
from ..errors import ConfigError, WorkloadError
from ..progress import ProgressCallback, raw, reporting
from ..result import Result
from ..workload import WorkloadLike, flows_of
from .opening import open as open_drive

__all__ = ["LogResult", "run_log"]

SEGMENT_BYTES = 64 << 20
"""Bytes of a segment of a log on a plain drive, unless it is said."""


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
        failed: Jobs of the drive that did not succeed.
        mean_us: Mean response time of the user's requests.
        max_us: The longest.
    """

    result: Result
    logical_bytes: int
    requests: int
    written_bytes: int
    moved_bytes: int
    cleared: int
    failed: int
    mean_us: float
    max_us: float

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
    spare: float = 0.2,
    segment_bytes: int = SEGMENT_BYTES,
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
        spare: Share of the segments that the user does not see.
        segment_bytes: Bytes of a segment on a plain drive.
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
    flows = flows_of(workload, config)
    if len(flows) != 1:
        raise WorkloadError(f"a log carries out one flow, and there are {len(flows)}")
    config, (form,) = resolved(config, flows)
    depth = form.get("queue_depth") or config["host.queue_depth"]
    with open_drive(config, flows=("log",), check=check, progress=progress) as drive:
        with reporting(progress) as callback:
            counts = drive.run_log(
                json.dumps(form), spare, segment_bytes, depth, fill, warmup_requests, raw("run", callback)
            )
        units, unit_bytes, requests, written, moved, cleared, failed, response_ns, longest_ns = counts
        return LogResult(
            result=drive.result(),
            logical_bytes=units * unit_bytes,
            requests=requests,
            written_bytes=written * unit_bytes,
            moved_bytes=moved * unit_bytes,
            cleared=cleared,
            failed=failed,
            mean_us=response_ns / 1000 / requests if requests else 0.0,
            max_us=longest_ns / 1000,
        )

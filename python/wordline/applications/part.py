"""Parts of a drive that are written at given shares of the bytes; what every application here is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..config import Config
from ..errors import WorkloadError
from ..workload import Flow, Workload

__all__ = ["Application", "Part"]

SECTOR_BYTES = 512
MB_PER_S = 1e6
ALIGN_BYTES = 1 << 20


@dataclass(frozen=True)
class Part:
    """A region that is written in one way.

    Attributes:
        name: Its name in results.
        space: Its share of the drive.
        bytes: Its share of the bytes written.
        block_bytes: Bytes of a request.
        pattern: Where they go in the region.
        handle: Placement handle, counted from 1; None: none.
        arrival: How its requests arrive.
        empty: Share of its places that were trimmed and are not yet written again.
    """

    name: str
    space: float
    bytes: float
    block_bytes: int
    pattern: Literal["random", "sequential", "zipf", "hot-cold"] = "random"
    handle: int | None = None
    arrival: Literal["fixed", "exponential"] = "fixed"
    empty: float = 0.0


@dataclass(frozen=True)
class Application:
    """Parts of a drive, one behind the other, and reads over all of them. Flows of a run, as a file of flows is.

    Attributes:
        parts: What is written.
        drive_writes: Bytes written over the bytes of the drive.
        rate_mb_s: Bytes written a second. It must be less than what the drive can take, or queues grow.
        reads_per_s: Random reads of 4 KiB a second, over all parts.
        seed: Separates its random choices from those of another one.
    """

    parts: Sequence[Part]
    drive_writes: float
    rate_mb_s: float
    reads_per_s: float = 0.0
    seed: int = 0

    def flows(self, config: Config) -> list[Flow]:
        """Returns the flows on an SSD.

        Raises:
            WorkloadError: The shares do not fit.
        """
        self._check()
        total, at, flows = config.host_bytes, 0, []
        written = self.drive_writes * total
        for number, part in enumerate(self.parts):
            size = int(part.space * total) // ALIGN_BYTES * ALIGN_BYTES
            if size < part.block_bytes:
                raise WorkloadError(f"{part.name}: {part.space:.3%} of the drive is less than a request; take more")
            if part.bytes > 0:
                rate = self.rate_mb_s * MB_PER_S * part.bytes
                # Each place is trimmed or written at random, so that the share of trims is that of empty places.
                writes = 1.0 - part.empty
                settings = {
                    "read_ratio": 0.0,
                    "trim_ratio": part.empty,
                    "pattern": part.pattern,
                    "write_block_bytes": part.block_bytes,
                    "inter_arrival_us": part.block_bytes / rate * 1e6 * writes,
                    "arrival": part.arrival,
                    "requests": max(1, round(written * part.bytes / part.block_bytes / writes)),
                    "seed": self.seed + number,
                }
                flows.append(self._flow(part.name, settings, at, size, part.handle))
            at += size
        if self.reads_per_s:
            seconds = written / (self.rate_mb_s * MB_PER_S)
            reads = {
                "read_ratio": 1.0,
                "inter_arrival_us": 1e6 / self.reads_per_s,
                "arrival": "exponential",
                "requests": max(1, round(seconds * self.reads_per_s)),
                "seed": self.seed + len(self.parts),
            }
            flows.append(self._flow("reads", reads, 0, at, None))
        return flows

    @staticmethod
    def _flow(name: str, settings: dict[str, Any], at: int, size: int, handle: int | None) -> Flow:
        handles = () if handle is None else (handle,)
        load = Workload(settings=tuple(settings.items()))
        return Flow(
            name, load, handles=handles, first_sector=at // SECTOR_BYTES, sectors=size // SECTOR_BYTES, mode="open"
        )

    def _check(self) -> None:
        space, written = sum(each.space for each in self.parts), sum(each.bytes for each in self.parts)
        if not 0 < space <= 1 + 1e-9:
            raise WorkloadError(f"the parts have {space:.1%} of the drive; give them up to 100 %")
        if abs(written - 1) > 1e-6:
            raise WorkloadError(f"the parts get {written:.1%} of the bytes; give them 100 % together")
        for what, number in (("drive_writes", self.drive_writes), ("rate_mb_s", self.rate_mb_s)):
            if not number > 0:
                raise WorkloadError(f"{what} = {number}: it is more than 0")
        if self.reads_per_s < 0:
            raise WorkloadError(f"reads_per_s = {self.reads_per_s}: it is 0 or more")


def share(name: str, value: float) -> float:
    """Returns a share between 0 and 1, both left out.

    Raises:
        WorkloadError: It is none.
    """
    if not 0 < value < 1:
        raise WorkloadError(f"{name} = {value}: it is a share above 0 and below 1")
    return value

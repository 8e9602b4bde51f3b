"""What a KV cache made of its SSD."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

from ..config import Config
from ..held import JobTimes
from .plan import Demand
from .settings import KvSettings

__all__ = ["Asked", "DriveSide", "Endurance", "KvResult", "PolicyResult", "Restore"]

DAY_S: Final = 86_400
DAYS_PER_YEAR: Final = 365
GB: Final = 1e9
TB: Final = 1e12
US_PER_MS: Final = 1000.0


@dataclass(frozen=True)
class Restore:
    """One request that restored blocks from the SSD.

    Attributes:
        at_s: When it arrived, s.
        blocks: Blocks restored.
        time_ms: Until the last of them was in DRAM, ms.
        behind_own_work: A read met a die at work of the drive's own, such as garbage collection.
    """

    at_s: float
    blocks: int
    time_ms: float
    behind_own_work: bool


@dataclass(frozen=True)
class DriveSide:
    """What the simulated drive made of it, in the second half of its writes.

    Attributes:
        restores: Each request that restored blocks.
        demanded_write_gb_s: Writes asked for, GB/s, from the first to the last.
        served_write_gb_s: The same bytes until the last write was done.
        demanded_read_gb_s: Restores asked for.
        served_read_gb_s: The same bytes until the last restore was done.
        late_s: How long after it was asked for the last write was done.
        write_amplification: Bytes programmed for each byte of the host.
        layout_share: Bytes of moves and journal of the layout, for each byte of blocks.
        read_disturb_refreshes: Blocks of flash that were rewritten since they were read often.
        refreshes: Blocks of flash that were rewritten, for any reason.
        failed: Works with a read or write that failed.
        drive_writes: Drive writes of the run, the first half included.
        passes: How often the trace began.
        factor: How many times the simulated blocks and times are smaller.
        simulated_s: Simulated time of the part, s.
    """

    restores: tuple[Restore, ...]
    demanded_write_gb_s: float
    served_write_gb_s: float
    demanded_read_gb_s: float
    served_read_gb_s: float
    late_s: float
    write_amplification: float | None
    layout_share: float
    read_disturb_refreshes: int
    refreshes: int
    failed: int
    drive_writes: float
    passes: int
    factor: float
    simulated_s: float

    @property
    def restore_times(self) -> JobTimes:
        """Times to restore, us."""
        return JobTimes.of([round(each.time_ms * 1_000_000) for each in self.restores])

    @property
    def behind_own_work_share(self) -> float | None:
        """Share of restores of which a read met a die at work of the drive's own."""
        if not self.restores:
            return None
        return sum(each.behind_own_work for each in self.restores) / len(self.restores)

    @property
    def falls_behind(self) -> bool:
        """Whether the drive writes less than it is asked for."""
        return self.served_write_gb_s < 0.98 * self.demanded_write_gb_s

    def to_dict(self) -> dict[str, Any]:
        """Returns it as JSON."""
        times = self.restore_times
        milliseconds = {
            name: None if value is None else value / US_PER_MS
            for name, value in asdict(times).items()
            if name != "count"
        }
        numbers = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "restores"}
        return {
            "restores": times.count,
            "restore_ms": milliseconds,
            "behind_own_work_share": self.behind_own_work_share,
            **numbers,
            "falls_behind": self.falls_behind,
        }


@dataclass(frozen=True)
class Endurance:
    """What a drive is rated for.

    Attributes:
        dwpd: Drive writes a day.
        years: Over so many years.
        source: Who says so.
        flash_bytes: Bytes of all blocks of flash, of all drives.
        pec: P/E cycles that a block endures; None where nobody has said it.
        pec_source: Who says so.
    """

    dwpd: float
    years: float
    source: str
    flash_bytes: int
    pec: float | None
    pec_source: str | None


@dataclass(frozen=True)
class PolicyResult:
    """One write policy.

    Attributes:
        settings: What was asked.
        demand: What the cache asks of its SSD, from one pass of the trace.
        drive_bytes: Bytes that the host sees of the drive, or of all drives.
        endurance: What the drive is rated for.
        drive: What the drive made of it; None where no flash was simulated.
    """

    settings: KvSettings
    demand: Demand
    drive_bytes: int
    endurance: Endurance
    drive: DriveSide | None

    @property
    def bytes_a_day(self) -> float:
        """Bytes that the host writes in a day, with those of the layout where they are known."""
        share = self.drive.layout_share if self.drive is not None else 0.0
        return self.demand.write_bytes_per_s * DAY_S * (1 + share)

    @property
    def drive_writes_a_day(self) -> float:
        """How often the drive is written in a day."""
        return self.bytes_a_day / self.drive_bytes

    @property
    def life_years(self) -> float | None:
        """Until the rated bytes are written; None if nothing is written."""
        writes = self.drive_writes_a_day
        return self.endurance.dwpd * self.endurance.years / writes if writes else None

    @property
    def cells_years(self) -> float | None:
        """Until the flash is worn, at the write amplification of the run and with even wear: an upper bound.

        None if nothing is written, no flash was simulated, or nobody has said what a block endures.
        """
        if (
            self.drive is None
            or self.endurance.pec is None
            or not self.drive.write_amplification
            or not self.bytes_a_day
        ):
            return None
        worn_after = self.endurance.flash_bytes * self.endurance.pec / self.drive.write_amplification
        return worn_after / self.bytes_a_day / DAYS_PER_YEAR

    @property
    def tb_per_million_tokens(self) -> float:
        """Terabytes of blocks written for a million tokens of prompts."""
        return self.demand.written_bytes / TB / self.demand.input_tokens * 1e6

    def to_dict(self) -> dict[str, Any]:
        """Returns it as JSON."""
        demand = self.demand
        return {
            "policy": self.settings.policy,
            "cache": {
                **asdict(demand.counts),
                "dram_hit_share": demand.dram_hit_share,
                "ssd_hit_share": demand.ssd_hit_share,
                "dram_blocks": demand.dram_blocks,
                "ssd_blocks": demand.ssd_blocks,
            },
            "writes": {
                "bytes": demand.written_bytes,
                "gb_s": demand.write_bytes_per_s / GB,
                "tb_a_day": self.bytes_a_day / TB,
                "drive_writes_a_day": self.drive_writes_a_day,
                "life_years": self.life_years,
                "cells_years": self.cells_years,
                "tb_per_million_tokens": self.tb_per_million_tokens,
            },
            "drive": None if self.drive is None else self.drive.to_dict(),
        }


@dataclass(frozen=True)
class Asked:
    """The arguments of `kv`, which decide its numbers."""

    config: Config
    traces: tuple[str, ...]
    policies: tuple[str, ...]
    settings: KvSettings
    drives: int
    chunk_bytes: int
    block_tokens: int | None
    flash: bool


@dataclass(frozen=True)
class KvResult:
    """A KV cache on a drive, by write policy.

    Attributes:
        policies: One result for each policy.
        about: Drive, trace and settings.
        notes: What a reader of the numbers has to know.
        asked: What decides the numbers.
    """

    policies: tuple[PolicyResult, ...]
    about: dict[str, Any]
    notes: tuple[str, ...]
    asked: Asked

    def __getitem__(self, policy: str) -> PolicyResult:
        return next(each for each in self.policies if each.settings.policy == policy)

    def to_dict(self) -> dict[str, Any]:
        """Returns it as JSON."""
        return {**self.about, "policies": [each.to_dict() for each in self.policies], "notes": list(self.notes)}

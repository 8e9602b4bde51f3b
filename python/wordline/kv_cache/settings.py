"""What is asked of a KV cache."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from .. import _core
from ..errors import ConfigError
from ..placements import PLACEMENTS
from .layout import LAYOUTS
from .models import bytes_per_token
from .tiers import EVICTIONS, POLICIES

__all__ = ["KvSettings", "bytes_of"]

BUCKETS_FILL: Final = 0.9


@dataclass(frozen=True)
class KvSettings:
    """A KV cache and its host.

    Attributes:
        policy: When a block is written to the SSD.
        eviction: Which block leaves a tier.
        layout: Where blocks lie on the SSD.
        bytes_per_token: Keys and values of a token, bytes.
        dram_bytes: DRAM for blocks.
        fill: The share of the drive that blocks may take; None: all, and 0.9 in buckets, which need room to move.
        bucket_bytes: Bytes of a bucket of the layout `bucket`.
        placement: How the drive keeps kinds of data apart, of `wordline.placements.PLACEMENTS`: `plain` for not at all.
            Kinds are blocks that are new, blocks that were used before, what the layout moves, and the journal.
        command_bytes: Largest command, bytes.
        threads: Threads that restore, and as many that write; each moves a block at a time, command by command.
        tokens_per_s: How fast a request's missing blocks are computed; each is written when it is there.
        drive_writes: How often the drive is written before the run ends; the second half is measured.
        rated_dwpd: Rated drive writes a day; None: as the preset says, or 1 where it says nothing.
        rated_years: For so many years.
    """

    policy: str = "through"
    eviction: str = "lru"
    layout: str = "slot"
    bytes_per_token: int = 131_072
    dram_bytes: int = 256_000_000_000
    fill: float | None = None
    bucket_bytes: int = 256 << 20
    placement: str = PLACEMENTS[0]
    command_bytes: int = 1 << 20
    threads: int = 32
    tokens_per_s: float = 10_000.0
    drive_writes: float = 2.0
    rated_dwpd: float | None = None
    rated_years: float = 5.0

    def __post_init__(self) -> None:
        _one_of("policy", self.policy, POLICIES)
        _one_of("eviction", self.eviction, EVICTIONS)
        _one_of("layout", self.layout, LAYOUTS)
        _one_of("placement", self.placement, PLACEMENTS)
        _within("bytes_per_token", self.bytes_per_token, 1, 1 << 30)
        _within("dram_bytes", self.dram_bytes, 0, 1 << 50)
        _within("fill", self.share, 0.01, 1.0)
        _within("bucket_bytes", self.bucket_bytes, 1 << 20, 1 << 36)
        _within("threads", self.threads, 1, 4096)
        _within("tokens_per_s", self.tokens_per_s, 1.0, 1e9)
        _within("drive_writes", self.drive_writes, 0.001, 1000.0)
        if self.rated_dwpd is not None:
            _within("rated_dwpd", self.rated_dwpd, 1e-6, 1000.0)
        _within("rated_years", self.rated_years, 0.01, 100.0)
        _within("command_bytes", self.command_bytes, 4096, 1 << 30)
        if self.command_bytes % 4096:
            raise ConfigError(f"command_bytes = {self.command_bytes}: give a multiple of 4096")

    @staticmethod
    def token(text: str) -> int:
        """Returns the bytes of a token: of a model, or as given; see `models.bytes_per_token`."""
        return bytes_per_token(text)

    @property
    def share(self) -> float:
        """The share of the drive that blocks may take."""
        return (BUCKETS_FILL if self.layout == "bucket" else 1.0) if self.fill is None else self.fill


def bytes_of(name: str, text: str) -> int:
    """Returns a size such as `256GB`, `64MiB` or `4k` in bytes, as keys of a configuration take it.

    Raises:
        ConfigError: It is none.
    """
    number = _core.number(text, "bytes")
    if number is None or number != int(number) or not 0 <= number < 1 << 60:
        raise ConfigError(f"{name} {text}: give a size such as 256GB, 64MiB or 0")
    return int(number)


def _one_of(name: str, value: str, known: Collection[str]) -> None:
    if value not in known:
        raise ConfigError(f"{name} = {value}: take {', '.join(known)}")


def _within(name: str, value: float, least: float, most: float) -> None:
    if not least <= value <= most:
        ends = (f"{end:,}" if isinstance(end, int) else f"{end:g}" for end in (least, most))
        raise ConfigError(f"{name} = {value}: give {' to '.join(ends)}")

"""Which blocks are in DRAM and on the SSD: pure, without a drive and without time.

Tiers are inclusive: a block on the SSD may be in DRAM too. A hit is a block that is in a tier when its request arrives,
and before which no block of the request is missing. Blocks behind the first missing one are computed again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from ..errors import ConfigError

__all__ = ["EVICTIONS", "POLICIES", "Access", "Counts", "Tiers"]

POLICIES: Final = {
    "through": "each block is written when it is computed",
    "on-evict": "a block is written when it leaves DRAM",
    "second-use": "a block is written at its second use",
}
"""When a block is written to the SSD."""
EVICTIONS: Final = {"lru": "the block that was not used for longest", "fifo": "the block that came first"}
"""Which block leaves a tier."""


@dataclass
class Counts:
    """What was counted, in blocks.

    Attributes:
        accesses: Blocks of all requests.
        dram_hits: Found in DRAM.
        ssd_hits: Found on the SSD alone: they are restored.
        written: Written to the SSD.
        evicted: That left the SSD.
        computed: That were computed.
    """

    accesses: int = 0
    dram_hits: int = 0
    ssd_hits: int = 0
    written: int = 0
    evicted: int = 0
    computed: int = 0


@dataclass
class Access:
    """What a request makes of its blocks.

    Attributes:
        restores: Blocks that are read from the SSD, in order.
        steps: What follows, in order: how many blocks had been computed by then, a block, and whether it is written to
            the SSD or leaves it.
    """

    restores: list[int] = field(default_factory=list)
    steps: list[tuple[int, int, bool]] = field(default_factory=list)


class _Tier:
    """Blocks in the order in which they leave."""

    def __init__(self, blocks: int, eviction: str) -> None:
        self._room = blocks
        self._moves = eviction == "lru"
        self._blocks: OrderedDict[int, None] = OrderedDict()

    def __contains__(self, block: int) -> bool:
        return block in self._blocks

    def touch(self, block: int) -> bool:
        """Returns whether a block is there, and notes its use."""
        if block not in self._blocks:
            return False
        if self._moves:
            self._blocks.move_to_end(block)
        return True

    def add(self, block: int) -> int | None:
        """Takes a block that is not there; returns the one that leaves."""
        if self._room == 0:
            return block
        self._blocks[block] = None
        return self._blocks.popitem(last=False)[0] if len(self._blocks) > self._room else None


class Tiers:
    """DRAM and SSD of a KV cache.

    Args:
        dram_blocks: Blocks that DRAM has room for.
        ssd_blocks: Blocks that the SSD has room for.
        policy: When a block is written to the SSD; see `POLICIES`.
        eviction: Which block leaves; see `EVICTIONS`.

    Raises:
        ConfigError: An unknown policy or eviction, or an SSD without room.
    """

    def __init__(self, dram_blocks: int, ssd_blocks: int, policy: str = "through", eviction: str = "lru") -> None:
        if policy not in POLICIES:
            raise ConfigError(f"write policy {policy}: take {', '.join(POLICIES)}")
        if eviction not in EVICTIONS:
            raise ConfigError(f"eviction {eviction}: take {', '.join(EVICTIONS)}")
        if ssd_blocks < 1 or dram_blocks < 0:
            raise ConfigError("the SSD has no room for a block: take a larger drive, or fewer bytes a token")
        self._dram = _Tier(dram_blocks, eviction)
        self._ssd = _Tier(ssd_blocks, eviction)
        self._writes: Callable[[int], bool] = {
            "through": lambda _: True,
            "on-evict": lambda _: False,
            "second-use": lambda block: block in self._used,
        }[policy]
        self._writes_evicted = policy == "on-evict"
        self._remembers = policy == "second-use"
        self._used: set[int] = set()
        self.counts = Counts()

    def access(self, blocks: tuple[int, ...]) -> Access:
        """Returns what a request with these blocks makes; all that follows is done at once."""
        access = Access()
        hits = self._count_hits(blocks, access)
        self.counts.computed += len(blocks) - hits
        for place, block in enumerate(blocks):
            computed = max(0, place + 1 - hits)
            self._use(block, computed, access)
        return access

    def _count_hits(self, blocks: tuple[int, ...], access: Access) -> int:
        """Counts the unbroken blocks at the front that are in a tier."""
        counts = self.counts
        counts.accesses += len(blocks)
        for place, block in enumerate(blocks):
            if block in self._dram:
                counts.dram_hits += 1
            elif block in self._ssd:
                counts.ssd_hits += 1
                access.restores.append(block)
            else:
                return place
        return len(blocks)

    def _use(self, block: int, computed: int, access: Access) -> None:
        if not self._dram.touch(block):
            left = self._dram.add(block)
            if self._writes_evicted and left is not None and left not in self._ssd:
                self._write(left, computed, access)
        if not self._ssd.touch(block) and self._writes(block):
            self._write(block, computed, access)
        if self._remembers:
            self._used.add(block)

    def _write(self, block: int, computed: int, access: Access) -> None:
        left = self._ssd.add(block)
        if left is not None:
            self.counts.evicted += 1
            access.steps.append((computed, left, False))
        self.counts.written += 1
        access.steps.append((computed, block, True))

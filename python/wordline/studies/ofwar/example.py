"""The worked example of OFWAR's Fig. 4: eighteen writes, with and without fast ones, counted page by page."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Count", "count", "difference"]

# The figure's requests; GC comes after the last one. The pages that are written fast are scripted.
REQUESTS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 2, 7, 8, 11, 12, 13, 14)
FAST = frozenset({3, 4, 7, 8})
# Rewrites happen right after request 10, of what is fast and neither written again nor about to be.
REWRITE_AFTER, REWRITTEN = 10, (3, 4)


@dataclass
class Count:
    """Pages written, by what for.

    Attributes:
        host: For the host.
        rewrites: Fast pages, again at normal speed.
        moved: By GC.
    """

    host: int = 0
    rewrites: int = 0
    moved: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.host + self.rewrites + self.moved


@dataclass
class Flash:
    """Blocks that are filled in turn, fast and normal ones apart."""

    pages_per_block: int
    blocks: list[tuple[bool, list[int]]] = field(default_factory=list)
    place: dict[int, tuple[int, int]] = field(default_factory=dict)

    def write(self, page: int, *, fast: bool) -> None:
        last = next((n for n in reversed(range(len(self.blocks))) if self.blocks[n][0] == fast), None)
        if last is None or len(self.blocks[last][1]) == self.pages_per_block:
            self.blocks.append((fast, []))
            last = len(self.blocks) - 1
        self.place[page] = (last, len(self.blocks[last][1]))
        self.blocks[last][1].append(page)

    def live(self, block: int) -> int:
        return sum(self.place[page] == (block, at) for at, page in enumerate(self.blocks[block][1]))

    def victim(self) -> int:
        """The full block with the least live data; a fast one, then the oldest, among equals."""
        full = [n for n, (_, pages) in enumerate(self.blocks) if len(pages) == self.pages_per_block]
        return min(full, key=lambda n: (self.live(n), not self.blocks[n][0], n))


def count(pages_per_block: int, *, fast_writes: bool) -> Count:
    """Runs the example and collects one block."""
    flash, done = Flash(pages_per_block), Count()
    for number, page in enumerate(REQUESTS, 1):
        flash.write(page, fast=fast_writes and page in FAST)
        done.host += 1
        if fast_writes and number == REWRITE_AFTER:
            for each in REWRITTEN:
                flash.write(each, fast=False)
                done.rewrites += 1
    done.moved = flash.live(flash.victim())
    return done


def difference(pages_per_block: int = 4) -> int:
    """Page writes with fast ones, less those without, GC included."""
    return count(pages_per_block, fast_writes=True).total - count(pages_per_block, fast_writes=False).total

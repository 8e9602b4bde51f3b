"""OFWAR's worked examples: eleven writes on one die (Fig. 3), and eighteen counted page by page (Fig. 4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .. import Figure, Measured, Measurement, Outcome, Part, Point, of_runs
from ..lone import FREE_HOST, ONE_PLANE

ONE_DIE: dict[str, Any] = {
    **ONE_PLANE,
    **FREE_HOST,
    "channel.rate_mb_s": 0.0,
    "channel.program_command_ns": 0,
    "workload.inter_arrival_us": 300.0,
    "program.write_streams": 1,
}
# All fast: at each write, more than zero pages are queued.
SPEEDS: dict[str, dict[str, Any]] = {
    "slow": {"program.policy": "normal"},
    "fast": {"program.fast_write_threshold": 0},
}

# The figure's requests; GC comes after the last one. The fast pages are given by a script.
REQUESTS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 2, 7, 8, 11, 12, 13, 14)
FAST = frozenset({3, 4, 7, 8})
# Rewrites happen right after request 10: pages that are fast, and neither written again nor about to be.
REWRITE_AFTER, REWRITTEN = 10, (3, 4)


@dataclass
class Count:
    """Pages written, by purpose.

    Attributes:
        host: For the host.
        rewrites: Fast pages that are written again at normal speed.
        moved: By GC.
    """

    host: int = 0
    rewrites: int = 0
    moved: int = 0

    @property
    def total(self) -> int:
        """The sum of all."""
        return self.host + self.rewrites + self.moved


@dataclass
class _Flash:
    """Blocks that are filled in turn, separate for fast and normal pages."""

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
        """Returns the full block with the least live data; among equals a fast one, then the oldest."""
        full = [n for n, (_, pages) in enumerate(self.blocks) if len(pages) == self.pages_per_block]
        return min(full, key=lambda n: (self.live(n), not self.blocks[n][0], n))


def count(pages_per_block: int, *, fast_writes: bool) -> Count:
    """Runs the example and collects one block."""
    flash, done = _Flash(pages_per_block), Count()
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
    """Returns page writes with fast writes minus those without, GC included."""
    return count(pages_per_block, fast_writes=True).total - count(pages_per_block, fast_writes=False).total


def eleven(_quick: bool) -> Iterator[Point]:
    """Fig. 3: slow and fast."""
    for keys in SPEEDS.values():
        yield Point("ofwar", {**ONE_DIE, **keys}, "fio/random-write", requests=11)


FIG_3 = Part("fig3", eleven)


def claims(rows: Sequence[Outcome]) -> Mapping[str, Measurement]:
    """The longest write, slow and fast; and Fig. 4, which needs no run."""
    slow, fast = (outcome["response_us.write"] for outcome in rows)
    return {
        "ofwar.fig3.slow": Measured(slow["max"], note=f"the mean of the eleven is {slow['mean']:g} us"),
        "ofwar.fig3.fast": fast["max"],
        "ofwar.fig4.example": float(difference()),
    }


FIGURES: tuple[Figure[Any], ...] = (of_runs("fig3", FIG_3, claims=claims),)

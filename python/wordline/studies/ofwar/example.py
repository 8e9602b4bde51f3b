"""OFWAR's worked examples: eleven writes on one die (Fig. 3), and eighteen counted page by page (Fig. 4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import Figure, Measured, Measurement, Outcome, Point, of_runs, part
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


@dataclass(frozen=True)
class Count:
    """Pages written: for the host, fast ones again at normal speed, and by GC."""

    host: int
    rewrites: int
    moved: int

    @property
    def total(self) -> int:
        """The sum of all."""
        return self.host + self.rewrites + self.moved


def count(pages_per_block: int, *, fast_writes: bool) -> Count:
    """Runs the example on blocks that are filled in turn, fast and normal pages apart, and collects one block."""
    blocks: list[tuple[bool, list[int]]] = []
    place: dict[int, tuple[int, int]] = {}

    def write(page: int, *, fast: bool) -> None:
        last = max((n for n, (is_fast, _) in enumerate(blocks) if is_fast == fast), default=None)
        if last is None or len(blocks[last][1]) == pages_per_block:
            blocks.append((fast, []))
            last = len(blocks) - 1
        place[page] = (last, len(blocks[last][1]))
        blocks[last][1].append(page)

    def live(block: int) -> int:
        return sum(place[page] == (block, at) for at, page in enumerate(blocks[block][1]))

    rewrites = REWRITTEN if fast_writes else ()
    for number, page in enumerate(REQUESTS, 1):
        write(page, fast=fast_writes and page in FAST)
        for each in rewrites if number == REWRITE_AFTER else ():
            write(each, fast=False)
    # The victim is the full block with the least live data; among equals a fast one, then the oldest.
    full = [n for n, (_, pages) in enumerate(blocks) if len(pages) == pages_per_block]
    victim = min(full, key=lambda n: (live(n), not blocks[n][0], n))
    return Count(len(REQUESTS), len(rewrites), live(victim))


def difference(pages_per_block: int = 4) -> int:
    """Returns page writes with fast writes minus those without, GC included."""
    return count(pages_per_block, fast_writes=True).total - count(pages_per_block, fast_writes=False).total


@part("fig3")
def eleven(_quick: bool) -> Iterator[Point]:
    """Fig. 3: slow and fast."""
    for keys in SPEEDS.values():
        yield Point("ofwar", {**ONE_DIE, **keys}, "fio/random-write", requests=11)


def claims(rows: Sequence[Outcome]) -> Mapping[str, Measurement]:
    """The longest write, slow and fast; and Fig. 4, which needs no run."""
    slow, fast = (outcome["response_us.write"] for outcome in rows)
    return {
        "ofwar.fig3.slow": Measured(slow["max"], note=f"the mean of the eleven is {slow['mean']:g} us"),
        "ofwar.fig3.fast": fast["max"],
        "ofwar.fig4.example": float(difference()),
    }


FIGURES: tuple[Figure[Any], ...] = (of_runs("fig3", eleven, claims=claims),)

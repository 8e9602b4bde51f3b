"""Worked examples (Fig. 3 and 4), a shutdown with a full rewrite queue, and power cuts at random moments."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wordline.api import run
from wordline.config import preset
from wordline.workload import workload

from .. import Computation, Measured, Measurement, Outcome, Point, of_runs, part
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


def claims_of_examples(rows: Sequence[Outcome]) -> Mapping[str, Measurement]:
    """The longest write, slow and fast; and Fig. 4, which needs no run."""
    slow, fast = (outcome["response_us.write"] for outcome in rows)
    return {
        "ofwar.fig3.slow": Measured(slow["max"], note=f"the mean of the eleven is {slow['mean']:g} us"),
        "ofwar.fig3.fast": fast["max"],
        "ofwar.fig4.example": float(difference()),
    }


# A device of 1,536 pages for checked mode, on which an open-loop burst takes about 20 ms.
SMALL: dict[str, Any] = {
    "ssd.chips_per_channel": 1,
    "ssd.dies_per_chip": 1,
    "ssd.blocks_per_plane": 24,
    "ssd.pages_per_block": 16,
    "ssd.overprovisioning": 0.5,
    "program.write_streams": 1,
    "program.fast_write_threshold": 2,
    "program.rewrite_threshold": 8,
    "program.rewrite_queue_pages": 200,
    # The wear for which the paper states the short retention.
    "reliability.pec": 3_000,
}
CUT_REQUESTS, GAP_US = 400, 120.0
# Within the slack of forced rewrites (24 h), minus the possible delay of a scan for them.
OFF_MAX_H = 22.0


def cuts(seed: int, count: int) -> dict[str, Any]:
    """Cuts the power of `count` SSDs, each once, at a random moment and for a random time."""
    draw = random.Random(seed)  # noqa: S311 - nothing secret
    totals = {"cuts": 0, "lost_pages": 0, "fast_pages": 0, "programs_cut_off": 0, "queued_pages": 0}
    burst = workload("fio/random-write", requests=CUT_REQUESTS, inter_arrival_us=GAP_US)
    base = preset("ofwar").set_all(SMALL)
    for _ in range(count):
        at_s = draw.uniform(0.0, CUT_REQUESTS * GAP_US / 1e6)
        settings = {
            "power.cut_at_s": max(at_s, 1e-6),
            "power.off_h": draw.uniform(0.0, OFF_MAX_H),
            "program.queue_at_power_loss": draw.choice(["saved", "lost"]),
            "seed": draw.randrange(1 << 30),
        }
        document: Any = run(base.set_all(settings), burst, check=True).document
        power, counters = document["power"], document["counters"]["ftl"]
        totals["lost_pages"] += counters["lost_pages"]
        if power is not None:
            totals["cuts"] += 1
            for name in ("fast_pages", "programs_cut_off", "queued_pages"):
                totals[name] += power["cut"][name]
    return totals


ROUNDS, CUTS_EACH = 10, 100
# 64K entries of 4 KiB, or the same number of bytes in larger pages: bytes of a page, and pages.
DEVICES = {"ofwar": (4_096, 65_536), "datacenter-tlc": (16_384, 16_384)}
BURST: dict[str, Any] = {
    "program.policy": "ofwar",
    # Blocks by themselves, as in the paper's model.
    "ftl.group": "block",
    # It maps by the page.
    "ftl.unit_bytes": 0,
    "program.unit": "page",
    # All of its DRAM outlives a loss of power.
    "journal.mode": "off",
    "program.fast_write_threshold": 0,
    "program.rewrite_threshold": 1_000_000,
    "cache.mode": "off",
    # The paper's cells, on any SSD. They have no read errors.
    "cells.chip": "mlc-ofwar",
    "read.retry": "ideal",
    "coding.cell": "mlc",
    "coding.scheme": "mlc-1-2",
    "nand.read_us": [50.0, 50.0],
    "nand.program_us": [600.0],
    "workload.inter_arrival_us": 40.0,
    "power.shutdown_at_s": 10.0,
}


@part("shutdown")
def shutdowns(_quick: bool) -> Iterator[Point]:
    """Yields a full rewrite queue on two SSDs."""
    for ssd, (page_bytes, pages) in DEVICES.items():
        keys = {**BURST, "program.rewrite_queue_pages": pages, "workload.write_block_bytes": page_bytes}
        yield Point(ssd, keys, "fio/sequential-write", requests=pages + pages // 10)


@part("cuts")
def failures(quick: bool) -> Iterator[Computation]:
    """Yields a thousand cuts."""
    for seed in range(2 if quick else ROUNDS):
        yield Computation(cuts, {"seed": seed, "count": 10 if quick else CUTS_EACH}, version=1)


def claims_of_shutdown(rows: Sequence[Outcome]) -> Mapping[str, Measurement]:
    """Retention, and the time of a graceful shutdown: on "latest SSDs", and beside it on the SSD of section 4.2."""
    older, newer = rows
    pages, old_s, time_s = (
        older["power.shutdown.rewritten_pages"], older["power.shutdown.time_s"], newer["power.shutdown.time_s"]
    )  # fmt: skip
    note = (
        f'the paper says "using latest SSDs": the preset datacenter-tlc; the SSD of section 4.2 takes {old_s:.2f} s '
        f"for {pages} pages, of which its two buses alone need 2.02 s"
    )
    return {
        "ofwar.device.retention": float(older["program.rated_fast_retention_days"]),
        "ofwar.power.graceful": Measured(time_s, synthetic=None, note=note),
    }


def claims_of_failures(rows: Sequence[Outcome]) -> Mapping[str, Measurement]:
    """No data is lost."""
    cut, lost = (sum(outcome[name] for outcome in rows) for name in ("cuts", "lost_pages"))
    note = f"{cut} cuts here; the core's tests make tens of thousands against a shadow copy"
    return {"ofwar.power.failure": Measured(float(lost), note=note)}


FIGURES = (
    of_runs("fig3", eleven, claims=claims_of_examples),
    of_runs("shutdown", shutdowns, claims=claims_of_shutdown),
    of_runs("cuts", failures, claims=claims_of_failures),
)

"""What must come out exactly: lone reads, and the page counts of a refresh."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import Measured, Outcome, Point, Results
from ..claims import Measurement
from ..figure import Figure, Part
from ..lone import times_us
from . import systems
from .blocks import counter
from .points import ERROR_RATES
from .systems import PAGE_BYTES

STATED_US = {"ida": (118.0, 168.0, 218.0), "ida-mlc": (133.0, 183.0)}
TINY: dict[str, Any] = {
    "ssd.channels": 1,
    "ssd.chips_per_channel": 1,
    "ssd.dies_per_chip": 1,
    "ssd.planes_per_die": 1,
    "ssd.blocks_per_plane": 256,
    "ssd.overprovisioning": 0.5,
    "host.link_rate_mb_s": 0.0,
    "refresh.period_days": 0.0,
    "precondition.fill": 0.5,
    "host.mode": "closed",
    "host.queue_depth": 1,
    "workload.footprint_ratio": 0.5,
    "workload.read_block_bytes": PAGE_BYTES,
    "workload.update_scattered_ratio": 0.3,
    "workload.update_extent_bytes": PAGE_BYTES,
    "workload.reads_skip_updated": True,
}


def lone(quick: bool) -> Iterator[Point]:
    """Lone reads on one plane, plain and merged."""
    del quick
    for ssd in STATED_US:
        for system, keys in (("baseline", {"refresh.at_start": "never"}), ("E0", systems.ida(0.0))):
            settings, labels = {**TINY, **keys}, {"system": system}
            yield Point(ssd, settings, "fio/random-read", requests=2_000, log_requests=True, labels=labels)


def during(quick: bool) -> Iterator[Point]:
    """A refresh in the run, with hardly another read."""
    del quick
    for rate in ERROR_RATES:
        keys = {**systems.ida(rate), "refresh.at_start": "during"}
        labels = {"system": f"E{rate * 100:.0f}"}
        yield Point("ida", {**TINY, **keys}, "fio/random-read", requests=1, check=True, labels=labels)


LONE, REFRESH = Part("lone", lone), Part("refresh", during)


@dataclass(frozen=True)
class Read:
    """Lone reads: the response times that were seen, and their largest distance from those of the paper's device."""

    seen_us: set[float]
    deviation_us: float


@dataclass(frozen=True)
class Refresh:
    """Pages that a refresh read beyond those that were valid or stayed, and written back for each that stayed."""

    system: str
    too_many_reads: int
    written_back: float


def reads(results: Results) -> list[Read]:
    """A row for each run."""
    found = []
    for outcome in LONE.of(results):
        seen = set(times_us(outcome))
        stated = STATED_US[outcome.coordinates["ssd"]]
        found.append(Read(seen, max(min(abs(us - time) for time in stated) for us in seen)))
    return found


def refreshes(results: Results) -> list[Refresh]:
    """A row for each error rate."""

    def row(outcome: Outcome) -> Refresh:
        kept = counter(outcome, "refresh_kept_pages")
        reads = int(outcome["counters.controller.reads"]) - counter(outcome, "user_reads")
        too_many = reads - counter(outcome, "refresh_valid_pages") - kept
        return Refresh(outcome.coordinates["system"], too_many, counter(outcome, "refresh_written_back") / kept)

    return [row(outcome) for outcome in REFRESH.of(results)]


def claims_of_reads(rows: Sequence[Read]) -> Mapping[str, Measurement]:
    """Lone reads."""
    seen = ", ".join(f"{us:g}" for us in sorted(set().union(*(row.seen_us for row in rows))))
    worst = max(row.deviation_us for row in rows)
    return {"ida.timing.unloaded": Measured(worst, note=f"times seen: {seen} us")}


def claims_of_refreshes(rows: Sequence[Refresh]) -> Mapping[str, Measurement]:
    """Reads, and writes where a fifth of the pages break."""
    return {
        "ida.refresh.reads": max((row.too_many_reads for row in rows), key=abs),
        "ida.refresh.writes": next(row.written_back for row in rows if row.system == "E20"),
    }


FIGURES: tuple[Figure[Any], ...] = (
    Figure("lone", (LONE,), reads, claims_of_reads, is_saved=False),
    Figure("refresh", (REFRESH,), refreshes, claims_of_refreshes, is_saved=False),
)

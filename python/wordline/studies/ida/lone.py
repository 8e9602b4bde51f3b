"""Results that must be exact: lone reads, and the page counts of a refresh."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .. import Measured, Outcome, Point
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
    """Yields lone reads on one plane, plain and merged."""
    del quick
    for ssd in STATED_US:
        for system, keys in (("baseline", {"refresh.at_start": "never"}), ("E0", systems.ida(0.0))):
            settings, labels = {**TINY, **keys}, {"system": system}
            yield Point(ssd, settings, "fio/random-read", requests=2_000, log_requests=True, labels=labels)


def during(quick: bool) -> Iterator[Point]:
    """Yields runs with a refresh in the run, and very few other reads."""
    del quick
    for rate in ERROR_RATES:
        keys = {**systems.ida(rate), "refresh.at_start": "during"}
        labels = {"system": f"E{rate * 100:.0f}"}
        yield Point("ida", {**TINY, **keys}, "fio/random-read", requests=1, check=True, labels=labels)


LONE, REFRESH = Part("lone", lone), Part("refresh", during)


def claims_of_reads(rows: Sequence[Outcome]) -> Mapping[str, Measurement]:
    """The largest difference between a lone read and the times of the paper's device."""
    seen, worst = set[float](), 0.0
    for outcome in rows:
        times, stated = set(times_us(outcome)), STATED_US[outcome.coordinates["ssd"]]
        worst = max(worst, *(min(abs(us - time) for time in stated) for us in times))
        seen |= times
    return {
        "ida.timing.unloaded": Measured(worst, note=f"times seen: {', '.join(f'{us:g}' for us in sorted(seen))} us")
    }


def claims_of_refreshes(rows: Sequence[Outcome]) -> Mapping[str, Measurement]:
    """Reads in excess of valid and kept pages; and writes if a fifth of the pages break."""
    differences = [
        int(o["counters.controller.reads"])
        - sum(counter(o, name) for name in ("user_reads", "refresh_valid_pages", "refresh_kept_pages"))
        for o in rows
    ]
    broken = next(outcome for outcome in rows if outcome.coordinates["system"] == "E20")
    return {
        "ida.refresh.reads": max(differences, key=abs),
        "ida.refresh.writes": counter(broken, "refresh_written_back") / counter(broken, "refresh_kept_pages"),
    }


FIGURES: tuple[Figure[Any], ...] = (
    Figure("lone", (LONE,), lambda results: list(LONE.of(results)), claims_of_reads, is_saved=False),
    Figure("refresh", (REFRESH,), lambda results: list(REFRESH.of(results)), claims_of_refreshes, is_saved=False),
)

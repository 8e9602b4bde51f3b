"""The runs: four techniques, each on or off, in every combination, over workloads and over life."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wordline.workload import Workload, workload

from .. import Outcome, Point, Results, part

# The switches: key, policy of the reference SSD, and the paper's policy.
FACTORS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "retry": ({"read.retry": "baseline"}, {"read.retry": "pnar2"}),
    "coding": ({"coding.policy": "conventional"}, {"coding.policy": "ida"}),
    "program": ({"program.policy": "normal"}, {"program.policy": "ofwar"}),
    "erase": ({"erase.scheme": "ispe"}, {"erase.scheme": "aero"}),
}
NAMES = {"retry": "PnAR2", "coding": "IDA", "program": "OFWAR", "erase": "AERO"}
Subset = tuple[str, ...]
"""The techniques that are on, in the order of `FACTORS`."""
NONE: Subset = ()
ALL: Subset = tuple(FACTORS)
# Further retry policies, in addition to `baseline` and `pnar2`.
POLICIES = ("pso+pnar2", "rif")
# Combinations that also run on blocks worn by ISPE.
WORN_BY_ISPE: tuple[Subset, ...] = (("erase",), ("retry", "erase"), ALL)

# A small SSD with the preset's dies, so that blocks are filled, collected and erased in every run.
SMALL: dict[str, Any] = {
    "ssd.blocks_per_plane": 40,
    "ssd.pages_per_block": 96,
    # The same number of free blocks per plane as a large SSD, not the same share.
    "gc.threshold": 0.1,
    "gc.hard_threshold": 0.05,
}
# Data are refreshed once a month (IDA, Table II: 3 days to 3 months): their ages are uniform from zero to a month.
AGES: dict[str, Any] = {
    "refresh.at_start": "before",
    "reliability.retention_months": 0.5,
    "reliability.retention_spread": 1.0,
}
# A read that lost its data has tried every step: the time of that is not one of a read that was served.
READS: dict[str, Any] = {"metrics.lost_reads": "skip"}
# Writes are fast while more pages than this wait, and an idle channel rewrites while more than this do: the paper's 128
# for its 128 planes, scaled to our 32.
THRESHOLD = 32


@dataclass(frozen=True)
class Load:
    """A workload.

    Attributes:
        read_ratio: Share of reads among requests.
        inter_arrival_us: Mean time between requests, us.
        fill: Share of the addresses that hold data and are accessed.
        warmup: Writes before counting starts: until garbage collection is at its usual rate.
    """

    read_ratio: float
    inter_arrival_us: float
    fill: float
    warmup: int


# Merging needs room: the pages that it gives up are not free. With few writes there is room for it. With many writes an
# SSD sooner or later fills up to its spare blocks and collects garbage all the time.
LOADS = {
    "read-heavy": Load(0.95, 400.0, 0.5, 0),
    "mixed": Load(0.70, 400.0, 0.5, 0),
    "write-heavy": Load(0.30, 800.0, 0.85, 16_000),
}
WARMUP_US = 600.0
# Requests come in bursts of so many.
BURST_REQUESTS = 64
# Reads of pages that were written in the run: shows their cost if all of them were written fast.
FRESH_PAGES = "fresh pages"
FRESH_LOAD = Load(0.70, 800.0, 0.05, 4_000)
ALL_FAST: dict[str, Any] = {"program.fast_write_threshold": 0, "program.rewrite_threshold": 1_000_000}
FRESH_SUBSETS: tuple[Subset, ...] = (NONE, ("program",), ("erase",), ("program", "erase"))


@dataclass(frozen=True)
class Size:
    """The amount of simulation.

    Attributes:
        requests: Counted requests.
        seeds: Number of repetitions with other cells and other requests.
        pecs: Ages, P/E cycles.
        side_pecs: Ages of the runs outside the grid.
    """

    requests: int
    seeds: int
    pecs: Sequence[int]
    side_pecs: Sequence[int]

    def ages(self, pecs: Sequence[int]) -> Iterator[tuple[str, int, int]]:
        """Yields workloads, ages and seeds."""
        return itertools.product(LOADS, pecs, range(1, self.seeds + 1))


FULL = Size(10_000, 6, (0, 1000, 2500, 4000, 5000), (2500, 5000))
# The middle age, for the findings.
MIDDLE_PEC = FULL.pecs[len(FULL.pecs) // 2]
# One seed has no interval.
QUICK = Size(1_000, 1, (0, 2500), (2500,))


def load_of(name: str) -> Load:
    """Returns a workload by its name."""
    return FRESH_LOAD if name == FRESH_PAGES else LOADS[name]


@functools.cache
def workload_of(name: str, requests: int) -> Workload:
    """Returns requests of one to four pages in bursts, most of them to a fifth of the addresses.

    Part of the data was rewritten before the run, so that wordlines have lost pages.
    """
    load = load_of(name)
    phases = [
        {"requests": load.warmup, "inter_arrival_us": WARMUP_US, "read_ratio": 0.0},
        {"requests": requests, "inter_arrival_us": load.inter_arrival_us, "read_ratio": load.read_ratio},
    ]
    return workload(
        "fio/hot-cold",
        phases=[phase for phase in phases if phase["requests"]],
        requests=load.warmup + requests,
        footprint_ratio=load.fill,
        size_distribution="mix",
        read_block_mix=[[16_384, 0.7], [65_536, 0.3]],
        align_bytes=16_384,
        arrival="bursts",
        burst_requests=BURST_REQUESTS,
        burst_inter_arrival_us=20.0,
        update_scattered_ratio=0.3,
        update_extent_bytes=16_384,
    )


def subsets() -> list[Subset]:
    """Returns every combination of techniques, none first."""
    return [
        tuple(name for name, is_on in zip(FACTORS, chosen, strict=True) if is_on)
        for chosen in itertools.product((False, True), repeat=len(FACTORS))
    ]


def name_of(subset: Subset) -> str:
    """Returns the name of a combination in tables."""
    return "+".join(subset) or "none"


def policies(subset: Subset) -> dict[str, Any]:
    """Returns the keys of a combination."""
    keys: dict[str, Any] = {}
    for name, (off, on) in FACTORS.items():
        keys |= on if name in subset else off
    return keys


def run(size: Size, load: str, pec: int, seed: int, subset: Subset, more: Mapping[str, Any] | None = None) -> Point:
    """Returns one simulation."""
    keys = {
        **SMALL,
        **AGES,
        **READS,
        "precondition.fill": load_of(load).fill,
        "host.warmup_requests": load_of(load).warmup,
        "program.fast_write_threshold": THRESHOLD,
        "program.rewrite_threshold": THRESHOLD,
        "host.mode": "open",
        "reliability.pec": pec,
        **policies(subset),
        **(more or {}),
    }
    labels = {"load": load, "pec": pec, "subset": name_of(subset)}
    return Point("together", keys, workload_of(load, size.requests), seed=seed, labels=labels)


@part("grid")
def whole_grid(quick: bool) -> Iterator[Point]:
    """Yields every combination; each block was worn all its life by the scheme that erases it now."""
    size = QUICK if quick else FULL
    for place in size.ages(size.pecs):
        for subset in subsets():
            yield run(size, *place, subset)


@part("same wear")
def same_wear(quick: bool) -> Iterator[Point]:
    """Yields AERO on blocks worn by ISPE: shorter erases without less wear before."""
    size = QUICK if quick else FULL
    for place in size.ages(size.side_pecs):
        for subset in WORN_BY_ISPE:
            yield run(size, *place, subset, {"reliability.worn_by": "ispe"})


@part("retries")
def other_retries(quick: bool) -> Iterator[Point]:
    """Yields other retry policies, with nothing else on and with everything else on."""
    size = QUICK if quick else FULL
    for place in size.ages(size.side_pecs):
        for subset, policy in itertools.product((NONE, ALL), POLICIES):
            yield run(size, *place, subset, {"read.retry": policy})


@part("fresh")
def fresh_pages(quick: bool) -> Iterator[Point]:
    """Yields reads of pages that were just written, fast or not, and never rewritten."""
    size = QUICK if quick else FULL
    for pec, seed, subset in itertools.product(size.pecs, range(1, size.seeds + 1), FRESH_SUBSETS):
        yield run(size, FRESH_PAGES, pec, seed, subset, ALL_FAST)


def collapses(load: str, mean_us: float) -> bool:
    """Says whether an SSD with this mean response cannot keep up: a request waits for those of earlier bursts."""
    return mean_us > BURST_REQUESTS * load_of(load).inter_arrival_us


def by_seed(outcomes: Results) -> list[Outcome]:
    """Returns outcomes in the order of their seeds."""
    return sorted(outcomes, key=lambda outcome: int(outcome.coordinates["seed"]))


# Response times, by their path in a result.
MEASURES = {
    "all": "response_us.all.mean",
    "read": "response_us.read.mean",
    "read p99": "response_us.read.p99",
    "write": "response_us.write.mean",
}

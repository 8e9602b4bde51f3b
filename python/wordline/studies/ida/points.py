"""The runs that compare response times: systems under arrivals that load the chips, part by part."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .. import Point
from ..figure import Part
from . import pace, systems, workloads
from .systems import PAGE_BYTES, PAGES_PER_BLOCK, PLANES

# The study's only load parameter: share of time that reads hold the baseline's chips, mean of the workloads.
LOAD = 0.78
LOADS = (0.6, 0.7, LOAD, 0.85)
ERROR_RATES = (0.0, 0.2, 0.5, 0.8)
STEPS_US = (30.0, 40.0, 50.0, 60.0, 70.0)
# P/E cycles around which the chip's reads start to need a second sense.
LATE_PEC = tuple(range(1820, 1871, 5))
# Every block is refreshed once a month (the preset's period), so data have all ages up to a month.
LATE_AGES = {"reliability.retention_months": 0.5, "reliability.retention_spread": 1.0}
# Pages that are rewritten together: the presets' 64 KiB, and other numbers without a common divisor with 16 chips.
EXTENTS = (8, 11, 13)

# Short runs: workloads, and requests.
QUICK_NAMES, QUICK_REQUESTS, REQUESTS = ("proj_1", "src1_1", "usr_1"), 4_000, 60_000

Keys = Mapping[str, Any]


def names_of(quick: bool) -> Sequence[str]:
    """Returns the workloads."""
    return QUICK_NAMES if quick else workloads.NAMES


def requests_of(quick: bool) -> int:
    """Returns the number of requests of a run."""
    return QUICK_REQUESTS if quick else REQUESTS


def pair() -> list[tuple[str, dict[str, Any]]]:
    """Returns the baseline and IDA-E20."""
    return [("baseline", systems.BASELINE), ("E20", systems.ida(0.2))]


def pair_and_e0() -> list[tuple[str, dict[str, Any]]]:
    """Returns these two and IDA-E0."""
    return [*pair(), ("E0", systems.ida(0.0))]


def all_rates() -> list[tuple[str, dict[str, Any]]]:
    """Returns the baseline, and IDA with each share of pages that break."""
    return [("baseline", systems.BASELINE), *((f"E{rate * 100:.0f}", systems.ida(rate)) for rate in ERROR_RATES)]


def latency(
    quick: bool,
    compared: Sequence[tuple[str, Keys]],
    *,
    ssd: str = "ida",
    paced_by: str | None = None,
    base: Keys = systems.CHIP_SERVERS,
    extra: Keys | None = None,
    updated: Callable[[str], Keys] = workloads.updated,
    arriving: Keys | None = None,
    load: float = LOAD,
    counted: pace.Counted = "reads",
    labels: Keys | None = None,
    only: str | None = None,
) -> Iterator[Point]:
    """Yields systems under arrivals that load the chips of `base`, of this or another preset; `extra` is for all."""
    names, requests = [only] if only else names_of(quick), requests_of(quick)
    comes = arriving or {}
    settings = {name: {**base, **filled(name), **workloads.scaled(name), **updated(name), **comes} for name in names}
    arrivals = pace.offered(paced_by or ssd, settings, requests, load, counted)
    for name in names:
        for system, keys in compared:
            yield Point(
                ssd,
                {
                    **settings[name],
                    **arrivals[name],
                    **(extra or {}),
                    **keys,
                    "host.warmup_requests": requests // 20,
                },
                workloads.full(name),
                requests=requests,
                labels={"system": system, "trace": name, **(labels or {})},
            )


def filled(name: str) -> dict[str, Any]:
    """Returns settings that write the footprint first."""
    footprint = min(workloads.footprint(name), workloads.FOOTPRINT_BYTES)
    blocks = systems.SMALL["ssd.blocks_per_plane"]
    capacity = PLANES * blocks * PAGES_PER_BLOCK * PAGE_BYTES * (1 - 0.0704928)
    return {"precondition.fill": footprint / capacity}


def figure_8(quick: bool) -> Iterator[Point]:
    """Error rates."""
    return latency(quick, all_rates())


def figure_9(quick: bool) -> Iterator[Point]:
    """Differences between read times; requests arrive as in Fig. 8."""
    for step_us in STEPS_US:
        yield from latency(quick, pair(), extra=systems.read_times(step_us), labels={"dtr_us": step_us})


def loads(quick: bool) -> Iterator[Point]:
    """The load parameter."""
    for load in LOADS:
        yield from latency(quick, pair(), load=load, labels={"load": load})


def programs(quick: bool) -> Iterator[Point]:
    """Reads that wait until a running program is over; requests arrive as in Fig. 8."""
    waiting = {"program.suspend": False}
    return latency(quick, pair_and_e0(), extra=waiting)


def runs(quick: bool) -> Iterator[Point]:
    """Rewrites that are partly in runs, which leave whole wordlines invalid."""
    return latency(quick, pair(), updated=workloads.as_presets)


def extents(quick: bool) -> Iterator[Point]:
    """Rewrites in pieces of other lengths: pieces of eight pages always end on the same chips."""
    for pages in EXTENTS:
        its = functools.partial(workloads.updated, extent_pages=pages)
        yield from latency(quick, pair_and_e0(), updated=its, labels={"extent_pages": pages})


def at_random(quick: bool) -> Iterator[Point]:
    """Requests that arrive at random, without the bursts of the presets."""
    return latency(quick, all_rates(), arriving=workloads.AT_RANDOM)


def equal(quick: bool) -> Iterator[Point]:
    """One factor per workload, so that each has the same load, instead of one for all and their mean."""
    for name in names_of(quick):
        yield from latency(quick, pair_and_e0(), only=name)


def total(quick: bool) -> Iterator[Point]:
    """The load including programs, which take 2.3 ms per page."""
    return latency(quick, pair_and_e0(), counted="all")


def figure_11(quick: bool) -> Iterator[Point]:
    """Late in life, when a read that fails is repeated with other voltages (section V-F); requests as in Fig. 8."""
    cells = {"cells.chip": "tlc-micron", **LATE_AGES, "read.retry": "baseline"}
    for pec in LATE_PEC:
        late = {**cells, "reliability.pec": pec}
        yield from latency(quick, pair(), extra=late, labels={"pec": pec})


def table_v(quick: bool) -> Iterator[Point]:
    """MLC, under the requests of the TLC device."""
    return latency(quick, pair(), ssd="ida-mlc", paced_by="ida")


def literal(quick: bool) -> Iterator[Point]:
    """Table II to the letter; the load is that of the channels, which saturate first."""
    return latency(quick, pair_and_e0(), base=systems.TABLE_II)


def qlc(quick: bool) -> Iterator[Point]:
    """Four bits per cell, at the same load of its own chips."""
    return latency(quick, pair_and_e0(), base={**systems.CHIP_SERVERS, **systems.QLC})


FIG_8, FIG_9, AT_LOADS, PROGRAMS = (
    Part("fig8", figure_8),
    Part("fig9", figure_9),
    Part("load", loads),
    Part("programs", programs),
)
IN_RUNS, IN_EXTENTS, RANDOM = Part("runs", runs), Part("extents", extents), Part("random", at_random)
EQUAL, TOTAL, FIG_11 = Part("equal", equal), Part("total", total), Part("fig11", figure_11)
TABLE_V, LITERAL, QLC = Part("tableV", table_v), Part("literal", literal), Part("qlc", qlc)

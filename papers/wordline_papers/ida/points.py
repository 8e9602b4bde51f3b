"""The runs that compare response times: systems under arrivals that load the chips, part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .. import Part, Point
from ..at_hand import overwrite_shape, real_trace, source_of
from . import pace, setups
from .setups import PAGE_BYTES, PAGES_PER_BLOCK, PLANES

# Share of time that reads hold the baseline's chips, which the paper does not tell. Each is fitted to its workload's
# saving in Table V, on the SSD of MLC: `wordline reproduce ida --refit` (see `fit`).
LOADS = {
    "proj_1": 0.908, "proj_2": 0.31, "proj_3": 0.705, "proj_4": 0.117, "hm_1": 0.193, "src1_0": 0.731, "src1_1": 0.292,
    "src2_0": 0.05, "stg_1": 0.751, "usr_1": 0.904, "usr_2": 0.428,
}  # fmt: skip
ERROR_RATES = (0.0, 0.2, 0.5, 0.8)
STEPS_US = (30.0, 40.0, 50.0, 60.0, 70.0)
# P/E cycles from which reads start to fail to those at which nearly all first reads fail.
LATE_PEC = (1800, 1900, 2000, 2150, 2300, 2500, 3000)
# Every block is refreshed once a month (the preset's period), so data have all ages up to a month.
LATE_AGES = {"reliability.retention_months": 0.5, "reliability.retention_spread": 1.0}

# Short runs: workloads, and requests.
QUICK_NAMES, QUICK_REQUESTS, REQUESTS = ("proj_1", "src1_1", "usr_1"), 4_000, 60_000

Keys = Mapping[str, Any]
Compared = Sequence[tuple[str, Keys]]


def names_of(quick: bool) -> Sequence[str]:
    """Returns the workloads."""
    return QUICK_NAMES if quick else setups.NAMES


def requests_of(quick: bool) -> int:
    """Returns the number of requests of a run."""
    return QUICK_REQUESTS if quick else REQUESTS


def systems_of(*error_rates: float) -> Compared:
    """Returns the baseline, and IDA whose adjustments break these shares of the pages."""
    return [("baseline", setups.BASELINE), *((f"E{rate * 100:.0f}", setups.ida(rate)) for rate in error_rates)]


PAIR, PAIR_AND_E0, ALL_RATES = systems_of(0.2), systems_of(0.2, 0.0), systems_of(*ERROR_RATES)


def latency(
    quick: bool,
    compared: Compared,
    *,
    ssd: str = "ida",
    paced_by: str | None = None,
    base: Keys = setups.CHIP_SERVERS,
    extra: Keys | None = None,
    updated: Callable[[str], Keys] = setups.updated,
    arriving: Keys | None = None,
    loads: Mapping[str, float] = LOADS,
    counted: pace.Counted = "reads",
    labels: Keys | None = None,
) -> Iterator[Point]:
    """Yields systems under arrivals that load the chips of `base`, of this or another preset; `extra` is for all."""
    names, requests = names_of(quick), requests_of(quick)
    comes = arriving or {}
    settings = {
        name: {**base, **filled(name), **setups.scaled(name), **rewritten(name, updated, requests), **comes}
        for name in names
    }
    warmup = {"host.warmup_requests": requests // 20}
    paced = {name: {**its, **warmup} for name, its in settings.items()}
    arrivals = pace.offered(paced_by or ssd, paced, requests, loads, counted)
    for name in names:
        source = source_of(setups.full(name))
        for system, keys in compared:
            every = {**settings[name], **arrivals[name], **(extra or {}), **keys, **warmup}
            its = {"system": system, "trace": name, **(labels or {})}
            yield Point(ssd, every, source, requests=requests, labels=its)


def rewritten(name: str, updated: Callable[[str], Keys], requests: int) -> Keys:
    """Returns what is rewritten before the refresh: a look-alike's updates, or as many pages by a real trace's writes.

    Table IV has their share. The first writes of a real trace are made before the run, and again in it.
    """
    real = real_trace(setups.full(name))
    if real is None:
        return updated(name)
    share = setups.invalid_at_refresh(name) * filled(name)["precondition.fill"]
    return {"precondition.overwrite": share, "precondition.shape": overwrite_shape(real, requests)}


def filled(name: str) -> dict[str, Any]:
    """Returns settings that write the footprint first."""
    footprint = min(setups.footprint(name), setups.FOOTPRINT_BYTES)
    blocks = setups.SMALL["ssd.blocks_per_plane"]
    capacity = PLANES * blocks * PAGES_PER_BLOCK * PAGE_BYTES * (1 - 0.0704928)
    return {"precondition.fill": footprint / capacity}


def part(
    name: str,
    compared: Compared,
    at: Mapping[float, Keys] | None = None,
    label: str = "",
    **how: Any,  # noqa: ANN401 - arguments of `latency`
) -> Part:
    """Returns the points of `latency`: once, or at each value of a label with further arguments."""

    def points(quick: bool) -> Iterator[Point]:
        for value, more in at.items() if at else [(0.0, {})]:
            yield from latency(quick, compared, labels={label: value} if label else None, **how, **more)

    return Part(name, points)


FIG_8 = part("fig8", ALL_RATES)
# Differences between read times; requests arrive as in Fig. 8.
FIG_9 = part("fig9", PAIR, {step_us: {"extra": setups.read_times(step_us)} for step_us in STEPS_US}, "dtr_us")
# Rewrites that are partly in runs, which leave whole wordlines invalid.
IN_RUNS = part("runs", PAIR, updated=setups.as_presets)
# Late in life, when a read that fails is repeated with other voltages, and last with extra senses for soft decoding
# (section V-F and its [38]); requests as in Fig. 8.
LATE = {"cells.chip": "tlc-micron", **LATE_AGES, "read.retry": "baseline+soft"}
FIG_11 = part("fig11", PAIR, {pec: {"extra": {**LATE, "reliability.pec": pec}} for pec in LATE_PEC}, "pec")
# MLC, under the requests of the TLC device.
TABLE_V = part("tableV", PAIR, ssd="ida-mlc", paced_by="ida")
# Four bits per cell, at the same loads of its own chips.
QLC = part("qlc", PAIR_AND_E0, base={**setups.CHIP_SERVERS, **setups.QLC})
# The parts that compare response times, with the label that distinguishes a part's points.
LABELS: dict[Part, str | None] = {
    FIG_8: None, FIG_9: "dtr_us", IN_RUNS: None, FIG_11: "pec", TABLE_V: None, QLC: None,
}  # fmt: skip

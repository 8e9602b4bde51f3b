"""What is simulated: the grid of Fig. 14 and 15, what the load does to it, PSO's steps, and AR2's fallbacks."""

from __future__ import annotations

from typing import Any

from .. import Computation, Point
from . import device, lone
from .workloads import HOST_US, LOAD, TABLE_2, Traced, settings

# Names in the figures, and the policies.
NORR, BASELINE = "NoRR", "Baseline"
FIG_14 = {BASELINE: "baseline", "PR2": "pr2", "AR2": "ar2", "PnAR2": "pnar2"}
FIG_15 = {"PSO": "pso", "PSO+PnAR2": "pso+pnar2"}
# P/E cycles and months of the grid; the text names (2K, 6) as the worst.
CONDITIONS = tuple((pec, months) for pec in (0, 1000, 2000) for months in (3.0, 6.0))
QUICK_CONDITIONS = ((0, 3.0), (2000, 6.0))
REQUESTS, QUICK_REQUESTS = 1_000_000, 2_000
# What else the load could be: utilisation of the dies without retries, and time of the host's path, us.
LOADS = ((LOAD, HOST_US), (0.001, HOST_US), (2 * LOAD, HOST_US), (LOAD, HOST_US / 2), (LOAD, 0.0))
LOAD_SYSTEMS = {name: {**FIG_14, **FIG_15}[name] for name in (BASELINE, "PnAR2", "PSO", "PSO+PnAR2")}
LOAD_REQUESTS = 20_000
# Section 6.2: more than 10^7 pages, over the conditions of the characterisation.
PAGES, QUICK_PAGES = 10_000_000, 200_000
SURVEYED = tuple((pec, months) for pec in (0, 1000, 2000) for months in (3.0, 12.0))


def condition(pec: int, months: float) -> dict[str, Any]:
    """The keys of a condition."""
    return {"reliability.pec": pec, "reliability.retention_months": months}


def run(
    traced: Traced, system: str, policy: str, at: tuple[int, float], requests: int, part: str, load: tuple[float, float]
) -> Point:
    """One workload on one SSD."""
    keys = {"read.retry": policy, **condition(*at), **settings(traced, requests, *load)}
    labels = {"part": part, "trace": traced.name, "system": system, "load": load[0], "host_us": load[1]}
    return Point("pnar2", keys, traced.look_alike, requests=requests, labels=labels)


def main_grid(quick: bool) -> list[Point]:
    """Fig. 14 and 15. NoRR's SSD knows no condition, so it runs once for each workload."""
    requests = QUICK_REQUESTS if quick else REQUESTS
    load = (LOAD, HOST_US)
    return [
        run(traced, system, policy, at, requests, "grid", load)
        for traced in TABLE_2
        for at in (QUICK_CONDITIONS if quick else CONDITIONS)
        for system, policy in {**FIG_14, **FIG_15}.items()
    ] + [run(traced, NORR, "ideal", (0, 0.0), requests, "grid", load) for traced in TABLE_2]


def load_grid(quick: bool) -> list[Point]:
    """The same at the ends of the grid under other loads, with fewer requests."""
    requests = QUICK_REQUESTS // 2 if quick else LOAD_REQUESTS
    # One of each kind: little read, hot, cold.
    few = [traced for traced in TABLE_2 if traced.name in ("stg_0", "mds_1", "YCSB-B")]
    return [
        run(traced, system, policy, at, requests, "load", load)
        for load in LOADS
        for traced in (few if quick else TABLE_2)
        for system, policy, at in [
            (NORR, "ideal", (0, 0.0)),
            *((system, policy, at) for at in QUICK_CONDITIONS for system, policy in LOAD_SYSTEMS.items()),
        ]
    ]


def pso_steps(quick: bool) -> list[Point]:
    """Reads of data a year old at 2,000 cycles, with and without PSO (section 3.1)."""
    keys = {**condition(2000, 12.0), "host.queue_depth": 16, "workload.read_block_bytes": 16_384}
    return [
        Point(
            "pnar2",
            {**keys, "read.retry": policy},
            "fio/random-read",
            requests=10_000 if quick else 200_000,
            labels={"part": "pso-steps"},
        )
        for policy in ("baseline", "pso")
    ]


def surveys(quick: bool) -> list[Computation]:
    """AR2 over characterised pages."""
    pages = (QUICK_PAGES if quick else PAGES) // len(SURVEYED)
    return [
        Computation(device.fallbacks, {"pec": pec, "months": months, "pages": pages}, {"part": "fallbacks"})
        for pec, months in SURVEYED
    ]


def all_points(quick: bool) -> list[Point | Computation]:
    """All parts."""
    return [*lone.points(), *surveys(quick), *pso_steps(quick), *main_grid(quick), *load_grid(quick)]

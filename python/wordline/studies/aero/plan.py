"""All points of the study."""

from __future__ import annotations

from .. import Computation, Point
from . import bench, system
from .published import PECS, REQUIREMENT_BITS, SCHEMES

# Section 7.4, Fig. 17, and Fig. 16.
REQUIREMENTS_BITS = (63.0, 50.0, 40.0)
RATES = (0.0, 0.05, 0.1, 0.15, 0.2)
LATENCY_PECS = (0, 500, 1000, 2000, 2500, 3000, 3500, 4500)
AEROS = ("aero-cons", "aero")


def points(size: system.Size) -> list[Point | Computation]:
    """Everything, first what the cells alone give."""
    return [
        *cells(),
        *system.formula(),
        *system.tails(size),
        *system.held(size),
        *system.within(size),
        *system.once(size),
        *system.closed_loop(size),
        *system.mispredictions(size),
        *system.smooth(size),
        *system.reads_over_life(size),
    ]


def cells() -> list[Computation]:
    """What needs no SSD."""
    singles = [Computation(each) for each in (bench.latencies, bench.ranges, bench.shallow, bench.m_ispe, bench.stress)]
    kinds = [Computation(each, {"chip": chip}) for each in (bench.fail_bits, bench.margins) for chip in bench.CHIPS]
    tables = [Computation(bench.table, {"requirement_bits": bits}) for bits in REQUIREMENTS_BITS]
    erases = [Computation(bench.erases, {"scheme": scheme, "pecs": list(LATENCY_PECS)}) for scheme in SCHEMES]
    return [*singles, *kinds, *tables, *erases, *lifetimes()]


def lifetimes() -> list[Computation]:
    """Fig. 13; then at other requirements, and with mispredictions."""
    asked = [(scheme, REQUIREMENT_BITS, 0.0) for scheme in SCHEMES]
    asked += [(scheme, bits, 0.0) for bits in REQUIREMENTS_BITS[1:] for scheme in ("ispe", *AEROS)]
    asked += [(scheme, REQUIREMENT_BITS, rate) for rate in RATES[1:] for scheme in AEROS]
    return [
        Computation(bench.lifetime, {"scheme": scheme, "requirement_bits": bits, "mispredict_rate": rate})
        for scheme, bits, rate in asked
    ]


__all__ = ["AEROS", "LATENCY_PECS", "PECS", "RATES", "REQUIREMENTS_BITS", "cells", "lifetimes", "points"]

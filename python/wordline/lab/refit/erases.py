"""Calibrated constants of `[erase]`, and the numbers that determine them.

Mean pulse times are from `aero_erase_latency.csv`: each scheme with its own wear, from the public simulator of AERO's
authors. The file and the paper disagree in one place: Table 1 lets AERO leave out 1 ms in a block that needs one loop.
Fresh blocks then take 1.5 ms on average; the file has 2.25 ms. The fit uses the table.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import cache
from pathlib import Path

from .solve import Fit, Lab

__all__ = ["ERASES", "mean_ms", "measured_ms"]

FILE = Path(__file__).with_name("aero_erase_latency.csv")
REQUIREMENT_BITS = 63.0
# Distance of the profiled cells from the requirement, bits: other sets of blocks are up to two bits worse.
CLEARANCE_BITS = 2.5


@cache
def measured() -> dict[tuple[str, int], list[tuple[float, float]]]:
    """Latencies (ms) with the share of blocks, by scheme and P/E cycles."""
    latencies: dict[tuple[str, int], list[tuple[float, float]]] = {}
    with FILE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            place = row["scheme"], int(row["pec"])
            latencies.setdefault(place, []).append((float(row["latency_ms"]), float(row["percent_of_blocks"])))
    return latencies


def measured_ms(scheme: str, pec: int) -> float:
    """Mean pulse time of the authors' blocks."""
    rows = measured()[scheme, pec]
    return sum(ms * share for ms, share in rows) / sum(share for _, share in rows)


def mean_ms(lab: Lab, scheme: str, pec: int) -> float:
    """Mean pulse time of an erase in the scheme's own wear."""
    pulses: list[float] = lab.erases.erases(scheme.replace("_", "-"), [pec])["pulse_ms"]
    return sum(pulses) / len(pulses)


def lifetime(scheme: str, over: str | None = None) -> Callable[[Lab], float]:
    """The lifetime of a scheme in P/E cycles, or relative to another scheme."""

    def cycles(lab: Lab, of: str) -> float:
        lifetime_pec: float = lab.erases.lifetime(of)["lifetime_pec"]
        return lifetime_pec

    return lambda lab: cycles(lab, scheme) / (1.0 if over is None else cycles(lab, over))


def off(scheme: str, pec: int) -> Callable[[Lab], float]:
    """The mean pulse time relative to the authors'."""
    return lambda lab: mean_ms(lab, scheme, pec) / measured_ms(scheme, pec)


def left_out(loops: int, fail_bit_range: int) -> Callable[[Lab], float]:
    """Largest M_RBER in a fail-bit range if an erase of this many loops leaves out its last one (Fig. 10b)."""

    def bits(lab: Lab) -> float:
        cells = lab.erases.margins()
        rows = zip(cells["loops"], cells["range"], cells["incomplete_bits"], strict=True)
        return max((most for *place, most in rows if place == [loops, fail_bit_range]), default=0.0)

    return bits


BEARABLE = REQUIREMENT_BITS - CLEARANCE_BITS
ERASES = (
    # Less distance, since fresh blocks have 46 bits (Section 7.2): of 20 sets of blocks two exceed the requirement.
    Fit("erase.residual_delta_bits.0", (18.0, 21.5), left_out(1, 1), 61.81, "AERO, Section 5.4: C1"),
    Fit("erase.residual_delta_bits.1", (8.0, 40.0), left_out(2, 1), BEARABLE, "AERO, Section 5.4: C1"),
    Fit("erase.residual_delta_bits.2", (8.0, 40.0), left_out(3, 1), BEARABLE, "AERO, Section 5.4: C1"),
    Fit("erase.residual_gamma_bits.3", (4.0, 20.0), left_out(4, 0), BEARABLE, "AERO, Section 5.4: C2"),
    # A requirement of 40 bits leaves only two loops and gamma.
    Fit("erase.residual_gamma_bits.1", (2.0, 15.0), left_out(2, 0), 38.5, "AERO, Section 7.4"),
    Fit("erase.damage_per_loop", (1.6, 4.5), lifetime("aero-cons"), 6900.0, "aero.fig13.aero_cons"),
    Fit("erase.voltage_step_v", (0.8, 3.6), lifetime("dpes", "ispe"), 1.26, "aero.fig13.dpes"),
    Fit("erase.overdrive_speed", (0.05, 0.9), off("i_ispe", 2500), 1.0, "aero_erase_latency.csv, i_ispe"),
)

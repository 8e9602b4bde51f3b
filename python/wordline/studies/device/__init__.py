"""The device model against what the papers measured on chips: every claim about cells, without an SSD.

Each number is computed from the model by the benches that `wordline characterize` draws with.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .. import Computation, Measured, Measurement, Outcome, Results
from ..aero import lab_claims
from ..aero.plan import cells
from ..claims import all_claims
from ..figures import figure
from . import programs, reads

TITLE = "The device model: what the papers measured on chips"
PAPERS: tuple[str, ...] = ()
NOTES = (
    "M_RBER after a year is read at 85 C; AERO does not say, and at 30 C its margin would contradict PR2/AR2's chips.",
    "P/E cycles are cycles of stress: those of an average block under plain ISPE.",
)

# Blocks of each of 160 chips: as many as the paper tested, a tenth of that where many conditions are tried, and few.
ALL, SOME, FEW = 120, 12, 1
STEPS = ((0, 0), (0, 3), (0, 6), (1000, 3), (2000, 0), (2000, 12))
M_ERR = ((0, 3, 85.0), (1000, 12, 85.0), (2000, 12, 85.0), (2000, 12, 55.0), (2000, 12, 30.0))
ONSET_CYCLES = (0, 200, 500)


def grid(quick: bool) -> list[Computation]:
    """Every bench; with `quick` fewer blocks."""
    everything, some = (FEW, FEW) if quick else (ALL, SOME)
    of_reads = [
        *(Computation(reads.steps, {"cycles": c, "months": m, "blocks": everything}) for c, m in STEPS),
        *(
            Computation(reads.m_err, {"cycles": c, "months": m, "temperature_c": t, "blocks": everything})
            for c, m, t in M_ERR
        ),
        *(Computation(each, {"blocks": some}) for each in (reads.cuts, reads.cold, reads.timing_table)),
        *(Computation(reads.onset, {"cycles": cycles, "blocks": everything}) for cycles in ONSET_CYCLES),
        Computation(reads.sense),
    ]
    return [*of_reads, *cells(), Computation(programs.retention)]


def measure(results: Results) -> Mapping[str, Measurement]:
    """Every claim about the device."""
    return {
        **of_steps(results), **of_m_err(results), **of_cuts(results), **of_erases(results),
        "ofwar.device.retention": results.one(function="retention")["days"],
    }  # fmt: skip


def of_steps(results: Results) -> dict[str, Measurement]:
    """Retry steps: PR2/AR2, Section 3.1; RiF."""

    def steps(cycles: float, months: float) -> Outcome:
        return results.one(function="steps", cycles=cycles, months=months)

    worn = steps(2000, 12)["mean"]
    onsets = [results.one(function="onset", cycles=cycles)["days"] for cycles in ONSET_CYCLES]
    later = ", ".join(f"{days:.1f} days at {cycles}" for cycles, days in zip(ONSET_CYCLES[1:], onsets[1:], strict=True))
    return {
        "pnar2.retry.fresh": steps(0, 0)["most"],
        "pnar2.retry.zero_retention": steps(2000, 0)["most"],
        "pnar2.retry.0k_3mo.min": steps(0, 3)["least"],
        "pnar2.retry.0k_6mo.ge7": steps(0, 6)["seven_or_more"],
        "pnar2.retry.1k_3mo.min": steps(1000, 3)["least"],
        "pnar2.retry.2k_12mo.mean": worn,
        "pnar2.retry.2k_12mo.slowdown": Measured(
            1.0 + worn, note="1 + the mean number of steps: each takes as long as the read itself (Eq. 3)"
        ),
        "rif.retry.onset": Measured(onsets[0], note=f"{later} P/E cycles"),
    }


def of_m_err(results: Results) -> dict[str, Measurement]:
    """Errors at the step that succeeds: PR2/AR2, Section 5.1."""

    def bits(cycles: float, months: float, celsius: float) -> float:
        found = results.one(function="m_err", cycles=cycles, months=months, temperature_c=celsius)
        return float(found["bits"])

    hot = bits(2000, 12, 85.0)
    return {
        "pnar2.merr.0k_3mo_85c": bits(0, 3, 85.0),
        "pnar2.merr.1k_12mo_85c": bits(1000, 12, 85.0),
        "pnar2.merr.2k_12mo_85c": hot,
        "pnar2.merr.2k_12mo_30c": bits(2000, 12, 30.0),
        "pnar2.merr.temperature": bits(2000, 12, 30.0) - hot,
        "pnar2.merr.temperature_55c": bits(2000, 12, 55.0) - hot,
    }


def of_cuts(results: Results) -> dict[str, Measurement]:
    """Shorter senses: PR2/AR2, Section 5.2 and 6.2."""
    cuts, table, sense = (results.one(function=name) for name in ("cuts", "timing_table", "sense"))
    single = cuts["single_bits"]
    depths = [cut for row in table["cuts"] for cut in row]
    whole = sense["precharge_us"] + sense["evaluate_us"] + sense["discharge_us"]
    return {
        "pnar2.timing.tpre40": 0.4 * sense["precharge_us"] / whole,
        "pnar2.tpre.individual": Measured(
            max(single.values()), note=", ".join(f"{name}: {bits:.1f} bits" for name, bits in single.items())
        ),
        "pnar2.tpre.delta_1k_0_54": cuts["precharge_54_added"],
        "pnar2.tdisch.delta_1k_0_20": cuts["discharge_20_added"],
        "pnar2.tdisch.7": cuts["discharge_7_added"],
        "pnar2.teval.delta_fresh_20": cuts["evaluation_20_added"],
        "pnar2.tpre.retention_47": cuts["retention_ratio"],
        "pnar2.tpre.combined": cuts["together_bits"],
        "pnar2.tpre.temperature": results.one(function="cold")["bits"],
        "pnar2.rpt.range": min(depths),
        "pnar2.rpt.max": max(depths),
        "pnar2.rpt.size": table["bytes"],
    }


def of_erases(results: Results) -> dict[str, Measurement]:
    """AERO, Sections 3, 5 and 7.2, as its own study measures them; what has to come out by itself is left to that."""
    found = lab_claims.measure(results)
    return {name: value for name, value in found.items() if all_claims()[name].kind != "emergent"}


def figures(results: Results, out: Path) -> None:
    """Each calibrated number beside the paper's, as a share of it; `wordline characterize` draws the curves."""
    rows = compared(results)
    with figure(out, "calibration", rows, height=0.13 * len(rows) + 0.5, width=4.6) as (axes,):
        y = range(len(rows))
        axes.axvline(1.0, color="#666666", linewidth=0.8)
        axes.hlines(y, [row["low"] for row in rows], [row["high"] for row in rows], color="#BBBBBB", linewidth=3.0)
        axes.plot([row["relative"] for row in rows], y, "o", color="#0072B2", markersize=3.0)
        axes.set_yticks(list(y), [row["claim"] for row in rows], fontsize=5.5)
        axes.set(xlabel="Model over paper, with the tolerance", ylim=(-1, len(rows)))
        axes.invert_yaxis()


def compared(results: Results) -> list[dict[str, Any]]:
    """Claims whose value is a number other than 0, each with what came out."""
    rows = []
    for name, found in measure(results).items():
        claim = all_claims()[name]
        value = found.value if isinstance(found, Measured) else found
        if claim.op != "=" or isinstance(claim.value, str) or not claim.value or not isinstance(value, int | float):
            continue
        rows.append(
            {
                "claim": name, "paper": claim.value, "model": value, "relative": value / claim.value,
                "low": 1.0 - claim.tol / claim.value, "high": 1.0 + claim.tol / claim.value,
            }
        )  # fmt: skip
    return rows

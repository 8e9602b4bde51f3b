"""Every calibrated number and the paper's value: reads of PR2/AR2's chips, AERO's erases, OFWAR's programs.

The benches read the 48-layer TLC over its 160 chips (PR2/AR2, Sections 3 to 5), and program OFWAR's cells.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wordline.config import preset
from wordline.lab import ProgramBench, ReadBench, on_bench

from .. import Computation, Figure, Measured, Measurement, Part, Results, Row, Sheet, all_claims, part
from ..aero import fail_bits, latencies, lifetimes
from ..claims import number

CHIP = "tlc-48l"
HOT_C, WARM_C, COLD_C = 85.0, 55.0, 30.0
# Cuts of tPRE of PR2/AR2, Fig. 8 to 10.
PRECHARGE = (0.07, 0.20, 0.27, 0.40, 0.47, 0.54, 0.60)
# Conditions that test the claims about "any condition": P/E cycles and months.
ANY = ((0, 0), (0, 12), (1000, 6), (2000, 0), (2000, 12))


def bench(blocks: int) -> ReadBench:
    """Returns some blocks of each of the 160 chips."""
    return ReadBench(on_bench(CHIP), blocks=blocks)


def steps(cycles: float, months: float, blocks: int) -> dict[str, Any]:
    """Fig. 5: the number of retry steps that pages need under one condition."""
    shares = bench(blocks).retry_steps(cycles, months)
    taken = [number for number, share in enumerate(shares[:-1]) if share > 0.0]
    return {
        "least": min(taken),
        "most": max(taken),
        "mean": sum(number * share for number, share in enumerate(shares[:-1])),
        "seven_or_more": sum(shares[7:-1]),
        "unread": shares[-1],
    }


def m_err(cycles: float, months: float, temperature_c: float, blocks: int) -> dict[str, Any]:
    """Fig. 7: most errors at the step that succeeds."""
    return {"bits": bench(blocks).m_err(cycles, months, temperature_c)[0]}


def cuts(blocks: int) -> dict[str, Any]:
    """Fig. 8 and 9: errors that single and combined cuts add to M_ERR at 85 C."""
    lab = bench(blocks)
    none = (0.0, 0.0, 0.0)
    worst = lab.m_err(2000, 12, HOT_C, [none, (0.47, 0, 0), (0, 0.10, 0), (0, 0, 0.27)])
    worn = lab.m_err(1000, 0, HOT_C, [none, (0.54, 0, 0), (0, 0, 0.20), (0.54, 0, 0.20)])
    fresh = lab.m_err(0, 0, HOT_C, [none, (0, 0.20, 0)])
    at_once = lab.m_err(2000, 0, HOT_C, [none, (0.47, 0, 0)])
    seven = []
    for cycles, months in ANY:
        pairs = [(share, 0.0, discharge) for share in (0.0, *PRECHARGE[:-1]) for discharge in (0.0, 0.07)]
        bits = lab.m_err(cycles, months, HOT_C, pairs)
        seven += [with_ - without for without, with_ in zip(bits[::2], bits[1::2], strict=True)]
    return {
        "single_bits": {"tPRE 47 %": worst[1], "tEVAL 10 %": worst[2], "tDISCH 27 %": worst[3]},
        "precharge_54_added": worn[1] - worn[0],
        "discharge_20_added": worn[2] - worn[0],
        "together_bits": worn[3],
        "evaluation_20_added": fresh[1] - fresh[0],
        "retention_ratio": (worst[1] - worst[0]) / (at_once[1] - at_once[0]),
        "discharge_7_added": max(seven),
    }


def cold(blocks: int) -> dict[str, Any]:
    """Fig. 10: the largest additional errors of a cut of tPRE at 30 C, compared with 85 C."""
    lab = bench(blocks)
    more = []
    for cycles, months in ANY:
        hot, chilled = (
            lab.m_err(cycles, months, celsius, [(share, 0.0, 0.0) for share in (0.0, *PRECHARGE)])
            for celsius in (HOT_C, COLD_C)
        )
        more += [(c - chilled[0]) - (h - hot[0]) for h, c in zip(hot, chilled, strict=True)]
    return {"bits": max(more)}


def timing_table(blocks: int) -> dict[str, Any]:
    """Fig. 11: the table of safe cuts by profiling."""
    return bench(blocks).timing_table()


def onset(cycles: float, blocks: int) -> dict[str, Any]:
    """RiF's observation: days until the first retry."""
    return {"days": bench(blocks).first_retry_days(cycles)}


def further_reads(cycles: float, months: float, blocks: int) -> dict[str, Any]:
    """RiF, "Read-Retry Optimization": mean further reads of failing pages if the die counts cells (Swift-Read)."""
    return {"mean": bench(blocks).further_reads("counting", cycles, months)}


def sense() -> dict[str, Any]:
    """The phases of one sense (Section 4), as the SSD of the paper has them."""
    config = preset("pnar2")
    return {key: config[f"nand.{key}"] for key in ("precharge_us", "evaluate_us", "discharge_us")}


def retention() -> dict[str, Any]:
    """OFWAR, Section 4.1: days and program time at the nominal program step and at twice it."""
    lost = ProgramBench(on_bench("mlc-ofwar")).retention(2.0, 2)
    return {"nominal_days": lost["days"][0], "days": lost["days"][1], "program_us": lost["program_us"]}


# Blocks per chip, on 160 chips: the paper's number, a tenth of it for many conditions, and few.
ALL, SOME, FEW = 120, 12, 1
# P/E cycles, months, and degrees Celsius.
STEPS = ((0, 0), (0, 3), (0, 6), (1000, 3), (2000, 0), (2000, 12))
M_ERR = ((0, 3, 85.0), (1000, 12, 85.0), (2000, 12, 85.0), (2000, 12, 55.0), (2000, 12, 30.0))
ONSET_CYCLES = (0, 200, 500)
# P/E cycles and months at which Swift-Read's further reads are counted.
FURTHER = ((0, 6), (1000, 6), (2000, 12))


@part("reads")
def read_benches(quick: bool) -> Iterator[Computation]:
    """Yields the read benches; with `quick` on fewer blocks."""
    many, some = (FEW, FEW) if quick else (ALL, SOME)
    for cycles, months in STEPS:
        yield Computation(steps, {"cycles": cycles, "months": months, "blocks": many}, version=1)
    for cycles, months, celsius in M_ERR:
        condition = {"cycles": cycles, "months": months, "temperature_c": celsius}
        yield Computation(m_err, {**condition, "blocks": many}, version=1)
    for bench in (cuts, cold, timing_table):
        yield Computation(bench, {"blocks": some}, version=1)
    for cycles in ONSET_CYCLES:
        yield Computation(onset, {"cycles": cycles, "blocks": many}, version=1)
    for cycles, months in FURTHER:
        yield Computation(further_reads, {"cycles": cycles, "months": months, "blocks": some}, version=1)
    yield Computation(sense, version=1)


PROGRAMS = Part("programs", lambda _: [Computation(retention, version=1)])


class Calibrated(Row):
    """A claim whose value is a number other than 0, and the model's value; the tolerance is `low` to `high`."""

    claim: str
    paper: float
    model: float
    relative: float
    low: float
    high: float


def of_steps(results: Results) -> Mapping[str, Measurement]:
    """Retry steps: PR2/AR2, Section 3.1; RiF."""
    runs = read_benches.of(results)
    fresh, three, six, thousand, unaged, worn = (
        runs.one(function="steps", cycles=cycles, months=months) for cycles, months in STEPS
    )
    onsets = [runs.one(function="onset", cycles=cycles)["days"] for cycles in ONSET_CYCLES]
    further = [runs.one(function="further_reads", cycles=cycles, months=months)["mean"] for cycles, months in FURTHER]
    later = ", ".join(f"{days:.1f} days at {cycles}" for cycles, days in zip(ONSET_CYCLES[1:], onsets[1:], strict=True))
    return {
        "pnar2.retry.fresh": fresh["most"],
        "pnar2.retry.zero_retention": unaged["most"],
        "pnar2.retry.0k_3mo.min": three["least"],
        "pnar2.retry.0k_6mo.ge7": six["seven_or_more"],
        "pnar2.retry.1k_3mo.min": thousand["least"],
        "pnar2.retry.2k_12mo.mean": worn["mean"],
        "pnar2.retry.2k_12mo.slowdown": Measured(
            1.0 + worn["mean"], note="1 + the mean number of steps: each takes as long as the read itself (Eq. 3)"
        ),
        "rif.swr.steps": max(further),
        "rif.retry.onset": Measured(onsets[0], note=f"{later} P/E cycles"),
    }


def of_m_err(results: Results) -> Mapping[str, Measurement]:
    """Errors at the step that succeeds: PR2/AR2, Section 5.1."""
    young, middle, hot, warm, cold = (
        float(
            read_benches.of(results).one(function="m_err", cycles=cycles, months=months, temperature_c=celsius)["bits"]
        )
        for cycles, months, celsius in M_ERR
    )
    return {
        "pnar2.merr.0k_3mo_85c": young,
        "pnar2.merr.1k_12mo_85c": middle,
        "pnar2.merr.2k_12mo_85c": hot,
        "pnar2.merr.2k_12mo_30c": cold,
        "pnar2.merr.temperature": cold - hot,
        "pnar2.merr.temperature_55c": warm - hot,
    }


def of_cuts(results: Results) -> Mapping[str, Measurement]:
    """Shorter senses: PR2/AR2, Section 5.2 and 6.2."""
    names = ("cuts", "cold", "timing_table", "sense")
    cuts, cold, table, sense = (read_benches.of(results).one(function=name) for name in names)
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
        "pnar2.tpre.temperature": cold["bits"],
        "pnar2.rpt.range": min(depths),
        "pnar2.rpt.max": max(depths),
        "pnar2.rpt.size": table["bytes"],
    }


# The claims that this study checks; other studies check systems and emergent claims.
OF_CELLS = ("exact", "calibration")
AERO = (*latencies.FIGURES, *fail_bits.FIGURES, *lifetimes.FIGURES)


@functools.lru_cache(maxsize=1)
def found(results: Results) -> Mapping[str, Measurement]:
    """Returns every claim about the device; of AERO, as its own study measures them, those the model is fitted to."""
    of_erases = {name: value for figure in AERO for name, value in figure.table(results).claims().items()}
    return {
        **of_steps(results),
        **of_m_err(results),
        **of_cuts(results),
        **{name: value for name, value in of_erases.items() if all_claims()[name].kind in OF_CELLS},
        "ofwar.device.retention": PROGRAMS.of(results)[0]["days"],
    }


def calibrated(results: Results) -> list[Calibrated]:
    """Returns a row for each claim whose value is a number other than 0."""
    rows = []
    for name, measured in found(results).items():
        claim, model = all_claims()[name], number(measured)
        if claim.op == "=" and isinstance(claim.value, int | float) and claim.value and model is not None:
            off = claim.tol / claim.value
            rows.append(Calibrated(name, claim.value, model, model / claim.value, 1.0 - off, 1.0 + off))
    return rows


def draw(rows: Sequence[Calibrated], sheet: Sheet) -> None:
    """Draws each number as a share of the paper's; `wordline characterize` draws the curves."""
    (axes,) = sheet(height=0.13 * len(rows) + 0.5, width=4.6)
    y = range(len(rows))
    axes.axvline(1.0, color="#666666", linewidth=0.8)
    axes.hlines(y, [row.low for row in rows], [row.high for row in rows], color="#BBBBBB", linewidth=3.0)
    axes.plot([row.relative for row in rows], y, "o", color="#0072B2", markersize=3.0)
    axes.set_yticks(list(y), [row.claim for row in rows], fontsize=5.5)
    axes.set(xlabel="Model over paper, with the tolerance", ylim=(-1, len(rows)))
    axes.invert_yaxis()


PARTS = tuple(dict.fromkeys([read_benches, *(part for figure in AERO for part in figure.parts), PROGRAMS]))
FIGURES = (
    Figure("found", PARTS, lambda results: [found(results)], lambda rows: rows[0], is_saved=False),
    Figure("calibration", PARTS, calibrated, draw=draw),
)

"""The claims of the slides."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from typing import Any

from ...config import preset
from .. import Measured, Outcome, Results
from ..claims import Measurement
from .points import CYCLES, REAL, SYSTEMS, T_ECC_US, WORKLOADS, ZERO

WORST = CYCLES[-1]
NS_PER_US = 1000.0
# "Read-heavy" for SSD_real against SSD_ideal: more reads than writes.
READ_HEAVY = 0.5


def measure(results: Results) -> Mapping[str, Measurement]:
    """All of them."""
    return {**predictor(results), **times(results), **closed_loops(results)}


def run(results: Results, workload: str, system: str, pec: int) -> Outcome:
    """One closed loop."""
    place = results.where(part="grid", workload=workload, system=system)
    return place[0] if system == ZERO else place.one({"reliability.pec": pec})


def mb_s(outcome: Outcome) -> float:
    """Bandwidth, 10^6 bytes/s."""
    return float(outcome["bandwidth_mb_s.all"])


def gains(results: Results, against: str, pec: int) -> list[float]:
    """By what fraction RiF's bandwidth is above another SSD's, by workload."""
    return [mb_s(run(results, name, "RiF", pec)) / mb_s(run(results, name, against, pec)) - 1.0 for name in WORKLOADS]


def failing_first(results: Results, system: str, pec: int) -> float:
    """Share of reads whose first sense fails, mean of the workloads."""
    shares = [run(results, name, system, pec)["read_retry.first_failure_share"] for name in WORKLOADS]
    return float(fmean(shares))


def waste(outcome: Outcome) -> float:
    """Share of channel time that moves doomed pages or waits for the ECC."""
    time = outcome["channel_time.mean"]
    return float(time["uncor"] + time["eccwait"])


def closed_loops(results: Results) -> Mapping[str, Measurement]:
    """Bandwidth and channel time."""
    shares = ", ".join(f"{failing_first(results, 'SWR', pec):.0%} at {pec}" for pec in CYCLES)
    told = f"reads that fail first: {shares} cycles; every number of the SSD and of its workloads is assumed"
    wrong = []
    for name in WORKLOADS:
        for pec in CYCLES:
            rates = [mb_s(run(results, name, system, pec)) for system in (ZERO, "RiF", "SWR", "SENC")]
            if not rates[0] >= rates[1] > rates[2] >= rates[3]:
                wrong.append(f"{name} at {pec}: " + " ".join(f"{rate:.0f}" for rate in rates))
    wasted = {
        system: fmean(waste(run(results, name, system, WORST)) for name in WORKLOADS) for system in ("RiF", "SWR")
    }
    heavy = [name for name in WORKLOADS if read_ratio(results, name) > READ_HEAVY]
    real = fmean(mb_s(run(results, name, REAL, WORST)) / mb_s(run(results, name, ZERO, WORST)) for name in heavy)
    points = len(WORKLOADS) * len(CYCLES)
    return {
        "rif.bandwidth.senc": Measured(fmean(gains(results, "SENC", WORST)), note=told),
        "rif.bandwidth.swr": Measured(fmean(gains(results, "SWR", WORST)), note=told),
        "rif.order": Measured(
            f"holds at {points - len(wrong)} of {points} points", holds=not wrong, note="; ".join(wrong[:3])
        ),
        "rif.channel.waste": Measured(
            wasted["RiF"] / wasted["SWR"],
            note=f"{wasted['RiF']:.2%} of the channels' time against {wasted['SWR']:.1%} at {WORST} cycles",
        ),
        "rif.one_retry_not_enough": Measured(
            real,
            note=f"{len(heavy)} workloads that mostly read, {WORST} cycles, failing pages succeed at the first retry",
        ),
    }


def read_ratio(results: Results, name: str) -> float:
    """Share of requests that read."""
    requests = run(results, name, ZERO, 0)["requests"]
    return float(requests["read"] / requests["all"])


def predictor(results: Results) -> Mapping[str, Measurement]:
    """The predictor's accuracy, and what the randomizer does for it."""
    found = results.where(part="first_reads")
    near = found[0]["near"]
    mixed = results.where(part="randomizer")
    behind, without = (fmean(float(o[kind]["accuracy"]) for o in mixed) for kind in ("behind", "without"))
    return {
        "rif.predictor.accuracy": Measured(
            fmean(float(o["population"]["accuracy"]) for o in found),
            synthetic=None,
            note=f"over the device's first reads at {', '.join(str(pec) for pec in CYCLES)} cycles, ages from 0 to a "
            f"month; {max(float(o['near_share']) for o in found):.2%} of them at most are within 20 % of the code's "
            f"capability. Pages spread evenly there: {near['accuracy']:.1%} right, balanced {near['balanced']:.1%}",
        ),
        "rif.randomizer": Measured(
            f"{behind:.4f} with the randomizer, {without:.4f} without",
            holds=behind > without,
            synthetic=None,
            note="first reads of pages half of whose chunks hold zeros, the others random bits",
        ),
    }


def times(results: Results) -> Mapping[str, Measurement]:
    """Lone reads."""
    plain, checked = (results.one(part="lone", read=name)["response_us.read.mean"] for name in ("plain", "checked"))
    return {
        "rif.module.latency": checked - plain,
        "rif.timing.on_die": max(row["largest_deviation_us"] for row in lone_rows(results)),
    }


def lone_rows(results: Results) -> list[dict[str, Any]]:
    """Lone reads beside their formulas."""
    config = preset("rif")
    t_r, check = float(config["nand.read_us"][0]), float(config["nand.on_die_check_us"])
    rest = float(config["ssd.page_bytes"]) / float(config["channel.rate_mb_s"]) + T_ECC_US
    formulas = {
        "plain": t_r + rest,
        "checked": t_r + check + rest,
        "checked once": 2.0 * t_r + check + rest,
        "checked twice": 2.0 * (t_r + check) + rest,
    }
    rows = []
    for name, formula_us in formulas.items():
        outcome = results.one(part="lone", read=name)
        table = outcome.result.requests() if outcome.result is not None else {"arrival_ns": [], "completed_ns": []}
        times_us = [
            (end.as_py() - start.as_py()) / NS_PER_US
            for start, end in zip(table["arrival_ns"], table["completed_ns"], strict=True)
        ]
        rows.append(
            {
                "read": name,
                "formula_us": formula_us,
                "simulated_us": fmean(times_us),
                "largest_deviation_us": max(abs(us - formula_us) for us in times_us),
            }
        )
    return rows


def grid_rows(results: Results) -> list[dict[str, Any]]:
    """Every closed loop."""
    rows = []
    for name in WORKLOADS:
        for pec in CYCLES:
            for system in (ZERO, *SYSTEMS, REAL):
                outcome = run(results, name, system, pec)
                rows.append(
                    {
                        "workload": name.partition("/")[2],
                        "pec": pec,
                        "system": system,
                        "mb_s": mb_s(outcome),
                        "over_zero": mb_s(outcome) / mb_s(run(results, name, ZERO, pec)),
                        "failing_first": outcome["read_retry.first_failure_share"],
                        **outcome["channel_time.mean"],
                    }
                )
    return rows

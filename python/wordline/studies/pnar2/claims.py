"""The claims of sections 3, 6 and 7."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean

from .. import Measured, Results
from ..claims import Measurement
from . import lone
from .gains import Responses, violations
from .points import BASELINE
from .workloads import HOST_US, LOAD

WORST = (2000, 6.0)
# Eq. 2 and section 7.1: the mean page, unloaded.
LONE_READ_US = 127.0
HOST_PATH = f"the time that retries do not multiply, here {HOST_US:g} us of the host's path for every request"


def measure(results: Results) -> Mapping[str, Measurement]:
    """All claims that are not on the chips themselves."""
    return {
        **lone.claims(results),
        **retries(results),
        **figure_14(Responses(results.where(part="grid"))),
        **figure_15(Responses(results.where(part="grid"))),
    }


def retries(results: Results) -> Mapping[str, Measurement]:
    """AR2's fallbacks and PSO's steps."""
    surveyed = results.where(part="fallbacks")
    pages, lost = (sum(int(o[name]) for o in surveyed) for name in ("pages", "lost"))
    regular, pso = (results.one({"read.retry": name}, part="pso-steps") for name in ("baseline", "pso"))
    by_steps = pso["read_retry.reads_by_steps"]
    least = next((steps for steps, count in enumerate(by_steps) if count), 0)
    means = [float(o["read_retry.mean_steps"]) for o in (regular, pso)]
    return {
        "pnar2.rpt.fallback": Measured(
            sum(int(o["fallbacks"]) for o in surveyed),
            synthetic=None,
            note=f"of {pages:,} pages of the device in {len(surveyed)} conditions at 30 C; {lost} that no timing reads",
        ),
        "pnar2.fig15.pso_steps": Measured(
            1.0 - means[1] / means[0], note=f"{means[0]:.1f} steps become {means[1]:.1f}, at least {least}"
        ),
    }


def figure_14(r: Responses) -> Mapping[str, Measurement]:
    """PR2 and AR2 over Baseline."""
    gains = {name: r.reductions(name, BASELINE, r.places()) for name in ("PR2", "AR2", "PnAR2")}
    means = {name: fmean(values) for name, values in gains.items()}
    composed = 1.0 - (1.0 - means["PR2"]) * (1.0 - means["AR2"])
    stg_0 = [traced for traced in r.traces if traced.name == "stg_0"]
    wrong = len(violations(r))
    norr_us = fmean(r.us(traced.name, "NoRR", r.conditions[0]) for traced in r.traces)
    read_us = fmean(r.norr_read_us(traced.name) for traced in r.traces)
    writes = (
        f"writes are acknowledged from DRAM, but take {HOST_PATH} too; fig15.write_dominant asks for such a share, "
        "this claim for none"
    )
    closed = f"does not depend on {HOST_PATH}; queues, which grow faster than service times, raise it with the load"
    queues = (
        f"the best point is the one with the longest queues, so it rises with the load, here {LOAD:.1%}; see `load`"
    )
    return {
        "pnar2.fig14.pr2.avg": means["PR2"],
        "pnar2.fig14.pr2.max": Measured(max(gains["PR2"]), note=queues),
        "pnar2.fig14.ar2.avg": means["AR2"],
        "pnar2.fig14.ar2.max": Measured(max(gains["AR2"]), note=queues),
        "pnar2.fig14.pnar2.avg": means["PnAR2"],
        "pnar2.fig14.pnar2.max": Measured(max(gains["PnAR2"]), note=queues),
        "pnar2.fig14.pnar2.2k_6mo": Measured(
            fmean(r.reductions("PnAR2", BASELINE, r.places(conditions=[WORST]))),
            note=f"rises with the queues, here at {LOAD:.1%} load; see the figure `load`",
        ),
        "pnar2.fig14.pnar2.stg_0": Measured(
            fmean(r.reductions("PnAR2", BASELINE, r.places(stg_0, [WORST]))), note=writes
        ),
        "pnar2.fig14.pnar2.stg_0.avg": Measured(fmean(r.reductions("PnAR2", BASELINE, r.places(stg_0))), note=writes),
        "pnar2.fig14.synergy": Measured(
            f"{means['PnAR2']:.3f} against {composed:.3f}; {wrong} orders of two SSDs fail in the grid",
            holds=means["PnAR2"] >= composed and wrong == 0,
            note="with the sums: " + f"{means['PR2'] + means['AR2']:.3f}",
        ),
        "pnar2.fig14.gap_to_norr": Measured(
            fmean(r.multiples("PnAR2", r.places())),
            note=f"NoRR answers in {norr_us:.0f} us on average, its reads in {read_us:.0f} us, "
            f"{read_us / LONE_READ_US:.1f} times a lone page's {LONE_READ_US:g} us; most of it is {HOST_PATH}",
        ),
        "pnar2.fig14.gap_closed": Measured(r.gap_closed("PnAR2"), note=closed),
    }


def figure_15(r: Responses) -> Mapping[str, Measurement]:
    """PSO, with and without PR2 and AR2."""
    reading, writing = list(r.places(r.read_dominant())), list(r.places(r.read_dominant(wanted=False)))
    pso = r.multiples("PSO", reading)
    over_pso = {name: r.reductions("PSO+PnAR2", "PSO", places) for name, places in (("r", reading), ("w", writing))}
    steps = (
        "PSO takes at least three steps for each aged page, on this device and in section 3.1; see the figure `load`"
    )
    return {
        "pnar2.fig15.pso_over_norr.avg": Measured(fmean(pso), note=steps),
        "pnar2.fig15.pso_over_norr.max": Measured(max(pso), note=f"set by {HOST_PATH}; see the figure `load`"),
        "pnar2.fig15.read_dominant.avg": Measured(fmean(over_pso["r"]), note=steps),
        "pnar2.fig15.read_dominant.max": max(over_pso["r"]),
        "pnar2.fig15.write_dominant.avg": fmean(over_pso["w"]),
        "pnar2.fig15.write_dominant.max": max(over_pso["w"]),
        "pnar2.fig15.psopnar2_over_norr": Measured(fmean(r.multiples("PSO+PnAR2", reading)), note=steps),
    }

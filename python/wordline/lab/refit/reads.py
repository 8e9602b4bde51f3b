"""Calibrated constants of `[read]`, and the numbers that determine them.

All other constants are guesses, and the chip's file marks them. Two numbers leave little room for the spread of drift:
RiF's 17 days until the first retry, and PR2/AR2's four steps or more on every page after three months.
"""

from __future__ import annotations

from collections.abc import Callable

from ..chips import Cut
from .solve import Fit, Lab

__all__ = ["READS"]

HOT_C, WARM_C, COLD_C = 85.0, 55.0, 30.0
YEAR = 12
# Bits of a codeword, and errors that the ECC corrects in it.
CODEWORD_BITS, CAPABILITY = 8192, 72.0
# Errors of the best page above the ECC's limit, one entry of the table away from its own.
CLEARANCE_BITS = 1.0
# Distance of the entry that suits a page from its best voltages, steps: `residual_steps` of the chip.
RESIDUAL = 0.05
# Expected largest of 16 standard normal numbers: from a page's mean codeword to its worst.
WORST_OF_16 = 1.766


def m_err(cycles: float, months: float, celsius: float) -> Callable[[Lab], float]:
    """M_ERR: the most errors of any page at the entry that suits it."""
    return lambda lab: lab.reads.m_err(cycles, months, celsius)[0]


def colder(celsius: float) -> Callable[[Lab], float]:
    """Errors that a read at this temperature adds to one at 85 C."""
    return lambda lab: m_err(2000, YEAR, celsius)(lab) - m_err(2000, YEAR, HOT_C)(lab)


def added(cycles: float, cut: Cut) -> Callable[[Lab], float]:
    """Errors that a cut adds to M_ERR without retention."""

    def bits(lab: Lab) -> float:
        without, with_ = lab.reads.m_err(cycles, 0, HOT_C, [(0.0, 0.0, 0.0), cut])
        return with_ - without

    return bits


def steps_mean(lab: Lab) -> float:
    """Mean steps at 2K cycles and 12 months."""
    return sum(number * share for number, share in enumerate(lab.reads.retry_steps(2000, YEAR)[:-1]))


def seven_or_more(lab: Lab) -> float:
    """Share of unworn pages with seven steps or more after six months."""
    return sum(lab.reads.retry_steps(0, 6)[7:-1])


def retried_at_once(lab: Lab) -> float:
    """Share of pages that retry at 2K cycles without retention."""
    return 1.0 - lab.reads.retry_steps(2000, 0)[0]


def beside(lab: Lab) -> float:
    """Fewest errors of any page an entry of the table beside its own, where errors climb least: young data."""
    rate = lab.reads.rber_quantiles(0, 1, HOT_C, [0.0], 1.0 - RESIDUAL)[0]
    mean = rate * CODEWORD_BITS
    return mean + WORST_OF_16 * float(mean**0.5)


def longer_retention(lab: Lab) -> float:
    """How much more a cut of tPRE by 47 % adds after a year, at 2K cycles."""
    cut = (0.47, 0.0, 0.0)
    without, with_ = lab.reads.m_err(2000, YEAR, HOT_C, [(0.0, 0.0, 0.0), cut])
    return (with_ - without) / added(2000, cut)(lab)


READS = (
    Fit("read.valley.reach_steps", (0.4, 1.4), beside, CAPABILITY + CLEARANCE_BITS, "PR2/AR2, Fig. 4b"),
    Fit("read.drift.steps_per_log", (2.0, 3.4), seven_or_more, 0.544, "pnar2.retry.0k_6mo.ge7"),
    Fit("read.drift.margin_steps", (7.0, 11.0), lambda lab: lab.reads.first_retry_days(0), 17.0, "rif.retry.onset"),
    # PR2/AR2, Section 9, has retries without retention at 2K cycles and does not say in how many pages: one in a
    # hundred is a guess. RiF's slides have onsets at 200 and 500 cycles, too; they are looked at, not fitted.
    Fit("read.drift.wear_steps", (14.0, 26.0), retried_at_once, 0.01, "pnar2.retry.zero_retention"),
    Fit("read.drift.steps_per_log_growth", (0.0, 0.2), steps_mean, 19.9, "pnar2.retry.2k_12mo.mean"),
    Fit("read.floor.fresh_bits", (8.0, 18.0), m_err(0, 3, HOT_C), 15.0, "pnar2.merr.0k_3mo_85c"),
    Fit("read.floor.retention_bits", (1.0, 8.0), m_err(0, YEAR, HOT_C), 63.0 - 47.0, "aero.fig10.margin"),
    Fit("read.floor.early_bits", (6.0, 20.0), m_err(1000, YEAR, HOT_C), 30.0, "pnar2.merr.1k_12mo_85c"),
    Fit("read.floor.wear_bits", (0.2, 4.0), m_err(2000, YEAR, HOT_C), 35.0, "pnar2.merr.2k_12mo_85c"),
    Fit(
        "read.floor.wear_power",
        (1.2, 3.0),
        lambda lab: lab.reads.m_rber(5300, YEAR, HOT_C),
        63.0,
        "aero.fig13.baseline",
    ),
    Fit("read.floor.cold_bits.0", (1.0, 6.0), colder(WARM_C), 3.0, "pnar2.merr.temperature_55c"),
    Fit("read.floor.cold_bits.1", (2.0, 9.0), colder(COLD_C), 5.0, "pnar2.merr.temperature"),
    Fit("read.cuts.precharge.bits", (25.0, 45.0), added(1000, (0.54, 0, 0)), 35.0, "pnar2.tpre.delta_1k_0_54"),
    Fit("read.cuts.discharge.bits", (5.0, 12.0), added(1000, (0, 0, 0.20)), 8.0, "pnar2.tdisch.delta_1k_0_20"),
    Fit("read.cuts.evaluation.bits", (20.0, 50.0), added(0, (0, 0.20, 0)), 30.0, "pnar2.teval.delta_fresh_20"),
    Fit("read.cuts.retention_growth", (0.2, 1.2), longer_retention, 1.6, "pnar2.tpre.retention_47"),
    Fit(
        "read.estimates.sentinel_steps",
        (0.3, 2.0),
        lambda lab: lab.reads.further_reads("sentinel", 0, 6),
        1.2,
        "Sentinel, MICRO 2020, through PR2/AR2, Section 9",
    ),
)

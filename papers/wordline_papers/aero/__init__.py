"""AERO: what erases that are just long enough do for lifetime and tail latency (Cho et al., ASPLOS 2024)."""

from __future__ import annotations

from .. import Study
from . import eq1, erases, fail_bits, implied, latencies, lifetimes, ssds, system, tails, weak

NOTES = (
    "Workloads are look-alikes of the traces; those of MSR Cambridge run ten times as fast as recorded (section 7.1).",
    "Their requests come in bursts, as in 106 traced volumes (CloudPhysics); the paper prints mean gaps only.",
    "Before a run every page is written, and half of them again at random, so that writes cause garbage collection.",
    "Requests of the first two simulated minutes do not count: garbage collection catches up with preconditioning.",
    "M_RBER is for a year of retention, read at 85 C: the paper does not say how hot the chips were when read.",
    "Blocks have the wear that their own scheme causes: section 7.3 explains its tails by it (two loops for 92 %).",
    "Suspension is what the authors' simulator means: a read stops a loop that is not the last and has 700 us left.",
    "That takes 100 us, and not while a write is 64 ms old; the loop begins again, and only time is lost by it.",
    "The two other rules of that simulator are in `suspension`, for the same number of reads.",
    "Bursts were settled after numbers without had been seen; they are the same for all claims.",
    "Tails are those of five seeds together, of two million reads each; their intervals are from resampled seeds.",
    "The four workloads with more writes than reads have 500,000 reads in all, so 99.9999th is their slowest read.",
    "In Fig. 15 and 16 what no claim needs (AERO_CONS held or old, rates of 5 and 10 %) is of the first seed alone.",
    "IOPS are those of closed-loop replay at a queue depth of 32: 700,000 requests after 300,000 that do not count.",
    "`suspension` and `fig17_tail` have 100,000 reads a point: 99.9999th percentiles mean nothing and are not shown.",
    "With --quick the SSD has 9 GB, workloads are two, and runs are far too short for the tails.",
)

STUDY = Study(
    name="aero",
    title="AERO: erase latency, lifetime and read tails under five erase schemes",
    papers=("aero",),
    seeds=5,
    notes=NOTES,
    figures=(
        *latencies.FIGURES,
        *fail_bits.FIGURES,
        *lifetimes.FIGURES,
        *eq1.FIGURES,
        *ssds.FIGURES,
        *erases.FIGURES,
        *implied.FIGURES,
        *weak.FIGURES,
    ),
    undecidable=tails.too_few(system.FULL.reads),
)

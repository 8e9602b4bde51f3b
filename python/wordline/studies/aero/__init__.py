"""AERO: what erases that are just long enough do for lifetime and tail latency (Cho et al., ASPLOS 2024)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .. import Computation, Point, Results
from ..claims import Measurement
from . import draw_lab, draw_ssd, lab_claims, lab_tables, ssd_claims, system
from .plan import points

TITLE = "AERO: erase latency, lifetime and read tails under five erase schemes"
PAPERS = ("aero",)
NOTES = (
    "Workloads are look-alikes of the traces; those of MSR Cambridge run ten times as fast as recorded (section 7.1).",
    "Their requests come in bursts, as in 106 traced volumes (CloudPhysics); the paper prints mean gaps only.",
    "Before a run every page is written, and half of them again at random, so that writes cause garbage collection.",
    "Requests of the first two simulated minutes do not count: garbage collection catches up with preconditioning.",
    "M_RBER is for a year of retention, read at 85 C: the paper does not say how hot the chips were when read.",
    "All that claims are about is run with the same wear for all schemes, ISPE's, and with each scheme's own.",
    "The claims' numbers are those with own wear: so section 7.3 explains its tails. Table `wear` has both.",
    "Suspension is read as: a read waits for the end of the pulse (erase.yield = loop); others are in `suspension`.",
    "It is that of Kim et al. (ATC '19), whom the paper cites; chosen after numbers were seen, one for all claims.",
    "Suspension within a pulse takes nand.erase_suspend_us (MQSim's 700 us; the paper gives none), at most 16 times.",
    "Bursts, and own wear for the claims, were settled after numbers without had been seen; each is one for all.",
    "IOPS are those of closed-loop replay at a queue depth of 32, after a million requests that do not count.",
    "`suspension` has 300,000 reads a point: its 99.9999th percentiles mean nothing and are not shown.",
    "With --quick the SSD has 9 GB, workloads are two, and runs are far too short for the tails.",
)


def grid(quick: bool) -> list[Point | Computation]:
    """Cells, lifetimes, and SSDs under every scheme, age and workload."""
    return points(system.QUICK if quick else system.FULL)


def measure(results: Results) -> Mapping[str, Measurement]:
    """Every claim of the paper."""
    return {**lab_claims.measure(results), **ssd_claims.measure(results)}


def figures(results: Results, out: Path) -> None:
    """Fig. 4, 7 to 11 and 13 to 17, erase latencies by scheme, and reads over life."""
    draw_lab.draw(results, out, lab_tables.ispe_latencies(results))
    draw_ssd.draw(results, out)


def tables(results: Results) -> dict[str, list[dict[str, Any]]]:
    """Tables 1 and 4, ISPE's latencies beside the public table of them, and claims under both readings of wear."""
    return {
        "table1": lab_tables.table_1(results),
        "table4": draw_ssd.table_4_rows(results),
        "ispe_latency": lab_tables.ispe_latencies(results),
        "reads_over_life": draw_ssd.life_rows(results),
        "wear": ssd_claims.wear_rows(results),
    }


def findings(results: Results) -> list[str]:
    """What each reading of wear comes to."""
    return ssd_claims.findings(results)

"""Checks estimated tails of reads against counted ones: docs/validation/read-waits.md. Takes some ten minutes.

    python3 tools/read_waits.py [--out FILE]

Each case is an SSD of AERO under open arrivals. The counted percentiles are of one long run; the estimates are of short
runs with other seeds, so with other requests and other blocks.
"""

# ruff: noqa: INP001

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import wordline as wl
from wordline.output.numbers import NOTHING, measure
from wordline.waits import ALL_US, ENOUGH, SHARES, read_waits

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "validation" / "read-waits.md"
NAMES = {"p999": "p99.9", "p9999": "p99.99", "p99999": "p99.999", "p999999": "p99.9999"}
SEEDS = (2, 3)
# A part of AERO's SSD, old enough for erases of two loops, full and overwritten.
USED = {
    "ssd.blocks_per_plane": 64, "ssd.pages_per_block": 528, "gc.hard_threshold": 0.04, "precondition.fill": 1.0,
    "precondition.overwrite": 0.5, "reliability.pec": 2500, "reliability.worn_by": "scheme",
}  # fmt: skip
RESTART = {
    "erase.yield": "restart", "nand.erase_suspend_us": 100.0, "schedule.suspend_min_remaining_us": 700.0,
    "schedule.max_suspends": 1_000_000,
}  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A workload on an SSD; `long` and `short` are requests of the counted run and of each estimate."""

    workload: str
    settings: dict[str, Any]
    long: int
    short: int

    @property
    def name(self) -> str:
        """The case in a table."""
        return f"{self.workload}, {self.settings['erase.scheme']}, {self.settings['erase.yield']}"


CASES = (
    Case("msrc/prxy_1", {**RESTART, "erase.scheme": "aero", "host.time_scale": 0.1}, 5_000_000, 200_000),
    Case("ali/e", {**RESTART, "erase.scheme": "aero"}, 10_800_000, 400_000),
)
HEAD = """# Tails of reads that are estimated

Is [what `wordline explain waits` estimates](../how-to/read-waits.md) what a long run counts? An SSD of AERO, old, full
and overwritten, under open arrivals. *counted* is of one long run, where ten reads or more lie beyond; each estimate is
of a short one with another seed, with its 95 % interval. Response times in us. Made by `tools/read_waits.py`.
"""
TAIL = """ The counted runs are far
from 10^8 reads, so of the 99.9999th percentile they have ten reads beyond, or fewer. An interval of an estimate is wide
where few bursts of writes fall into a run: its erases are known, how many there will be is not.
"""


def counted(case: Case) -> tuple[int, dict[str, float | None]]:
    """Returns the reads of a long run and their percentiles, us."""
    config = wl.preset("aero").set_all({**USED, **case.settings})
    bins = wl.run(config, wl.workload(case.workload, requests=case.long)).arrays("bins")
    of_reads = bins["op"] == "read"
    upper, count = bins["upper_ns"][of_reads] / 1000.0, np.cumsum(bins["count"][of_reads])
    reads = int(count[-1])

    def percentile(share: float) -> float | None:
        is_known = round(reads * (1.0 - share)) >= ENOUGH
        return float(upper[np.searchsorted(count, share * reads)]) if is_known else None

    return reads, {name: percentile(SHARES[name]) for name in NAMES}


def rows(case: Case) -> tuple[list[str], list[bool]]:
    """Returns the lines of a case, and for each interval whether it has what was counted."""
    reads, percentiles = counted(case)
    held = []
    texts = [NOTHING if each is None else measure(each) for each in percentiles.values()]
    lines = [f"| {case.name} | counted | {reads:,} | {' | '.join(texts)} |"]
    for seed in SEEDS:
        config = wl.preset("aero").set_all({**USED, **case.settings, "seed": seed})
        requests = wl.workload(case.workload, requests=case.short)
        found = read_waits(wl.run(config, requests, log_requests=True, timeline_us=ALL_US))
        each = [found.response_us[name] for name in NAMES]
        texts = [f"{measure(one.value)} ({measure(one.low)} to {measure(one.high)})" for one in each]
        lines.append(f"|  | estimated, seed {seed} | {found.reads:,} | {' | '.join(texts)} |")
        known = [(one, percentiles[name]) for name, one in zip(NAMES, each, strict=True)]
        held += [one.low <= value <= one.high for one, value in known if value is not None and one.low and one.high]
    return lines, held


def main() -> None:
    """Runs all cases and writes the page."""
    parser = argparse.ArgumentParser(description="Checks estimated tails of reads against counted ones.")
    parser.add_argument("--out", type=Path, default=PAGE, help="the page")
    out = parser.parse_args().out
    table = [f"| case | how | reads | {' | '.join(NAMES.values())} |", "|---|---|---|---|---|---|---|"]
    held: list[bool] = []
    for case in CASES:
        lines, of_case = rows(case)
        table += lines
        held += of_case
    told = f"\n{sum(held)} of {len(held)} intervals have what the long run counts."
    out.write_text("\n".join([HEAD, *table]) + "\n" + told + TAIL, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()

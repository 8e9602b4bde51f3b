"""Writes docs/validation/coverage.md: how often the intervals of results cover the truth.

.venv/bin/python tools/coverage.py                     # 200 repetitions of each case
.venv/bin/python tools/coverage.py --repetitions 40    # fewer, and the page says so

The truth is a long run of the same load, or many seeds of it, whose requests no repetition has.
"""
# ruff: noqa: INP001

from __future__ import annotations

import argparse
import math
import statistics
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import wordline as wl
from wordline.stats import interval_of
from wordline.stats.interval import Interval
from wordline.stats.run import dig

PAGE = Path(__file__).resolve().parents[1] / "docs" / "validation" / "coverage.md"
REPETITIONS = 200
NUMBERS = {
    "mean": "response_us.all.mean",
    "p50": "response_us.all.p50",
    "p99": "response_us.all.p99",
    "p99.9": "response_us.all.p999",
    "IOPS": "iops.all",
    "WA": "write_amplification",
}
HEAD = """\
# How often intervals cover the truth

<!-- Made by tools/coverage.py. -->

Each case was run {repetitions} times with other seeds. A cell is the share of the 95 % intervals that cover the number
of a long run of the same load (40 times the requests, without its first tenth), as far as that is known itself. Runs of
several seeds are compared with 40 times as many seeds of the same length. `of 30`: only so many repetitions have
an interval; the others say that the number is not known (`±?`). `not known`: fewer than one in ten has an interval.
`!`: fewer than {least} % cover it, which is not chance. `make coverage` runs 200 repetitions.
"""
WIDTHS = """\
How wide the intervals are: half of the mean width, over that of an interval of 95 % that knows how the number differs
from repetition to repetition. 1.0 is as wide as it should be, and 2.0 twice as wide.
"""
TAIL = """\
Why cells of 100 % are wider than they need to be:

- The truth is known with an error of its own, a sixth of a repetition's, which counts in favour: 97.5 % are to be
  expected, not 95 %.
- Under GC batches make up for each other: a batch in which much is moved is followed by one in which little is. The
  batches differ much more than their sum does from run to run.
- A median of a closed loop hardly differs from run to run, since requests that are under way together make up for each
  other, too. The interval is at least that of independent requests.
- Response times without errors take few values (a sense, two, and so on), so a percentile is one of these or the next,
  and its interval has the whole step.
- Requests that arrive evenly have a rate that is known but for the edges of the batches.

Three ways to narrower intervals were tried, each with 60 repetitions of *stationary* and *aged under GC*. Merging
batches also where one makes up for the next brings mean, IOPS and WA under GC from 3.7, 3.6 and 7.1 times the width
to 2.3, 2.2 and 4.2, and leaves all others. The factor of an autoregressive process for what is left of that relation
adds next to nothing (2.3, 2.2, 4.1). Letting the requests of a percentile count for more than independent ones brings
the median of a closed loop from 3.3 to 2.8. None of them brings a cell below 100 %, and each changes every printed
interval, so none is in.

A run on a used drive has no interval while its free blocks change: it measures the way to a steady state, and a run of
another length would measure something else. Numbers of several short runs are those of runs of that length; where not
all of them show a steady state, a warning says so.
"""
TRUTH_SEED = 1_000_003
"""Seed of the long run, apart from those of the repetitions."""
SMALL: dict[str, Any] = {
    "ssd.channels": 2,
    "ssd.chips_per_channel": 1,
    "ssd.dies_per_chip": 1,
    "ssd.planes_per_die": 2,
    "ssd.blocks_per_plane": 64,
    "ssd.pages_per_block": 64,
    "ssd.overprovisioning": 0.2,
    "gc.preemptible": True,
}
READS: dict[str, Any] = {"precondition.fill": 1.0, "workload.read_ratio": 1.0, "workload.read_block_bytes": 8192}
MIX: dict[str, Any] = {**READS, "workload.read_ratio": 0.5, "workload.write_block_bytes": 8192}
AGED: dict[str, Any] = {**MIX, "precondition.fill": 1.0, "precondition.overwrite": 2.0}


@dataclass(frozen=True)
class Case:
    """A load, and how it is measured.

    Attributes:
        name: What stands in the table.
        said: What it is.
        preset: The SSD.
        settings: Keys over it.
        requests: Of a repetition; of each seed where there are several.
        seeds: Seeds of a repetition.
        goal: Of `--until`, where that measures.
        long: The truth has so many times the requests.
    """

    name: str
    said: str
    settings: dict[str, Any]
    preset: str = "mqsim"
    requests: int = 20_000
    seeds: int = 1
    goal: str | None = None
    long: int = 40

    def config(self, seed: int) -> wl.Config:
        """Its SSD; the seed decides over the requests, the drive before them and the cells."""
        return wl.preset(self.preset).set_all({**SMALL, **self.settings, "workload.seed": seed})

    def measured(self, seed: int) -> wl.Result:
        """One repetition."""
        config, load = self.config(seed * self.seeds), wl.workload(None, requests=self.requests)
        if self.goal is not None:
            return wl.run_until(config, load, goals=[self.goal], limit=16)
        if self.seeds > 1:
            return wl.replicate(config, load, seeds=range(seed * self.seeds, (seed + 1) * self.seeds), jobs=1)
        return wl.run(config, load)

    def truth(self) -> wl.Result:
        """The long run, without its first tenth as a warm-up; of several seeds, as many more of them."""
        if self.seeds > 1:
            load = wl.workload(None, requests=self.requests)
            seeds = range(TRUTH_SEED, TRUTH_SEED + self.seeds * self.long)
            return wl.replicate(self.config(TRUTH_SEED), load, seeds=seeds, jobs=1)
        requests = self.requests * self.seeds * self.long
        config = self.config(TRUTH_SEED).set("host.warmup_requests", requests // 10)
        return wl.run(config, wl.workload(None, requests=requests))


CASES = (
    Case("stationary", "random reads of a full drive, 16 under way", {**READS, "host.queue_depth": 16}),
    Case(
        "open",
        "random reads that arrive by themselves, 60 us apart on average",
        {**READS, "workload.inter_arrival_us": 60.0},
    ),
    Case(
        "worn",
        "random reads with retries: `pnar2` at 1,000 P/E cycles and 3 months",
        {
            **READS,
            "workload.read_block_bytes": 16_384,
            "host.queue_depth": 4,
            "read.retry": "baseline",
            "reliability.pec": 1000,
            "reliability.retention_months": 3.0,
        },
        preset="pnar2",
    ),
    Case(
        "aged under GC",
        "reads and writes, 8 under way, on a drive filled and overwritten twice",
        {**AGED, "host.queue_depth": 8},
    ),
    Case(
        "--until",
        "the same until the mean is known within 5 %",
        {**AGED, "host.queue_depth": 8},
        requests=5_000,
        goal="mean ±5%",
        long=160,
    ),
    Case(
        "--seeds 10",
        "random reads, ten short runs of 2,000 requests",
        {**READS, "host.queue_depth": 16},
        requests=2_000,
        seeds=10,
    ),
    Case(
        "--seeds 10, aged",
        "reads and writes on the aged drive, ten short runs of 2,000 requests",
        {**AGED, "host.queue_depth": 8},
        requests=2_000,
        seeds=10,
    ),
)


@dataclass(frozen=True)
class Cell:
    """How often the intervals of one number cover the truth.

    Attributes:
        known: Repetitions in which it has an interval.
        held: Those of them that cover the truth.
        width: Half of their mean width over 1.96 standard deviations of the number; None if it does not vary.
    """

    known: int
    held: int
    width: float | None

    def text(self, repetitions: int) -> str:
        """Its cell of the table."""
        if self.known < repetitions / 10:
            return "not known"
        share = self.held / self.known
        # What chance makes of 95 %, three times out of a hundred at most.
        spread = 2.2 * math.sqrt(0.95 * 0.05 / self.known)
        mark = "" if share >= 0.95 - spread else " !"
        known = "" if self.known == repetitions else f" of {self.known}"
        return f"{100 * share:.1f} %{known}{mark}"


def numbers(case: Case, seed: int) -> dict[str, Interval | None]:
    """The intervals of a repetition."""
    document = case.measured(seed).document
    return {name: interval_of(document, path) for name, path in NUMBERS.items()}


def width_of(intervals: list[Interval]) -> float | None:
    """Half of their mean width, over that of an interval that knows the spread of the numbers."""
    halves = [each.half_width for each in intervals if each.half_width is not None]
    spread = statistics.stdev(each.value for each in intervals) if len(intervals) > 1 else 0.0
    return statistics.mean(halves) / (1.96 * spread) if halves and spread > 0 else None


def covers(interval: Interval, truth: Interval) -> bool:
    """Whether an interval covers a value, as far as that is known itself; an open end is infinitely far."""
    low, high = interval.low, interval.high
    # Percentiles are the upper ends of their bins, which three digits make.
    slack = 2e-3 * truth.value
    least, most = (truth.value if end is None else end for end in (truth.low, truth.high))
    return (low is None or low <= most + slack) and (high is None or least - slack <= high)


def rows(repetitions: int, map_: Callable[..., Iterator[Any]]) -> Iterator[tuple[Case, dict[str, Cell | None]]]:
    """Measures all cases."""
    for case in CASES:
        truth = case.truth().document
        made = list(map_(partial(numbers, case), range(1, repetitions + 1)))
        cells: dict[str, Cell | None] = {}
        for name, path in NUMBERS.items():
            if dig(truth, path) is None:
                cells[name] = None
                continue
            known = [each[name] for each in made if each[name] and (each[name].low, each[name].high) != (None, None)]
            value = interval_of(truth, path) or Interval(dig(truth, path), None, None, "", 0)
            cells[name] = Cell(len(known), sum(covers(each, value) for each in known), width_of(known))
        yield case, cells


def page(repetitions: int, measured: list[tuple[Case, dict[str, Cell | None]]]) -> str:
    """The page."""
    chance = 2.2 * math.sqrt(0.95 * 0.05 / repetitions)
    head = HEAD.format(repetitions=repetitions, least=f"{100 * (0.95 - chance):.0f}")
    lines = [head, "| case | " + " | ".join(NUMBERS) + " |", "|---" * (len(NUMBERS) + 1) + "|"]
    for case, cells in measured:
        texts = ["" if cell is None else cell.text(repetitions) for cell in cells.values()]
        lines.append(f"| {case.name} | " + " | ".join(texts) + " |")
    lines += ["", WIDTHS, "| case | " + " | ".join(NUMBERS) + " |", "|---" * (len(NUMBERS) + 1) + "|"]
    for case, cells in measured:
        shown = [None if cell is None or cell.known < repetitions / 10 else cell.width for cell in cells.values()]
        lines.append(f"| {case.name} | " + " | ".join("" if each is None else f"{each:.1f}" for each in shown) + " |")
    lines += ["", "The cases, on a small SSD:", ""]
    lines += [f"- **{case.name}**: {case.said}; {case.requests:,} requests" for case, _ in measured]
    return "\n".join([*lines, "", TAIL])


def main() -> int:
    """Writes the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    parser.add_argument("--jobs", type=int, default=None)
    parser.add_argument("--out", type=Path, default=PAGE)
    args = parser.parse_args()
    with ProcessPoolExecutor(args.jobs) as pool:
        measured = []
        for case, cells in rows(args.repetitions, pool.map):
            print(
                case.name,
                {name: None if cell is None else (cell.held, cell.known) for name, cell in cells.items()},
                file=sys.stderr,
            )
            measured.append((case, cells))
    args.out.write_text(page(args.repetitions, measured), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

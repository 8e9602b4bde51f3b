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

import stamp

import wordline as wl
from wordline.document import Document
from wordline.stats import interval_of
from wordline.stats.comparison import change
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

Does a 95 % interval hold the true number in 95 of 100 runs, and is it no wider than it has to be? Each case was run
{repetitions} times with other seeds. Each interval was compared with the number of a run {long} times as long, without
its first tenth. Runs of several seeds are compared with {long_seeds} times as many seeds of the same length.

A cell is the share of the intervals that cover the truth. `of 30`: only so many repetitions have an interval; the
others say that the number is not known (`±?`). `not known`: fewer than one in ten has an interval. `!`: fewer than
{least} % cover it, which is not chance.
"""
WIDTHS = """\
How wide the intervals are: half of their mean width, over the distance from the truth within which 95 % of the
repetitions lie. An interval of 1.0 would just cover. One that has to learn this distance from its own run is wider.
"""
PAIRS = """\
## Two runs of the same requests

The interval of their difference, as `wordline compare` shows it:
"""
TAIL = """\
Why some cells are wider, or cover less or more than 95 %:

- *aged under GC* begins where preconditioning ends, with a burst of garbage collection, and is not at equilibrium. Its
  intervals hold what that burst does to the number. The same drive after a warm-up is *at equilibrium*.
- Response times without errors take few values (a sense, two, and so on). A percentile is one of them or the next, and
  its interval has whole steps. Medians of *stationary* and *open* are such values.
- `--until` looks at the interval again and again, and ends when it is narrow enough. It is so too early more often than
  too late.
- Requests that arrive evenly have a rate that is known but for the edges of the run.
- FIFO reclaims all groups in turn. So a pass over the drive is its slowest change, and a run has only a few of them.

A run on a used drive has no interval while its free blocks change: it measures the way to a steady state, and a run of
another length would measure something else. Numbers of several short runs are those of runs of that length; where not
all of them show a steady state, a warning says so.

[How the intervals are made](../how-to/certainty.md#within-one-run).
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


LONG, LONG_SEEDS = 400, 100
"""So many times the requests of a repetition has the truth, or so many times its seeds."""


@dataclass(frozen=True)
class Case:
    """A load, and how it is measured.

    Attributes:
        name: What stands in the table.
        about: What it is.
        preset: The SSD.
        settings: Keys over it.
        other: Keys of the second run of a pair; without them a case is a single run.
        requests: Of a repetition; of each seed where there are several.
        warmup: Requests before them that do not count.
        seeds: Seeds of a repetition.
        goal: Of `--until`, where that measures.
    """

    name: str
    about: str
    settings: dict[str, Any]
    preset: str = "mqsim"
    other: dict[str, Any] | None = None
    requests: int = 20_000
    warmup: int = 0
    seeds: int = 1
    goal: str | None = None

    def measured(self, seed: int) -> list[Document]:
        """The runs of one repetition."""
        return [self._measured(self._config(seed * self.seeds, settings), seed) for settings in self._points()]

    def truth(self) -> list[Document]:
        """The long runs, without their first tenth as a warm-up; of several seeds, as many more of them."""
        return [self._truth(self._config(TRUTH_SEED, settings)) for settings in self._points()]

    def _points(self) -> list[dict[str, Any]]:
        return [{}] if self.other is None else [{}, self.other]

    def _config(self, seed: int, settings: dict[str, Any]) -> wl.Config:
        """Its SSD; the seed decides over the requests, the drive before them and the cells."""
        return wl.preset(self.preset).set_all({**SMALL, **self.settings, **settings, "workload.seed": seed})

    def _measured(self, config: wl.Config, seed: int) -> Document:
        config, load = config.set("host.warmup_requests", self.warmup), self._load(self.requests + self.warmup)
        if self.goal is not None:
            return wl.run_until(config, load, goals=[self.goal], limit=16).document
        if self.seeds > 1:
            seeds = range(seed * self.seeds, (seed + 1) * self.seeds)
            return wl.replicate(config, load, seeds=seeds, jobs=1).document
        return wl.run(config, load).document

    def _truth(self, config: wl.Config) -> Document:
        if self.seeds > 1:
            seeds = range(TRUTH_SEED, TRUTH_SEED + self.seeds * LONG_SEEDS)
            return wl.replicate(config, self._load(self.requests), seeds=seeds, jobs=1).document
        requests = self.requests * LONG
        return wl.run(config.set("host.warmup_requests", requests // 10), self._load(requests)).document

    def _load(self, requests: int) -> wl.Workload:
        return wl.workload(None, requests=requests)


WORN: dict[str, Any] = {
    **READS,
    "workload.read_block_bytes": 16_384,
    "host.queue_depth": 4,
    "read.retry": "baseline",
    "reliability.pec": 1000,
    "reliability.retention_months": 3.0,
}
BUSY: dict[str, Any] = {**AGED, "host.queue_depth": 8}
CASES = (
    Case("stationary", "random reads of a full drive, 16 under way", {**READS, "host.queue_depth": 16}),
    Case(
        "open",
        "random reads that arrive by themselves, 60 us apart on average",
        {**READS, "workload.inter_arrival_us": 60.0},
    ),
    Case("worn", "random reads with retries: `pnar2` at 1,000 P/E cycles and 3 months", WORN, preset="pnar2"),
    Case(
        "at equilibrium",
        "reads and writes, 8 under way, on a drive filled and overwritten twice, after a warm-up of 5,000 requests",
        BUSY,
        warmup=5_000,
    ),
    Case("aged under GC", "the same without the warm-up", BUSY),
    Case(
        "--until",
        "*aged under GC* until the mean is known within 5 %",
        BUSY,
        requests=5_000,
        goal="mean ±5%",
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
        BUSY,
        requests=2_000,
        seeds=10,
    ),
)
PAIRED = (
    Case("GC", "*at equilibrium*, FIFO against greedy", BUSY, other={"gc.policy": "fifo"}, warmup=5_000),
    Case(
        "spare", "*at equilibrium*, 25 % spare against 20 %", BUSY, other={"ssd.overprovisioning": 0.25}, warmup=5_000
    ),
    Case("retry", "*worn*, `pnar2` against `baseline`", WORN, preset="pnar2", other={"read.retry": "pnar2"}),
    Case(
        "GC, --seeds 10",
        "ten short runs of 2,000 requests",
        BUSY,
        other={"gc.policy": "fifo"},
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
        width: Half of their mean width over the distance from the truth that holds 95 % of the repetitions; None if
            the number does not vary, or all intervals have an open end.
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


@dataclass(frozen=True)
class Measured:
    """A number of a repetition, or a difference of two, and the ends of its interval."""

    value: float
    low: float | None
    high: float | None


def numbers(documents: list[Document], *, are_known: bool = True) -> dict[str, Measured | None]:
    """The numbers of a single run or of a pair; with `are_known` only those that have an interval."""
    found = {name: _number(documents, path) for name, path in NUMBERS.items()}
    return {
        name: None if each is None or (are_known and (each.low, each.high) == (None, None)) else each
        for name, each in found.items()
    }


def _number(documents: list[Document], path: str) -> Measured | None:
    first = documents[0]
    if len(documents) > 1:
        moved = change(first, documents[1], path)
        return None if moved is None else Measured(moved.second - moved.first, moved.low, moved.high)
    value, interval = dig(first, path), interval_of(first, path)
    if value is None:
        return None
    return Measured(value, None, None) if interval is None else Measured(value, interval.low, interval.high)


def repeated(case: Case, seed: int) -> dict[str, Measured | None]:
    """The numbers of a repetition."""
    return numbers(case.measured(seed))


def cell(repetitions: list[Measured], truth: float, size: float) -> Cell:
    """How often, and how closely, the intervals of a number cover its truth; `size` is that of the number itself."""
    # Percentiles are the upper ends of their bins, which three digits make.
    slack = 2e-3 * abs(size)
    held = sum(
        (each.low is None or each.low <= truth + slack) and (each.high is None or truth - slack <= each.high)
        for each in repetitions
    )
    distances = sorted(abs(each.value - truth) for each in repetitions)
    halves = [(each.high - each.low) / 2 for each in repetitions if each.low is not None and each.high is not None]
    far = distances[math.ceil(0.95 * len(distances)) - 1] if distances else 0.0
    return Cell(len(repetitions), held, statistics.mean(halves) / far if halves and far > 0 else None)


def row(case: Case, repetitions: int, map_: Callable[..., Iterator[Any]]) -> dict[str, Cell | None]:
    """Measures a case."""
    documents = case.truth()
    truth, sizes = numbers(documents, are_known=False), numbers(documents[:1], are_known=False)
    made = list(map_(partial(repeated, case), range(1, repetitions + 1)))
    cells: dict[str, Cell | None] = {}
    for name in NUMBERS:
        true, size = truth[name], sizes[name]
        known = [found for each in made if (found := each[name]) is not None]
        cells[name] = None if true is None or size is None else cell(known, true.value, size.value)
    return cells


Rows = list[tuple[Case, dict[str, Cell | None]]]


def tables(repetitions: int, rows: Rows) -> list[str]:
    """Coverage and widths of some cases."""
    head = ["| case | " + " | ".join(NUMBERS) + " |", "|---" * (len(NUMBERS) + 1) + "|"]
    lines = [*head]
    for case, cells in rows:
        texts = ["" if each is None else each.text(repetitions) for each in cells.values()]
        lines.append(f"| {case.name} | " + " | ".join(texts) + " |")
    lines += ["", WIDTHS, *head]
    for case, cells in rows:
        shown = [None if each is None or each.known < repetitions / 10 else each.width for each in cells.values()]
        lines.append(f"| {case.name} | " + " | ".join("" if each is None else f"{each:.1f}" for each in shown) + " |")
    return lines


def page(repetitions: int, single: Rows, paired: Rows) -> str:
    """The page."""
    least = f"{100 * (0.95 - 2.2 * math.sqrt(0.95 * 0.05 / repetitions)):.0f}"
    lines = [HEAD.format(repetitions=repetitions, least=least, long=LONG, long_seeds=LONG_SEEDS)]
    lines += [*tables(repetitions, single), "", PAIRS, *tables(repetitions, paired), ""]
    lines += ["The cases, on a small SSD:", ""]
    lines += [f"- **{case.name}**: {case.about}; {case.requests:,} requests" for case, _ in [*single, *paired]]
    return "\n".join([*lines, "", TAIL])


def main() -> int:
    """Writes the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    parser.add_argument("--jobs", type=int, default=None)
    parser.add_argument("--out", type=Path, default=PAGE)
    args = parser.parse_args()
    with ProcessPoolExecutor(args.jobs) as pool:

        def measured(case: Case) -> tuple[Case, dict[str, Cell | None]]:
            cells = row(case, args.repetitions, pool.map)
            told = {name: each and (each.held, each.known, each.width) for name, each in cells.items()}
            print(case.name, told, file=sys.stderr)
            return case, cells

        single, paired = ([measured(case) for case in cases] for cases in (CASES, PAIRED))
    stamp.write(args.out, page(args.repetitions, single, paired))
    return 0


if __name__ == "__main__":
    sys.exit(main())

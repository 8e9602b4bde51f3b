"""Reads of the Sabrent Rocket 4 Plus that meet the order of writes: a job of fio has the same addresses in each run.

python3 tools/read_order.py real_drives.csv    # prints a table; some ten seconds of processor time

Each load writes the addresses that it reads then, in the same order of each job: alone, or in mixes of both, as those
that were measured before each load of reads. Without that it reads what filled the drive in another order.
"""
# ruff: noqa: INP001

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean

import wordline as wl
from wordline.measured import read
from wordline.measured.of_run import numbers_of

PRESET = "sabrent-rocket-4-plus-2tb"
SCALE = "1/64"
LOADS = ((4, 1), (1, 4), (16, 1), (1, 16), (64, 1), (1, 64))
"""Depth and jobs."""
READS, READS_OF_JOB = 6000, 200
"""Reads of a load, and of each of its jobs at least."""
PAGES: Mapping[str, object] = {"slc.policy": "off"}
"""All data have left the SLC cache, in the order in which they came."""
WORDLINES = {**PAGES, "program.unit": "wordline", "nand.program_wordline_us": 900.0}
"""Programs of three pages in both planes, which take as long as three of a page."""
MIXES = (5, 35, 50, 65, 95)
"""Reads in percent."""


@dataclass(frozen=True)
class History:
    """What a load did before it reads: the reads of each of its mixes, %, and settings of the drive."""

    name: str
    mixes: tuple[int, ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)


HISTORIES = (
    History("no order"),
    History("writes, of pages", (0,), PAGES),
    History("writes, of wordlines", (0,), WORDLINES),
    History("mixes, 95 % last", MIXES, WORDLINES),
    History("mixes, 5 % last", MIXES[::-1], WORDLINES),
)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("points", help="the points that were measured")
    print(table(parser.parse_args().points))


def table(points: str) -> str:
    """Returns the IOPS of each load after each history, and their ratio to the measured ones, as Markdown."""
    rows = [f"drive={PRESET}", "host=*nvme2n1*", "host=*nvme3n1*", "workload=randread"]
    measured = [each for each in read([points], rows).points if not each.doubt]
    lines = [
        f"| load | measured | {' | '.join(each.name for each in HISTORIES)} |",
        f"|---|---|{'---|' * len(HISTORIES)}",
    ]
    for depth, jobs in LOADS:
        own = [each for each in measured if (each.loads[0].depth, each.loads[0].jobs) == (depth, jobs)]
        known = fmean(each.numbers.iops or 0.0 for each in own)
        gave = [iops_of(depth, jobs, history) for history in HISTORIES]
        cells = [f"{each:,.0f} ({each / known:.2f})" for each in gave]
        lines.append(f"| {depth}x{jobs} | {known:,.0f} | {' | '.join(cells)} |")
    return "\n".join(lines)


def iops_of(depth: int, jobs: int, history: History) -> float:
    """Returns the IOPS of reads after a history."""
    drive = wl.preset(PRESET).set("ssd.scale", SCALE).set_all(dict(history.settings))
    with tempfile.TemporaryDirectory() as folder:
        state = None
        for mix in history.mixes:
            before, state = state, Path(folder, f"{mix}.state")
            lines = job(f"randrw\nrwmixread={mix}" if mix else "randwrite", depth, jobs)
            # The drive rests until its last program has ended.
            rest = ["[rest]", "stonewall", "rw=randread", "offset=50%", "rate_iops=100", "io_size=400k"]
            run(drive, Path(folder, f"{mix}.fio"), [*lines, *rest], load_state=before, save_state=state)
        result = run(drive, Path(folder, "read.fio"), job("randread", depth, jobs), load_state=state)
    names = [flow["flow"] for flow in result.document["workload"]["flows"]]
    return numbers_of(result.document, result.columns, names, "read").iops or 0.0


def job(kind: str, depth: int, jobs: int) -> list[str]:
    """Returns a job of fio."""
    count = max(READS // jobs, READS_OF_JOB)
    head = ["[global]", "filename=/dev/nvme0n1", "ioengine=io_uring", "direct=1", "bs=4k"]
    return [*head, "[job]", f"rw={kind}", f"iodepth={depth}", f"numjobs={jobs}", f"io_size={4 * count}k"]


def run(
    drive: wl.Config, path: Path, lines: list[str], *, load_state: Path | None, save_state: Path | None = None
) -> wl.Result:
    """Runs jobs of fio on a drive as it is left by others."""
    path.write_text("\n".join(lines), encoding="utf-8")
    flows = wl.fio(path).flows(drive)
    return wl.run(drive, flows, load_state=load_state, save_state=save_state, go_on=load_state is not None)


if __name__ == "__main__":
    main()

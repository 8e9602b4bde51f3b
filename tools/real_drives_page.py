"""Runs the loads of measured drives on their presets, and writes docs/validation/real-drives.md.

python3 tools/real_drives_page.py real_drives.csv real_interference.csv    # a minute
The columns are those that docs/how-to/fit.md lists; the second file has loads beside others.
"""
# ruff: noqa: INP001

from __future__ import annotations

import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import stamp

import wordline as wl
from wordline.measured import Agreement, read
from wordline.output.plot.agreement import draw

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "validation" / "real-drives.md"
FIGURE = PAGE.with_suffix(".svg")
SCALE = "1/32"
NUMBERS = (("IOPS", "iops"), ("p50", "p50_us"), ("p99", "p99_us"), ("p99.9", "p999_us"))


@dataclass(frozen=True)
class Group:
    """Points of a drive: what they are called, which rows they are, up to how many outstanding, in which file."""

    preset: str
    name: str
    rows: tuple[str, ...]
    outstanding: int
    file: int = 0


SAS = "host=SAS2008*"
BESIDE = ("drive=wd-sn540-960gb", "host=SPDK; whole*", "beside=seqwrite*")
GROUPS = (
    Group("samsung-pm883-480gb", "reads", ("drive=samsung-pm883-480gb", SAS, "workload=randread"), 32),
    Group("samsung-pm883-480gb", "writes", ("drive=samsung-pm883-480gb", SAS, "workload=randwrite"), 32),
    Group("intel-d3-s4610-480gb", "reads", ("drive=intel-d3-s4610-480gb", SAS, "workload=randread"), 32),
    Group("intel-d3-s4610-480gb", "writes", ("drive=intel-d3-s4610-480gb", SAS, "workload=randwrite"), 32),
    Group("samsung-860-pro", "reads", ("drive=samsung-860pro", SAS, "workload=randread"), 32),
    Group(
        "samsung-980-pro-1tb",
        "reads, io_uring",
        ("drive=samsung-980pro-1tb", "host=*set qd", "host=*qd x procs", "engine=io_uring", "workload=randread"),
        2048,
    ),
    Group("wd-sn540-960gb", "reads", ("drive=wd-sn540-960gb", "beside=none"), 64, file=1),
    Group(
        "wd-sn540-960gb",
        "reads beside writes of 10, 100, 500 MiB/s",
        (*BESIDE, "beside_rate=10 MiB/s", "beside_rate=100 MiB/s", "beside_rate=500 MiB/s"),
        64,
        file=1,
    ),
    Group(
        "wd-sn540-960gb",
        "reads beside writes of 50, 250, 1000 MiB/s, not seen",
        (*BESIDE, "beside_rate=50 MiB/s", "beside_rate=250 MiB/s", "beside_rate=1000 MiB/s"),
        64,
        file=1,
    ),
    Group("wd-sn540-960gb", "writes", ("drive=wd-sn540-960gb", "workload=randwrite", "engine=spdk"), 64),
)

HEAD = """# Real drives beside their presets

<!-- Made by tools/real_drives_page.py: change that, then run it. -->

**Question.** How far are the presets of real drives from what fio measured on them?

**Answer.** The median of the relative error, and its 90th percentile, in percent. The presets were fitted to these
points (`wordline fit`), so this is the error of the fit. The next table has the error on points that a fit did not
see.

![Simulated over measured IOPS and latencies of all points](real-drives.svg)

| preset | points | IOPS | p50 | p99 | p99.9 |
|---|---|---|---|---|---|
"""
UNSEEN = """
## Points that the fit did not see

`wordline fit` leaves loads out in four folds, a load with all its splits into jobs at once; the fewest and the most
outstanding requests are in every fit. Median / 90th percentile, %, over reads and writes that were fitted together.
Each preset has these lines in its head.

| preset | IOPS | p50 | p99 | p99.9 |
|---|---|---|---|---|
"""
TAIL = """
## Where the numbers are from

- SATA drives: louwrentius/fio-plot (libaio, direct, 4 KiB, 60 s a point; IBM M1015 with SAS2008, or an HP
  MicroServer Gen10). Beyond 32 outstanding the rest is the host's queue: these points are left out.
- Samsung 980 PRO: stonet-research/icpe24_io_scheduler_study_artifact (PCIe 3.0 x4; the sets *qd* and *qd x procs*
  alone, where the drive was mapped).
- WD SN540: stonet-research/NVMeBenchmarks (SPDK; a range of 40 GiB, so no garbage collection).
- The SN540's reads beside writes: where a program may be suspended (`program.suspend_every_us`) and for how many reads
  (`schedule.max_read_burst`) was chosen on three rates of the writes; the other three rates were not looked at for it.
- The SATA drives share one host: path, processor and frame time were fitted on the PM883 and held for the S4610 and
  the 860 PRO.

## What they are not

- Numbers of dies, planes and channels are those with which the latencies are met best, not those of a tear-down.
- Tails of writes are too thin: what happens inside a drive beside a buffered write (the mapping table, its journal,
  housekeeping) is not in these presets.
- The S4610's writes at little depth are not explained: fio saw 16 us before their submission, and 4 to 9 us before
  that of all other requests on the same host.
- The S4610 on AHCI and the Sabrent Rocket 4 Plus have no preset. On AHCI jobs share the processors of a small host,
  and part of the reads did not reach the flash; the units of the Sabrent differ by 76 % in the median of their writes.
- The state of the drives before the measurement is not known; writes beyond the buffer of a drive that collects
  garbage were not fitted.
- Folding, SLC cache and garbage collection of the consumer drives are not fitted: `precondition.fill` and
  `slc.policy` are the base's.

The data are not part of this project. The command is `python3 tools/real_drives_page.py POINTS.csv INTERFERENCE.csv`,
with the columns that [Fit my drive](../how-to/fit.md) lists.
"""


def main() -> None:
    """Writes the page."""
    if len(sys.argv) != 3:
        raise SystemExit("name both files of measured points: real_drives_page.py POINTS.csv INTERFERENCE.csv")
    known = {each.name: each for each in wl.presets()}
    groups = [group for group in GROUPS if group.preset in known]
    agreements = [agreement_of(group, sys.argv[1 + group.file]) for group in groups]
    rows = [row_of(group, each) for group, each in zip(groups, agreements, strict=True)]
    unseen = [unseen_of(name, known[name].text) for name in dict.fromkeys(group.preset for group in groups)]
    draw_all(agreements)
    stamp.write(PAGE, HEAD + "".join(rows) + UNSEEN + "".join(unseen) + TAIL)


def agreement_of(group: Group, file: str) -> Agreement:
    """Returns the points of a group beside its preset."""
    config = wl.preset(group.preset).set("ssd.scale", SCALE)
    points = [
        each for each in read(file, group.rows).points if not each.doubt and each.outstanding <= group.outstanding
    ]
    agreement = wl.against(config, points)
    print(f"{group.preset} {group.name}: {agreement}", flush=True)
    return agreement


def row_of(group: Group, agreement: Agreement) -> str:
    """Returns the errors of a group as a row."""
    return f"| `{group.preset}` | {len(agreement.rows)} {group.name} | {cells(agreement)} |\n"


def draw_all(agreements: list[Agreement]) -> None:
    """Draws all points. The data beside the figure stay out of the project."""
    rows = [row for each in agreements for row in each.rows]
    with TemporaryDirectory() as folder:
        figure = Path(folder) / FIGURE.name
        draw(figure, Agreement("points of real drives", rows))
        shutil.copy(figure, FIGURE)


def cells(agreement: Agreement) -> str:
    """Returns median and 90th percentile of the error of each number, in percent."""
    gave = []
    for _, name in NUMBERS:
        half, most = agreement.median(name), agreement.p90(name)
        gave.append("-" if half is None or most is None else f"{100 * half:.1f} / {100 * most:.1f}")
    return " | ".join(gave)


def unseen_of(name: str, text: str) -> str:
    """Returns the errors on points that the fit did not see, of the head of a preset, as a row."""
    (line,) = re.findall(r"^# Error on points that the fit did not see.*: (.*)\.$", text, re.MULTILINE)
    parts = dict(each.split(" ", 1) for each in line.split(", "))
    return f"| `{name}` | {' | '.join(parts.get(label, '-') for label, _ in NUMBERS)} |\n"


if __name__ == "__main__":
    main()

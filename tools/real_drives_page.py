"""Runs the loads of measured drives on their presets, and writes docs/validation/real-drives.md.

python3 tools/real_drives_page.py real_drives.csv real_interference.csv    # a minute
The columns are those that docs/how-to/fit.md lists; the second file has loads beside others.
"""
# ruff: noqa: INP001

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

import wordline as wl
from wordline.measured import Agreement, read

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "validation" / "real-drives.md"
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
    Group("wd-sn540-960gb", "writes", ("drive=wd-sn540-960gb", "workload=randwrite", "engine=spdk"), 64),
)

HEAD = """# Real drives beside their presets

<!-- Made by tools/real_drives_page.py: change that, then run it. -->

**Question.** How far are the presets of real drives from what fio measured on them?

**Answer.** The median of the relative error, and its 90th percentile, in percent. The presets were fitted to these
points (`wordline fit`), so this is the error of the fit. The next table has the error on points that a fit did not
see.

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
    rows = [row_of(group, sys.argv[1 + group.file]) for group in groups]
    unseen = [unseen_of(name, known[name].text) for name in dict.fromkeys(group.preset for group in groups)]
    PAGE.write_text(HEAD + "".join(rows) + UNSEEN + "".join(unseen) + TAIL, encoding="utf-8")


def row_of(group: Group, file: str) -> str:
    """Returns the errors of a group as a row."""
    config = wl.preset(group.preset).set("ssd.scale", SCALE)
    points = [
        each
        for each in read(file, group.rows).points
        if not each.doubt and len(each.loads) == 1 and each.outstanding <= group.outstanding
    ]
    agreement = wl.against(config, points)
    print(f"{group.preset} {group.name}: {agreement}", flush=True)
    return f"| `{group.preset}` | {len(points)} {group.name} | {cells(agreement)} |\n"


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

"""Runs reads beside programs in two ways of suspension, and writes docs/model/waits-for-programs.md with its figure.

python3 tools/waits_for_programs.py real_interference.csv real_drives.csv    # two minutes
The columns are those that docs/how-to/fit.md lists; the rows are those of the WD SN540.
"""
# ruff: noqa: INP001, E501

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import stamp

import wordline as wl
from wordline.agreement.flows import REPLAY, Window, flows_of
from wordline.measured import Numbers, Point, read
from wordline.measured.of_run import numbers_of
from wordline.output.plot.style import BLUE, GREEN, ORANGE, figure, legend, save, title

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "model" / "waits-for-programs.md"
WINDOW = Window(0.2, 1.2)
DRIVE: dict[str, object] = {
    "ssd.scale": "1/64", "ssd.channels": 8, "ssd.chips_per_channel": 4, "ssd.dies_per_chip": 1, "ssd.planes_per_die": 4,
    "nand.read_us": [60.0, 60.0, 60.0, 60.0], "nand.program_wordline_us": 5000.0, "schedule.max_suspends": 1000,
    "host.link_rate_mb_s": 3200.0, "host.submit_ns": 1500, "host.complete_ns": 1000, "controller.cores": 2,
    "precondition.fill": 1.0, "journal.mode": "off", "cells.chip": "none", "cells.stand_in": "", "read.retry": "ideal",
}  # fmt: skip
AT_ANY_TIME: dict[str, object] = {"schedule.max_read_burst": 64}
ONE_TPROG: dict[str, object] = {
    "program.suspend_every_us": 200.0, "nand.program_suspend_us": 5.0, "nand.resume_us": 5.0,
    "schedule.max_read_burst": 2, "schedule.suspend_min_remaining_us": 10.0,
}  # fmt: skip
AT_POINTS: dict[str, object] = {**ONE_TPROG, "nand.program_spread": 0.1}
DRIVE_ROWS = "drive=wd-sn540-960gb"
READS = ("p50_us", "p99_us", "p999_us", "p9999_us")
WRITES = ("p50_us", "p99_us", "p999_us")
READ_DEPTHS = {"10 MiB/s": (1, 4, 16, 64), "100 MiB/s": (64,)}
WRITE_DEPTHS = (4, 16, 64)

HEAD = """# Waits for programs

<!-- Made by tools/waits_for_programs.py: change that, then run it. -->

Part of [the device model](../model.md). Code: `crates/wordline-core/src/controller/array.rs` (suspension), `crates/wordline-core/src/nand/health.rs` (times).

**How long does a read wait for a program of several milliseconds, and how long a write for the buffer?** A lone read at most 200 us, one of 64 outstanding up to 4 ms; a write at depth 16 in 1,000 waits
1.5 ms. Two keys make both, off by default: programs are suspended at points of their run (`program.suspend_every_us`), and each place has its own tPROG
(`nand.program_spread`).

![p99 and p99.9 of reads by depth: measured, and with both ways of suspension](waits-for-programs.svg)

"""
READS_HEAD = """Reads of 4 KiB beside sequential writes of 128 KiB at a fixed rate; p50 / p99 / p99.9 / p99.99 in us:

| outstanding reads, writes | WD SN540, measured | suspended at any time, all waiting reads served | at points 200 us apart, two reads each |
|---|---|---|---|
"""
WRITES_HEAD = """
Random writes of 4 KiB to a protected buffer:

| outstanding | WD SN540, measured | one tPROG | tPROG of each place within 10 % |
|---|---|---|---|
"""
TAIL = """
Here p50 / p99 / p99.9.

## Why

- **The ceiling of writes gives tPROG.** 32 dies that program 192 KiB in 5 ms write 1,258 MB/s; the drive was measured at 1,240. So a program takes milliseconds.
- **A lone read waits at most 200 us.** So it suspends the program. Of the reads that meet one, half wait more than 100 us and an eighth more than 180: as long as it takes
  to a point that may be anywhere in 200 us.
- **Reads at depth wait for most of the program.** Where a stop serves all reads that wait, no queue builds up. Where it serves two and the program then runs to the next point, a die that
  programs serves one read in 170 us, and 64 outstanding reads all come to wait there. With a limit on the number of stops (`schedule.max_suspends`) depth 64 fits, and depth 16 waits
  too long (3.7 ms instead of 1.9 at p99.99).
- **Dies that fill together end together.** With one tPROG the dies of a buffer that is written in turn stay in step: it takes 6 MiB in 2 ms, and nothing for 3 ms. Differences of 10 %
  between places break the step.

## The drive of these tables

`datacenter-tlc` at a scale of 1/64 with these keys; 1 s of simulated time after 0.2 s, one seed. The command is
`python3 tools/waits_for_programs.py INTERFERENCE.csv POINTS.csv`; the measured data are not part of this project:

| keys | value |
|---|---|
| `ssd.channels`, `chips_per_channel`, `dies_per_chip`, `planes_per_die` | 8, 4, 1, 4 |
| `nand.read_us`, `nand.program_wordline_us`, `nand.program_spread` | 60, 5,000, 0.1 |
| `program.suspend_every_us`, `nand.program_suspend_us`, `nand.resume_us` | 200, 5, 5 |
| `schedule.max_read_burst`, `schedule.max_suspends`, `schedule.suspend_min_remaining_us` | 2, 1,000, 10 |
| `host.link_rate_mb_s`, `host.submit_ns`, `host.complete_ns`, `controller.cores` | 3,200, 1,500, 1,000, 2 |
| `precondition.fill`, `journal.mode`, `cells.chip`, `read.retry` | 1.0, `off`, `none`, `ideal` |

The column *at any time* has the preset's `program_suspend_us` of 100 and `resume_us` of 24, `max_suspends` 1,000, `max_read_burst` 64 and no spread. Dies, planes and tR are assumed; the measurements are those
of stonet-research/NVMeBenchmarks.

```console
$ wordline run datacenter-tlc --scale 1/256 --workload fio/random-mix --set workload.requests=20000 --set program.suspend_every_us=200 --set schedule.max_read_burst=2 --set nand.program_spread=0.1
```

## What is not right yet

- Depth 16: p99.9 is 0.7 ms, measured 1.1. Depth 64: p99 is 1.3 ms, measured 2.1.
- Writes at depth 4: p99 270 us, measured 60.
- What stops a real program at such points is not published.
"""

Row = tuple[str, list[Numbers]]


def main() -> None:
    """Writes the page and its figure."""
    if len(sys.argv) != 3:
        raise SystemExit("name two files of measured points: waits_for_programs.py INTERFERENCE.csv POINTS.csv")
    reads = [
        row(f"{point.outstanding}, {point.label('beside_rate')}", point, (AT_ANY_TIME, AT_POINTS))
        for rate, depths in READ_DEPTHS.items()
        for point in points(sys.argv[1], depths, "host=SPDK; whole*", "beside=seqwrite*", f"beside_rate={rate}")
    ]
    writes = [
        row(str(point.outstanding), point, (ONE_TPROG, AT_POINTS))
        for point in points(sys.argv[2], WRITE_DEPTHS, "workload=randwrite", "engine=spdk", "bs=4k")
    ]
    draw(reads[: len(READ_DEPTHS["10 MiB/s"])])
    stamp.write(PAGE, HEAD + READS_HEAD + table(reads, READS) + WRITES_HEAD + table(writes, WRITES) + TAIL)


def points(file: str, depths: Sequence[int], *rows: str) -> list[Point]:
    """Returns the points of some rows with one job and some depths, by depth."""
    chosen = [each for each in read(file, [DRIVE_ROWS, *rows]).points if each.loads[0].jobs == 1]
    return sorted((each for each in chosen if each.outstanding in depths), key=lambda each: each.outstanding)


def row(name: str, point: Point, ways: Sequence[dict[str, object]]) -> Row:
    """Returns what was measured at a point, and what each way gives."""
    return name, [point.numbers, *(simulated(point, each) for each in ways)]


def simulated(point: Point, way: dict[str, object]) -> Numbers:
    """Returns the numbers of a point on the drive with some keys."""
    config = wl.preset("datacenter-tlc").set_all({**DRIVE, **REPLAY, **way})
    flows = flows_of(point.loads, WINDOW)
    result = wl.run(config, flows)
    names = [each.name for each in flows if each.name.startswith("0.")]
    gave = numbers_of(result.document, result.columns, names, point.op, 0.0, WINDOW.length_s)
    print(point.name, way.get("program.suspend_every_us", "any time"), gave, flush=True)
    return gave


def table(rows: Sequence[Row], names: Sequence[str]) -> str:
    """Returns the rows of a table, the percentiles of each cell with a bar between."""
    cells = [
        [name, *(" / ".join(f"{getattr(each, key):,.0f}" for key in names) for each in numbers)]
        for name, numbers in rows
    ]
    return "".join(f"| {' | '.join(each)} |\n" for each in cells)


def draw(rows: Sequence[Row]) -> None:
    """Draws two percentiles of reads beside 10 MiB/s of writes, by depth."""
    depths = [int(name.split(",")[0]) for name, _ in rows]
    with figure(2, height=2.6) as (drawing, panels):
        for axes, name, label in zip(panels, ("p99_us", "p999_us"), ("p99", "p99.9"), strict=True):
            for place, (words, colour, mark) in enumerate(
                (("measured", GREEN, "o"), ("at any time", ORANGE, "s"), ("at points", BLUE, "^"))
            ):
                values = [getattr(numbers[place], name) for _, numbers in rows]
                axes.plot(depths, values, color=colour, marker=mark, label=words)
            axes.set(xscale="log", yscale="log", xlabel="Outstanding reads", ylabel=f"{label} of reads (us)")
            axes.set_xticks(depths, [str(each) for each in depths])
            axes.minorticks_off()
        title(panels[0], "Reads beside 10 MiB/s of writes")
        legend(panels[1])
        save(drawing, PAGE.with_suffix(".svg"))


if __name__ == "__main__":
    main()

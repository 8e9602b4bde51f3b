"""Runs the loads of measured drives on their presets, and writes docs/validation/real-drives.md.

python3 tools/real_drives_page.py real_drives.csv real_interference.csv real_drives_write_over_time.csv    # two minutes
The columns are those that docs/how-to/fit.md lists; the second file has loads beside others, the third a row for each
second of a run of writes (`drive`, `host`, `iodepth`, `numjobs`, `second`, `mb_s`).
"""
# ruff: noqa: INP001

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import NamedTuple

import read_order
import stamp

import wordline as wl
from wordline.agreement.flows import Window, flows_of
from wordline.measured import Agreement, Load, Row, read
from wordline.output.plot.drives import draw
from wordline.tables import arrays

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "validation" / "real-drives.md"
FIGURE = PAGE.with_suffix(".svg")
SCALE = "1/32"
FILES = "POINTS.csv INTERFERENCE.csv OVER_TIME.csv"
SLC_DRIVE = "sabrent-rocket-4-plus-2tb"
SLC_PARTS, SLC_RUN_S, SAMPLE_S = 64, 120, 0.01
"""Part of the drive, the seconds of the whole that are run, and the length of a sample of the part."""
FAST_MB_S = 500.0
"""Between the phases: none is slower in the fast one, or faster in the slow one."""
SLOW_MIN_S = 5.0
ERROR_OF_FIT = "# Error of the fit, {}, median / 90th percentile in %: {}."
ERROR_OVER_TIME = "# Error of the fit, writes over time: {1} MB/s (measured {0}), then {3} MB/s ({2}) for {5} s ({4})."
ANY_OVER_TIME = re.compile(r"^# Error of the fit, writes over time: .*\n", re.MULTILINE)
ANY_ERROR_OF_FIT = re.compile(r"(?:^# Error of the fit.*: IOPS .*\n)+", re.MULTILINE)
NUMBERS = (("IOPS", "iops"), ("p50", "p50_us"), ("p99", "p99_us"), ("p99.9", "p999_us"))


@dataclass(frozen=True)
class Group:
    """Points of a drive: what they are called, which rows they are, up to how many outstanding, in which file.

    Those that are not fitted were not looked at when the preset was made.
    """

    preset: str
    name: str
    rows: tuple[str, ...]
    outstanding: int
    file: int = 0
    is_fitted: bool = True


SAS = "host=SAS2008*"
BESIDE = ("drive=wd-sn540-960gb", "host=SPDK; whole*", "beside=seqwrite*")
GROUPS = (
    Group("samsung-pm883-480gb", "reads", ("drive=samsung-pm883-480gb", SAS, "workload=randread"), 32),
    Group("samsung-pm883-480gb", "writes", ("drive=samsung-pm883-480gb", SAS, "workload=randwrite"), 32),
    Group("intel-d3-s4610-480gb", "reads", ("drive=intel-d3-s4610-480gb", SAS, "workload=randread"), 32),
    Group("intel-d3-s4610-480gb", "writes", ("drive=intel-d3-s4610-480gb", SAS, "workload=randwrite"), 32),
    Group(
        "intel-d3-s4610-480gb-new",
        "reads, AHCI",
        ("drive=intel-d3-s4610-480gb", "host=AHCI*", "workload=randread"),
        32,
    ),
    Group(
        "sabrent-rocket-4-plus-2tb",
        "reads",
        ("drive=sabrent-rocket-4-plus-2tb", "host=*nvme2n1*", "host=*nvme3n1*", "workload=randread"),
        64,
    ),
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
        is_fitted=False,
    ),
    Group("wd-sn540-960gb", "writes", ("drive=wd-sn540-960gb", "workload=randwrite", "engine=spdk"), 64),
)

HEAD = """# Real drives beside their presets

<!-- Made by tools/real_drives_page.py: change that, then run it. -->

**Question.** How far are the presets of real drives from what fio measured on them?

**Answer.** The median of the relative error, and its 90th percentile, in percent. The presets were fitted to these
points (`wordline fit`), so the first table has the error of the fit. Two other tables follow:
[each point](#point-by-point), and [points that the fit did not see](#points-that-the-fit-did-not-see).

![Simulated over measured IOPS and latencies of all points](real-drives.svg)

| preset | points | IOPS | p50 | p99 | p99.9 |
|---|---|---|---|---|---|
"""
POINTS = """
## Point by point

Simulated over measured, up to 64 outstanding requests. A load is named as fio does: block size, then depth times jobs.
Latencies are those after submission (`clat`).
"""
POINTS_HEAD = """
### {}

| load | measured IOPS | simulated IOPS | ratio | measured p50, us | ratio | measured p99, us | ratio |
|---|---|---|---|---|---|---|---|
"""
POINTS_OUTSTANDING_MAX = 64
OVER_TIME = """
## Writes over time

Random writes of 4 KiB on the Sabrent: fast until the SLC cache is full, slow until all of it is folded. Measured: the
median of the series that have both phases, with the least and the most.

| | measured | `sabrent-rocket-4-plus-2tb` |
|---|---|---|
"""
TRIED = (
    ("wd-sn540-960gb", "16 writes, one time for all programs: a buffer of 8 or 64 MiB", "779", "798, 789"),
    ("wd-sn540-960gb", "16 writes, one time for all programs: programs of pages", "779", "821"),
    ("wd-sn540-960gb", "`nand.program_suspend_us` 5 to 70, or 110 to 140", "777", "850 to 1,119, 774 to 829"),
    ("wd-sn540-960gb", "a buffer of 16, 24 or 48 MiB", "777", "798, 783, 827"),
    ("wd-sn540-960gb", "`ftl.allocation` dynamic, four seeds", "757", "776"),
    ("samsung-pm883-480gb", "three SATA drives, the handshake of SATA searched on the PM883", "343", "379"),
    (
        "samsung-pm883-480gb",
        "three SATA drives, all 17 numbers of host and drives together, four starts",
        "213",
        "213 to 228",
    ),
    ("intel-d3-s4610-480gb-new", "the drive searched, too: it gets one die, on the other host 16", "117", "91"),
    ("intel-d3-s4610-480gb-new", "`host.cores` 1, 3, 4 or one for each job", "117", "118 to 320"),
    ("intel-d3-s4610-480gb-new", "`host.submit_ns` 1,000, 4,000 or 8,000", "117", "118 to 139"),
    ("intel-d3-s4610-480gb-new", "`host.switch_ns` 0, 3,000, 9,000 or 12,000", "117", "117 to 130"),
    ("samsung-980-pro-1tb", "p99 with twice the weight (unseen p99 9.8 / 31.7 %)", "95", "96"),
    ("samsung-980-pro-1tb", "channels of 600, 667 or 720 MB/s", "95", "102, 102, 101"),
    ("samsung-980-pro-1tb", "four channels of 1,200 or 1,600 MB/s, 16 of 400", "95", "93, 92, 116"),
    ("samsung-980-pro-1tb", "a serial decoder of 2 or 4 us", "95", "101, 110"),
)
"""What was tried and not taken: preset, what, cost before and cost."""
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
- Sabrent Rocket 4 Plus: SamYaple/fio-plot-results (io_uring, direct, 4 KiB; host unknown; reads of two units, jobs
  that ended at different times left out). The S4610 on AHCI: louwrentius/fio-plot, as the next.
- Samsung 980 PRO: stonet-research/icpe24_io_scheduler_study_artifact (PCIe 3.0 x4; the sets *qd* and *qd x procs*
  alone, where the drive was mapped).
- WD SN540: stonet-research/NVMeBenchmarks (SPDK; a range of 40 GiB, so no garbage collection).
- The SN540's reads beside writes: where a program may be suspended (`program.suspend_every_us`), how often
  (`schedule.max_suspends`) and for how many reads (`schedule.max_read_burst`) was chosen on three rates of the writes;
  the other three rates were not looked at for it.
- The SATA drives share one host: path, processor and frame time were fitted on the PM883 and held for the S4610 and
  the 860 PRO.

## How they were fitted

`python3 tools/refit_real_drives.py PRESET[,PRESET] POINTS.csv INTERFERENCE.csv --cache FOLDER` fits presets again. Each
is its own base, so that what no point shows stays. The rule was declared before the runs: a new fit is kept where its
cost on the fitted points is lower by at least 4, two standard deviations. The error on points that the fit did not see
decides nothing. Rows with 8,000 requests have the mean cost of four seeds, the others that of one seed and 2,500
requests: the seeds came in when a fit of the SN540 cost 10 less with one, and as much with four. Measured on two cores
that others used as well:

| preset | points | cost before | cost now | kept | simulations: search, folds, intervals | processor time, s |
|---|---|---|---|---|---|---|
| `samsung-pm883-480gb` | 18 | 94.5 | 93.0 | no | 936, 114, 558 | 57 |
| again, 8,000 requests | 18 | 96.8 | 95.2 | no | 1,374, 114, none | 53 |
| `intel-d3-s4610-480gb` | 18 | 230.3 | 100.1 | yes | 737, 100, 432 | 63 |
| `intel-d3-s4610-480gb-new`, 8,000 requests | 9 | 117.3 | 111.8 | yes | 414, 21, 171 | 18 |
| `samsung-860-pro` | 9 | 33.1 | 18.4 | yes | 360, 27, 99 | 18 |
| again, 8,000 requests | 9 | 19.0 | 17.3 | no | 342, 21, none | 10 |
| `samsung-980-pro-1tb` | 23 | 144.6 | 103.2 | yes | 1,473, 216, 414 | 63 |
| again, 8,000 requests | 23 | 97.0 | 97.0 | no | 1,351, 204, none | 37 |
| `wd-sn540-960gb`, 8,000 requests | 36 | 1,045.1 | 778.5 | yes | 1,766, 440, 832 | 86 |
| again, with other stops of programs | 36 | 757.2 | 757.4 | no | 1,734, 422, 992 | 108 |
| `sabrent-rocket-4-plus-2tb` | 25 | 637.1 | 540.0 | yes | 1,202, 77, 312 | 80 |

- The S4610's cost fell by `controller.batch_write_ns`: busy, the drive takes 22.8 us for each write with 4 outstanding,
  18.2 with 16 and 17.1 with 64 (32 at the drive), as with 16.7 us for each and 24.5 us for each time that it takes all
  that wait (18.2 with 16, 17.5 with 32). Fitted to all points these are 17.7 and 11.8 us. Without it the cost is 228.
- What a fold's own points do not show begins at the base, here a preset that was fitted to all points: the handshake of
  SATA does, and the batch of the S4610 in a fit of its present preset (3.2 / 6.0 then; the head has the fit before).
- Programs of the SN540 differ by 5 % by place (`nand.program_spread`, enumerated). With one time for all, dies
  that fill together end together, and writes of 16 and 32 KiB had 0.54 to 0.7 of the measured median. Without it the
  same fit costs 1,050 (one seed), and 574 on points that it did not see (455 with it): there the median error of p50 is
  20 % (3), of IOPS 1.6 % (1.9). With 2,500 requests the search took 7 %, which costs 995 with 8,000 requests.
- Then the SN540's programs stop every 80 us, at most 12 times (before 70 and 16): the cost fell from 778 to 757, that
  of points that the fit did not see from 455 to 414. Both were chosen on all fitted points, and so was the spread: the
  folds do not choose them again.
- The S4610 on AHCI has the drive's numbers from the other host; its host and the share of addresses with data are
  searched. The three loads with 4 outstanding are all that its folds leave out.
- The Sabrent's fit has two planes in a die, not four. The time of its programs was then chosen by the slow phase of the
  writes, as before: a program of two planes writes half as much.

## What was tried and not taken

The cost is that of the points named, with as many requests for both.

| preset | tried | cost before | cost |
|---|---|---|---|
"""
LACKS = """
- With the handshake of SATA searched, the PM883's points give a host that takes 15.1 us for each read of 4 KiB on the
  wire, and the 860 PRO reads every 14.3 us.
- With 4 outstanding the PM883 has a median of 177 us in one job, 138 in four. On the same host the S4610 has 119 and
  116, the 860 PRO 106 and 98: a time of the host does not make this difference.
- The 980 PRO's p99 is 0.55 to 0.83 of the measured one where the link is nearly full (128 and more outstanding, two
  jobs and more); elsewhere it is within 14 %. With 64 outstanding in each of four jobs p99 is 3.4 times the mean, here
  1.9: requests wait in one queue before the link, on the drive perhaps in those of the dies.
- 4 KiB writes of the SN540 have a fifth of the measured p99. At most 265,000 of them a second are written, 12 % fewer
  bytes than in large writes; the model has its controller limit these, so they never wait for the flash.

## Reads that meet the order of writes

A job of fio has the same addresses in each of its runs. Before each load of reads on the Sabrent, the gaps in the
record fit four mixes of the same jobs. Here the jobs of each load write first, then read the same addresses
([`--history`](../how-to/fit.md#what-was-written-before); IOPS, and their ratio to the measured ones, on 1/64 of the
drive; `python3 tools/read_order.py POINTS.csv`):

{order}

All reads, median / 90th percentile of the relative error in percent:

{errors}

- Mixes of 95, 65, 50, 35 and 5 % reads in turn and programs of a wordline in two planes give all six within 13 %:
  neighbours in time lie in one program, so on one die. They were chosen after a look at these six.
- The order of the mixes is not recorded; those that are recorded later have 5 % first, which gives 1.23 and 1.30.
- With the SLC cache of the preset, what a job wrote last is still in it: after its writes, its reads are not slower.
- 64x1 needs no history: the processor of one job is the limit.

`python3 tools/read_order.py POINTS.csv --fit` fits the drive without and with these mixes. The cost of the preset is
540. With the mixes the fit takes four planes in a die, where the preset has two.

| fit, wordlines, no SLC cache | cost | IOPS | p50 | p99 | not seen: cost | IOPS | p50 | p99 |
|---|---|---|---|---|---|---|---|---|
| no history | 526 | 9.8 / 45.4 | 8.7 / 32.0 | 15.0 / 56.9 | 365 | 12.6 / 73.1 | 15.2 / 40.0 | 13.2 / 53.3 |
| mixes, 5 % last | 254 | 6.1 / 16.1 | 4.6 / 19.2 | 12.7 / 32.8 | 183 | 14.1 / 16.5 | 8.9 / 16.9 | 10.8 / 32.0 |

- With the mixes the fit made 1,631 simulations, 710 of them for the history, in two minutes of processor time. Without
  a history it made 934, in half a minute.
- 32x2 stays: 1.48 and 1.28 of the measured rates. So do the single reads, 5 % too few.
- The preset stays: it has an SLC cache, for the phases of its writes, and no key of a drive says what was written
  on it.

## What they are not

- Numbers of dies, planes and channels are those with which the latencies are met best, not those of a tear-down.
- Tails of writes are too thin: what happens inside a drive beside a buffered write (the mapping table, its journal,
  housekeeping) is not in these presets.
- The S4610's single writes are not explained whole: fio saw 16 us before their submission, and 4 to 9 us before that of
  all other requests on the same host.
- On AHCI part of the reads did not reach the flash: the preset of that host has data in 14 % of its addresses. With 16
  outstanding, p99 of many jobs is three times ours: the host does not serve them in turn.
- Of the Sabrent, one job reads less than several with as many outstanding, as it meets the order in which it wrote: see
  [above](#reads-that-meet-the-order-of-writes). The preset was fitted without that. Single writes are not
  fitted: two units differ by 76 % in the median.
- The state of the drives before the measurement is not known; writes beyond the buffer of a drive that collects
  garbage were not fitted.
- Garbage collection of the consumer drives is not fitted, and the SLC cache of the 980 PRO is not.

The data are not part of this project. The command is
`python3 tools/real_drives_page.py POINTS.csv INTERFERENCE.csv OVER_TIME.csv`, with the columns that
[Fit my drive](../how-to/fit.md) lists, and a row for each second of a run of writes (`second`, `mb_s`).
"""


def main() -> None:
    """Writes the page."""
    if len(sys.argv) != 4:
        raise SystemExit(f"name three files: real_drives_page.py {FILES}")
    agreements = [agreement_of(group, sys.argv[1 + group.file]) for group in GROUPS]
    rows = [row_of(group, each) for group, each in zip(GROUPS, agreements, strict=True)]
    presets = dict.fromkeys(group.preset for group in GROUPS)
    unseen = [unseen_of(name, path_of(name).read_text(encoding="utf-8")) for name in presets]
    draw(FIGURE, by_drive(GROUPS, agreements))
    renew_heads(rows)
    points = POINTS + "".join(points_of(group, each) for group, each in zip(GROUPS, agreements, strict=True))
    over_time = phases_of(sys.argv[3])
    renew_head(SLC_DRIVE, ANY_OVER_TIME, over_time_line(over_time))
    lacks = LACKS.format(order=read_order.table(sys.argv[1]), errors=read_order.errors(sys.argv[1]))
    parts = (HEAD, *rows, points, OVER_TIME, *over_time, UNSEEN, *unseen, TAIL, tried(), lacks)
    stamp.write(PAGE, "".join(parts))


def tried() -> str:
    """Returns the rows of what was tried and not taken."""
    return "".join(f"| `{preset}` | {what} | {before} | {cost} |\n" for preset, what, before, cost in TRIED)


def agreement_of(group: Group, file: str) -> Agreement:
    """Returns the points of a group beside its preset."""
    config = preset_of(group.preset).set("ssd.scale", SCALE)
    points = [
        each for each in read(file, group.rows).points if not each.doubt and each.outstanding <= group.outstanding
    ]
    agreement = wl.against(config, points)
    print(f"{group.preset} {group.name}: {agreement}", flush=True)
    return agreement


def preset_of(name: str) -> wl.Config:
    """Returns a preset as its file is now: those of the package are of the time when it was built."""
    return wl.config(path_of(name))


def path_of(preset: str) -> Path:
    """Returns the file of a preset."""
    return ROOT / "presets" / "ssd" / f"{preset}.toml"


class Phases(NamedTuple):
    """Speeds of the fast and the slow phase, MB/s, and the length of the slow one, s."""

    fast_mb_s: float
    slow_mb_s: float
    slow_s: float


def phases_of(file: str) -> list[str]:
    """Returns the rows of both phases of the writes: measured, and of a run of the preset."""
    with Path(file).open(encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines) if row["drive"] == SLC_DRIVE]
    series: dict[tuple[str, ...], list[float]] = {}
    for row in rows:
        series.setdefault((row["host"], row["iodepth"], row["numjobs"]), []).append(float(row["mb_s"]))
    measured = [each for values in series.values() if (each := phases(values, 1.0, FAST_MB_S)) is not None]
    simulated = phases(written_over_time(), SAMPLE_S * SLC_PARTS, FAST_MB_S)
    if simulated is None:
        raise SystemExit(f"{SLC_DRIVE} has no two phases")
    labels = ("fast, MB/s", "slow, mean, MB/s", "slow, length, s")
    return [
        f"| {label} | {median(each):.0f} ({min(each):.0f} to {max(each):.0f}; {len(each)} series) | {own:.0f} |\n"
        for label, each, own in zip(labels, zip(*measured, strict=True), simulated, strict=True)
    ]


def phases(mb_s: Sequence[float], sample_s: float, fast_mb_s: float) -> Phases | None:
    """Returns the phases of a series, of which the slow one begins and ends within it; None where it does not."""
    slow = [place for place, each in enumerate(mb_s) if each < fast_mb_s]
    if not slow or slow[0] == 0:
        return None
    end = next((place for place in range(slow[0], len(mb_s)) if mb_s[place] >= fast_mb_s), None)
    fast = [each for each in mb_s if each >= 2 * fast_mb_s]
    if end is None or not fast or (end - slow[0]) * sample_s < SLOW_MIN_S:
        return None
    return Phases(median(fast), mean(mb_s[slow[0] : end]), (end - slow[0]) * sample_s)


def written_over_time() -> list[float]:
    """Returns the speed of random writes on the preset, MB/s a sample."""
    config = preset_of(SLC_DRIVE).set_all({"ssd.scale": f"1/{SLC_PARTS}", "metrics.series_ms": 1000 * SAMPLE_S})
    load = Load(0.0, True, 4096, 4096, depth=16, jobs=4)
    result = wl.run(config, flows_of([load], Window(0.0, SLC_RUN_S / SLC_PARTS)))
    written = arrays(result.columns["series"])["write_bytes"]
    return [float(each) / SAMPLE_S / 1e6 for each in written[:-1]]


def row_of(group: Group, agreement: Agreement) -> str:
    """Returns the errors of a group as a row."""
    return f"| `{group.preset}` | {len(agreement.rows)} {group.name} | {cells(agreement)} |\n"


def by_drive(groups: Sequence[Group], agreements: Sequence[Agreement]) -> dict[str, Agreement]:
    """Joins the groups of each preset."""
    rows: dict[str, list[Row]] = {}
    for group, each in zip(groups, agreements, strict=True):
        rows.setdefault(group.preset, []).extend(each.rows)
    return {preset: Agreement(preset, each) for preset, each in rows.items()}


def renew_heads(rows: Sequence[str]) -> None:
    """Has the head of each preset say the errors of its rows on the page, a line each."""
    lines: dict[str, list[str]] = {}
    for row in rows:
        preset, points, *errors = (each.strip() for each in row.strip().strip("|").split("|"))
        lines.setdefault(preset.strip("`"), []).append(head_line(points, errors))
    for preset, each in lines.items():
        renew_head(preset, ANY_ERROR_OF_FIT, "".join(each))


def renew_head(preset: str, old: re.Pattern[str], lines: str) -> None:
    """Puts lines of the head of a preset in the place of the old ones."""
    path = path_of(preset)
    text, changed = old.subn(lines, path.read_text(encoding="utf-8"), count=1)
    if not changed:
        raise SystemExit(f"{path} has no line of its error")
    path.write_text(text, encoding="utf-8", newline="\n")


def head_line(points: str, errors: Sequence[str]) -> str:
    """Returns a row of the page as a line in the head of its preset."""
    known = [f"{label} {error}" for (label, _), error in zip(NUMBERS, errors, strict=True) if error != "-"]
    return ERROR_OF_FIT.format(points, ", ".join(known)) + "\n"


def over_time_line(rows: Sequence[str]) -> str:
    """Returns the rows of both phases of the writes as a line in the head of their preset."""
    values = [cell.split()[0] for row in rows for cell in row.split("|")[2:4]]
    return ERROR_OVER_TIME.format(*values) + "\n"


def points_of(group: Group, agreement: Agreement) -> str:
    """Returns the table of a group's points, the fewest outstanding requests first."""
    rows = [row for row in agreement.rows if row.point.loads[0].outstanding <= POINTS_OUTSTANDING_MAX]
    rows.sort(key=lambda row: (row.point.loads[0].outstanding, row.point.loads[0].jobs))
    return POINTS_HEAD.format(f"{group.preset}: {group.name}") + "".join(point_of(row) for row in rows)


def point_of(row: Row) -> str:
    """Returns a point as a row."""
    measured, loads = row.point.numbers, row.point.loads
    name = " beside ".join(load.name() for load in loads)
    gave = [name, number(measured.iops, ",.0f"), number(row.simulated.iops, ",.0f"), number(row.ratio("iops"), ".2f")]
    for key in ("p50_us", "p99_us"):
        gave += [number(getattr(measured, key), ",.0f"), number(row.ratio(key), ".2f")]
    return f"| {' | '.join(gave)} |\n"


def number(value: float | None, form: str) -> str:
    """Returns a number as text; a dash where nobody measured it."""
    return "-" if value is None else format(value, form)


def cells(agreement: Agreement) -> str:
    """Returns median and 90th percentile of the error of each number, in percent."""
    gave = []
    for _, name in NUMBERS:
        half, most = agreement.median(name), agreement.p90(name)
        gave.append("-" if half is None or most is None else f"{100 * half:.1f} / {100 * most:.1f}")
    return " | ".join(gave)


def unseen_of(name: str, text: str) -> str:
    """Returns the errors on points that the fit did not see, of the head of a preset, as a row."""
    lines = re.findall(r"^# Error on points that the fit did not see.*: (.*)\.$", text, re.MULTILINE)
    if not lines:
        # Not made by a fit that left points out.
        return ""
    (line,) = lines
    parts = dict(each.split(" ", 1) for each in line.split(", "))
    return f"| `{name}` | {' | '.join(parts.get(label, '-') for label, _ in NUMBERS)} |\n"


if __name__ == "__main__":
    main()

"""Puts the preset wd-zn540-1tb beside measurements of a WD Ultrastar DC ZN540, and writes docs/validation/zns.md.

python3 tools/zns_page.py              # some minutes of processor time

The measured numbers are facts of two public repositories: stonet-research/NVMeBenchmarks (MIT; SPDK, and io_uring where
said) and stonet-research/systor-confznsplusplus-artifact (MIT; io_uring passthrough). A row says whether a key of the
preset was fitted to it.
"""
# ruff: noqa: E501, INP001, S101

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from statistics import fmean

import stamp

import wordline as wl

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "validation" / "zns.md"
FIGURE = ROOT / "docs" / "how-to" / "zones.svg"
DRIVE = "wd-zn540-1tb"
#: A drive of 14 of the zones: all else is the whole drive's.
SCALE = "1/64"
KIB, MS, US = 1024, 1_000_000, 1000
SIZE = 2 << 30
CAPACITY = 1077 << 20

#: How a row begins that is of another rule than the preset's.
READING = "another reading"
#: These rules, tried after the preset's were seen.
OF_RESETS: tuple[dict[str, object], ...] = (
    {"zones.reset_holds": 0.0},
    {"zones.reset_holds": 0.1},
    {"zones.reset_holds": 0.0, "nand.erase_us": 2000.0},
)
OF_FINISHES: tuple[dict[str, object], ...] = (
    {"program.suspend": False},
    {"program.unit": "page"},
    {"nand.program_suspend_us": 200.0},
)

Op = tuple[str, int, int]


@dataclass
class Load:
    """A job that keeps so many operations outstanding, or begins one at intervals; it may rest after each."""

    ops: Iterator[Op]
    depth: int = 1
    gap_ns: int = 0
    us: list[float] = field(default_factory=list)
    next_ns: int = 0
    left: int | None = None


def run(drive: wl.Drive, loads: list[Load], until_ns: int) -> int:
    """Lets loads go on together for a time; returns the end, ns."""
    began, jobs = drive.now_ns, {}
    until = began + until_ns

    def submit(load: Load, at: int) -> None:
        if at < until and (op := next(load.ops, None)) is not None:
            (job,) = drive.submit(max(at, drive.now_ns), [op])
            jobs[job] = (load, at)

    for load in loads:
        load.next_ns = began
        if not load.gap_ns:
            for _ in range(load.depth):
                submit(load, began)
    while True:
        timed = [load for load in loads if load.gap_ns and load.next_ns < until and not _is_busy(load, jobs)]
        turn = min((load.next_ns for load in timed), default=None)
        event = drive.next_event()
        if event is None and turn is None:
            return drive.now_ns
        if turn is not None and (event is None or turn <= event):
            due = next(load for load in timed if load.next_ns == turn)
            due.next_ns += due.gap_ns
            submit(due, max(turn, drive.now_ns))
            continue
        for job, done, status in drive.advance(max(event or 0, drive.now_ns)):
            assert status == "success", status
            load, at = jobs.pop(job)
            load.us.append((done - at) / US)
            if not load.gap_ns:
                submit(load, done)


def _is_busy(load: Load, jobs: dict[int, tuple[Load, int]]) -> bool:
    return sum(each is load for each, _ in jobs.values()) >= load.depth


def random_reads(zones: range, size: int = 4 * KIB, seed: int = 1) -> Iterator[Op]:
    """Reads anywhere in full zones; a generator of its own, so that the page is the same everywhere."""
    state = seed
    while True:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        zone = zones[(state >> 33) % len(zones)]
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        yield ("read", zone * SIZE + (state >> 20) % (CAPACITY // size) * size, size)


def writes(zone: int, size: int, op: str = "write") -> Iterator[Op]:
    """Writes or appends to zones from one on, one after the other; a full one is reset when it comes again."""
    for each in count(zone):
        for at in range(0, CAPACITY - size + 1, size):
            yield (op, each * SIZE + (at if op == "write" else 0), size)


def once(*ops: Op) -> Iterator[Op]:
    """Some operations."""
    yield from ops


def opened(full_zones: int = 0, settings: Mapping[str, object] | None = None) -> wl.Drive:
    """The drive with some settings, some of whose first zones are full."""
    config = wl.preset(DRIVE).set("ssd.scale", SCALE).set_all(settings or {})
    zones = config.zones
    assert zones is not None
    assert (zones.size_bytes, zones.capacity_bytes) == (SIZE, CAPACITY)
    return wl.open(config.set("precondition.fill", full_zones / zones.number + 1e-9 if full_zones else 0.0))


def percentile(us: list[float], share: float) -> float:
    """A percentile of response times."""
    return sorted(us)[min(int(len(us) * share), len(us) - 1)]


def alone(op: Op, before: tuple[Op, ...] = (), full_zones: int = 0) -> float:
    """The response time of one operation, some time after others, us."""
    drive = opened(full_zones)
    run(drive, [Load(once(*before))], 20_000 * MS)
    load = Load(once(op))
    drive.advance(drive.now_ns + 1000 * MS)
    run(drive, [load], 20_000 * MS)
    return load.us[0]


def fill_to(share: float, zone: int = 0) -> tuple[Op, ...]:
    """Writes up to a share of a zone, in large pieces and 4 KiB."""
    end = max(int(CAPACITY * share) // (4 * KIB) * 4 * KIB, 4 * KIB) if share else 0
    piece = 1 << 20
    ops = [("write", zone * SIZE + at, min(piece, end - at)) for at in range(0, end, piece)]
    return tuple(ops)


@dataclass(frozen=True)
class Row:
    """A measured number, and what the preset gives."""

    what: str
    measured: float
    simulated: float
    unit: str
    fitted: str = ""

    def line(self) -> str:
        """A row of the table."""
        off = f"{100 * (self.simulated / self.measured - 1):+.0f} %"
        return (
            f"| {self.what} | {_text(self.measured)} | {_text(self.simulated)} | {self.unit} | {off} | {self.fitted} |"
        )


def _text(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


FITTED = "fitted"


def commands() -> Iterator[Row]:
    """One command at a time."""
    drive = opened(8)
    reads, written, appended = Load(random_reads(range(8))), Load(writes(8, 4096)), Load(writes(9, 4096, "append"))
    for load in (reads, written, appended):
        run(drive, [load], 60 * MS)
    yield Row("4-KiB random read, mean", 72.6, fmean(reads.us), "us", FITTED)
    yield Row("the same, median", 69.1, percentile(reads.us, 0.5), "us", FITTED)
    yield Row("the same, 95 %", 81.4, percentile(reads.us, 0.95), "us", FITTED)
    yield Row("4-KiB write", 11.6, fmean(written.us), "us", FITTED)
    yield Row("4-KiB append", 14.7, fmean(appended.us), "us", FITTED)
    yield Row("open of an empty zone", 9.6, alone(("zone-open", 0, 0)), "us", FITTED)
    yield Row("close", 11.0, alone(("zone-close", 0, 0), fill_to(1e-6)), "us", FITTED)
    yield Row("first write of a zone", 13.6, alone(("write", 0, 4096)), "us")
    yield Row("finish of an empty zone", 13.5, alone(("zone-finish", 0, 0)), "us")


def finishes() -> Iterator[Row]:
    """Finishes and resets by what is written."""
    for share, measured, fitted in ((3.6e-6, 908, ""), (0.125, 792, ""), (0.5, 457, FITTED), (0.999996, 2.57, "")):
        ms = alone(("zone-finish", 0, 0), fill_to(share)) / 1000
        yield Row(f"finish of a zone written to {share:.6g}", measured, ms, "ms", fitted)
    for share, measured, fitted in ((0.0, 1.61, FITTED), (0.125, 6.05, ""), (0.5, 11.3, FITTED), (1.0, 15.8, "")):
        ms = alone(("zone-reset", 0, 0), fill_to(share)) / 1000
        yield Row(f"reset of a zone written to {share:g}", measured, ms, "ms", fitted)
    for share, measured, fitted in ((0.125, 3.34, ""), (0.5, 8.49, ""), (0.999996, 15.36, FITTED)):
        ms = alone(("zone-reset", 0, 0), (*fill_to(share), ("zone-finish", 0, 0))) / 1000
        yield Row(f"reset of one finished at {share:g}", measured, ms, "ms", fitted)


def rates() -> Iterator[Row]:
    """Rates under load."""
    for zones, measured in ((1, 76.4), (2, 131.8), (4, 174.0), (8, 188.1)):
        drive = opened()
        loads = [Load(writes(zone, 4096)) for zone in range(zones)]
        run(drive, loads, 40 * MS)
        yield Row(f"4-KiB writes, one at a time to {zones} zones (io_uring)", measured, _kiops(loads, 40), "k/s")
    yield most_appends()
    for zones, measured, fitted in ((1, 1204, FITTED), (4, 1212, ""), (8, 1210, FITTED)):
        drive = opened()
        loads = [Load(writes(zone, 128 * KIB)) for zone in range(zones)]
        run(drive, loads, 200 * MS)
        run(drive, loads := [Load(each.ops) for each in loads], 300 * MS)
        mb_s = _kiops(loads, 300) * 131.072
        yield Row(f"128-KiB writes, one at a time to {zones} zones (io_uring)", measured, mb_s, "MB/s", fitted)
    for depth, measured, us, fitted in (
        (4, 52.2, 76.1, ""),
        (16, 175.7, 90.6, ""),
        (64, 377.8, 168.9, ""),
        (256, 459.0, 557.4, FITTED),
    ):
        drive = opened(8)
        load = Load(random_reads(range(8)), depth=depth)
        run(drive, [load], 40 * MS)
        yield Row(f"4-KiB reads, {depth} outstanding", measured, _kiops([load], 40), "k/s", fitted)
        yield Row("the same, mean", us, fmean(load.us), "us")


def most_appends() -> Row:
    """The rate of appends with many outstanding."""
    loads = [Load(writes(0, 4096, "append"), depth=64)]
    run(opened(), loads, 40 * MS)
    return Row("4-KiB appends at most (132 to 143)", 137.5, _kiops(loads, 40), "k/s", FITTED)


def _kiops(loads: list[Load], ms: float) -> float:
    return sum(len(load.us) for load in loads) / ms


def beside() -> Iterator[Row]:
    """A reader, one read at a time, beside another load."""
    for rate, mean, tail in ((10, 73.9, 89.6), (100, 83.7, 246.8), (250, 100.5, 317.4), (1000, 189.5, 407.6)):
        drive = opened(8)
        reads = Load(random_reads(range(8)))
        appends = Load(writes(8, 128 * KIB, "append"), gap_ns=round(128 * KIB / (rate * 1.048576) * 1000))
        run(drive, [reads, appends], 400 * MS)
        yield Row(f"read beside 128-KiB appends at {rate} MiB/s, mean", mean, fmean(reads.us), "us")
        yield Row("the same, 99 %", tail, percentile(reads.us, 0.99), "us")
    yield loss_by_resets()
    for what, size, gap_ms, measured, op in (
        ("resets of full zones at half of their rate", 4 * KIB, 33.3, 169.0, "zone-reset"),
        ("finishes at half of their rate", 8 * KIB, 1820.0, 378.9, "zone-finish"),
    ):
        us = beside_commands(opened(12), op, size, gap_ms)
        yield Row(f"read of {size // KIB} KiB beside {what}, 99 %", measured, percentile(us, 0.99), "us")
    for settings in OF_RESETS:
        us = beside_commands(opened(12, settings), "zone-reset", 4 * KIB, 33.3)
        for share, measured in ((0.95, 84.5), (0.99, 169.0), (0.999, 264.2)):
            what = f"{READING}, {told(settings)}: read of 4 KiB beside these resets, {100 * share:g} %"
            yield Row(what, measured, percentile(us, share), "us")
    for settings in OF_FINISHES:
        us = beside_commands(opened(12, settings), "zone-finish", 8 * KIB, 1820.0)
        what = f"{READING}, {told(settings)}: read of 8 KiB beside these finishes, 99 %"
        yield Row(what, 378.9, percentile(us, 0.99), "us")


def told(settings: Mapping[str, object]) -> str:
    """Returns settings as a row shows them."""
    return ", ".join(f"{key} = {json.dumps(value).removesuffix('.0')}" for key, value in settings.items())


def beside_commands(drive: wl.Drive, op: str, size: int, gap_ms: float) -> list[float]:
    """What reads of full zones take beside resets or finishes at intervals, us."""
    reads = Load(random_reads(range(6), size))
    other = Load(_commands(op), gap_ns=round(gap_ms * MS))
    run(drive, [reads, other], 2000 * MS if op == "zone-finish" else 200 * MS)
    return reads.us


def _commands(op: str) -> Iterator[Op]:
    if op == "zone-reset":
        yield from ((op, zone * SIZE, 0) for zone in range(6, 12))
    else:
        yield ("write", 12 * SIZE, 4096)
        yield (op, 12 * SIZE, 0)


def loss_by_resets() -> Row:
    """What a reader loses of its time by each of several resets, back to back."""
    quiet = Load(random_reads(range(6)))
    run(opened(12), [quiet], 60 * MS)
    drive, reads = opened(12), Load(random_reads(range(6)))
    resets = Load(once(*(("zone-reset", zone * SIZE, 0) for zone in range(6, 12))))
    run(drive, [reads, resets], 90 * MS)
    held = [us for us in reads.us if us > 1000]
    lost = sum(held) - len(held) * fmean(quiet.us)
    return Row(
        "time that a reader loses by each of several resets of full zones, back to back",
        11.8,
        lost / 1000 / 6,
        "ms",
        FITTED,
    )


SECTIONS: tuple[tuple[str, Callable[[], Iterator[Row]]], ...] = (
    ("One command at a time", commands),
    ("Finish and reset", finishes),
    ("Rates", rates),
    ("A reader beside something else", beside),
)

HEAD = """\
# A drive of zones beside measurements of one

<!-- Made by tools/zns_page.py: change that, then run it. -->

Does the preset `wd-zn540-1tb` behave as a WD Ultrastar DC ZN540 does? {answer}

- Measured: stonet-research/NVMeBenchmarks (MIT; SPDK, one request at a time unless it says otherwise), and for the rows
  beside resets and finishes at half of their rate stonet-research/systor-confznsplusplus-artifact (MIT; io_uring passthrough).
- Simulated: the preset at `--scale 1/64`, which has fewer zones and is the whole drive otherwise.
- *Fitted* rows decided a key of the preset; its file says which beside each key. No key was fitted to the others.
- [A drive of zones](../how-to/zones.md) says how such a drive is used.

```console
$ wordline run wd-zn540-1tb examples/zones.fio --scale 1/64 --set precondition.fill=0.3
```
"""

TAIL = """
## What it does not do

- The first write of a zone takes no longer than others; in the drive it opens the zone, for 2 us.
- A reset holds up all commands for one time. In the drive, readers lose 12 ms by resets back to back (SPDK), and next to nothing by resets at
  half of that rate (io_uring passthrough): 1 to 5 % of the reads take 169 us in place of 72. The preset has the first. No rule of ours gives both. Without the
  hold (*another reading* above) a read waits for the suspension of an erase, and for nothing else. With erases of 2 ms in place of the 5 ms that the preset assumes, 95 and
  99 % are right then, but a reader beside resets back to back loses too little. A short hold (0.1) has a longer tail than the drive.
- Beside finishes a read waits for one suspension of 100 us. Suspensions of 200 us, which reads beside appends contradict, make 289 us of the 379. Without any suspension,
  fewer than 1 % of the reads wait, each of them for up to a whole program.
- Small writes to two and four zones reach a higher rate than measured: with io_uring the host's processor takes its time, which the preset does not
  have (`host.job_ns`).
- The slowest reads beside programs wait less than in the drive: one suspension of 100 us, where the drive's slowest wait for two or more.
"""


def draw(rows: list[Row]) -> None:
    """Draws the times of finish and reset by what is written."""
    import matplotlib as mpl

    mpl.use("svg")
    import matplotlib.pyplot as plt

    mpl.rcParams.update({"svg.hashsalt": "zones", "svg.fonttype": "none", "font.size": 9})
    figure, axes = plt.subplots(1, 2, figsize=(8.0, 3.0), layout="constrained")
    kinds = (
        ("finish of a zone written to ", axes[0]),
        ("reset of a zone written to ", axes[1]),
        ("reset of one finished at ", axes[1]),
    )
    for (start, each), colour in zip(kinds, ("tab:blue", "tab:blue", "tab:orange"), strict=True):
        some = [row for row in rows if row.what.startswith(start)]
        shares = [float(row.what.removeprefix(start)) for row in some]
        name = start.removesuffix(" to ").removesuffix(" at ")
        each.plot(shares, [row.simulated for row in some], "-", color=colour, label=f"{name}, simulated")
        each.plot(shares, [row.measured for row in some], "o", color=colour, mfc="none", label=f"{name}, measured")
    for each, title in zip(axes, ("finish", "reset"), strict=True):
        each.set(xlabel="written share of the zone", ylabel="ms", title=title, ylim=(0, None))
        each.legend(frameon=False)
    figure.savefig(FIGURE, metadata={"Date": None, "Creator": "tools/zns_page.py"})
    # As the repository wants text: no space at the end of a line.
    FIGURE.write_text(
        "\n".join(map(str.rstrip, FIGURE.read_text(encoding="utf-8").splitlines())) + "\n", encoding="utf-8"
    )


def answer(rows: list[Row]) -> str:
    """How many rows are near."""

    def near(some: list[Row]) -> str:
        return f"{sum(abs(row.simulated / row.measured - 1) <= 0.1 for row in some)} of {len(some)}"

    fitted = [row for row in rows if row.fitted]
    others = [row for row in rows if not row.fitted and not row.what.startswith(READING)]
    return f"Of the numbers that it was fitted to, {near(fitted)} are within 10 %; of the others, {near(others)}."


def main() -> None:
    """Writes the page."""
    parts, rows = [], []
    for title, make in SECTIONS:
        some = []
        for row in make():
            print(row.line(), flush=True)
            some.append(row)
        rows += some
        table = "\n".join(row.line() for row in some)
        parts.append(
            f"\n## {title}\n\n| what | measured | simulated | | off by | |\n|---|---|---|---|---|---|\n{table}\n"
        )
    draw(rows)
    stamp.write(PAGE, HEAD.format(answer=answer(rows)) + "".join(parts) + TAIL)


if __name__ == "__main__":
    main()

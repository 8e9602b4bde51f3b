"""Tails of reads on the datacenter presets beside what is published of drives: a part of docs/validation/drives.md."""
# ruff: noqa: INP001

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import wordline as wl
from wordline import _core

if TYPE_CHECKING:
    from collections.abc import Iterator

# Tails take many requests, of which a smaller part meets as much garbage collection.
SCALE = "1/256"
DEPTHS = (1, 4, 16, 64)
SHARES = (0.1, 0.5, 0.9)
SATURATED = 256
PERCENTILES = ("p50", "p99", "p999", "p9999")
# Requests of a run on an aged part: seven tenths are reads, 14 of them beyond the 99.99th percentile.
REQUESTS = 200_000
# Reads beside a stream of writes.
READS = 100_000
WRITE_BYTES = 131_072
# A drive of as many bytes as the one that was measured.
QUARTER = {"ssd.chips_per_channel": 1}

# Reads of 4 KiB beside writes of 128 KiB in order on a WD Ultrastar DC SN540 of 960 GB, by MiB/s of writes and depth of
# reads: percentiles of `PERCENTILES`, us. Measured by the authors of NVMeBenchmarks.
SN540 = {
    (0, 1): (69.1, 81.4, 84.5, 132.1),
    (0, 4): (70.1, 127.5, 152.6, 185.3),
    (10, 1): (69.1, 89.6, 242.7, 399.4),
    (10, 4): (70.1, 138.2, 309.2, 477.2),
    (10, 16): (81.4, 272.4, 1105.9, 1908.7),
    (100, 1): (69.1, 246.8, 403.5, 675.8),
    (100, 4): (71.2, 309.2, 469.0, 741.4),
    (100, 16): (82.4, 749.6, 1450.0, 2072.6),
}

AGED_HEAD = """
## Tails of reads on a used drive

70 % reads and 30 % writes of 4 KiB at random, at the equilibrium of the writes, on `ssd.scale = "{scale}"`:
at low load the rarest reads take longer there than on the whole drive ([scale](scale.md)). Depths are closed loops;
shares are of the rate at depth {saturated}, with exponential times between arrivals. Response times in us.

| preset | load | IOPS | reads: p50 | p99 | p99.9 | p99.99 | writes: p50 | p99 |
|---|---|---|---|---|---|---|---|---|
"""
BESIDE_HEAD = """
## Beside a drive that was measured

Reads of 4 KiB at random beside writes of 128 KiB in order at a fixed rate, on `datacenter-tlc` and on a WD Ultrastar
DC SN540 of 960 GB ([NVMeBenchmarks](https://github.com/stonet-research/NVMeBenchmarks), SPDK, 3 minutes a point).
Since its capacity is a quarter, so is the number of dies here: 16 (`ssd.chips_per_channel = 1`); how many it has is not
known. Response times of the reads in us: simulated / measured.

| writes | depth of reads | p50 | p99 | p99.9 | p99.99 |
|---|---|---|---|---|---|
"""
PUBLISHED = """
## Beside what is published

Data sheets state few percentiles, and seldom for which load. What could be found:

{table}
- **The tail at low load**: a read waits for another read of its die, for a suspension, or for the end of a program or
  an erase that is nearly over. How long a program takes to stop (`nand.program_suspend_us`) is taken from one number of
  the drive above, the 95th percentile beside 100 MiB/s; it is no data sheet's. How long an erase takes is assumed.
- **Beside the drive that was measured**, p99 and p99.9 at depths 1 and 4 are within a factor of two; p99.99 is up to
  2.7 times too short, and all tails at depth 16 up to 3.2 times. What its firmware does there is not published.
- **A program whose successor is loaded** is suspended too (`program.suspend_loaded = "reload"`): the successor's data
  cross the channel once more. With `latch` the die keeps them: {latch} IOPS at depth 64. With `never` p99.9
  at depth 1 is {never} us.
- **At high load** reads wait for garbage collection that is urgent: it gets one command after each
  `schedule.urgent_read_burst` reads.
- **What is not in these tails**: retries (the cells are new), page types of different times, and what a firmware does
  beside garbage collection, its journal and wear levelling.
"""


def published(mixed: dict[str, Any], alone: dict[str, float]) -> str:
    """The table of what is published, beside results at depth 1: of the mix, and of reads alone."""
    reads, writes = (mixed["response_us"][op] for op in ("read", "write"))
    count = mixed["requests"]["read"]
    rows = [
        (
            "Micron 7500",
            "below 1 ms at 99.9999 %, for a load that is not said",
            "[ServeTheHome](https://servethehome.com/?p=73465)",
            f"{reads['max']:,.0f} us, the longest of {count:,} reads of the mix at depth 1",
        ),
        (
            "Intel P4510 8 TB; others",
            "99.99 % of reads at depth 1 within just over 2.5 times their mean; within less",
            "[AnandTech](https://www.anandtech.com/show/13704/enterprise-ssd-roundup-intel-samsung-memblaze/5)",
            f"{alone['p9999'] / alone['mean']:.2f} times",
        ),
        (
            "Intel S4500, S4600 (SATA)",
            "300 us at 99.9 % of reads, typically",
            "[specification](https://manualzz.com/doc/48879893/)",
            f"{reads['p999']:,.0f} us for the mix at depth 1",
        ),
        (
            "Micron 9200",
            "21 us for a write at depth 1, typically",
            "[data sheet](https://docslib.org/doc/5357065/)",
            f"{writes['p50']:.1f} us, set to be so (`host.submit_ns`, `host.complete_ns`)",
        ),
        (
            "Intel P4500",
            "13 to 20 us for a write, 85 us for a read",
            "product guide of Lenovo",
            f"{writes['p50']:.1f} and {alone['mean']:.1f} us",
        ),
    ]
    head = row("drive", "published", "source", "`datacenter-tlc`") + "|---|---|---|---|\n"
    return head + "".join(row(*cells) for cells in rows)


def row(*cells: object) -> str:
    """A row of a table."""
    return f"| {' | '.join(map(str, cells))} |\n"


class Tails:
    """Runs on aged parts of the presets; those that one preset begins with are kept."""

    def __init__(self, state: dict[str, Any]) -> None:
        self.state = state
        self.drives = _core.Drives()

    def mix(self, preset: str, settings: dict[str, Any]) -> wl.Result:
        """The mix on an aged part."""
        config = wl.preset(preset).set_all({**self.state, "host.warmup_requests": REQUESTS // 10, **settings})
        return wl.run(config, wl.workload("fio/random-mix", requests=REQUESTS), drives=self.drives)

    def at_depth(self, preset: str, depth: int, **settings: object) -> wl.Result:
        """The mix in a closed loop."""
        named = {key.replace("__", "."): value for key, value in settings.items()}
        return self.mix(preset, {"host.queue_depth": depth, **named})

    def loads(self, preset: str) -> Iterator[tuple[str, wl.Result]]:
        """The mix at all depths and shares."""
        for depth in DEPTHS:
            yield f"depth {depth}", self.at_depth(preset, depth)
        most = self.at_depth(preset, SATURATED).document["iops"]["all"]
        for share in SHARES:
            arrivals = {"workload.arrival": "exponential", "workload.inter_arrival_us": 1e6 / (share * most)}
            label = f"{share:.0%} of {most:,.0f} IOPS".replace("%", " %")
            yield label, self.mix(preset, {"host.mode": "open", **arrivals})

    def of_preset(self, preset: str) -> tuple[str, wl.Result]:
        """Rows of the first table, and the result at depth 1."""
        rows, lightest = [], None
        for label, result in self.loads(preset):
            lightest = lightest or result
            document = result.document
            reads, writes = (document["response_us"][op] for op in ("read", "write"))
            cells = [f"{reads[name]:,.0f}" for name in PERCENTILES]
            cells += [f"{writes[name]:,.0f}" for name in ("p50", "p99")]
            rows.append(row(f"`{preset}`", label, f"{document['iops']['all']:,.0f}", *cells))
            print(rows[-1], end="", flush=True)
        assert lightest is not None  # noqa: S101 - there are depths
        return "".join(rows), lightest


def beside_writes(rate: int, depth: int) -> dict[str, float]:
    """Response times of reads beside writes in order, at so many MiB/s."""
    config = wl.preset("datacenter-tlc").set_all({**QUARTER, "precondition.fill": 1.0, "ssd.scale": SCALE})
    reads = wl.Flow("reads", wl.workload("fio/random-read", requests=READS), mode="closed", queue_depth=depth)
    # A run ends with its last request: the writes last as long as the reads at their mean without any.
    count = max(1, round(READS * 80e-6 / depth * rate * 2**20 / WRITE_BYTES))
    stream = {"write_block_bytes": WRITE_BYTES, "inter_arrival_us": WRITE_BYTES / (max(rate, 1) * 2**20) * 1e6}
    writes = wl.Flow("writes", wl.workload("fio/sequential-write", requests=count, **stream), mode="open")
    document = wl.run(config, [reads, writes] if rate else reads).document
    return (document["flows"]["reads"] if rate else document)["response_us"]["read"]


def beside() -> tuple[str, dict[str, float]]:
    """Rows of the second table, and the response times of reads alone at depth 1."""
    rows, alone = [], {}
    for (rate, depth), measured in SN540.items():
        simulated = beside_writes(rate, depth)
        alone = alone or simulated
        cells = [f"{simulated[name]:,.0f} / {time:,.0f}" for name, time in zip(PERCENTILES, measured, strict=True)]
        rows.append(row(f"{rate} MiB/s", depth, *cells))
        print(rows[-1], end="", flush=True)
    return "".join(rows), alone


def section(presets: list[str], state: dict[str, Any]) -> str:
    """This part of the page, with numbers measured now."""
    tails = Tails({**state, "ssd.scale": SCALE})
    text, lightest = AGED_HEAD.format(scale=SCALE, saturated=SATURATED), None
    for preset in presets:
        rows, result = tails.of_preset(preset)
        lightest = lightest or result
        text += rows
    rows, alone = beside()
    text += BESIDE_HEAD + rows
    deep = [
        tails.at_depth(presets[0], 64, program__suspend_loaded=way).document["iops"]["all"]
        for way in ("reload", "latch")
    ]
    never = tails.at_depth(presets[0], 1, program__suspend_loaded="never").document["response_us"]["read"]["p999"]
    assert lightest is not None  # noqa: S101 - there are presets
    return text + PUBLISHED.format(
        table=published(lightest.document, alone),
        latch=f"{deep[1]:,.0f} instead of {deep[0]:,.0f}",
        never=f"{never:,.0f}",
    )

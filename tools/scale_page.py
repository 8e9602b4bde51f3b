"""Measures how far a part of a drive (`ssd.scale`) differs from the whole, and writes docs/validation/scale.md.

python3 tools/scale_page.py            # runs the drives, ten minutes of processor time, and writes the page

The drive has the blocks and the chip of `datacenter-tlc`, but eight planes: what a plane of it does depends on its own
blocks, and eight can be run whole.
"""
# ruff: noqa: INP001

from __future__ import annotations

from pathlib import Path
from typing import Any

import stamp

import wordline as wl
from wordline import _core

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "validation" / "scale.md"

DRIVE: dict[str, Any] = {
    "ssd.channels": 1,
    "ssd.chips_per_channel": 2,
    "ssd.dies_per_chip": 2,
    # The share of eight planes in 64 MiB.
    "cache.capacity_bytes": 4 << 20,
}
AGED: dict[str, Any] = {
    "precondition.fill": 1.0,
    "precondition.overwrite": "steady",
    "precondition.shape": "workload",
}
# Writes of a run: a twentieth of the drive, so that the free blocks at its begin weigh little, and enough for tails.
WRITTEN, WRITES_MIN = 0.05, 100_000
# Tails of reads need no more.
WRITES_MAX = {"fio/random-mix": 400_000}
WRITE_SHARE = {"fio/random-write": 1.0, "fio/random-mix": 0.3}
SCALES = ("1", "1/4", "1/16", "1/64")
# What `ssd.scale` does not do: whole blocks, fewer of them.
FEWER: dict[str, dict[str, Any]] = {"1/4": {"ssd.blocks_per_plane": 342}, "1/16": {"ssd.blocks_per_plane": 85}}

HEAD = """\
# A part of a drive against the whole

<!-- Made by tools/scale_page.py: change that, then run it. -->

A drive of terabytes takes minutes to fill and to age. `ssd.scale = "1/16"`, or `--scale 1/16`, simulates a part of it:
all its dies, channels and queues, with blocks of fewer wordlines. Blocks get no smaller than 32 pages; from there on
they get fewer, and fewer than 64 in a plane are refused. The share of spare blocks, thresholds of garbage collection,
the cache's share of the capacity (down to 16 pages a plane) and the footprint of a synthetic workload stay the same.
A line among the warnings of a result says what was changed.

Not scaled are dies, channels, their times, queue depths, and addresses of traces and fio jobs. So at 1/256 the drive is
filled, worn and refreshed 256 times as soon. Its blocks are smaller, so that garbage collection stops writes for
shorter times.

```console
$ wordline run datacenter-tlc --workload fio/random-write --scale 1/256
```

How far this is the whole drive is measured here, on eight planes of `datacenter-tlc`: {capacity} for the host,
{blocks} blocks of {pages} pages a plane. Each drive begins at the equilibrium of its workload
(`precondition.overwrite = "steady"`, or `--steady`), and a twentieth of it is written then. WA is write amplification
in bytes: of the overwrites when they ended, and of the run.
"""
WRITES = """
## 4-KiB random writes, 32 at a time

| scale | blocks a plane | pages a block | steady WA | drive writes | WA of run | IOPS | p50 ms | p99 ms | p99.9 ms |
|---|---|---|---|---|---|---|---|---|---|
"""
MIX = """
## 70 % reads, 30 % writes of 4 KiB

| depth | scale | WA | IOPS | reads: p50 us | p99 us | p99.9 us | p99.99 us | writes: p50 ms | p99 ms | p99.9 ms |
|---|---|---|---|---|---|---|---|---|---|---|
"""
# Lone requests, a light load, and one near the limit of four dies.
DEPTHS = (1, 4, 32)
FOOT = """
## What to conclude

- **Write amplification** is that of the whole within three percent, except in a part whose blocks are fewer instead of
  smaller: the reserve of garbage collection and open blocks take up spare ones (last rows of the first table). So
  blocks become smaller before they get fewer.
- **Throughput** of writes alone holds within seven percent down to 1/16, of the mix within three percent, and within
  nine at 1/64. Smaller blocks are erased so often for the pages that they hold that it shows.
- **Tails** of writes alone are those of the whole. Of the mix's reads, p99 is that of the whole at depths 1 and 4 (a
  tenth longer at 1/64), and up to a fifth shorter at depth 32. At depth 1 p99.9 holds too.
- **What a part cannot tell** is how long the rarest reads take at low load: p99.99 at depth 1 is half as long again at
  1/16 and three times as long at 1/64, p99.9 at depth 4 four and five times. The erase of a small block takes as long
  as that of a whole one, so reads meet that many times as many erases. A part is too slow there, never too fast.
- Whatever depends on the time that it takes to fill or to wear the drive comes so many times sooner: refresh,
  wear levelling, the age of data.
- Addresses of traces and of fio jobs are not scaled. `host.wrap = true`, or sizes in percent in a fio job, fit them in.
"""


def measured(workload: str, settings: dict[str, Any], drives: _core.Drives) -> wl.Result:
    """A run on an aged drive."""
    drive = wl.preset("datacenter-tlc").set_all({**DRIVE, **AGED, **settings})
    writes = max(WRITES_MIN, WRITTEN * drive.host_bytes / drive["ftl.unit_bytes"])
    requests = round(min(writes, WRITES_MAX.get(workload, writes)) / WRITE_SHARE[workload])
    config = drive.set_all({"workload.requests": requests, "host.warmup_requests": requests // 10})
    return wl.run(config, wl.workload(workload, requests=requests), drives=drives)


def of_writes(scale: str, result: wl.Result) -> str:
    """A row of the first table."""
    document, config = result.document, result.config
    shape = [config.simulated(f"ssd.{key}") for key in ("blocks_per_plane", "pages_per_block")]
    latency, before = document["response_us"]["write"], document["precondition"]["steady"]
    return row(
        scale,
        *shape,
        f"{before['write_amplification']:.2f}",
        f"{before['drive_writes']:.1f}",
        f"{document['write_amplification']:.2f}",
        f"{document['iops']['all']:,.0f}",
        *(f"{latency[name] / 1000:,.0f}" for name in ("p50", "p99", "p999")),
    )


def of_mix(depth: int, scale: str, result: wl.Result) -> str:
    """A row of the second table."""
    document = result.document
    reads, writes = (document["response_us"][op] for op in ("read", "write"))
    return row(
        depth,
        scale,
        f"{document['write_amplification']:.2f}",
        f"{document['iops']['all']:,.0f}",
        *(f"{reads[name]:,.0f}" for name in ("p50", "p99", "p999", "p9999")),
        *(f"{writes[name] / 1000:,.1f}" for name in ("p50", "p99", "p999")),
    )


def row(*cells: object) -> str:
    """A row of a table."""
    return f"| {' | '.join(map(str, cells))} |\n"


def page() -> str:
    """The page, with numbers measured now."""
    drives = _core.Drives()
    writes: list[str] = []
    mix: dict[int, list[str]] = {depth: [] for depth in DEPTHS}
    for scale in SCALES:
        # Both workloads write alike, so they begin on one drive.
        settings = {"ssd.scale": scale if "/" in scale else 1}
        writes.append(of_writes(scale, first := measured("fio/random-write", settings, drives)))
        print(writes[-1], end="", flush=True)
        for depth, rows in mix.items():
            mixed = measured("fio/random-mix", {**settings, "host.queue_depth": depth}, drives)
            rows.append(of_mix(depth, scale, mixed))
            print(rows[-1], end="", flush=True)
        if scale == "1":
            whole = first
    for scale, settings in FEWER.items():
        writes.append(of_writes(f"{scale}, by fewer blocks", measured("fio/random-write", settings, drives)))
        print(writes[-1], end="", flush=True)
    head = HEAD.format(
        capacity=f"{whole.config.host_bytes / 1e9:.0f} GB",
        blocks=whole.config["ssd.blocks_per_plane"],
        pages=f"{whole.config['ssd.pages_per_block']:,}",
    )
    rows = "".join(line for lines in mix.values() for line in lines)
    return head + WRITES + "".join(writes) + MIX + rows + FOOT


if __name__ == "__main__":
    stamp.write(PAGE, page())

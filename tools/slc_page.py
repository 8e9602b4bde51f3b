"""Fills the consumer presets once, in order, and writes docs/validation/slc.md: write speed over bytes written.

python3 tools/slc_page.py              # a minute of processor time for each preset

Each drive is a part of itself (`ssd.scale`), with all dies and channels: bytes and times are multiplied back.
"""
# ruff: noqa: INP001

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

import wordline as wl

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "validation" / "slc.md"
PARTS = 16
REQUEST_BYTES = 1 << 20
#: Shares of the drive whose mean speeds the page has.
STEPS = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@dataclass(frozen=True)
class Review:
    """What a reviewer measured on a fresh drive, written in order: GB/s until so many GB, then, and over the whole."""

    preset: str
    drive: str
    source: str
    fast_gb_s: float
    until_gb: float
    then_gb_s: float
    whole_gb_s: float | None


REVIEWS = (
    Review("consumer-tlc", "Samsung 980 PRO 1 TB", "TechPowerUp's review", 4.0, 113.0, 1.5, 1.9),
    Review("consumer-qlc", "Solidigm P41 Plus 1 TB", "Guru3D's review", 3.0, 0.12 * 1024, 0.262, None),
)

HEAD = """\
# Consumer drives filled once

<!-- Made by tools/slc_page.py: change that, then run it. -->

Write speed of a fresh drive over the bytes written: requests of 1 MiB in order, eight outstanding, until it is full.
Drives are simulated at `--scale 1/{parts}`, and bytes multiplied back. [What an SLC cache does](../how-to/slc-cache.md)
explains the steps.

```console
$ wordline run consumer-tlc --scale 1/64 --workload fio/sequential-write
```

| preset | drive | | first speed, GB/s | until, GB | then, GB/s | whole drive, GB/s |
|---|---|---|---|---|---|---|
"""


@dataclass(frozen=True)
class Fill:
    """A fill of a drive: bytes of the whole drive and its size, both in GB, and seconds, at each completed request."""

    size_gb: float
    gb: np.ndarray
    s: np.ndarray

    def speed(self, begin_gb: float, end_gb: float) -> float:
        """Mean speed between two numbers of bytes, GB/s."""
        begin, end = np.interp([begin_gb, end_gb], self.gb, self.s)
        return float((end_gb - begin_gb) / (end - begin))

    def first_fall_gb(self) -> float:
        """Bytes at which the speed first falls below three quarters of what it was until then."""
        width = self.size_gb / 1000
        edges = np.arange(width, self.size_gb, width)
        for edge in edges[1:]:
            if self.speed(edge, edge + width) < 0.75 * self.speed(0.0, edge):
                return float(edge)
        return self.size_gb


def filled(preset: str) -> Fill:
    """Fills a preset."""
    drive = wl.preset(preset).set_all({"ssd.scale": f"1/{PARTS}"})
    requests = drive.host_bytes // REQUEST_BYTES
    config = drive.set_all({"host.queue_depth": 8, "workload.write_block_bytes": REQUEST_BYTES})
    result = wl.run(config, wl.workload("fio/sequential-write", requests=requests), log_requests=True)
    done = np.sort(np.asarray(result.requests()["completed_ns"])) / 1e9
    gb = np.arange(1, len(done) + 1) * REQUEST_BYTES * PARTS / 1e9
    return Fill(drive.host_bytes * PARTS / 1e9, gb, done * PARTS)


def row(*cells: object) -> str:
    """A row of a table."""
    return "| " + " | ".join(str(cell) for cell in cells) + " |\n"


def main() -> None:
    """Writes the page."""
    page = HEAD.format(parts=PARTS)
    fills = {}
    for review in REVIEWS:
        fill = fills[review.preset] = filled(review.preset)
        fall, name = fill.first_fall_gb(), f"`{review.preset}`"
        measured = (
            f"{review.fast_gb_s:.2f}",
            f"{review.until_gb:.0f}",
            f"{review.then_gb_s:.2f}",
            review.whole_gb_s or "-",
        )
        page += row(name, review.drive, review.source, *measured)
        speeds = [fill.speed(*part) for part in ((0.5, 0.9 * fall), (1.1 * fall, fill.size_gb), (0.5, fill.size_gb))]
        page += row(name, "", "simulated", f"{speeds[0]:.2f}", f"{fall:.0f}", *(f"{speed:.2f}" for speed in speeds[1:]))
    page += "\n## Speed by share of the drive, GB/s\n\n"
    page += row("written", *(f"`{preset}`" for preset in fills)) + "|---|" + "---|" * len(fills) + "\n"
    for begin, end in pairwise(STEPS):
        shares = (f"{fill.speed(max(begin, 0.001) * fill.size_gb, end * fill.size_gb):.2f}" for fill in fills.values())
        page += row(f"{begin:.0%} to {end:.0%}".replace("%", " %"), *shares)
    PAGE.write_text(page + FOOT, encoding="utf-8")


FOOT = """
## What to conclude

- **The first speed and where it ends are inputs**, not evidence: `slc.program_us` is fitted to the one,
  `slc.static_blocks` and `slc.dynamic_share` are set for the other. The table shows that both come out.
- **Behind the cache** writes have the speed of the chip: all dies at once, 16 x 82 MB/s and 8 x 40 MB/s. The
  reviewers measured 1.5 and 0.26 GB/s. So the TLC of the 980 PRO programs faster than its maker's paper on such a
  chip has it. The QLC drive does better here until its free blocks are used up.
- **The last part of a fill** is slower here: free blocks are few, so the cache is folded while the host writes, and
  each byte of it is read and programmed once more. The QLC drive's mean has such a part in it. The 980 PRO does the
  opposite ("the fuller the drive gets, the higher the write speed"): what its firmware does there is not published,
  and not in the model.
- Not in the model either: limits by temperature, the time of the host, and a map that is not in DRAM.

Sources: "Samsung 980 Pro 1 TB SSD Review", TechPowerUp, page 6; "Solidigm P41 Plus 1TB M.2 NVMe SSD Review", Guru3D,
page 9. Both write a fresh drive in order.
"""

if __name__ == "__main__":
    main()

"""Fills the consumer presets once, in order, and writes docs/validation/slc.md: write speed over bytes written.

python3 tools/slc_page.py              # half a minute of processor time for each drive
python3 tools/slc_page.py --figure     # only draws docs/validation/slc.svg from the page

Each drive is a part of itself (`ssd.scale`), with all dies and channels: bytes and times are multiplied back.
"""
# ruff: noqa: INP001

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import stamp
from embed_fonts import embed

import wordline as wl
from wordline.output.plot.style import BLUE, VERMILION, figure, legend, save

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "validation" / "slc.md"
FIGURE = PAGE.with_suffix(".svg")
#: Rows of the page's second table.
SHARES = re.compile(r"^\| (\d+) % to (\d+) % \| ([\d.]+) \| ([\d.]+) \|$", re.MULTILINE)
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


@dataclass(frozen=True)
class Steps:
    """A fill of a fresh drive, as a review tells it: speeds of its steps in GB/s, their ends in GB; None = not told."""

    drive: str
    source: str
    preset: str
    dies_per_chip: int
    fast_gb_s: float
    until_gb: float
    second_gb_s: float
    second_until_gb: float | None
    third_gb_s: float | None
    whole_gb_s: float | None

    def config(self) -> wl.Config:
        """The preset with this drive's dies, the size of its cache, and its speeds in the cache and around it.

        Program times are the closed form: all planes of all dies, one program after the other.
        """
        drive = wl.preset(self.preset).set_all({"ssd.dies_per_chip": self.dies_per_chip, "slc.static_blocks": 0})
        dies = drive["ssd.channels"] * drive["ssd.chips_per_channel"] * self.dies_per_chip
        row_bytes = dies * drive["ssd.planes_per_die"] * drive["ssd.page_bytes"]
        flash_gb = row_bytes * drive["ssd.blocks_per_plane"] * drive["ssd.pages_per_block"] / 1e9
        bits = {"tlc": 3, "qlc": 4}[drive["coding.cell"]]
        return drive.set_all(
            {
                "slc.dynamic_share": self.until_gb * bits / flash_gb,
                "slc.program_us": row_bytes / (self.fast_gb_s * 1e3),
                "nand.program_us": [row_bytes / (self.second_gb_s * 1e3)],
            }
        )


#: Simulated over measured, of what is predicted.
Misses = dict[str, list[float]]

TECHPOWERUP = "TechPowerUp"
STEPS_OF = (
    Steps("Corsair MP700 Elite 2 TB", TECHPOWERUP, "consumer-tlc", 4, 6.0, 407, 1.4, 1150, 0.7, 1.06),
    Steps("Lexar NM790 2 TB", TECHPOWERUP, "consumer-tlc", 4, 5.0, 280, 2.5, 1300, 0.8, 1.45),
    Steps("Lexar NM800 Pro 2 TB", "a published fill", "consumer-tlc", 4, 3.5, 592, 2.2, None, 1.0, None),
    Steps("Lexar NM710 1 TB", TECHPOWERUP, "consumer-tlc", 2, 4.0, 156, 1.25, 700, 0.5, 1.03),
    Steps("Lexar NM620 1 TB", TECHPOWERUP, "consumer-tlc", 2, 3.0, 208, 0.8, 512, 0.3, 0.431),
    Steps("Atom 50 1 TB", "a published fill", "consumer-tlc", 2, 4.5, 280, 2.0, 500, 0.5, None),
    Steps("Team Group MP44S 1 TB", TECHPOWERUP, "consumer-qlc", 2, 4.0, 231, 0.1, None, None, 0.122),
)

REVIEWS = (
    Review("consumer-tlc", "Samsung 980 PRO 1 TB", "TechPowerUp's review", 4.0, 113.0, 1.5, 1.9),
    Review("consumer-qlc", "Solidigm P41 Plus 1 TB", "Guru3D's review", 3.0, 0.12 * 1024, 0.262, None),
)

HEAD = """\
# Consumer drives filled once

<!-- Made by tools/slc_page.py: change that, then run it. -->

Write speed of a fresh drive over the bytes written: requests of 1 MiB in order, eight outstanding, until it is full.
Drives are simulated at `--scale 1/{parts}`, and bytes multiplied back. [What an SLC cache does](../how-to/slc-cache.md)
explains the steps. The command takes 1/64, which is quicker; its numbers differ a little.

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

    def fall_gb(self, begin_gb: float = 0.0, width_share: float = 0.001) -> float:
        """Bytes at which the speed first falls below three quarters of what it was from `begin_gb` until then.

        `width_share` is the share of the drive over which a speed is a mean.
        """
        width = self.size_gb * width_share
        edges = np.arange(begin_gb + width, self.size_gb - width, width)
        for edge in edges[1:]:
            if self.speed(edge, edge + width) < 0.75 * self.speed(begin_gb, edge):
                return float(edge)
        return self.size_gb


def filled(drive: wl.Config) -> Fill:
    """Fills a drive."""
    drive = drive.set_all({"ssd.scale": f"1/{PARTS}"})
    requests = drive.host_bytes // REQUEST_BYTES
    config = drive.set_all({"host.queue_depth": 8, "workload.write_block_bytes": REQUEST_BYTES})
    result = wl.run(config, wl.workload("fio/sequential-write", requests=requests), log_requests=True)
    done = np.sort(np.asarray(result.requests()["completed_ns"])) / 1e9
    gb = np.arange(1, len(done) + 1) * REQUEST_BYTES * PARTS / 1e9
    return Fill(drive.host_bytes * PARTS / 1e9, gb, done * PARTS)


def row(*cells: object) -> str:
    """A row of a table."""
    return "| " + " | ".join(str(cell) for cell in cells) + " |\n"


def steps_rows(steps: Steps, fill: Fill, misses: Misses) -> Iterator[str]:
    """What the review has, and the same of a simulated fill. Notes by how much the predictions are off."""

    def cells(*numbers: tuple[float | None, str]) -> Iterator[str]:
        return ("-" if number is None else f"{number:{form}}" for number, form in numbers)

    told = (steps.fast_gb_s, ".1f"), (steps.until_gb, ".0f"), (steps.second_gb_s, ".2f"), (steps.second_until_gb, ".0f")
    yield row(steps.drive, steps.source, *cells(*told, (steps.third_gb_s, ".2f"), (steps.whole_gb_s, ".2f")))
    fall = fill.fall_gb()
    until = fill.fall_gb(1.05 * fall, width_share=0.02)
    second, whole = fill.speed(1.05 * fall, until), fill.speed(0.5, fill.size_gb)
    has_third = until < fill.size_gb
    third = fill.speed(until, fill.size_gb) if has_third else None
    here = (fill.speed(0.5, 0.95 * fall), ".1f"), (fall, ".0f"), (second, ".2f")
    yield row("", "simulated", *cells(*here, (until if has_third else None, ".0f"), (third, ".2f"), (whole, ".2f")))
    for name, ours, theirs in (
        ("until", until, steps.second_until_gb),
        ("third", third, steps.third_gb_s),
        ("whole", whole, steps.whole_gb_s),
    ):
        if ours is not None and theirs is not None:
            misses[name].append(ours / theirs)


def main() -> None:
    """Writes the page."""
    page = HEAD.format(parts=PARTS)
    fills = {}
    for review in REVIEWS:
        fill = fills[review.preset] = filled(wl.preset(review.preset))
        fall, name = fill.fall_gb(), f"`{review.preset}`"
        measured = (
            f"{review.fast_gb_s:.2f}",
            f"{review.until_gb:.0f}",
            f"{review.then_gb_s:.2f}",
            review.whole_gb_s or "-",
        )
        page += row(name, review.drive, review.source, *measured)
        speeds = [fill.speed(*part) for part in ((0.5, 0.9 * fall), (1.1 * fall, fill.size_gb), (0.5, fill.size_gb))]
        page += row(name, "", "simulated", f"{speeds[0]:.2f}", f"{fall:.0f}", *(f"{speed:.2f}" for speed in speeds[1:]))
    page += SHARES_HEAD
    page += row("written", *(f"`{preset}`" for preset in fills)) + "|---|" + "---|" * len(fills) + "\n"
    for begin, end in pairwise(STEPS):
        shares = (f"{fill.speed(max(begin, 0.001) * fill.size_gb, end * fill.size_gb):.2f}" for fill in fills.values())
        page += row(f"{begin:.0%} to {end:.0%}".replace("%", " %"), *shares)
    page += STEPS_HEAD
    misses: Misses = {"until": [], "third": [], "whole": []}
    for steps in STEPS_OF:
        page += "".join(steps_rows(steps, filled(steps.config()), misses))
    spans = {name: f"{min(ratios):.2f} to {max(ratios):.2f}" for name, ratios in misses.items()}
    stamp.write(PAGE, page + FOOT.format(**spans))


def draw(text: str) -> None:
    """Draws the second table of the page: write speed over the share of the drive that is written."""
    rows = [tuple(map(float, row)) for row in SHARES.findall(text)]
    edges = [rows[0][0], *(row[1] for row in rows)]
    with figure(1, height=1.8, width=5.0) as (drawing, (axes,)):
        for place, review, color in zip((2, 3), REVIEWS, (BLUE, VERMILION), strict=True):
            axes.stairs([row[place] for row in rows], edges, baseline=None, label=review.preset, color=color)
        axes.set(xlabel="written share of the drive (%)", ylabel="GB/s", xlim=(0, 100), ylim=(0, None))
        legend(axes)
        save(drawing, FIGURE)
    embed(FIGURE)


SHARES_HEAD = """
## Speed by share of the drive, GB/s

![Write speed over the share of the drive that is written](slc.svg)

"""

STEPS_HEAD = """
## Other drives: what follows from the size of the cache

Each drive is a preset with other dies (`ssd.dies_per_chip`) and three figures of its review: the speed in the cache
(`slc.program_us`), where it ends (`slc.dynamic_share`), the speed behind it (`nand.program_us`). What is predicted
is where that speed ends, since then all blocks hold something and the cache has to be folded, the speed from there,
and the mean over the drive.

| drive | | in the cache, GB/s | until, GB | then, GB/s | until, GB | then, GB/s | whole drive, GB/s |
|---|---|---|---|---|---|---|---|
"""

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
- **The other drives' second step ends late here**: after {until} of the bytes at which it does. The model folds when
  its spare blocks are used up; these drives began before that.
- **Their third step is faster here**: {third} of the measured speed, and the whole fill {whole}. In the model folding
  costs one read and one more program of each byte. No maker says what else these drives do, so nothing is
  fitted to it.
- Not in the model either: limits by temperature, the time of the host, and a map that is not in DRAM.

Sources: "Samsung 980 Pro 1 TB SSD Review", TechPowerUp, page 6; "Solidigm P41 Plus 1TB M.2 NVMe SSD Review", Guru3D,
page 9. Both write a fresh drive in order. Of the other drives TechPowerUp's reviews, page 6 of each. Where one gives a
share of the drive or a span, the table has the bytes or the middle.
"""

if __name__ == "__main__":
    if "--figure" not in sys.argv[1:]:
        main()
    draw(PAGE.read_text(encoding="utf-8"))

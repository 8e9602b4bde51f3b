"""Puts the presets of two drives with placement handles beside what WARP measured, and writes docs/validation/warp.md.

python3 tools/warp_page.py real_fdp_waf_series.csv      # some minutes of processor time

The file has the write amplification of one stream, a row for each 0.1 drive writes: columns drive, drive_writes, waf.
"""
# ruff: noqa: INP001

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
from warp.drives import DRIVES, PASSES, STEPS, Real, measured, narrow, one_stream, tenths

from wordline.output.plot.style import PALETTE, figure, legend, save

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "validation" / "warp.md"
HEAD = """# Two drives with placement handles beside their presets

<!-- Made by tools/warp_page.py: change that, then run it. -->

**Question.** Do the presets `samsung-pm9d3a-7680gb` and `fadu-3840gb` amplify writes as the drives do that WARP
measured?

"""
ONE = """
## One stream: what the presets were fitted to

![Write amplification over one pass of random writes, measured and simulated](warp-one-stream.svg)

fio's random map writes each block once a pass, in a new order each time. The second and later passes repeat: the drive
begins each with superblocks that are nearly empty, has few of them at a quarter of it, and gains them back.

"""
WHAT = """
- Measured: MoatLab/WARP-FAST26-AE, NVMe's FDP statistics once a minute; the mean over all steady passes, and over
  their bytes. A sample ends within 0.03 of a pass of the end of its tenth.
- Simulated: all superblocks of the drive, each narrowed to two dies and 33 pages a block, so that one holds 1056
  blocks of the job. On the drive A one holds 67,968 of 128 KiB. The third pass after a fresh drive.
- Two numbers of a drive are fitted: how many superblocks it has, and the rule of its garbage collection (greedy,
  FIFO or cost-benefit); on drive B also how many superblocks it keeps free (4, 6 or 8). The rest of the presets is
  from data sheets or assumed.
- Drive A erases in units of 8496 MiB. Blocks of 2124 pages of 16 KiB on 64 dies of four planes make this, and 2124
  is 236 layers times three strings times three pages, as a reseller's sheet has it. The count of dies and planes
  follows from that.
- What differs: drive B starts to collect earlier than the preset, so that it moves more in the first tenth of a pass.
  It may keep more superblocks free than six, and use them up later.
"""


def main() -> None:
    """Writes the page."""
    if len(sys.argv) != 2:
        raise SystemExit("name the file of measured points: warp_page.py SERIES.csv")
    PAGE.write_text(HEAD + ONE + one_stream_part(Path(sys.argv[1])) + WHAT, encoding="utf-8")


def one_stream_part(series: Path) -> str:
    """Returns the tables of one stream, and draws both drives."""
    media, real, seconds = {}, {}, {}
    for each in DRIVES:
        began = time.process_time()
        media[each.letter] = one_stream(narrow(each))
        seconds[each.letter] = time.process_time() - began
        real[each.letter] = measured(each, series)
    draw_one_stream(media, real)
    return "\n".join(
        table_of(each, real[each.letter], tenths(media[each.letter]), seconds[each.letter]) for each in DRIVES
    )


def table_of(real: Real, was: tuple[list[float], float], now: list[float], seconds: float) -> str:
    """Returns the tenths of a pass beside each other."""
    rows = [
        f"| {number} | {before:.2f} | {after:.2f} | {100 * (after / before - 1):+.0f} % |\n"
        for number, (before, after) in enumerate(zip(was[0], now, strict=True), 1)
    ]
    mean = was[1], sum(now) / 10
    rows.append(f"| mean | {mean[0]:.2f} | {mean[1]:.2f} | {100 * (mean[1] / mean[0] - 1):+.1f} % |\n")
    head = (
        f"*Drive {real.letter}*, {real.name}, `{real.preset}`; {PASSES} passes took {seconds:.0f} s of processor time:"
    )
    return head + "\n\n| tenth of the pass | measured | simulated | off by |\n|---|---|---|---|\n" + "".join(rows)


def draw_one_stream(media: dict[str, np.ndarray], real: dict[str, tuple[list[float], float]]) -> None:
    """Draws a pass of each drive."""
    with figure(1, height=2.3) as (drawing, (axes,)):
        for letter, colour in zip(media, PALETTE, strict=False):
            steps = np.diff(media[letter][-STEPS - 1 :]) * STEPS
            axes.plot((np.arange(STEPS) + 0.5) / STEPS, steps, color=colour, label=f"{letter}, simulated")
            points = (np.arange(10) + 0.5) / 10
            axes.plot(
                points,
                real[letter][0],
                "o",
                markersize=3,
                color=colour,
                label=f"{letter}, measured",
            )
        axes.set(xlabel="Part of the pass that is written", ylabel="Write amplification", ylim=(0.0, None), xlim=(0, 1))
        legend(axes)
        save(drawing, PAGE.with_name("warp-one-stream.svg"))


if __name__ == "__main__":
    main()

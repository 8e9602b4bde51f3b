"""Puts the presets of two drives with placement handles beside what WARP measured, and writes docs/validation/warp.md.

python3 tools/warp_page.py real_fdp_waf_series.csv      # some minutes of processor time

The file has the write amplification of one stream, a row for each 0.1 drive writes: columns drive, drive_writes, waf.
"""
# ruff: noqa: INP001

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import stamp
from warp import caches, memo, published, shows, words
from warp.drives import DRIVES, PASSES, STEPS, Real, measured, narrow, one_stream, tenths

from wordline.output.plot.style import PALETTE, figure, legend, save

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "validation" / "warp.md"
# Media writes of drive A at most, GB/s, and what its host gives it in 4 KiB, twice at depth 4: fio's MB/s with handles.
MEDIA_GB_S, HOST_GB_S = 5.87, 2.42
# fio's MB/s over 22,000 s: share of the random stream in percent, placement.
RATES = {(10, "plain"): 2148, (10, "shared handle"): 2136, (90, "plain"): 2390, (90, "shared handle"): 2384}
RATE_SECONDS, CAPACITY_GB = 22_000, 7681.5


def main() -> None:
    """Writes the page."""
    if len(sys.argv) != 2:
        raise SystemExit("name the file of measured points: warp_page.py SERIES.csv")
    one = one_stream_part(Path(sys.argv[1]))
    two, three = shows.isolation(PAGE.with_name("warp-streams.svg"))
    of_three = {row[0]: row for row in map(cells, three.lines) if row[1] == "uniform"}
    ii, pi = (2 + shows.OWN.index(way) for way in ("fdp-ii", "fdp-pi"))
    text = words.HEAD.format(
        three_a=f"{of_three['A'][ii]} (II) and {of_three['A'][pi]} (PI)",
        three_b=f"{of_three['B'][ii]} and {of_three['B'][pi]}",
        cache=caches.first(),
    )
    text += words.ONE + one + words.WHAT
    text += words.STREAMS.format(
        two=two.table("drive", "random part", *shows.WAYS),
        three=three.table("drive", "jumper", *shows.OWN),
        media=MEDIA_GB_S,
        host=HOST_GB_S,
        free=MEDIA_GB_S / HOST_GB_S,
        rates="".join(rates({(row[0], row[1]): row for row in map(cells, two.lines)})),
        a_ii=of_three["A"][ii],
        a_pi=of_three["A"][pi],
        b_ii=of_three["B"][ii],
        b_pi=of_three["B"][pi],
    )
    text += words.SHOWS.format(
        noisy=shows.noisy(PAGE.with_name("warp-noisy.svg")).table("placement", "stream", "borne", "caused"),
        seeds=shows.seeds(PAGE.with_name("warp-seeds.svg")).table("drive", "placement", "mean", "least", "most"),
        units=shows.units(PAGE.with_name("warp-units.svg")).table(
            "placement", *(f"units of {unit}" for unit in shows.UNITS)
        ),
    )
    text += words.CACHES.format(
        rows="".join(caches.rows()), verdict=caches.verdict(), readings="".join(caches.readings())
    )
    text += words.PUBLISHED.format(caches="".join(published.cache_rows()), database="".join(published.database_rows()))
    stamp.write(PAGE, text.rstrip() + "\n")


def cells(line: str) -> list[str]:
    """Returns the cells of a row."""
    return [each.strip() for each in line.strip().strip("|").split("|")]


def rates(two: dict[tuple[str, str], list[str]]) -> Iterator[str]:
    """Returns what the rates of drive A mean for its amplification, beside the simulated one, as rows."""
    for (share, way), rate in RATES.items():
        first = CAPACITY_GB / HOST_GB_S
        rest = (rate / 1000 * RATE_SECONDS - CAPACITY_GB) / (RATE_SECONDS - first)
        simulated = two["A", f"{share} %"][2 + shows.WAYS.index(way)]
        yield f"| {share} % | {way} | {rate} | {MEDIA_GB_S / rest:.2f} | {simulated} |\n"


def one_stream_part(series: Path) -> str:
    """Returns the tables of one stream, and draws both drives."""
    media, real, seconds = {}, {}, {}
    for each in DRIVES:
        numbers, took = memo.kept_series(f"{each.letter} one", partial(_media, each))
        media[each.letter], seconds[each.letter] = np.array(numbers), took
        real[each.letter] = measured(each, series)
    draw_one_stream(media, real)
    return "\n".join(
        table_of(each, real[each.letter], tenths(media[each.letter]), seconds[each.letter]) for each in DRIVES
    )


def _media(real: Real) -> list[float]:
    return [float(each) for each in one_stream(narrow(real))]


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

"""Fig. 6: two pages of one die, read with PAGE READ and with CACHE READ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wordline.output.plot.style import BLUE, ORANGE

from .. import Figure, Point, Results, Row, Sheet, part
from ..drawing import label, panels_by
from ..lone import FREE_HOST, NO_COMMANDS, ONE_PLANE, strided_reads

PAGES = ("A", "B")
COMMANDS = {False: "PAGE READ", True: "CACHE READ"}
COLOURS = dict(zip(PAGES, (BLUE, ORANGE), strict=True))
# What a page goes through, from the top of the drawing, by the names of the timeline.
LANES = {"sense": "sense", "data out": "transfer", "decode": "decode"}
# Long enough for two pages without retries.
WINDOW_US = 1_000.0
BAR = 0.7
NS_PER_US = 1_000


@part("cache-read")
def two_pages(_quick: bool) -> Iterator[Point]:
    """Yields two reads that wait for one die: its register gives the next sense room while data leave, or does not."""
    die = {**ONE_PLANE, **NO_COMMANDS, **FREE_HOST, "read.retry": "ideal", "host.queue_depth": len(PAGES)}
    for has_register, command in COMMANDS.items():
        keys = {**die, "nand.cache_register": has_register}
        labels = {"command": command}
        yield strided_reads("pnar2", keys, pages=len(PAGES), timeline_us=(0.0, WINDOW_US), labels=labels)


class Step(Row):
    """A part of a page's read."""

    command: str
    page: str
    step: str
    start_us: float
    end_us: float


def steps(results: Results) -> list[Step]:
    """Returns what both pages go through, with both commands."""
    return [
        Step(
            run.coordinates["command"],
            PAGES[at["lpn"]],
            LANES[at["name"]],
            at["start_ns"] / NS_PER_US,
            (at["start_ns"] + at["duration_ns"]) / NS_PER_US,
        )
        for run in two_pages.of(results)
        if run.result is not None
        for at in run.result.timeline().to_pylist()
        if at["name"] in LANES
    ]


def draw(rows: Sequence[Step], sheet: Sheet) -> None:
    """Draws both commands, one below the other: a bar for each step of a page."""
    lanes = list(reversed(LANES.values()))
    last_us = max(row.end_us for row in rows)
    for axes, command, group in panels_by(sheet, rows, lambda row: row.command, height=1.2):
        for row in group:
            length_us, lane = row.end_us - row.start_us, lanes.index(row.step)
            axes.barh(lane, length_us, BAR, row.start_us, color=COLOURS[row.page], edgecolor="white", linewidth=0.5)
            middle_us = row.start_us + length_us / 2
            axes.text(middle_us, lane, row.page, ha="center", va="center", color="white", size=7)
        done_us = max(row.end_us for row in group)
        axes.axvline(done_us, color="black", linewidth=0.6, linestyle="--")
        axes.set_yticks(range(len(lanes)), lanes)
        axes.set(xlim=(0.0, 1.02 * last_us))
        axes.grid(visible=False, axis="y")
        label(axes, "time (us)", title=f"{command}: {done_us:g} us")


FIGURES = (Figure("fig06", (two_pages,), steps, draw=draw, is_view=True),)

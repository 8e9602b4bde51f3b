"""Fig. 17, right side: read tails where the ECC corrects fewer errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .. import Figure, Part, Point, Results, Row, Sheet
from ..drawing import bars_of, label, legend_above, panels_by
from . import published as paper
from . import system
from .system import HELD, Size, everywhere, points
from .tails import LAST, PERCENTILES, Runs

REQUIREMENT = "erase.rber_requirement_bits"
# Runs have enough reads for these.
SHOWN = tuple(name for name in PERCENTILES if name != LAST)
DRAWN = SHOWN[-1]


def weaker(size: Size, pecs: Sequence[int]) -> Iterator[Point]:
    """Yields every scheme with the whole ECC, then AERO with weaker ones: the others leave no errors to the ECC."""
    for bits in paper.REQUIREMENTS_BITS:
        schemes = HELD if bits == paper.REQUIREMENT_BITS else ("aero",)
        yield from points(size, everywhere(schemes, pecs), size.side_reads, erase_rber_requirement_bits=bits)


# A short run has the age at which the paper sees most of it.
WEAKER = Part(
    "weaker", lambda quick: weaker(system.QUICK, paper.PECS[1:2]) if quick else weaker(system.FULL, paper.PECS)
)


class WeakTail(Row):
    """A percentile over Baseline's, mean of the workloads, where so many errors in 1 KiB can be corrected."""

    requirement_bits: float
    pec: int
    scheme: str
    percentile: str
    over_ispe: float
    low: float | None
    high: float | None


def tails(results: Results) -> list[WeakTail]:
    """Returns a row for each requirement, age, scheme and percentile."""
    by_bits = {bits: Runs(WEAKER.of(results, {REQUIREMENT: bits})) for bits in paper.REQUIREMENTS_BITS}
    base, rows = by_bits[paper.REQUIREMENT_BITS], []
    for bits, outcomes in by_bits.items():
        for pec in paper.PECS:
            for scheme in paper.AEROS:
                # What does not use the margin is the same with any ECC.
                here = outcomes if scheme == "aero" else base
                for percentile in SHOWN if here.has(scheme, pec) else ():
                    saved = here.saved(percentile, scheme, pec, base)
                    rows.append(WeakTail(bits, pec, scheme, percentile, *saved.over()))
    return rows


def draw(rows: Sequence[WeakTail], sheet: Sheet) -> None:
    """Draws the higher percentile, a panel for each age."""
    shown = [row for row in rows if row.percentile == DRAWN]
    panels = panels_by(sheet, shown, lambda row: row.pec, height=1.5)
    for axes, pec, here in panels:
        heights = [(f"{row.requirement_bits:g}", row.scheme, row.over_ispe) for row in here]
        bars_of(axes, heights, paper.looks(paper.AEROS))
        axes.axhline(1.0, color="k", lw=0.6)
        label(axes, y="over ISPE's", title=f"99.99th percentile, {pec / 1000:g}K cycles")
    label(panels[-1][0], "required errors in 1 KiB, at most")
    legend_above(panels[0][0], len(paper.AEROS), y=1.15)


FIGURES = (Figure("fig17_tail", (WEAKER,), tails, draw=draw, is_view=True),)

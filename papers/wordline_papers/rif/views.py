"""What the slides show beside the claims: SSD_real, retries and predictions by workload, and chunks of a page."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import field

from wordline.lab import survey
from wordline.output.plot.style import BLUE, ORANGE, SKY, VERMILION, legend

from .. import Figure, Outcome, Results, Row, Sheet, grouped
from ..at_hand import whose
from ..drawing import bars_of, label, legend_above, panels_by
from .loops import REAL, WORKLOADS, ZERO, Loop, grid, loops
from .predictor import CYCLES, ssd

BY_CYCLES = dict(zip(CYCLES, (SKY, ORANGE, BLUE), strict=True))
LOOKS = {pec: (f"{pec // 1000}K P/E cycles", colour) for pec, colour in BY_CYCLES.items()}
# Slide "Implementation Challenge": the predictor looks at one of four chunks of 4 KiB.
CHUNKS, KIB_OF_PAGE = 4, 16
CHUNK_PAGES = 20_000
# Errors of a chunk as a share of a quarter of its page's: width and ends of the bins.
BIN, LEAST, MOST = 0.02, 0.7, 1.3


class Retried(Row):
    """RiF's reads of a workload: the share that fails first, and what the die says of the pages that it checks."""

    workload: str
    pec: int
    failing_first: float
    checks: int
    needless: int
    missed: int
    right: float
    real: Mapping[str, str] = field(default_factory=dict)


class Chunks(Row):
    """The share of chunks whose errors are from `over_page` on, as a multiple of a quarter of their page's."""

    pec: int
    over_page: float
    share: float


def real(results: Results) -> list[Loop]:
    """Returns the SSD without retries, and the one whose failing pages succeed at the first retry."""
    return [row for row in loops(results) if row.system in (ZERO, REAL)]


def retried(results: Results) -> list[Retried]:
    """Returns a row for each workload and number of cycles."""
    runs = grid.by(results, "trace", "system", "reliability.pec")
    return [retried_by(name, pec, runs[name, "RiF", pec][0]) for name in WORKLOADS for pec in CYCLES]


def retried_by(name: str, pec: int, run: Outcome) -> Retried:
    """Returns the row of a run with RiF."""
    counted = run["counters.controller"]
    checks, needless, missed = (
        int(counted[key]) for key in ("on_die_checks", "needless_on_die_retries", "missed_on_die")
    )
    failing = float(run["read_retry.first_failure_share"])
    right = 1.0 - (needless + missed) / checks if checks else 1.0
    return Retried(name.partition("/")[2], pec, failing, checks, needless, missed, right, whose(run))


def chunks(_: Results) -> list[Chunks]:
    """Returns how the errors of a page are spread over its chunks, in first reads at each number of cycles.

    The errors of a page are independent, so each lies in any of its chunks with the same chance.
    """
    return [
        Chunks(pec, round(LEAST + BIN * place, 2), share)
        for pec in CYCLES
        for place, share in enumerate(spread(survey.first_reads(ssd(pec), CHUNK_PAGES).histogram))
    ]


def spread(pages: Sequence[tuple[float, float]]) -> list[float]:
    """Returns the share of chunks in each bin, for pages with these errors in the mean KiB; some are beyond both ends.

    Args:
        pages: Errors of the mean 1-KiB codeword, bits, and the share of pages.
    """
    edges = [LEAST + BIN * place for place in range(round((MOST - LEAST) / BIN) + 1)]
    shares = [0.0] * (len(edges) - 1)
    for bits, share in pages:
        errors = round(bits * KIB_OF_PAGE)
        if errors == 0:
            continue
        below = [_normal(edge, errors) for edge in edges]
        for place, (low, high) in enumerate(itertools.pairwise(below)):
            shares[place] += share * (high - low)
    return shares


def _normal(over_page: float, errors: int) -> float:
    """Returns the chance that a chunk has fewer errors than this multiple of a quarter of its page's.

    A binomial distribution of the page's errors; the normal one is near enough from some hundred errors on.
    """
    deviation = math.sqrt((CHUNKS - 1) / errors)
    return 0.5 * (1.0 + math.erf((over_page - 1.0) / deviation / math.sqrt(2.0)))


def draw_real(rows: Sequence[Loop], sheet: Sheet) -> None:
    """Draws the bandwidth of both SSDs by workload, a panel for each number of cycles."""
    panels = panels_by(sheet, rows, lambda row: row.pec, height=1.3, width=7.2)
    looks = {ZERO: ("SSD zero", "#999999"), REAL: ("SSD real: one retry is enough", VERMILION)}
    for axes, pec, here in panels:
        bars_of(axes, [(row.workload, row.system, row.mb_s / 1000.0) for row in here], looks, linewidth=0)
        label(axes, y="bandwidth (GB/s)", title=LOOKS[pec][0])
        axes.grid(visible=False, axis="x")
    legend_above(panels[0][0], 2)


def draw_retried(rows: Sequence[Retried], sheet: Sheet) -> None:
    """Draws by workload the share of reads that fail first, and the share of the die's checks that are wrong."""
    failing, wrong = sheet(2, height=1.5, width=7.2)
    bars_of(failing, [(row.workload, row.pec, row.failing_first) for row in rows], LOOKS, linewidth=0)
    bars_of(wrong, [(row.workload, row.pec, 100.0 * (1.0 - row.right)) for row in rows], LOOKS, linewidth=0)
    label(failing, y="reads that fail first")
    label(wrong, y="wrong predictions (%)")
    for axes in (failing, wrong):
        axes.grid(visible=False, axis="x")
    legend_above(failing, len(CYCLES))


def draw_chunks(rows: Sequence[Chunks], sheet: Sheet) -> None:
    """Draws the distribution of the chunks' errors."""
    (axes,) = sheet()
    for pec, group in grouped(rows, lambda row: row.pec).items():
        text, colour = LOOKS[pec]
        edges = [*(row.over_page for row in group), MOST]
        axes.stairs([row.share for row in group], edges, color=colour, label=text, baseline=None)
    label(axes, "errors of a 4-KiB chunk over a quarter of its page's", "share of chunks")
    axes.set(xlim=(LEAST, MOST))
    axes.set_ylim(bottom=0.0)
    legend(axes)


FIGURES = (
    Figure("real", (grid,), real, draw=draw_real, is_view=True),
    Figure("retries", (grid,), retried, draw=draw_retried, is_view=True),
    Figure("chunks", (), chunks, draw=draw_chunks, is_view=True),
)

"""How many erases the paper's own tails imply, in closed form: a finding about the paper, and no part of the study.

Reads at random meet an erase. One that comes in its last loop waits for the rest of that loop; one that comes in
another loop stops it, or waits for its end where less than 0.7 ms are left (the rule *intended*). The expected share of
reads that wait longer than t is then the rate of erases at a die times the mean of (length - t)+ over blocks. Erases
are cut into loops as in the authors' simulator, without the shallow-erasure flag; their lengths are those of the
figure `erase_latency`. Rates are what Tables 2 and 3 write, without copies, times one factor for all workloads.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .. import Figure, Results, Row, Sheet
from ..claims import all_claims
from ..drawing import label
from ..figure import grouped
from . import published as paper
from .erases import SIZES_KB, written_100s
from .latencies import ERASES, erases
from .ssds import AGES, CLAIMED

__all__ = ["FIGURES", "Implied", "loops_ms"]

Floats = npt.NDArray[np.float64]
FACTORS = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 25.0, 30.0, 40.0, 60.0, 80.0, 100.0, 150.0, 300.0)
BEYOND = {"p9999": 1e-4, "p999999": 1e-6}
# Section 6: the shallow erasure and its remainder, which the authors' simulator cuts every erase of AERO into.
SHALLOW_MS = (1.0, 2.5)
# The rule *intended*: a loop with less left is not stopped.
LEAST_LEFT_MS = 0.7
# A lone read, and one behind a program: Table 2's 40 us and 350 us, with the transfer of a page.
READ_MS, BEHIND_PROGRAM_MS = 0.06, 0.41
WAITS_MS: Floats = np.arange(0.0, 4.0, 0.0005)
MS_IN_100S = 1e5


class _Claimed(NamedTuple):
    """A claim on a saving of Fig. 14 over Baseline; `beyond` is the share of reads beyond its percentile."""

    name: str
    scheme: str
    pec: int
    beyond: float

    @property
    def paper(self) -> float:
        """What the paper has."""
        return float(all_claims()[self.name].value or 0.0)

    def is_held_by(self, saved: float) -> bool:
        """Says whether a saving is within the claim's tolerance."""
        return abs(saved - self.paper) <= (all_claims()[self.name].tol or 0.0)


class Implied(Row):
    """What the closed form saves under some rate of erases, beside the paper.

    `factor` is in units of what Tables 2 and 3 write; `error` is the root mean square of `saved` less the paper's over
    all rows of the factor, `holds` says whether this one is within the claim's tolerance.
    """

    factor: float
    claim: str
    saved: float
    paper: float
    holds: bool
    error: float


def loops_ms(scheme: str, erase_ms: float) -> list[float]:
    """Returns the loops of an erase, each with its verify, as the authors' simulator cuts them."""
    first = SHALLOW_MS if scheme in paper.AEROS else ()
    loops: list[float] = []
    left_ms = erase_ms
    while left_ms > paper.VERIFY_MS + 0.01:
        whole_ms = first[len(loops)] if len(loops) < len(first) else paper.LOOP_MS
        loops.append(min(whole_ms + paper.VERIFY_MS, left_ms))
        left_ms -= loops[-1]
    return loops


def implied(results: Results) -> list[Implied]:
    """Returns a row for each factor and claim on AERO's tails over Baseline."""
    blocks = grouped(erases(results), lambda row: (row.scheme, row.pec))
    waiting = {
        (scheme, pec): sum((row.share * _waiting_ms(loops_ms(scheme, row.latency_ms)) for row in own), _NONE)
        for (scheme, pec), own in blocks.items()
        if pec in AGES
    }
    rows = []
    for factor in FACTORS:
        saved = {claimed: _saved(waiting, claimed, factor) for claimed in _claims()}
        error = statistics.fmean((each - claimed.paper) ** 2 for claimed, each in saved.items()) ** 0.5
        rows += [
            Implied(factor, claimed.name, each, claimed.paper, claimed.is_held_by(each), error)
            for claimed, each in saved.items()
        ]
    return rows


_NONE: Floats = np.zeros_like(WAITS_MS)


def _waiting_ms(loops: Sequence[float]) -> Floats:
    """Returns for each of `WAITS_MS` how long an erase makes reads wait longer."""
    *others, last_ms = loops
    waiting: Floats = np.maximum(last_ms - WAITS_MS, 0.0) + len(others) * np.maximum(LEAST_LEFT_MS - WAITS_MS, 0.0)
    return waiting


def _claims() -> Iterator[_Claimed]:
    """Yields the claims on Fig. 14's savings over Baseline."""
    for scheme, infix in CLAIMED.items():
        for percentile, beyond in BEYOND.items():
            for pec, age in AGES.items():
                yield _Claimed(f"aero.fig14{infix}.{percentile}.{age}", scheme, pec, beyond)


def _saved(waiting: Mapping[tuple[str, int], Floats], claimed: _Claimed, factor: float) -> float:
    """Returns what a scheme saves over Baseline, the mean over the workloads."""

    def read_ms(scheme: str, workload: str) -> float:
        share = waiting[scheme, claimed.pec] * factor * written_100s(workload) / MS_IN_100S
        longest = min(int(np.searchsorted(-share, -claimed.beyond)), len(WAITS_MS) - 1)
        return max(BEHIND_PROGRAM_MS, READ_MS + float(WAITS_MS[longest]))

    return 1.0 - statistics.fmean(read_ms(claimed.scheme, each) / read_ms("ispe", each) for each in SIZES_KB)


def findings(rows: Sequence[Implied]) -> Iterator[str]:
    """Yields what the paper's tails imply: the factors with the smallest errors."""
    by_factor = grouped(rows, lambda row: row.factor)
    errors = {factor: own[0].error for factor, own in by_factor.items()}
    best = min(errors, key=errors.__getitem__)
    near = [factor for factor, error in errors.items() if error <= 1.25 * errors[best]]
    held = sum(row.holds for row in by_factor[best])
    yield (
        f"The paper's tails imply {min(near):g} to {max(near):g} times the erases that Tables 2 and 3 write (closed "
        f"form, reads at random): with {best:g} times {held} of {len(by_factor[best])} savings over Baseline are "
        f"within their tolerance, with 1 {sum(row.holds for row in by_factor[1.0])}. No text states such a factor, "
        "and the study does not use it."
    )


def draw(rows: Sequence[Implied], sheet: Sheet) -> None:
    """Draws the error of the closed form over the factor."""
    (axes,) = sheet()
    errors = {row.factor: row.error for row in rows}
    axes.plot(list(errors), [100.0 * error for error in errors.values()], "k-o", ms=3)
    axes.set_xscale("log")
    axes.set_ylim(bottom=0.0)
    label(axes, x="erases, in units of what Tables 2 and 3 write", y="error of the savings (points)")


FIGURES = (Figure("implied_erases", (ERASES,), implied, draw=draw, findings=findings, is_view=True),)

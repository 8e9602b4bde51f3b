"""RiF: retry in flash (Chun et al., HPCA 2024), by the slides of the talk.

Bandwidth of closed loops on four SSDs, what their channels do, lone reads, and the on-die predictor over the device's
own pages.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .. import Computation, Point, Results
from ..claims import Measurement
from . import claims, draw, points

__all__ = ["NOTES", "PAPERS", "TITLE", "figures", "grid", "measure", "tables"]

TITLE = "RiF: bandwidth and channel time with retries in flash"
PAPERS = ("rif",)
NOTES = (
    "Assumed: the whole SSD (preset rif, where each number says so): the slides give none, and the paper's text was",
    "not at hand. Its abstract says 72.1 % over a state-of-the-art scheme.",
    "Assumed: the traces' read ratios, sizes and cold ratios; the slides name six AliCloud and two Systor traces.",
    "Assumed: ages of data lie evenly between nothing and a month, as if they were rewritten once a month, the same at",
    "every number of cycles. Pages written in the run have no age, but their wear.",
    "Saturated closed loop, 1,024 requests; 32 planes that work apart behind each channel, more than the 7.2 that",
    "reads need, (2 (tR + 2.5 us) + tDMA) / tDMA, and the 30 that writes need: the channel is the bottleneck.",
    "ECC: one page at a time behind each channel, 1 us an iteration; a page that does not decode takes all 20.",
)


def grid(quick: bool) -> list[Point | Computation]:
    """All points."""
    return points.all_points(quick)


def measure(results: Results) -> Mapping[str, Measurement]:
    """All claims of the slides but the first retry's day, which the device model is fitted to."""
    return claims.measure(results)


def figures(results: Results, out: Path) -> None:
    """Bandwidth, channel time, gains, and the predictor."""
    draw.all_figures(results, out)


def tables(results: Results) -> dict[str, list[dict[str, Any]]]:
    """Every closed loop, lone reads, and the predictor's shares."""
    shares = [
        {"pec": o.coordinates["pec"], "pages": kind, **o[kind]}
        for o in results.where(part="first_reads")
        for kind in ("population", "near")
    ]
    shares += [
        {"pec": o.coordinates["pec"], "pages": f"half zeros, {kind} the randomizer", **o[kind]}
        for o in results.where(part="randomizer")
        for kind in ("behind", "without")
    ]
    return {"grid": claims.grid_rows(results), "lone": claims.lone_rows(results), "predictor": shares}

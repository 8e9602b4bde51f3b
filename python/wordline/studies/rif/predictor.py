"""The on-die predictor over the device's pages, with and without the randomizer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from ...lab.ecc import curves
from .. import Computation, Measured, Results
from ..claims import Measurement
from ..figure import Figure, Part, Sheet
from . import device
from .device import CYCLES

PAGES, QUICK_PAGES = 1_000_000, 50_000
MIXED_PAGES, QUICK_MIXED_PAGES = 20_000, 2_000
BIN_BITS = 4.0


def surveyed(quick: bool) -> Iterator[Computation]:
    """Yields first reads of the device's pages, and the predictor over them."""
    for pec in CYCLES:
        yield Computation(device.first_reads, {"pec": pec, "pages": QUICK_PAGES if quick else PAGES})


def mixed(quick: bool) -> Iterator[Computation]:
    """Yields pages with half of their chunks all zero, with the randomizer and without it."""
    for pec in CYCLES:
        yield Computation(device.randomizer, {"pec": pec, "pages": QUICK_MIXED_PAGES if quick else MIXED_PAGES})


FIRST_READS, RANDOMIZER = Part("first_reads", surveyed), Part("randomizer", mixed)


@dataclass(frozen=True)
class Bin:
    """The share of first reads in a bin of errors in the mean 1-KiB codeword, starting at `bits`."""

    pec: int
    bits: float
    share: float


@dataclass(frozen=True)
class Predictions:
    """Predictions for some pages; `near_share` of them are near the code's capability."""

    pec: int
    pages: str
    shares: Mapping[str, float]
    near_share: float = field(default=0.0, repr=False)


def bins(results: Results) -> list[Bin]:
    """Returns errors of first reads on the device."""
    most = max(curves()["curves"]["errors_per_kib"])
    found = []
    for outcome in FIRST_READS.of(results):
        shares = dict.fromkeys((BIN_BITS * n for n in range(math.ceil(most / BIN_BITS))), 0.0)
        for bits, share in outcome["histogram"]:
            place = bits // BIN_BITS * BIN_BITS
            if place in shares:
                shares[place] += share
        found += [Bin(outcome.coordinates["pec"], at, share) for at, share in sorted(shares.items())]
    return found


def predictions(results: Results) -> list[Predictions]:
    """Returns predictions on the device's pages, near the capability, and with and without the randomizer."""
    found = [
        Predictions(o.coordinates["pec"], kind, o[kind], o["near_share"])
        for o in FIRST_READS.of(results)
        for kind in ("population", "near")
    ]
    return found + [
        Predictions(o.coordinates["pec"], f"half zeros, {kind} the randomizer", o[kind])
        for o in RANDOMIZER.of(results)
        for kind in ("behind", "without")
    ]


def claims(rows: Sequence[Predictions]) -> Mapping[str, Measurement]:
    """The predictor's accuracy, and the effect of the randomizer on it."""

    def of(pages: str) -> list[Predictions]:
        return [row for row in rows if row.pages == pages]

    def accuracy(found: Iterable[Predictions]) -> float:
        return fmean(float(row.shares["accuracy"]) for row in found)

    behind, without = (accuracy(of(f"half zeros, {kind} the randomizer")) for kind in ("behind", "without"))
    near = of("near")[0].shares
    return {
        "rif.predictor.accuracy": Measured(
            accuracy(of("population")),
            synthetic=None,
            note=f"over the device's first reads at {', '.join(str(pec) for pec in CYCLES)} cycles, ages from 0 to a "
            f"month; {max(row.near_share for row in of('population')):.2%} of them at most are within 20 % of the "
            f"code's capability. Pages spread evenly there: {near['accuracy']:.1%} right, balanced "
            f"{near['balanced']:.1%}",
        ),
        "rif.randomizer": Measured(
            f"{behind:.4f} with the randomizer, {without:.4f} without",
            holds=behind > without,
            synthetic=None,
            note="first reads of pages half of whose chunks hold zeros, the others random bits",
        ),
    }


def draw(rows: Sequence[Bin], sheet: Sheet) -> None:
    """Draws errors of first reads on the device, and the predictor's accuracy at these errors."""
    from ...output.plot.style import BLUE, GREEN, ORANGE, SKY, VERMILION, legend

    curve = curves()["curves"]
    most = max(curve["errors_per_kib"])
    upper, lower = sheet(2, height=1.6)
    for pec, colour in zip(CYCLES, (SKY, ORANGE, BLUE), strict=True):
        here = [row for row in rows if row.pec == pec and row.bits <= most]
        look: dict[str, Any] = {"where": "post", "color": colour, "label": f"{pec // 1000}K cycles"}
        upper.step([row.bits for row in here], [row.share for row in here], **look)
    upper.set_ylabel(f"first reads in {BIN_BITS:g} bits")
    lower.plot(curve["errors_per_kib"], curve["predictor_accuracy"], color=GREEN, label="predictor is right")
    lower.set_ylabel("share of pages")
    for axes in (upper, lower):
        capability = float(curves()["capability_per_kib"])
        axes.axvline(capability, color=VERMILION, linewidth=0.8, linestyle="--", label="capability")
        axes.set(xlim=(0.0, most), xlabel="errors in the mean 1-KiB codeword (bits)")
        legend(axes)


FIGURES: tuple[Figure[Any], ...] = (
    Figure("predictor", (FIRST_READS,), bins, draw=draw),
    Figure("predictor", (FIRST_READS, RANDOMIZER), predictions, claims),
)

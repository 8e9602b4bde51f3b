"""The on-die predictor over first reads of the device's pages, with and without the randomizer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, field
from statistics import fmean
from typing import Any

from wordline.config import Config, preset
from wordline.lab import survey
from wordline.lab.ecc import curves
from wordline.output.plot.style import BLUE, GREEN, ORANGE, SKY, VERMILION, legend

from .. import Computation, Figure, Measured, Measurement, Results, Row, Sheet, part
from ..drawing import lines

# Errors this close to the code's capability are hard to predict.
NEAR = 0.2
# A population that favours no errors: evenly from none to this multiple of the capability.
EVEN_TO = 4.0
POINTS = 401

# Cycles in the slides.
CYCLES = (0, 1000, 2000)
# Data are rewritten once a month, so their ages are uniform between zero and a month, at any number of cycles.
AGES: dict[str, Any] = {"reliability.retention_months": 0.5, "reliability.retention_spread": 1.0}


def ssd(pec: int, seed: int = 1) -> Config:
    """Returns the SSD of the bandwidth runs after this many cycles."""
    return preset("rif").set_all({**AGES, "reliability.pec": pec, "seed": seed})


def spread_evenly(low: float, high: float) -> list[tuple[float, float]]:
    """Returns pages whose errors, in the mean 1-KiB codeword, lie evenly between two multiples of the capability."""
    capability = float(curves()["capability_per_kib"])
    return [(capability * (low + (high - low) * n / (POINTS - 1)), 1.0) for n in range(POINTS)]


def first_reads(pec: int, pages: int, seed: int = 1) -> dict[str, Any]:
    """Returns errors of first reads, the predictor's accuracy on them, and its accuracy near the capability."""
    reads = survey.first_reads(ssd(pec, seed), pages)
    capability = float(curves()["capability_per_kib"])
    near = sum(share for bits, share in reads.histogram if abs(bits / capability - 1.0) <= NEAR)
    return {
        "failing_share": reads.failing_share,
        "near_share": near,
        "capability_per_kib": capability,
        "population": asdict(survey.predictions(reads.histogram)),
        "near": asdict(survey.predictions(spread_evenly(1.0 - NEAR, 1.0 + NEAR))),
        "even": asdict(survey.predictions(spread_evenly(0.0, EVEN_TO))),
        "histogram": [[bits, share] for bits, share in reads.histogram],
    }


def randomizer(pec: int, pages: int, seed: int = 1) -> dict[str, Any]:
    """Returns the predictor over pages with half of their chunks all zero: with the randomizer, and without it."""
    behind, without = survey.randomizer_effect(ssd(pec, seed), pages)
    return {"behind": asdict(behind), "without": asdict(without)}


PAGES, QUICK_PAGES = 1_000_000, 50_000
# Each of five seeds has as many.
MIXED_PAGES, QUICK_MIXED_PAGES = 5_000, 2_000
BIN_BITS = 4.0


@part("first_reads")
def surveyed(quick: bool) -> Iterator[Computation]:
    """Yields first reads of the device's pages, and the predictor over them."""
    for pec in CYCLES:
        yield Computation(first_reads, {"pec": pec, "pages": QUICK_PAGES if quick else PAGES}, version=1)


@part("randomizer")
def mixed(quick: bool) -> Iterator[Computation]:
    """Yields pages with half of their chunks all zero, with the randomizer and without it."""
    for pec in CYCLES:
        yield Computation(randomizer, {"pec": pec, "pages": QUICK_MIXED_PAGES if quick else MIXED_PAGES}, version=1)


class Bin(Row):
    """The share of first reads in a bin of errors in the mean 1-KiB codeword, starting at `bits`."""

    pec: int
    bits: float
    share: float


class Predictions(Row):
    """Predictions for some pages; `near_share` of them are near the code's capability."""

    pec: int
    pages: str
    shares: Mapping[str, float]
    near_share: float = field(default=0.0, repr=False)


def bins(results: Results) -> list[Bin]:
    """Returns errors of first reads on the device."""
    most = max(curves()["curves"]["errors_per_kib"])
    rows = []
    for outcome in surveyed.of(results):
        shares = dict.fromkeys((BIN_BITS * n for n in range(math.ceil(most / BIN_BITS))), 0.0)
        for bits, share in outcome["histogram"]:
            place = bits // BIN_BITS * BIN_BITS
            if place in shares:
                shares[place] += share
        rows += [Bin(outcome.coordinates["pec"], at, share) for at, share in sorted(shares.items())]
    return rows


def predictions(results: Results) -> list[Predictions]:
    """Returns predictions on the device's pages, near the capability, and with and without the randomizer."""
    rows = [
        Predictions(o.coordinates["pec"], kind, o[kind], o["near_share"])
        for o in surveyed.of(results)
        for kind in ("population", "near", "even")
    ]
    return rows + [
        Predictions(o.coordinates["pec"], f"half zeros, {kind} the randomizer", o[kind])
        for o in mixed.of(results)
        for kind in ("behind", "without")
    ]


def accuracy(rows: Iterable[Predictions], pages: str) -> float:
    """Returns the mean accuracy over some pages."""
    return fmean(float(row.shares["accuracy"]) for row in rows if row.pages == pages)


def findings(rows: Sequence[Predictions]) -> Iterator[str]:
    """Yields the predictor's accuracy over three populations, since the slides name none."""
    near = max(row.near_share for row in rows if row.pages == "population")
    balanced = next(row.shares["balanced"] for row in rows if row.pages == "near")
    yield (
        f"The predictor is right for {accuracy(rows, 'population'):.1%} of the device's first reads at "
        f"{', '.join(str(pec) for pec in CYCLES)} cycles, ages from 0 to a month, of which {near:.2%} at most are "
        f"within {NEAR:.0%} of the code's capability; for {accuracy(rows, 'even'):.1%} of pages whose errors lie "
        f"evenly from none to {EVEN_TO:g} capabilities; for {accuracy(rows, 'near'):.1%} (balanced {balanced:.1%}) of "
        f"pages spread evenly within {NEAR:.0%} of the capability. The slides say 98.7 % and name no population."
    )


def claims(rows: Sequence[Predictions]) -> Mapping[str, Measurement]:
    """The effect of the randomizer on the predictor."""
    behind, without = (accuracy(rows, f"half zeros, {kind} the randomizer") for kind in ("behind", "without"))
    return {
        "rif.randomizer": Measured(
            f"{behind:.4f} with the randomizer, {without:.4f} without",
            holds=behind > without,
            synthetic=None,
            note="first reads of pages half of whose chunks hold zeros, the others random bits",
        ),
    }


def draw(rows: Sequence[Bin], sheet: Sheet) -> None:
    """Draws errors of first reads on the device, and the predictor's accuracy at these errors."""
    curve = curves()["curves"]
    most = max(curve["errors_per_kib"])
    upper, lower = sheet(2, height=1.6)
    colours = dict(zip(CYCLES, (SKY, ORANGE, BLUE), strict=True))
    points = [(row.pec, row.bits, row.share) for row in rows if row.bits <= most]
    step = {"drawstyle": "steps-post"}
    lines(upper, points, lambda pec: {**step, "color": colours[pec], "label": f"{pec // 1000}K cycles"})
    upper.set_ylabel(f"first reads in {BIN_BITS:g} bits")
    lower.plot(curve["errors_per_kib"], curve["predictor_accuracy"], color=GREEN, label="predictor is right")
    lower.set_ylabel("share of pages")
    for axes in (upper, lower):
        capability = float(curves()["capability_per_kib"])
        axes.axvline(capability, color=VERMILION, linewidth=0.8, linestyle="--", label="capability")
        axes.set(xlim=(0.0, most), xlabel="errors in the mean 1-KiB codeword (bits)")
        legend(axes)


FIGURES = (
    Figure("predictor", (surveyed,), bins, draw=draw),
    Figure("predictor", (surveyed, mixed), predictions, claims, findings=findings),
)

"""The predictor over first reads of the device."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ...config import Config, preset
from ...lab.ecc import curves
from ...lab.survey import first_reads as survey
from ...lab.survey import predictions, randomizer_effect

# Errors this close to the code's capability are hard to predict.
NEAR = 0.2
NEAR_POINTS = 401

# Cycles in the slides.
CYCLES = (0, 1000, 2000)
# Data are rewritten once a month, so their ages are uniform between zero and a month, at any number of cycles.
AGES: dict[str, Any] = {"reliability.retention_months": 0.5, "reliability.retention_spread": 1.0}


def ssd(pec: int) -> Config:
    """Returns the SSD of the bandwidth runs after this many cycles."""
    return preset("rif").set_all({**AGES, "reliability.pec": pec})


def near_capability() -> list[tuple[float, float]]:
    """Returns pages with uniform errors near the capability, in the mean 1-KiB codeword."""
    capability = float(curves()["capability_per_kib"])
    places = [2.0 * n / (NEAR_POINTS - 1) - 1.0 for n in range(NEAR_POINTS)]
    return [(capability * (1.0 + NEAR * place), 1.0) for place in places]


def first_reads(pec: int, pages: int) -> dict[str, Any]:
    """Returns errors of first reads, the predictor's accuracy on them, and its accuracy near the capability."""
    found = survey(ssd(pec), pages)
    capability = float(curves()["capability_per_kib"])
    near = sum(share for bits, share in found.histogram if abs(bits / capability - 1.0) <= NEAR)
    return {
        "failing_share": found.failing_share,
        "near_share": near,
        "capability_per_kib": capability,
        "population": asdict(predictions(found.histogram)),
        "near": asdict(predictions(near_capability())),
        "histogram": [[bits, share] for bits, share in found.histogram],
    }


def randomizer(pec: int, pages: int) -> dict[str, Any]:
    """Returns the predictor over pages with half of their chunks all zero: with the randomizer, and without it."""
    behind, without = randomizer_effect(ssd(pec), pages)
    return {"behind": asdict(behind), "without": asdict(without)}

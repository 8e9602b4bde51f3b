"""Compares the device model with the papers' measurements on chips: every claim about cells, without an SSD.

The benches of `wordline characterize` compute each number from the model.
"""

from __future__ import annotations

from .. import Study
from . import calibration

NOTES = (
    "M_RBER after a year is read at 85 C; AERO does not say, and at 30 C its margin would contradict PR2/AR2's chips.",
    "P/E cycles are cycles of stress: those of an average block under plain ISPE.",
)

STUDY = Study(
    name="device",
    title="The device model: what the papers measured on chips",
    papers=(),
    notes=NOTES,
    figures=calibration.FIGURES,
)

"""Closed forms: the time of a lone request, and the wait of requests for one die, compared with the formulas.

Claims that follow from a formula and need no technique; they are exact, so any deviation is a fault.
"""

from __future__ import annotations

from .. import Study
from . import requests

NOTES = (
    "OFWAR's example is read as one plane with nothing but programs to wait for: transfers and commands take no time.",
    "M/D/1: one die, reads of one sense, exponential arrivals; the channel takes no time.",
)

STUDY = Study(
    name="validation",
    title="Closed forms: lone reads and writes, and the queue of one die",
    papers=("pnar2", "ofwar"),
    notes=NOTES,
    figures=requests.FIGURES,
)

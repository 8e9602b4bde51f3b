"""All together: four papers' techniques on one SSD and one device model, each on or off, in every combination.

It shows which gains multiply, which cancel, and where one technique enables another. No paper has run two of them
together, so there is no claim to compare with: the result is the finding.
"""

from __future__ import annotations

from .. import Study
from . import gains, side
from .effects import CONFIDENCE

NOTES = (
    (
        "On or off: PnAR2 against the regular retry, IDA against conventional coding, OFWAR against normal programs, "
        "AERO against ISPE; all sixteen combinations over three workloads and over life, on the preset `together`."
    ),
    (
        "A gain is a ratio of times. Gains that know nothing of each other multiply; an interaction is the ratio of "
        "what two save together to the product of what each saves."
    ),
    (
        f"Intervals ({CONFIDENCE:.0%}) are Student's t over seeds; runs of one seed have the same requests and the "
        "same cells, and differ in nothing but the techniques."
    ),
    "Every block has been erased all its life by the scheme that erases it now. Data are up to a month old.",
    "OFWAR's cells are MLC; their model is carried over to the TLC that the other papers measured.",
    "Merging wordlines changes how many senses a page takes, not how many errors it has.",
    "Workloads are made up: bursts of 64 requests, sizes and places alike, 95, 70 and 30 % reads.",
)

STUDY = Study(
    name="together",
    title="All together: read retry, coding, program and erase on one SSD",
    papers=(),
    notes=NOTES,
    figures=(*gains.FIGURES, *side.FIGURES),
)

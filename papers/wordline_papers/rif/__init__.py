"""RiF: retry in flash (Chun et al., HPCA 2024), by the slides of the talk.

Bandwidth of closed loops on four SSDs, the activity of their channels, lone reads, and the on-die predictor over the
device's own pages. The study `device` covers the day of the first retry, to which the device model is fitted.
"""

from __future__ import annotations

from .. import Study
from . import loops, predictor, single_reads, views

NOTES = (
    (
        "Assumed: the whole SSD (preset rif, where each number says so): the slides give none, and the paper's text "
        "was not at hand. Its abstract says 72.1 % over a state-of-the-art scheme."
    ),
    "Assumed: the traces' read ratios, sizes and cold ratios; the slides name six AliCloud and two Systor traces.",
    (
        "Assumed: ages of data lie evenly between nothing and a month, as if they were rewritten once a month, the "
        "same at every number of cycles. Pages written in the run have no age, but their wear."
    ),
    (
        "Saturated closed loop, 1,024 requests; 32 planes that work apart behind each channel, more than the 7.2 that "
        "reads need, (2 (tR + 2.5 us) + tDMA) / tDMA, and the 30 that writes need: the channel is the bottleneck."
    ),
    "ECC: one page at a time behind each channel, 1 us an iteration; a page that does not decode takes all 20.",
)

PREDICTOR = (
    "the slides name no population of pages, and the predictor's accuracy is that of its population: see the findings "
    "for three of them"
)
STUDY = Study(
    name="rif",
    title="RiF: bandwidth and channel time with retries in flash",
    papers=("rif",),
    seeds=5,
    notes=NOTES,
    figures=(*single_reads.FIGURES, *predictor.FIGURES, *loops.FIGURES, *views.FIGURES),
    unmeasured={"rif.predictor.accuracy": PREDICTOR},
    undecidable={"rif.predictor.accuracy": f"cannot be judged: {PREDICTOR}"},
    constants={"rif.module.latency": "`nand.on_die_check_us`"},
)

"""OFWAR: fast writes on demand, rewritten later; Fig. 3, 4 and 9 to 20 on the 64-GB SSD of Section 4.2.

The real IOzone and Postmark runs and the first part of Financial1 are used if available, and reported separately, with
Financial2's look-alike. Look-alikes of Trace 1 to 6, which the paper does not describe, are reported apart.
"""

from __future__ import annotations

from .. import Study
from . import exact, figures
from .traces import STREAMS

AT_ONCE = STREAMS.usual
NOTES = (
    f"Each channel programs {AT_ONCE} pages at once (`program.write_streams`), for all traces; the paper does not say.",
    "That is a chip at a time, two dies of two planes; DiskSim's chips take turns on a shared bus too, a page each.",
    "With all 32 dies at work the two buses are the limit, and faster programs bring little: see the sweep.",
    "No fill: only a trace's footprint is valid. Its writes are repeated without time until GC collects.",
    "IOzone and Postmark: all of them, once; Financial1: its first 10,000 requests, ten times.",
    "Both Financials are taken whole where Financial1.spc and Financial2.spc are among the traces.",
    "N_th_w counts a page until it is on flash: the write queue stores its data. Settled after seeing what that does.",
    "Rewrites and extra writes are over all pages requested, reads included (captions of Fig. 10 and 15).",
    "A hit is a write of a page whose newest copy is a fast one; the hit rate is hits over pages written.",
    "Of two GC victims with as many live pages the fast one goes first.",
    "An idle channel rewrites one page at a time.",
    "Postmark's first 90 s bring 12,300 pages/s, 97 % of what four programs a channel can take: no time for rewrites.",
    "Orderings: steps of less than 0.01 count as equal; settled after seeing that close thresholds scatter by 0.006.",
    "Figures show look-alikes of Financial2, its bursts assumed, and of Trace 1 to 6, all assumed; no claim does.",
)

STUDY = Study(
    name="ofwar",
    title="OFWAR: response time, rewrites and power with fast writes on demand",
    papers=("ofwar",),
    seeds=5,
    notes=NOTES,
    figures=(*figures.FIGURES, *exact.FIGURES),
    unmeasured={
        f"ofwar.fig15.financial2{what}": "its trace is not at hand, and the look-alike's bursts are assumed"
        for what in ("", ".extra")
    },
)

"""Invalid-data-aware coding (IDA): the paper's evaluation.

Each SSD is filled, and the update phase of the look-alike rewrites what the workload has rewritten since. Then all data
is refreshed once, with or without IDA, and the workload runs. A refresh period of days would hardly occur in a week's
trace.
"""

from __future__ import annotations

from .. import Study
from . import blocks, exact, gains, setups, undecidable
from .gains import QUEUE_DEPTH

NOTES = (
    "A chip is one server with a link of its own, held for tR and 48 us, as the paper's simulator most likely had it.",
    "Loads, shares of time that reads hold the baseline's chips, are fitted: each to its workload's saving in Table V.",
    "`wordline reproduce ida --refit` fits them, and nothing else is; Fig. 8 to 11 follow.",
    "A load is that of the very runs that are measured, while requests come, mean of the chips.",
    "Requests come in the bursts of the presets, which say how long reads wait as the load does.",
    "Programs do not count: the server that the claims describe is held for tR and 48 us.",
    "Reads are served first, also where a program has begun.",
    "Read times change in Fig. 9 and Table V, arrivals do not.",
    "What is invalid at the refresh follows Table IV, page by page; in the part `runs` whole wordlines are among it.",
    f"It lies in pieces of {setups.EXTENT_PAGES} pages, so that no chip has more to read.",
    "Footprints are scaled to 4 GiB where only times matter; blocks in use are counted with up to the paper's 110 GB.",
    "Fig. 9 keeps the LSB at 50 us; the paper does not say which read time it keeps.",
    f"Fig. 10: a closed loop of {QUEUE_DEPTH} requests (others in its table) in the trace's order, reads first.",
    "Fig. 11: the chip tlc-micron, data of all ages up to a month, from the P/E cycles at which reads begin to fail.",
    "A read that fails is read again, with transfer and ECC, at last with soft decisions; arrivals as in Fig. 8.",
    "GC after a write-intensive phase: a full SSD with 15 % over-provisioning and a 28th of the blocks.",
    "Every point is run once more, short, in checked mode: as it is, with its refresh in the run, and with power cuts.",
)

STUDY = Study(
    name="ida",
    title="IDA: coding that forgets invalid pages, applied by refresh",
    papers=("ida",),
    seeds=5,
    notes=NOTES,
    figures=(*gains.FIGURES, *blocks.FIGURES, *exact.FIGURES),
    undecidable=undecidable.UNDECIDABLE,
)

"""PR2 and AR2: faster read-retry (Park et al., ASPLOS 2021), sections 3, 6 and 7.

Lone reads compared with the paper's equations, AR2 over characterised pages, and twelve workloads over the grid of Fig.
14 and 15.
"""

from __future__ import annotations

from .. import Study
from . import loads, reads, responses
from .workloads import HOST_US, LOAD, YCSB_READ_BYTES

NOTES = (
    "Look-alikes of Table 2 stand for the traces; the paper gives read and cold ratios, no sizes and no arrivals.",
    f"Sizes are the look-alikes', but {YCSB_READ_BYTES / 1024:g} KiB a read for YCSB.",
    (
        f"One load for all: without retries, senses and programs keep each die busy {LOAD:.1%} of the time. The "
        "recorded week of the MSRC traces would be an idle SSD."
    ),
    (
        f"Every request takes {HOST_US:g} us more on its way through host, link and firmware. The paper does not say "
        "so. MQSim, its simulator, ships this number for SATA hosts and none for NVMe."
    ),
    (
        "Load and path were picked from eight settings by how many of the paper's ratios they come near: so PnAR2, PSO "
        "and PSO+PnAR2 over NoRR are no independent evidence; orderings and the shares that PR2 and AR2 save are."
    ),
    (
        "The paper's ratios (PnAR2 2.37, PSO 1.92 times NoRR) fit no SSD whose reads take 127 us and at least three "
        "steps: something must take time that retries do not multiply. The figure `load` shows what load and path do."
    ),
    (
        "Writes are acknowledged from a DRAM buffer that is too small to serve reads: a sixteenth of what is written, "
        "16 MiB at most. So pages written in the run are read from flash; they have no retention age, but their wear."
    ),
    (
        "PSO begins three steps, or a quarter of the drift, below the lowest that worked; both fit section 3.1 (at "
        "least three steps; 70 % fewer). The rule was chosen after a simpler one, four steps for all, had missed that."
    ),
    "The grid is 0, 1K and 2K P/E cycles by 3 and 6 months: the text names (2K, 6 months) as the worst condition.",
    "Temperature of the reads: 30 C. RPT: profiled on the device model, as the paper's on its chips.",
)

STUDY = Study(
    name="pnar2",
    title="PR2 and AR2: response times over Baseline, twelve workloads",
    papers=("pnar2",),
    notes=NOTES,
    figures=(*reads.FIGURES, *responses.FIGURES, *loads.FIGURES),
)

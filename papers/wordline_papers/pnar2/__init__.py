"""PR2 and AR2: faster read-retry (Park et al., ASPLOS 2021), sections 3, 6 and 7.

Lone reads compared with the paper's equations, AR2 over characterised pages, and twelve workloads over the grid of Fig.
14 and 15.
"""

from __future__ import annotations

from .. import Study
from . import cache_read, inconsistent, loads, reads, responses
from .workloads import PATH_US, WARMUP_S, YCSB_INTER_ARRIVAL_US, YCSB_READ_BYTES

NOTES = (
    "Look-alikes of Table 2 stand for the traces; the paper gives read and cold ratios, no sizes and no arrivals.",
    f"Sizes are the look-alikes', but {YCSB_READ_BYTES / 1024:g} KiB a read for YCSB.",
    (
        "Each trace has its own rate: for MSR Cambridge the recorded week over the trace's requests. Those of stg_0, "
        "hm_0 and usr_1 are in AERO's Table 3, those of prn_1 and proj_1 in the public `cache_dataset` (2007_msr). "
        "We found no published count for mds_1; 1.6 million is assumed."
    ),
    (
        f"YCSB's requests come {YCSB_INTER_ARRIVAL_US / 1000:.2f} ms apart, as in a recorded trace of YCSB on ext4 "
        "until its last read."
    ),
    (
        "The SSD is in steady state: every page was written, then the pages that the workload writes, until garbage "
        f"collection had begun in every plane. Requests of the first {WARMUP_S:g} simulated seconds, at most as many "
        "as are counted, do not count."
    ),
    (
        "Beside the flash a request takes what MQSim ships: its link, the DRAM of its write cache, and reads of a "
        "mapping table of which 2 MiB are cached, whose pages carry no retention age. On top of it come "
        f"{PATH_US:g} us for each request: a fit to the two claims of kind `setting`. Alternatives to both are in the "
        "readings; the figure `load` shows what load and path do."
    ),
    (
        "Multiples of NoRR, the closed gap and means over PSO are ratios of the means over Baseline's, as the paper's "
        "three numbers for PnAR2 need; means of ratios stand beside them."
    ),
    (
        "Writes are acknowledged from a DRAM buffer that is too small to serve reads: a sixteenth of what is written, "
        "16 MiB at most. So pages written in the run are read from flash; they have no retention age, but their wear."
    ),
    (
        "PSO begins a step, or a quarter of the drift, below the lowest that worked in the last 512 reads of the "
        "layer at least; until it has had as many, the lowest of its die or of the SSD. All of these are set after "
        "section 3.1 (70 % fewer steps; at least three). Two simpler rules had missed that: four steps for all, and a "
        "layer's own last 128 reads alone, with which one read in 10,000 took fewer than three."
    ),
    "The grid is 0, 1K and 2K P/E cycles by 3 and 6 months: the text names (2K, 6 months) as the worst condition.",
    "Temperature of the reads: 30 C. RPT: profiled on the device model, as the paper's on its chips.",
)

STUDY = Study(
    name="pnar2",
    title="PR2 and AR2: response times over Baseline, twelve workloads",
    papers=("pnar2",),
    seeds=5,
    notes=NOTES,
    figures=(*reads.FIGURES, *responses.FIGURES, *loads.FIGURES, *cache_read.FIGURES),
    inconsistent=inconsistent.INCONSISTENT,
    constants={
        "pnar2.timing.tdma": "`channel.rate_mb_s`",
        "pnar2.timing.reset": "`nand.reset_us`",
        "pnar2.rpt.size": "the number of rows and columns of the table",
    },
)

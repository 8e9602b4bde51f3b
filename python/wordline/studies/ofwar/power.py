"""Power cut at random moments of small SSDs in checked mode."""

from __future__ import annotations

import random
from typing import Any

from ...api import run
from ...config import preset
from ...workload import workload

__all__ = ["SMALL", "cuts"]

# A device of 1,536 pages, on which an open-loop burst is over in some 20 ms.
SMALL: dict[str, Any] = {
    "ssd.chips_per_channel": 1,
    "ssd.dies_per_chip": 1,
    "ssd.blocks_per_plane": 24,
    "ssd.pages_per_block": 16,
    "ssd.overprovisioning": 0.5,
    "program.write_streams": 1,
    "program.fast_write_threshold": 2,
    "program.rewrite_threshold": 8,
    "program.rewrite_queue_pages": 200,
}
REQUESTS, GAP_US = 400, 120.0
# Within the slack that forced rewrites leave (24 h), less what a scan for them may be late.
OFF_MAX_H = 22.0


def cuts(seed: int, count: int) -> dict[str, Any]:
    """Cuts the power of `count` SSDs, each once, at a random moment and for a random time."""
    draw = random.Random(seed)  # noqa: S311 - nothing secret
    totals = {"cuts": 0, "lost_pages": 0, "fast_pages": 0, "programs_cut_off": 0, "queued_pages": 0}
    burst = workload("fio/random-write", requests=REQUESTS, inter_arrival_us=GAP_US)
    base = preset("ofwar").set_all(SMALL)
    for _ in range(count):
        at_s = draw.uniform(0.0, REQUESTS * GAP_US / 1e6)
        settings = {
            "power.cut_at_s": max(at_s, 1e-6),
            "power.off_h": draw.uniform(0.0, OFF_MAX_H),
            "program.queue_at_power_loss": draw.choice(["saved", "lost"]),
            "seed": draw.randrange(1 << 30),
        }
        document = run(base.set_all(settings), burst, check=True).document
        power, counters = document["power"], document["counters"]["ftl"]
        totals["lost_pages"] += counters["lost_pages"]
        if power is not None:
            totals["cuts"] += 1
            for name in ("fast_pages", "programs_cut_off", "queued_pages"):
                totals[name] += power["cut"][name]
    return totals

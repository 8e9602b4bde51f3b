"""The compared SSDs: two readings of Table II, and the changes to them."""

from __future__ import annotations

from typing import Any

# Table II.
PLANES, PAGES_PER_BLOCK, PAGE_BYTES = 64, 192, 8192

# Enough blocks for the scaled footprints without garbage collection: the paper's read-intensive runs have almost none.
SMALL: dict[str, Any] = {"ssd.blocks_per_plane": 192, "refresh.period_days": 0.0}

# Reads first, even if a program is running: a read that waits for programs of 2.3 ms would gain little from 50 us less,
# with any coding (part `programs`).
OVERTAKING: dict[str, Any] = {
    "program.suspend": True,
    "nand.program_suspend_us": 0.0,
    "schedule.suspend_min_remaining_us": 0.0,
    "schedule.max_suspends": 1_000_000,
}
# (a) The likely model of the paper's simulator: a chip is one server with a link of its own, held for tR and 48 us.
CHIP_SERVERS: dict[str, Any] = {
    **SMALL,
    **OVERTAKING,
    "ssd.channels": 16,
    "ssd.chips_per_channel": 1,
    "schedule.unit": "chip",
    "nand.multiplane": "off",
}
# (b) Table II to the letter: four chips of two dies share a channel.
TABLE_II: dict[str, Any] = {
    **SMALL,
    **OVERTAKING,
    "ssd.channels": 4,
    "ssd.chips_per_channel": 4,
    "schedule.unit": "die",
    "nand.multiplane": "same-page",
}
BASELINE: dict[str, Any] = {"coding.policy": "conventional", "refresh.at_start": "before"}
LSB_US = 50.0
# The paper leaves QLC as future work: each further page type takes dtR more, like from LSB to CSB to MSB. Other numbers
# of senses are interpolated.
QLC: dict[str, Any] = {
    "coding.cell": "qlc",
    "coding.scheme": "qlc-1-2-4-8",
    "nand.read_us": [50.0, 100.0, 125.0, 150.0, 162.5, 175.0, 187.5, 200.0],
}


def ida(error_rate: float) -> dict[str, Any]:
    """Returns IDA whose adjustments break a share of the remaining pages."""
    return {"coding.policy": "ida", "coding.ida_error_rate": error_rate, "refresh.at_start": "before"}


def read_times(step_us: float) -> dict[str, Any]:
    """Returns read times with another dtR; the LSB's stays (the paper does not say which page's does)."""
    return {"nand.read_us": [LSB_US, LSB_US + step_us, LSB_US + 1.5 * step_us, LSB_US + 2 * step_us]}

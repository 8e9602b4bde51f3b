"""Garbage collection beside a journal of the mapping table comes to rest."""

from __future__ import annotations

import wordline as wl


def test_jobs_that_win_nothing_wait_until_free_blocks_are_needed() -> None:
    """Entries and padding of each job take the room that it wins; GC went on for 1,507 s of simulated time."""
    config = wl.preset("datacenter-tlc").set_all(
        {
            "seed": 13,
            "ssd.channels": 4,
            "ssd.chips_per_channel": 1,
            "ssd.dies_per_chip": 1,
            "ssd.blocks_per_plane": 64,
            "ssd.pages_per_block": 24,
            "ssd.overprovisioning": 0.33,
            "journal.mode": "on",
            "journal.entry_bytes": 64,
            "journal.share": 0.1,
            "power.protected": False,
            "precondition.fill": 1.0,
            "precondition.overwrite": 1.0,
            "gc.threshold": 0.14,
        }
    )
    document = wl.run(config, wl.workload("fio/random-write", requests=3000)).document
    assert document["simulated_s"] < 10

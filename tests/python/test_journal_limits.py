"""Small drives with a journal: garbage collection ends, planes stay equally full, and cuts leave room."""

from __future__ import annotations

from pathlib import Path

import pytest

import wordline as wl
from wordline.cli import main


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


def test_planes_stay_equally_full_under_bursts_with_pauses(tmp_path: Path) -> None:
    """Writes that waited for a plane drew others into it, the more the slower it was: it ran full."""
    job = tmp_path / "bursts.fio"
    lines = [
        "rw=randwrite",
        "bs=4k",
        "iodepth=32",
        "filename=/dev/nvme0n1",
        "thinktime=200000",
        "thinktime_blocks=20000",
    ]
    job.write_text("\n".join(["[bursts]", *lines, "number_ios=200000", ""]), "utf-8")
    aged = ["--set", "precondition.fill=1", "--set", "precondition.overwrite=1"]
    assert main(["run", "datacenter-tlc", str(job), "--scale", "1/256", *aged]) == 0


def test_a_loaded_drive_may_close_its_open_groups(tmp_path: Path) -> None:
    """It was saved by a run that closed none."""
    state = str(tmp_path / "drive.state")
    run = ["run", "datacenter-tlc", "--scale", "1/256", "--workload", "fio/random-write"]
    run += ["--set", "workload.requests=3000"]
    assert main([*run, "--save-state", state]) == 0
    assert main([*run, "--load-state", state, "--set", "ftl.open_timeout_ms=5"]) == 0


@pytest.mark.parametrize("cut_at_s", [0.3, 0.4])
def test_a_cut_leaves_room_where_few_groups_are_free(cut_at_s: float) -> None:
    """Host, GC and journal have an open group each. Others in their place left no room for what is done again."""
    config = wl.preset("mqsim").set_all(
        {
            "ssd.channels": 2,
            "ssd.chips_per_channel": 1,
            "ssd.dies_per_chip": 1,
            "ssd.planes_per_die": 2,
            "ssd.blocks_per_plane": 16,
            "ssd.pages_per_block": 32,
            "ssd.page_bytes": 16384,
            "ssd.overprovisioning": 0.4,
            "ftl.unit_bytes": 512,
            "ftl.group": "planes",
            "program.unit": "wordline",
            "program.suspend": True,
            "cache.mode": "write",
            "cache.capacity_bytes": 1 << 20,
            "cache.flush": "watermark",
            "power.protected": True,
            "power.cut_at_s": cut_at_s,
            "journal.mode": "on",
            "precondition.fill": 0.0,
            "host.queue_depth": 4,
        }
    )
    document = wl.run(config, wl.workload("fio/random-mix", requests=5000), check=True).document
    # But for those that were under way.
    assert document["requests"]["all"] > 4_900


SMALL = ("ssd.chips_per_channel=1", "ssd.dies_per_chip=1", "ssd.planes_per_die=1", "journal.mode=on")


@pytest.mark.parametrize(
    ("workload", "settings"),
    [
        # GC began when the last block was gone that the journal may open.
        (
            "fio/hot-cold-write",
            ("ssd.channels=4", "ssd.blocks_per_plane=32", "ssd.pages_per_block=32", "ssd.page_bytes=8192",
             "ssd.overprovisioning=0.6", "gc.frontier=shared", "ftl.open_timeout_ms=1", "reliability.grown_bad=1e-4"),
        ),
        # A victim did not fit into the group that was kept for it, of which a block is bad.
        (
            "fio/zipf-write",
            ("seed=214", "ssd.channels=2", "ssd.blocks_per_plane=20", "ssd.pages_per_block=16", "ssd.page_bytes=4096",
             "ssd.overprovisioning=0.46", "ftl.group=superblock", "wear.static_threshold=2",
             "reliability.factory_bad=0.03", "precondition.fill=0.9"),
        ),
    ],
)  # fmt: skip
def test_bad_blocks_leave_room(workload: str, settings: tuple[str, ...]) -> None:
    config = wl.preset("mqsim").assign(*SMALL, *settings)
    document = wl.run(config, wl.workload(workload, requests=5000), check=True).document
    assert document["requests"]["all"] == 5000

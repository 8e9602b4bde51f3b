"""States that somebody has changed, with checksums made again, are refused or run: no panic, no fault of Wordline."""

from __future__ import annotations

import os
import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest

import state_forger
import wordline as wl

if TYPE_CHECKING:
    from pathlib import Path

DRIVE = {
    "ssd.channels": 2,
    "ssd.chips_per_channel": 2,
    "ssd.dies_per_chip": 1,
    "ssd.planes_per_die": 1,
    "ssd.blocks_per_plane": 64,
    "ssd.pages_per_block": 24,
    "ssd.overprovisioning": 0.4,
    "precondition.fill": 1.0,
    "precondition.overwrite": 1.0,
}
PACKED = {
    "ftl.unit_bytes": 4096,
    "program.unit": "wordline",
    "ssd.planes_per_die": 2,
    "ftl.group": "planes",
    "journal.mode": "on",
    "power.protected": False,
    "gc.pacing": "in-step",
    "cache.mode": "write",
    "cache.capacity_bytes": 1 << 20,
}
CACHED = {
    "ftl.mapping": "dftl",
    "ftl.cmt_bytes": 4096,
    "cache.mode": "read-write",
    "cache.capacity_bytes": 1 << 20,
    "read.retry": "pnar2",
    "nand.cache_register": True,
}
KINDS = {"plain": {}, "packed": PACKED, "cached": CACHED}
FORGED = int(os.environ.get("WORDLINE_FORGED", "10"))
"""States of each kind."""
FIRST = int(os.environ.get("WORDLINE_SEED", "1")) * 1_000_000


def stop(progress: wl.Progress) -> None:
    """Stops a run once its first requests are complete."""
    if progress.requests > 0:
        raise KeyboardInterrupt


@pytest.mark.parametrize("is_over", [False, True], ids=["run", "drive"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_forged_state_gives_an_error_or_a_run(
    kind: str, is_over: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A run tells each of its steps, so it is stopped soon on any machine.
    monkeypatch.setenv("WORDLINE_PROGRESS_S", "0")
    ssd = wl.preset("pnar2", **{**DRIVE, **KINDS[kind]})
    workload = wl.workload("fio/random-mix", requests=1_000 if is_over else 40_000)
    state = tmp_path / "state"
    if is_over:
        wl.run(ssd, workload, save_state=state)
    else:
        with pytest.raises(KeyboardInterrupt):
            wl.run(ssd, workload, save_state=state, progress=stop)
    content = state.read_bytes()
    assert state_forger.whole(content, state_forger.parts_of(content)) == content
    outcomes = state_forger.outcomes(ssd, workload, state, range(FIRST, FIRST + FORGED))
    # What shows only as the run goes on is put down to the state, too.
    is_fault = re.compile(r"fault: |.*fault of Wordline")
    faults = {seed: outcome for seed, outcome in outcomes.items() if is_fault.match(outcome)}
    assert not faults, faults
    # A run is saved wherever it is when it is stopped: a few states may all be refused, or all run.
    assert FORGED < 100 or len(Counter(outcome.split(":")[0] for outcome in outcomes.values())) == 2, outcomes

"""Loads of two and three streams, as fio jobs, with each way to keep them apart."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import wordline as wl
from wordline.placements import placed
from wordline.workload import flows_of

from .drives import ROOT, Real, narrow

EXAMPLES = ROOT / "examples"
HANDLES = 7
# Drive writes of both jobs together.
TWO_WRITES = 7.02
BLOCK, LARGE_BLOCK = 4096, 131_072
SHARED = "shared handle"
WAYS = ("plain", SHARED, "fdp-ii", "fdp-pi")
# The distribution of the job that overwrites the log, in fio's words.
JUMPS = {
    "uniform": "random",
    "zipf 1.2": "zipf:1.2",
}


@dataclass(frozen=True)
class Load:
    """A job file, and the requests of it that are not counted."""

    text: str
    warmup: int


def two_streams(config: wl.Config, random_percent: int) -> Load:
    """A writer in order and a random one of as many bytes, which has a share of the drive. The last fifth counts."""
    text = (EXAMPLES / "two-streams.fio").read_text(encoding="utf-8")
    in_order = 100 - random_percent
    each = round(TWO_WRITES * config.host_bytes / 2)
    parts = {
        "time_based\nruntime=80\n": "",
        "size=90%": f"size={in_order}%\nio_size={each}",
        "offset=90%": f"offset={in_order}%",
        "size=10%": f"size={random_percent}%\nio_size={each}",
    }
    # All at once: a new part may read like an old one.
    text, count = re.subn("|".join(parts), lambda found: parts[found[0]], text)
    assert count == len(parts), count  # noqa: S101
    return Load(text, int(0.8 * TWO_WRITES * config.host_bytes / BLOCK))


def three_streams(config: wl.Config, jumps: str) -> Load:
    """A writer in order, one that overwrites its data at random, and a random one. All after the fill counts."""
    text = (EXAMPLES / "three-streams.fio").read_text(encoding="utf-8")
    text = text.replace("[jumper]\nrw=randwrite", f"[jumper]\nrw=randwrite\nrandom_distribution={JUMPS[jumps]}")
    fill = 0.9 * config.host_bytes / LARGE_BLOCK + 0.1 * config.host_bytes / BLOCK
    return Load(text, int(fill))


def run(real: Real, load: str, kind: str | int, way: str, seed: int = 1, **settings: Any) -> wl.Result:  # noqa: ANN401
    """Runs a load on a narrow part of a drive, with its data kept apart in a way."""
    config = narrow(real, seed=seed).set("fdp.handles", HANDLES).set_all(settings)
    jobs = two_streams(config, int(kind)) if load == "two" else three_streams(config, str(kind))
    text = jobs.text
    if way == SHARED:
        way, text = "fdp-ii", text.replace("plids=1", "plids=0").replace("plids=2", "plids=0")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "streams.fio"
        path.write_text(text, encoding="utf-8")
        flows = flows_of(wl.fio(path), config.set("fdp.isolation", "initially"))
        return wl.run(placed(config, way).set("host.warmup_requests", jobs.warmup), flows)

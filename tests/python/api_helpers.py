"""Common parts of the tests of the API: a small SSD, and short traces."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import wordline as wl

ROOT = Path(__file__).resolve().parents[2]
TRACES = Path(os.environ.get("WORDLINE_TRACES", ROOT.parent / "shared" / "traces"))

SMALL_SSD = """
preset = "mqsim"
[ssd]
channels = 2
chips_per_channel = 1
dies_per_chip = 1
planes_per_die = 1
blocks_per_plane = 64
pages_per_block = 64
[cache]
mode = "off"
"""


def small(**settings: object) -> wl.Config:
    """An SSD of 64 MiB."""
    return wl.config(text=SMALL_SSD, **settings)


def msrc(*lines: tuple[int, str, int, int]) -> str:
    """An MSR Cambridge trace from `(100-ns ticks, type, offset, bytes)`."""
    start = 128_166_372_000_000_000
    return "".join(f"{start + time},hm,0,{op},{offset},{size},100\n" for time, op, offset, size in lines)


def write_trace(path: Path, requests: int = 200) -> Path:
    """A trace of reads and writes, one a millisecond, within 32 MiB."""
    rows = [(i * 10_000, "Read" if i % 3 else "Write", (i * 7919 % 8000) * 4096, 4096) for i in range(requests)]
    path.write_text(msrc(*rows))
    return path


def reproducible(result: wl.Result) -> str:
    """The document without what the wall clock says, and what was asked for beside the numbers."""

    def without_wall(value: Any) -> Any:  # noqa: ANN401 - JSON
        if isinstance(value, dict):
            return {key: without_wall(each) for key, each in value.items() if not key.startswith("wall_")}
        return value

    document = {key: value for key, value in result.to_dict().items() if key != "options"}
    return json.dumps(without_wall(document), sort_keys=True)
